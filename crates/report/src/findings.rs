//! The findings of an assessment, the worst first, each once for all tests that share it.

use assessment::{Assessment, Finding, Severity, Subject, Test};

use crate::wording::{self, Dialect};

/// A finding of one or several tests.
pub struct Shared<'a> {
    pub severity: Severity,
    /// The name of the kind, such as `step-down`.
    pub kind: &'a str,
    pub headline: String,
    pub advice: String,
    pub found: Vec<Found<'a>>,
}

/// The finding in one test.
pub struct Found<'a> {
    pub test: &'a str,
    finding: &'a Finding,
}

impl Found<'_> {
    /// Returns the numbers of the test; empty if there are none.
    pub fn figures(&self) -> String {
        wording::figures(self.finding)
    }

    /// Returns the part of the test, if it is not the whole test.
    fn subject(&self) -> Option<String> {
        match &self.finding.subject {
            Subject::Jobs { names, .. } if names.as_slice() == [self.test] => None,
            subject => wording::subject(subject),
        }
    }

    /// Returns the test, the part of it, and the numbers.
    pub fn evidence(&self) -> String {
        let parts = [Some(self.test.to_owned()), self.subject()];
        let who = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        match self.figures() {
            none if none.is_empty() => who,
            figures => format!("{who}: {figures}"),
        }
    }
}

impl Shared<'_> {
    /// Returns the test, or the number of tests.
    pub fn tests(&self) -> String {
        match self.found.as_slice() {
            [found] => found.test.to_owned(),
            many => format!("{} times", many.len()),
        }
    }
}

/// Returns all findings, the worst first.
pub fn worst_first(assessment: &Assessment) -> Vec<Shared<'_>> {
    let mut shared: Vec<Shared> = Vec::new();
    for test in &assessment.tests {
        for finding in &test.findings {
            let (severity, kind) = (finding.severity, finding.kind.name());
            let (headline, advice) = (wording::headline(finding), wording::advice(finding, dialect(test)));
            let found = Found { test: &test.name, finding };
            let is_same = |known: &&mut Shared| {
                (known.severity, known.kind, &known.headline, &known.advice) == (severity, kind, &headline, &advice)
            };
            match shared.iter_mut().find(is_same) {
                Some(known) => known.found.push(found),
                None => shared.push(Shared { severity, kind, headline, advice, found: vec![found] }),
            }
        }
    }
    shared.sort_by_key(|shared| std::cmp::Reverse(shared.severity));
    shared
}

/// Returns the dialect of a test's jobs.
pub fn dialect(test: &Test) -> Dialect {
    test.rounds.first().map_or(Dialect::Fio, |round| round.record.plan.origin.dialect())
}
