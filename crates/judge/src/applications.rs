//! Judges the requirements of all applications by what was measured.

use assessment::{Application, Cause, Judgement, Test, Verdict};
use units::diagnostic::Source;

use crate::requirements::Requirements;
use crate::verdict::{not_measured, required, tests_for};

/// Returns the applications with at least one rule about a measured figure. Rules without a published source are ignored.
pub fn judge(tests: &[Test]) -> Vec<Application> {
    let known = Requirements::applications().filter_map(|name| {
        let requirements = Requirements::of_application(&Source::new("application", name)).ok()?;
        of(name, &requirements, tests)
    });
    known.collect()
}

/// One failed rule decides. A PASS needs all rules measured.
fn of(name: &str, requirements: &Requirements, tests: &[Test]) -> Option<Application> {
    let published = || requirements.list.iter().filter(|rule| rule.is_confirmed());
    let by_rule = published().map(|rule| (rule, tests_for(rule, tests)));
    let (measured, missing): (Vec<_>, Vec<_>) = by_rule.partition(|(_, tests)| !tests.is_empty());
    let judged = measured.iter().flat_map(|(rule, at)| at.iter().map(move |at| (*rule, required(&tests[*at], rule))));
    let judged: Vec<_> = judged.flat_map(|(rule, all)| all.into_iter().map(move |one| (rule, one))).collect();
    let judgements = judged.iter().map(|(_, judgement)| judgement.clone()).collect();
    let worse =
        |worst: (_, Judgement), next: (_, Judgement)| if next.1.verdict > worst.1.verdict { next } else { worst };
    let (rule, worst) = judged.into_iter().reduce(worse)?;
    let (verdict, cause) = match (worst.verdict, missing.is_empty()) {
        (Verdict::Pass, false) => {
            (Verdict::Inconclusive, not_measured(missing.iter().map(|(rule, _)| rule.unmeasured()).collect()))
        }
        (Verdict::Pass, true) if published().count() > 1 => (Verdict::Pass, Cause::RequirementsMet),
        (verdict, _) => (verdict, Cause::Rule(Box::new(worst))),
    };
    Some(Application {
        name: name.to_owned(),
        title: requirements.title.clone(),
        verdict,
        cause,
        judgements,
        source: rule.source.clone(),
    })
}
