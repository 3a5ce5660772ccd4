//! What became of all tests.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::one::Outcome;

/// Tests that are shown with their time.
const SLOWEST: usize = 10;
/// Most skipped tests on a machine that can run the tests of devices. More means that a test hides.
const SKIPPED_MAX: usize = 20;

pub struct Ran {
    pub name: String,
    pub took: Duration,
    pub outcome: Outcome,
    /// Programs that the test started again, with the reasons.
    pub retried: Vec<String>,
}

pub struct Summary<'a> {
    passed: usize,
    pub failed: Vec<&'a str>,
    skipped: usize,
    /// Tests by the reasons for which they were skipped.
    reasons: BTreeMap<String, Vec<&'a str>>,
    /// Tests and the programs that they started again.
    retried: Vec<(&'a str, &'a str)>,
    slowest: Vec<&'a Ran>,
}

impl<'a> Summary<'a> {
    pub fn of(ran: &'a [Ran]) -> Self {
        let mut summary = Summary {
            passed: 0,
            failed: Vec::new(),
            skipped: 0,
            reasons: BTreeMap::new(),
            retried: Vec::new(),
            slowest: Vec::new(),
        };
        for one in ran {
            summary.retried.extend(one.retried.iter().map(|reason| (one.name.as_str(), reason.as_str())));
            match &one.outcome {
                Outcome::Passed => summary.passed += 1,
                Outcome::Failed(_) => summary.failed.push(&one.name),
                Outcome::Skipped(reasons) => {
                    summary.skipped += 1;
                    summary.reasons.entry(reasons.join("; ")).or_default().push(&one.name);
                }
            }
        }
        summary.slowest = ran.iter().collect();
        summary.slowest.sort_by_key(|one| std::cmp::Reverse(one.took));
        summary.slowest.truncate(SLOWEST);
        summary
    }

    /// Returns why the tests have not passed.
    ///
    /// # Errors
    ///
    /// A test failed, or a machine that can run the tests skipped more than [`SKIPPED_MAX`].
    pub fn check(&self, machine_is_complete: bool) -> Result<(), String> {
        match (self.failed.len(), self.skipped) {
            (0, skipped) if machine_is_complete && skipped > SKIPPED_MAX => {
                Err(format!("tests: {skipped} are skipped, of at most {SKIPPED_MAX}"))
            }
            (0, _) => Ok(()),
            (failed, _) => Err(format!("tests: {failed} failed")),
        }
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "slowest tests:")?;
        for one in &self.slowest {
            writeln!(f, "  {:5.1} s  {}", one.took.as_secs_f64(), one.name)?;
        }
        if !self.reasons.is_empty() {
            writeln!(f, "skipped tests:")?;
        }
        for (reason, tests) in &self.reasons {
            writeln!(f, "  {reason}")?;
            tests.iter().try_for_each(|test| writeln!(f, "    {test}"))?;
        }
        if !self.retried.is_empty() {
            writeln!(f, "programs that a test started again:")?;
        }
        self.retried.iter().try_for_each(|(test, reason)| writeln!(f, "  {test}: {reason}"))?;
        if !self.failed.is_empty() {
            writeln!(f, "failed tests:")?;
        }
        self.failed.iter().try_for_each(|test| writeln!(f, "  {test}"))?;
        let Summary { passed, failed, skipped, retried, .. } = self;
        writeln!(
            f,
            "{passed} passed, {} failed, {skipped} skipped of at most {SKIPPED_MAX}, none run twice, programs started again: {}",
            failed.len(),
            retried.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_test_is_not_passed_and_a_retry_is_listed() {
        let ran = |name: &str, outcome| Ran {
            name: name.to_owned(),
            took: Duration::from_secs(1),
            outcome,
            retried: if name == "a" { vec!["fio: slow".to_owned()] } else { Vec::new() },
        };
        let no_fio = || Outcome::Skipped(vec!["no fio".to_owned()]);
        let all = [ran("a", Outcome::Passed), ran("b", no_fio()), ran("c", no_fio())];
        let text = Summary::of(&all).to_string();
        assert!(text.contains("skipped tests:\n  no fio\n    b\n    c\n"), "{text}");
        assert!(text.contains("\nprograms that a test started again:\n  a: fio: slow\n"), "{text}");
        let last = format!(
            "\n1 passed, 0 failed, 2 skipped of at most {SKIPPED_MAX}, none run twice, programs started again: 1\n"
        );
        assert!(text.ends_with(&last), "{text}");
    }

    #[test]
    fn too_many_skipped_tests_fail_on_a_complete_machine() {
        let skipped = |name: usize| Ran {
            name: name.to_string(),
            took: Duration::ZERO,
            outcome: Outcome::Skipped(vec!["no device".to_owned()]),
            retried: Vec::new(),
        };
        let all: Vec<Ran> = (0..=SKIPPED_MAX).map(skipped).collect();
        let error = format!("tests: {} are skipped, of at most {SKIPPED_MAX}", SKIPPED_MAX + 1);
        assert_eq!(Summary::of(&all).check(true), Err(error));
        assert_eq!(Summary::of(&all).check(false), Ok(()));
        assert_eq!(Summary::of(&all[1..]).check(true), Ok(()));
    }
}
