//! Findings as people read them: the worst first, and what several tests share once.

use assessment::{Assessment, Finding, Severity, Test};

/// The same finding in one or several tests.
pub struct Shared<'a> {
    pub severity: Severity,
    pub id: &'a str,
    pub what: &'a str,
    pub advice: &'a str,
    pub found: Vec<Found<'a>>,
}

/// A finding of a test.
pub struct Found<'a> {
    pub test: &'a str,
    /// The jobs that it is of, where it says that.
    jobs: &'a str,
    what: &'a str,
    finding: &'a Finding,
}

impl Shared<'_> {
    /// The test, or how many there are.
    pub fn tests(&self) -> String {
        match self.found.as_slice() {
            [found] => found.test.to_owned(),
            many => format!("{} times", many.len()),
        }
    }

    /// Who it is of, where a finding says that, and what shows it.
    pub fn evidence(&self) -> impl Iterator<Item = String> {
        self.found.iter().map(|Found { test, jobs, what, finding }| {
            let who = if ["", test, "the run"].contains(jobs) { (*test).to_owned() } else { format!("{test}, {jobs}") };
            // Of the same kind, but with other figures.
            let what = if *what == self.what { String::new() } else { format!("{what}; ") };
            format!("{who}: {what}{}", finding.evidence)
        })
    }
}

/// The jobs that a finding is of, which may stand before a colon, and what is wrong.
fn split<'a>(test: &Test, what: &'a str) -> (&'a str, &'a str) {
    let Some((jobs, rest)) = what.split_once(": ") else { return ("", what) };
    let names = || test.rounds.iter().flat_map(|round| &round.record.plan.workers).map(|worker| worker.name.as_str());
    let listed =
        jobs.rsplit_once(" and ").filter(|(_, more)| more.ends_with(" more")).map_or(jobs, |(listed, _)| listed);
    let is_known = |job: &str| job == test.name || names().any(|name| name == job);
    let is_of_diskspd = ["all threads", "the run"].contains(&jobs) || jobs.starts_with("time span ");
    if is_of_diskspd || listed.split(", ").all(is_known) { (jobs, rest) } else { ("", what) }
}

pub fn worst_first(assessment: &Assessment) -> Vec<Shared<'_>> {
    let mut shared: Vec<Shared> = Vec::new();
    for test in &assessment.tests {
        for finding in &test.findings {
            let (jobs, what) = split(test, &finding.what);
            let is_same = |known: &&mut Shared| {
                (known.severity, known.id, known.advice)
                    == (finding.severity, finding.id.as_str(), finding.advice.as_str())
            };
            match shared.iter_mut().find(is_same) {
                Some(known) => known.found.push(Found { test: &test.name, jobs, what, finding }),
                None => shared.push(Shared {
                    severity: finding.severity,
                    id: &finding.id,
                    what,
                    advice: &finding.advice,
                    found: vec![Found { test: &test.name, jobs, what, finding }],
                }),
            }
        }
    }
    shared.sort_by_key(|shared| std::cmp::Reverse(shared.severity));
    shared
}
