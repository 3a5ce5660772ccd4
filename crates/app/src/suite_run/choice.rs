//! The suite of an assessment: the requested one, or the tests that judge the applications of `--for`.

use assessment::MeasuredBy;
use judge::requirements::{Requirement, Requirements};
use study::suite::{Choice, DEFAULT, Suite};
use units::diagnostic::Source;

use super::criteria::Requested;
use crate::command_error::CommandError;
use crate::suites;

/// Returns the suite: the named one, or the default one if tests are named. Otherwise it has the tests that measure the requirements
/// of the applications, and with published limits those of the default suite.
///
/// # Errors
/// There is no such suite or application.
pub fn suite(named: Option<&str>, tests: &[String], criteria: &Requested) -> Result<Suite, CommandError> {
    match named {
        Some(name) => return suites::find(name),
        None if !tests.is_empty() || criteria.applications.is_empty() => return suites::find(DEFAULT),
        None => {}
    }
    let mut choices = Vec::new();
    if !criteria.expect.is_empty() || !criteria.require.is_empty() {
        let suite = suites::find(DEFAULT)?;
        choices.push(Choice { tests: suite.tests.iter().map(|test| test.name.clone()).collect(), suite });
    }
    for name in criteria.applications {
        let requirements = Requirements::of_application(&Source::new("--for", name.as_str()))?;
        for by in requirements.list.iter().filter_map(Requirement::measured_by) {
            add(&mut choices, by)?;
        }
    }
    Suite::of_choices(choices).map_or_else(|| suites::find(DEFAULT), Ok)
}

/// Adds a test, unless it is chosen.
fn add(choices: &mut Vec<Choice>, MeasuredBy { suite, test }: MeasuredBy) -> Result<(), CommandError> {
    match choices.iter_mut().find(|known| known.suite.name == suite) {
        Some(known) if known.tests.contains(&test) => {}
        Some(known) => known.tests.push(test),
        None => choices.push(Choice { suite: suites::find(&suite)?, tests: vec![test] }),
    }
    Ok(())
}

/// Returns a line for each application: the tests that judge it, with its rules.
pub fn judged(suite: &Suite, requirements: &[Requirements]) -> Vec<String> {
    let line = |all: &Requirements| {
        let mut tests: Vec<(String, Vec<&str>)> = Vec::new();
        for (test, rule) in all.list.iter().filter_map(|rule| Some((measured_in(suite, rule)?, rule))) {
            match tests.iter_mut().find(|(known, _)| *known == test) {
                Some((_, rules)) => rules.push(&rule.text),
                None => tests.push((test, vec![&rule.text])),
            }
        }
        let tests: Vec<String> = tests.iter().map(|(test, rules)| format!("{test} ({})", rules.join(", "))).collect();
        let name = all.list.first()?.application.as_ref()?;
        (!tests.is_empty()).then(|| format!("{name} is judged by {}", tests.join(", ")))
    };
    requirements.iter().filter_map(line).collect()
}

fn measured_in(suite: &Suite, rule: &Requirement) -> Option<String> {
    let by = rule.measured_by.as_ref()?;
    suite.tests.iter().any(|test| test.name == by.test).then(|| by.test.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the suite and its tests. `more` has the named suite, the named tests and the published limits.
    fn chosen(applications: &[&str], more: (Option<&str>, &[&str], &[&str])) -> (String, Vec<String>) {
        let [applications, tests, expect] =
            [applications, more.1, more.2].map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let criteria = Requested { expect: &expect, require: &[], applications: &applications };
        let suite = suite(more.0, &tests, &criteria).unwrap();
        (suite.name.clone(), suite.tests.into_iter().map(|test| test.name).collect())
    }

    #[test]
    fn applications_choose_the_tests_that_judge_them_and_share_them() {
        let of = |applications: &[&str]| chosen(applications, (None, &[], &[]));
        assert_eq!(of(&["etcd"]), ("etcd".to_owned(), vec!["wal".to_owned()]));
        assert_eq!(of(&["etcd", "k3s", "etcd-heavy"]).1, ["wal"]);
        let (name, tests) = of(&["sql-server", "etcd", "exchange"]);
        assert_eq!(
            (name.as_str(), tests.as_slice()),
            ("sql-server+etcd", &["log", "pages-at-1000", "wal"].map(str::to_owned)[..])
        );
        let every: Vec<&str> = Requirements::applications().collect();
        let (_, tests) = of(&every);
        let mut names = tests.clone();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), tests.len(), "one name, one test: {tests:?}");
        // A suite, a test and an expectation of the user hold.
        assert_eq!(chosen(&["etcd"], (Some("vdi"), &[], &[])).0, "vdi");
        assert_eq!(chosen(&["etcd"], (None, &["fsync"], &[])).0, "quick");
        let with_limits = chosen(&["etcd"], (None, &[], &["azure:P30"]));
        assert_eq!((with_limits.0.as_str(), with_limits.1.len()), ("quick+etcd", 8));
        assert_eq!(of(&[]).0, "quick");
    }

    #[test]
    fn what_is_judged_is_known_before_the_start() {
        let suite = study::suite::built_in("etcd").unwrap();
        let etcd = Requirements::of_application(&Source::new("--for", "etcd")).unwrap();
        assert_eq!(judged(&suite, &[etcd]), ["etcd is judged by wal (fsync.p99<=10ms, write.iops>=50)"]);
    }
}
