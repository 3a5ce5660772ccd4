//! Findings as people read them: the worst first, and what several tests share once.

use judge::assessment::Assessment;
use judge::{Finding, Severity};

/// The same finding in one or several tests.
pub struct Shared<'a> {
    pub severity: Severity,
    pub id: &'a str,
    pub what: &'a str,
    pub advice: &'a str,
    /// Each with the test that it is of.
    pub found: Vec<(&'a str, &'a Finding)>,
}

impl Shared<'_> {
    /// The test, or how many there are.
    pub fn tests(&self) -> String {
        match self.found.as_slice() {
            [(test, _)] => (*test).to_owned(),
            many => format!("{} times", many.len()),
        }
    }

    /// Who it is of, where a finding says that, and what shows it.
    pub fn evidence(&self) -> impl Iterator<Item = String> {
        self.found.iter().map(|(test, finding)| match finding.what.strip_suffix(self.what) {
            Some(of) if !of.is_empty() && of.trim_end_matches(": ") != *test => {
                format!("{test}, {of}{}", finding.evidence)
            }
            _ => format!("{test}: {}", finding.evidence),
        })
    }
}

/// What is wrong, without the jobs that it is of, which stand before a colon.
fn without_jobs(what: &str) -> &str {
    what.split_once(": ").map_or(what, |(_, rest)| rest)
}

pub fn worst_first(assessment: &Assessment) -> Vec<Shared<'_>> {
    let mut shared: Vec<Shared> = Vec::new();
    for test in &assessment.tests {
        for finding in &test.findings {
            let what = without_jobs(&finding.what);
            let is_same = |known: &&mut Shared| {
                (known.severity, known.id, known.what, known.advice)
                    == (finding.severity, finding.id.as_str(), what, finding.advice.as_str())
            };
            match shared.iter_mut().find(is_same) {
                Some(known) => known.found.push((&test.name, finding)),
                None => shared.push(Shared {
                    severity: finding.severity,
                    id: &finding.id,
                    what,
                    advice: &finding.advice,
                    found: vec![(&test.name, finding)],
                }),
            }
        }
    }
    shared.sort_by_key(|shared| std::cmp::Reverse(shared.severity));
    shared
}
