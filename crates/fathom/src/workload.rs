//! A workload as it is named on the command line: a job file, an XML profile, or a line in quotes.

use plan::Plan;
use units::diagnostic::Diagnostic;

use crate::lines::fio_line::FioLine;
use crate::lines::{Dialect, Planned, diskspd_line};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workload {
    /// As people name it: the line, with its program.
    pub text: String,
    pub dialect: Dialect,
    /// The dialect's own words.
    pub line: Vec<String>,
}

impl Workload {
    /// Of one word of the command line.
    pub fn read(word: &str) -> Result<Workload, String> {
        let program = word.split_whitespace().next().filter(|program| program.len() < word.trim().len());
        if let Some(dialect) = program.and_then(Dialect::from_word) {
            let words = shlex::split(word).ok_or_else(|| format!("`{word}`: its quotes don't end"))?;
            return Ok(Workload { text: word.to_owned(), dialect, line: words.into_iter().skip(1).collect() });
        }
        Ok(if is_profile(word) {
            Workload { text: word.to_owned(), dialect: Dialect::DiskSpd, line: vec![format!("-X{word}")] }
        } else {
            Workload { text: word.to_owned(), dialect: Dialect::Fio, line: vec![word.to_owned()] }
        })
    }

    /// Of a line that a shell has taken apart.
    pub fn of_line(dialect: Dialect, line: Vec<String>) -> Workload {
        let text = std::iter::once(dialect.name()).chain(line.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        Workload { text, dialect, line }
    }

    /// What its program would run.
    pub fn plan(&self, command: &'static str) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
        let planned = match self.dialect {
            Dialect::Fio => FioLine::new(&self.line, command).plan(&[]),
            Dialect::DiskSpd => diskspd_line::plan(&self.line, &[], command),
        };
        match planned? {
            Planned::Run { plan, warnings } => Ok((*plan, warnings)),
            Planned::Print { .. } => Err(vec![Diagnostic::error("the line prints a text, and runs nothing")]),
        }
    }
}

/// By its name, or by how it begins.
fn is_profile(path: &str) -> bool {
    let by_name = path.rsplit('.').next().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
    // Standard input has no second time; a profile is a file.
    let begins = || std::path::Path::new(path).is_file().then(|| std::fs::read(path).ok()).flatten();
    by_name || begins().is_some_and(|bytes| bytes.trim_ascii_start().first() == Some(&b'<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(word: &str) -> (Dialect, Vec<String>) {
        let workload = Workload::read(word).unwrap_or_else(|message| panic!("{message}"));
        (workload.dialect, workload.line)
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_workload_is_a_line_in_quotes_a_profile_or_a_job_file() {
        assert_eq!(read("fio --name=a '--filename=x y'"), (Dialect::Fio, words(&["--name=a", "--filename=x y"])));
        assert_eq!(read("/opt/diskspd.exe -b4K t"), (Dialect::DiskSpd, words(&["-b4K", "t"])));
        assert_eq!(read("base.fio"), (Dialect::Fio, words(&["base.fio"])));
        assert_eq!(read("my jobs/fio base.fio"), (Dialect::Fio, words(&["my jobs/fio base.fio"])));
        assert_eq!(read("mixed.XML"), (Dialect::DiskSpd, words(&["-Xmixed.XML"])));
    }
}
