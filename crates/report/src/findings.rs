//! The findings of an assessment, the worst first, each once for all tests that share it.

use std::borrow::Cow;

use assessment::{Assessment, Finding, Severity, Study, Subject, TargetKind};
use units::order::OrderBy;

use crate::study;
use crate::wording::{self, Dialect};

/// A finding of one or several tests.
pub struct Shared<'a> {
    pub severity: Severity,
    /// The name of the kind, such as `step-down`.
    pub kind: &'a str,
    pub headline: String,
    pub advice: String,
    pub occurrences: Vec<Occurrence<'a>>,
    dialect: Dialect,
}

/// The finding in one test.
pub struct Occurrence<'a> {
    /// The test, or the points or runs of a study that have it.
    pub place: Cow<'a, str>,
    test: &'a str,
    finding: &'a Finding,
    /// The user named the targets: they are no files of fathom.
    has_named_targets: bool,
}

impl Occurrence<'_> {
    /// Returns the numbers of the test; empty if there are none.
    pub fn figures(&self) -> String {
        wording::figures(self.finding)
    }

    /// Returns the part of the test, if it is not the whole test.
    fn subject(&self) -> Option<String> {
        match &self.finding.subject {
            Subject::Jobs { names, .. } if names.as_slice() == [self.test] => None,
            Subject::Targets(_) if !self.has_named_targets => None,
            subject => wording::subject(subject),
        }
    }

    /// Returns the place, the part of the test, and the numbers.
    pub fn evidence(&self) -> String {
        let parts = [Some(self.place.clone().into_owned()), self.subject()];
        let who = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        match self.figures() {
            none if none.is_empty() => who,
            figures => format!("{who}: {figures}"),
        }
    }
}

impl<'a> Shared<'a> {
    fn new(occurrence: Occurrence<'a>, dialect: Dialect) -> Shared<'a> {
        let finding = occurrence.finding;
        Shared {
            severity: finding.severity,
            kind: finding.kind.name(),
            headline: wording::headline(finding),
            advice: String::new(),
            occurrences: vec![occurrence],
            dialect,
        }
    }

    /// Returns true if the finding has the same headline and advice.
    fn is_of(&self, finding: &Finding, dialect: Dialect) -> bool {
        let is_same = |known: &Occurrence| known.finding.kind.says_same(&finding.kind);
        (self.severity, self.dialect) == (finding.severity, dialect) && self.occurrences.first().is_some_and(is_same)
    }

    /// Returns the test, or the number of tests.
    pub fn tests(&self) -> String {
        match self.occurrences.as_slice() {
            [found] => found.place.clone().into_owned(),
            many => format!("{} times", many.len()),
        }
    }
}

/// Returns all findings, the worst first.
pub fn worst_first(assessment: &Assessment) -> Vec<Shared<'_>> {
    let mut shared: Vec<Shared> = Vec::new();
    // A suite or a search has its own files in a folder. The title of a report has the folder.
    let has_named_targets = !matches!(assessment.study, Study::Suite(_) | Study::Knee(_))
        || assessment.target.kind != TargetKind::Directory
        || !assessment.volumes.is_empty();
    for (at, test) in assessment.tests.iter().enumerate() {
        for finding in &test.findings {
            let dialect = wording::dialect(test);
            let place = study::place(assessment, at, finding).map_or(Cow::Borrowed(test.name.as_str()), Cow::Owned);
            let occurrence = Occurrence { place, test: &test.name, finding, has_named_targets };
            match shared.iter_mut().find(|known| known.is_of(finding, dialect)) {
                Some(known) => known.occurrences.push(occurrence),
                None => shared.push(Shared::new(occurrence, dialect)),
            }
        }
    }
    // Advice can name the tests.
    for one in &mut shared {
        let Some(first) = one.occurrences.first() else { continue };
        let mut tests: Vec<&str> = one.occurrences.iter().map(|found| found.test).collect();
        tests.dedup();
        one.advice = wording::advice_of_tests(first.finding, assessment, &tests, one.dialect).to_string();
    }
    shared.order_by_key(|shared| std::cmp::Reverse(shared.severity));
    shared
}
