//! Cases with what fio did, as data. fathom is compared with them where there is no fio.

use std::fmt;
use std::io;

use crate::case::Case;
use crate::compare::{Difference, differing};
use crate::facts::{Facts, Kind, facts, is_by_time};
use crate::known::{Version, explanation};
use crate::pair::{Places, Programs, TIMEOUT};
use crate::run::{Program, run};

/// The version of fio that gave the answers.
const OF_ANSWERS: Version = Version(3, 42);

/// A case and the facts about fio's run.
pub struct Answer {
    pub case: Case,
    pub facts: Facts,
}

impl Answer {
    /// Parses a file of answers.
    ///
    /// # Panics
    ///
    /// Panics if the text is not in the format of [`fmt::Display`].
    pub fn parse_all(text: &str) -> Vec<Answer> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        lines.chunks(2).map(|lines| Answer { case: Case::parse(lines[0]), facts: parse_facts(lines[1]) }).collect()
    }

    /// Returns the answer of a case if fathom does the same as fio, and fio the same in two runs. Contents that differ are left
    /// out.
    ///
    /// # Errors
    ///
    /// A folder or a program cannot be used.
    pub fn record(programs: &Programs, case: &Case, places: &Places) -> io::Result<Option<Answer>> {
        let run =
            |program: &Program| -> io::Result<Facts> { Ok(facts(case, &run(program, case, places.fio(), TIMEOUT)?)) };
        if is_by_time(case) {
            return Ok(None);
        }
        let (mut answer, again, ours) = (run(&programs.fio)?, run(&programs.fio)?, run(&programs.fathom)?);
        answer.retain(|key, value| {
            key.0 != Kind::Contents || [&again, &ours].iter().all(|facts| facts.get(key) == Some(value))
        });
        let answer = Answer { case: case.clone(), facts: answer };
        let is_repeated = [&again, &ours].iter().all(|facts| answer.differences(facts).is_empty());
        let is_orderly = answer.facts.get(&(Kind::End, String::new())).is_some_and(|end| end.starts_with("exit"));
        Ok((is_repeated && is_orderly).then_some(answer))
    }

    /// Runs fathom and returns the differences from the answer that are not decided.
    ///
    /// # Errors
    ///
    /// A folder or fathom cannot be used.
    pub fn check(&self, fathom: &Program, places: &Places) -> io::Result<Vec<Difference>> {
        let mut differences = self.differences(&facts(&self.case, &run(fathom, &self.case, places.fio(), TIMEOUT)?));
        differences.retain(|difference| explanation(OF_ANSWERS, &self.case, difference).is_none());
        Ok(differences)
    }

    fn differences(&self, facts: &Facts) -> Vec<Difference> {
        let has_answer = |difference: &Difference| {
            difference.kind != Kind::Contents || self.facts.contains_key(&(difference.kind, difference.subject.clone()))
        };
        differing(facts, &self.facts).into_iter().filter(has_answer).collect()
    }
}

fn parse_facts(line: &str) -> Facts {
    let fact = |text: &str| {
        let (key, value) = text.split_once(": ")?;
        let (kind, subject) = key.split_once(' ').unwrap_or((key, ""));
        Some(((Kind::parse(kind)?, subject.to_owned()), value.to_owned()))
    };
    line.trim().split("; ").map(|text| fact(text).unwrap_or_else(|| panic!("no fact: {text}"))).collect()
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fact = |((kind, subject), value): (&(Kind, String), &String)| match subject.as_str() {
            "" => format!("{kind}: {value}"),
            subject => format!("{kind} {subject}: {value}"),
        };
        writeln!(f, "{}\n  {}", self.case, self.facts.iter().map(fact).collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_same_after_it_is_written_and_read() {
        let text =
            "--name=a --rw=write\n  end: exit 0; amounts a write: 4 I/Os of 16384 bytes; left a.0.0: 16384 bytes\n";
        assert_eq!(Answer::parse_all(text)[0].to_string(), text);
    }
}
