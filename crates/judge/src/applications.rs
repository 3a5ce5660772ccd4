//! Which applications a target would do for: what was measured, held against all requirements that fathom comes with.

use units::diagnostic::Source;

use crate::requirements::{Requirement, Requirements};
use crate::verdict::{required, tests_for};
use assessment::{Application, Test, Verdict};

/// Those of which something was measured that one of their rules is about.
pub fn judge(tests: &[Test]) -> Vec<Application> {
    let known = Requirements::applications().filter_map(|name| {
        let requirements = Requirements::of_application(&Source::new("application", name)).ok()?;
        of(name, &requirements, tests)
    });
    known.collect()
}

/// One failed rule decides; for a PASS all must have been measured.
fn of(name: &str, requirements: &Requirements, tests: &[Test]) -> Option<Application> {
    let by_rule = requirements.list.iter().map(|rule| (rule, tests_for(rule, tests)));
    let (measured, missing): (Vec<_>, Vec<_>) = by_rule.partition(|(_, tests)| !tests.is_empty());
    let judged = measured.iter().flat_map(|(rule, at)| at.iter().map(move |at| (*rule, required(&tests[*at], rule))));
    let worst = judged.flat_map(|(rule, all)| all.into_iter().map(move |one| (rule, one)));
    let (rule, worst) = worst.reduce(|worst, next| if next.1.verdict > worst.1.verdict { next } else { worst })?;
    let (verdict, cause) = match (worst.verdict, missing.as_slice()) {
        (Verdict::Pass, [_, ..]) => (Verdict::Inconclusive, format!("no test measured {}", words(&missing))),
        (Verdict::Pass, []) if requirements.list.len() > 1 => {
            (Verdict::Pass, "all that it needs was reached".to_owned())
        }
        (verdict, _) => (verdict, format!("{} is {}", rule.metric, worst.cause)),
    };
    Some(Application {
        name: name.to_owned(),
        title: requirements.title.clone(),
        verdict,
        cause,
        source: rule.origin.clone(),
    })
}

fn words(missing: &[(&Requirement, Vec<usize>)]) -> String {
    let words: Vec<&str> = missing.iter().map(|(rule, _)| rule.words.as_str()).collect();
    words.join(", ")
}
