//! The answer of an assessment in sentences and commands, for all reports. The thresholds are in [`crate::thresholds`].

use assessment::{
    Assessment, Cause, ClassMatch, Confounder, Finding, Reason, Severity, Study, TargetKind, Test, Unmeasured, Verdict,
};
use units::shell::quoted;

use crate::causes::{cause, finding};
use crate::disturbed;
use crate::published_limits::{class, pattern};
use crate::rows::takes_expectations;
use crate::suitability;
use crate::wording::{self, Advice, Dialect};

/// What a user replaces by his own, if no published limit fits the target.
const EXAMPLE_APPLICATION: &str = "etcd";
const EXAMPLE_RULE: &str = "read.iops>=3000";

/// Returns the sentence after the verdict: the cause, and what disturbed the tests. Without expectations, the cause is what the
/// target is good for, and the disks that the figures are like. After a FAIL, the disk that the figures are like follows.
pub fn sentence(assessment: &Assessment) -> String {
    sentence_with_classes(assessment, assessment.classes.len())
}

/// Returns the sentence with at most this number of classes.
pub fn sentence_with_classes(assessment: &Assessment, most: usize) -> String {
    sentence_with(assessment, (suitability::sentences(assessment), suitability::open(assessment)), most)
}

/// Returns the sentence for programs: without applications that the user did not request.
pub fn sentence_of_requested(assessment: &Assessment) -> String {
    sentence_with(assessment, (Vec::new(), None), assessment.classes.len())
}

fn sentence_with(
    assessment: &Assessment,
    (suitable, open): (Vec<String>, Option<String>),
    classes_most: usize,
) -> String {
    let (found, disturbed) = (cause(assessment), disturbed::sentence(assessment));
    let parts: Vec<String> = match assessment.cause {
        // The answer consists of the figures that were disturbed.
        Cause::NothingExpected => {
            let parts = [suitable, classes(&assessment.classes, classes_most), open.into_iter().collect()].concat();
            let answer = steady(assessment).unwrap_or_else(|| if parts.is_empty() { found } else { parts.join("; ") });
            disturbed.into_iter().chain([answer]).collect()
        }
        _ => {
            let disturbed = disturbed.filter(|_| !is_disturbance_named(assessment) && !is_failed_search(assessment));
            [Some(found), another_disk(assessment), disturbed].into_iter().flatten().collect()
        }
    };
    parts.join("; ")
}

/// Whether a search failed: then the disturbances were not the reason.
fn is_failed_search(assessment: &Assessment) -> bool {
    assessment.verdict == Verdict::Fail && matches!(assessment.study, Study::Knee(_))
}

/// Returns the classes of the figures: `random reads like Azure P40 (7,500 IOPS)`. A disturbed figure is a lower bound.
fn classes(classes: &[ClassMatch], most: usize) -> Vec<String> {
    let one = |found: &ClassMatch| match found.is_disturbed {
        false => format!("{} like {}", pattern(found.pattern), class(found)),
        true => format!("{} at least like {} (disturbed)", pattern(found.pattern), class(found)),
    };
    let shown = classes.iter().take(most).map(one).collect::<Vec<_>>();
    let hidden = classes.len() - shown.len();
    let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
    if shown.is_empty() { shown } else { vec![shown.join(", ") + &more] }
}

/// Returns the disk that the figures of the test that failed are like; `None` if there is none, or the test was disturbed.
fn another_disk(assessment: &Assessment) -> Option<String> {
    let Cause::Test { name, .. } = &assessment.cause else { return None };
    let found = assessment.classes.iter().find(|found| found.test == *name && !found.is_disturbed)?;
    (assessment.verdict == Verdict::Fail)
        .then(|| format!("the disk behaves like {}: was another size attached?", class(found)))
}

/// Returns whether the tests reached a steady state, and their figures; `None` unless all are in rounds.
fn steady(assessment: &Assessment) -> Option<String> {
    let is_in_rounds = assessment.tests.iter().all(|test| !test.steady.is_empty());
    let names = assessment.tests.len() > 1;
    let of_test = |test: &Test| {
        let name = if names { format!("{}: ", test.name) } else { String::new() };
        let each = test.steady.iter().map(|steady| format!("{name}{}", wording::steady_figure(steady)));
        each.collect::<Vec<_>>().join("; ")
    };
    let all: Vec<String> = assessment.tests.iter().map(of_test).collect();
    (is_in_rounds && !all.is_empty()).then(|| all.join("; "))
}

/// Returns what to do about what makes all figures worthless, or a verdict open; `None` for another verdict.
pub fn advice(assessment: &Assessment) -> Option<Advice> {
    let of_finding = |finding: &Finding| {
        let dialect = assessment.tests.last().map_or(Dialect::Fio, wording::dialect);
        let tests = assessment.tests.iter().filter(|test| test.findings.contains(finding));
        let tests: Vec<&str> = tests.map(|test| test.name.as_str()).collect();
        wording::advice_of_tests(finding, assessment, &tests, dialect)
    };
    let found = match confounder(assessment) {
        Some((_, Confounder::Finding(finding))) => of_finding(finding),
        Some((test, Confounder::WaitedForCpu { .. })) => wording::without_other_programs(assessment, &[test]),
        _ => of_finding(finding(assessment).filter(|finding| finding.severity == Severity::Invalid)?),
    };
    (!found.text.is_empty()).then_some(found)
}

/// Returns what leaves the verdict of an INCONCLUSIVE suite open, with the test that decides.
fn confounder(assessment: &Assessment) -> Option<(&str, &Confounder)> {
    let Cause::Test { name, cause, .. } = &assessment.cause else { return None };
    let Cause::Judgement(judgement) = &**cause else { return None };
    let Reason::Confounded(confounder) = &judgement.reason else { return None };
    let is_open = assessment.verdict == Verdict::Inconclusive && matches!(assessment.study, Study::Suite(_));
    is_open.then_some((name, confounder))
}

/// Whether the cause of the verdict says what disturbed the only disturbed test.
fn is_disturbance_named(assessment: &Assessment) -> bool {
    let mut disturbed = assessment.tests.iter().filter(|test| test.disturbance.is_some());
    confounder(assessment).is_some_and(|(name, confounder)| {
        matches!(confounder, Confounder::Finding(_) | Confounder::WaitedForCpu { .. })
            && disturbed.all(|test| test.name == name && test.disturbance.iter().all(|found| found.causes.len() == 1))
    })
}

/// Returns the published limits of the machine: `this machine (m5.xlarge): 6,000 IOPS, 137 MiB/s`.
pub fn machine(assessment: &Assessment) -> Option<String> {
    let machine = assessment.machine_limits.as_ref()?;
    let mut limits: Vec<String> = Vec::new();
    for limit in &machine.limits {
        let shown = limit.metric.show(limit.value);
        if !limits.contains(&shown) {
            limits.push(shown);
        }
    }
    (!limits.is_empty()).then(|| format!("this machine ({}): {}", machine.instance_type, limits.join(", ")))
}

/// Returns the command that leads to a verdict, or that measures what is missing, after its purpose; `None` if there is
/// nothing to add.
pub fn next_command(assessment: &Assessment) -> Option<(&'static str, String)> {
    if !takes_expectations(assessment) {
        return None;
    }
    match &assessment.cause {
        Cause::NotMeasured { missing, .. } => Some(("to measure it", measure(assessment, missing)?)),
        _ if !assessment.expectations.is_empty() || assessment.verdict == Verdict::Invalid => None,
        _ => Some(judge_command(assessment)),
    }
}

/// Returns the command that judges the target: with its own limits, those of a class that it is like, or an application's.
fn judge_command(assessment: &Assessment) -> (&'static str, String) {
    let machine = assessment.machine_limits.as_ref().map(|machine| machine.expectation.raw().to_owned());
    // A provisioned disk has the figures of this run: a comparison with them is circular.
    let class = assessment.classes.iter().find(|found| !found.is_provisioned);
    let class = || class.map(|found| found.expectation.clone());
    let expectation = machine.or_else(class).or_else(|| judge::limits::hint(&assessment.machine));
    let target = quoted(assessment.target.path.raw());
    if let Some(expectation) = expectation {
        return ("for a verdict", format!("fathom assess {target} --expect {}", quoted(&expectation)));
    }
    // Applications write, which only a directory allows without consent.
    let example = match assessment.target.kind {
        TargetKind::Directory => format!("--for {EXAMPLE_APPLICATION}"),
        TargetKind::File | TargetKind::Device => format!("--require {}", quoted(EXAMPLE_RULE)),
    };
    ("for a verdict, for example", format!("fathom assess {target} {example}"))
}

/// Returns the command that measures rules: one suite, with the rules that it measures.
fn measure(assessment: &Assessment, missing: &[Unmeasured]) -> Option<String> {
    let by = missing.iter().find_map(|one| one.measured_by.as_ref())?;
    let same = || missing.iter().filter(|one| one.measured_by.as_ref().is_some_and(|other| other.suite == by.suite));
    let mut options: Vec<String> = Vec::new();
    for one in same() {
        let option = match &one.application {
            Some(name) => format!("--for {}", quoted(name)),
            None => format!("--require {}", quoted(&one.rule)),
        };
        if !options.contains(&option) {
            options.push(option);
        }
    }
    let target = assessment.volumes.first().map_or(&assessment.target, |volume| &volume.target);
    let path = quoted(target.path.raw());
    let writes = target.kind != TargetKind::Directory;
    let overwrite = if writes { format!(" --overwrite {path}") } else { String::new() };
    let suite = if by.suite == "quick" { String::new() } else { format!(" --suite {}", by.suite) };
    Some(format!("fathom assess {path}{suite} {}{overwrite}", options.join(" ")))
}
