//! The end of a run: counts, and the differences by class.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Duration;

use crate::case::Case;

use crate::examine::{Failure, Verdict};
use crate::facts::Kind;

/// Counts and failures of a run.
#[derive(Default)]
pub struct Report {
    cases: u64,
    same: u64,
    /// Numbers of cases by fio's message, without digits.
    both_failed: BTreeMap<String, Vec<u64>>,
    undetermined: u64,
    fio_faults: BTreeMap<String, Vec<u64>>,
    known: BTreeMap<&'static str, u64>,
    failures: Vec<Failure>,
}

/// What failures of one class have in common: the names of the options, and the kind of difference.
type Class = (BTreeSet<String>, Kind);

impl Report {
    pub fn add(&mut self, number: u64, verdict: Verdict) {
        self.cases += 1;
        match verdict {
            Verdict::Same => self.same += 1,
            Verdict::BothFailed(message) => {
                let message = message.replace(|c: char| c.is_ascii_digit(), "");
                self.both_failed.entry(message).or_default().push(number);
            }
            Verdict::Undetermined => self.undetermined += 1,
            Verdict::FioFault(fault) => self.fio_faults.entry(fault).or_default().push(number),
            Verdict::Known(names) => names.into_iter().for_each(|name| *self.known.entry(name).or_default() += 1),
            Verdict::Unexplained(failure) => self.failures.push(*failure),
        }
    }

    pub fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Returns the report as text.
    pub fn text(&self, elapsed: Duration) -> String {
        let mut text = String::new();
        let per_case = elapsed.as_secs_f64() / self.cases.max(1) as f64;
        let _ = writeln!(text, "cases         {} in {:.0} s, {per_case:.3} s each", self.cases, elapsed.as_secs_f64());
        let _ = writeln!(text, "same          {}", self.same);
        for (message, numbers) in &self.both_failed {
            let _ = writeln!(text, "both fail     {} times, first in case {}: {message}", numbers.len(), numbers[0]);
        }
        let _ = writeln!(text, "undetermined  {}", self.undetermined);
        for (fault, numbers) in &self.fio_faults {
            let first: Vec<String> = numbers.iter().take(8).map(u64::to_string).collect();
            let _ = writeln!(text, "fio's fault   {} times {fault}: cases {}", numbers.len(), first.join(", "));
        }
        for (name, count) in &self.known {
            let _ = writeln!(text, "known         {count} times {name}");
        }
        let classes = self.classes();
        let _ = writeln!(text, "unexplained   {} in {} classes", self.failures.len(), classes.len());
        for failures in classes {
            let first = failures[0];
            let _ = writeln!(text, "\n{} times, first in case {}", failures.len(), first.number);
            text.push_str(&describe(first));
        }
        text
    }

    /// Returns the failures by class, the most frequent first.
    fn classes(&self) -> Vec<Vec<&Failure>> {
        let mut classes: BTreeMap<Class, Vec<&Failure>> = BTreeMap::new();
        for failure in &self.failures {
            classes.entry(class(&failure.case, failure)).or_default().push(failure);
        }
        let mut classes: Vec<Vec<&Failure>> = classes.into_values().collect();
        classes.sort_by_key(|failures| std::cmp::Reverse(failures.len()));
        classes
    }
}

fn class(case: &Case, failure: &Failure) -> Class {
    let names = case.settings().map(|setting| setting.name.clone()).collect();
    (names, failure.differences[0].kind)
}

/// Returns the command line of a failure and its differences, fathom's side first.
pub fn describe(failure: &Failure) -> String {
    let mut text = format!("  {}\n", failure.case);
    for difference in failure.differences.iter().take(6) {
        let _ = writeln!(text, "    {difference}");
    }
    text
}
