//! The verdict on an assessment: the worst of its tests.

use std::mem::discriminant;

use assessment::{
    Aim, Assessment, Cause, Expected, ExpectedLimit, Quantity, RequiredLoad, Study, Test, Unmeasured, Verdict,
};
use plan::Ddir;

use super::figures::JobRounds;
use super::invalid::keep_invalid;
use super::test::{self, ALL, Criteria};
use crate::findings::disturbance::main_quantity;
use crate::limits::{Expectation, Load};
use crate::requirements::{Requirement, Requirements};

/// Judges every test and the assessment. Replaces earlier judgements.
pub fn judge(assessment: &mut Assessment, expectations: &[Expectation], requirements: &[Requirements]) {
    let rules: Vec<&Requirement> = requirements.iter().flat_map(|given| &given.list).collect();
    let tests_of: Vec<(&Requirement, Vec<usize>)> =
        rules.iter().map(|rule| (*rule, tests_for(rule, &assessment.tests))).collect();
    for (at, tested) in assessment.tests.iter_mut().enumerate() {
        let rules = tests_of.iter().filter(|(_, tests)| tests.contains(&at)).map(|(rule, _)| *rule).collect();
        test::judge(tested, &Criteria { expectations: expectations.iter().collect(), rules });
    }
    assessment.expectations = expected(expectations, requirements, &assessment.tests);
    let unmeasured = tests_of.iter().filter(|(_, tests)| tests.is_empty()).map(|(rule, _)| rule.unmeasured());
    let unmeasured = unmeasured.collect();
    keep_invalid(assessment);
    (assessment.verdict, assessment.cause) = sum_up(assessment, unmeasured, !expectations.is_empty());
}

/// Returns the tests that a rule applies to: those with the load that it names. A rule that names none applies to tests
/// whose aim is its figure; without any, to all that measured it, except bandwidth in tests of IOPS, and IOPS in tests of
/// bandwidth.
pub fn tests_for(rule: &Requirement, tests: &[Test]) -> Vec<usize> {
    let has = |test: &Test| {
        let fits = |rounds: &JobRounds| test::is_for(rule, rounds) && rounds.figure(rule.metric).is_some();
        test::is_of_volume(rule, test) && JobRounds::of(&test.rounds).iter().any(fits)
    };
    let all: Vec<usize> = tests.iter().enumerate().filter(|(_, test)| has(test)).map(|(at, _)| at).collect();
    if rule.load != RequiredLoad::default() {
        return all;
    }
    let shows = |at: &usize| is_made_for(rule.metric.quantity, tests[*at].aim);
    let made: Vec<usize> = all.iter().copied().filter(shows).collect();
    let is_other = |at: &usize| match rule.metric.quantity {
        Quantity::Iops => is_made_for(Quantity::Bandwidth, tests[*at].aim),
        Quantity::Bandwidth => is_made_for(Quantity::Iops, tests[*at].aim),
        Quantity::Latency(..) | Quantity::Fsync(_) | Quantity::Cpu => false,
    };
    if made.is_empty() { all.into_iter().filter(|at| !is_other(at)).collect() } else { made }
}

fn is_made_for(quantity: Quantity, aim: Aim) -> bool {
    main_quantity(aim).is_some_and(|main| discriminant(&main) == discriminant(&quantity))
}

/// Returns whether a test is inconclusive only because it has too few intervals or I/Os, and can be continued: that may decide it.
/// `aims` are those of all tests of the suite.
pub fn lacks_intervals(test: &Test, aims: &[Aim], expectations: &[Expectation], requirements: &[Requirements]) -> bool {
    let is_judged_here = |rule: &&Requirement| {
        let quantity = rule.metric.quantity;
        let is_here = is_made_for(quantity, test.aim) || !aims.iter().any(|aim| is_made_for(quantity, *aim));
        (is_here || rule.load != RequiredLoad::default()) && !tests_for(rule, std::slice::from_ref(test)).is_empty()
    };
    let rules = requirements.iter().flat_map(|given| &given.list).filter(is_judged_here).collect();
    let judgements = test::judgements(test, &Criteria { expectations: expectations.iter().collect(), rules });
    let open = || judgements.iter().filter(|judgement| judgement.verdict == Verdict::Inconclusive);
    judgements.iter().map(|judgement| judgement.verdict).max() == Some(Verdict::Inconclusive)
        && open().all(|judgement| judgement.can_continue)
}

/// How a study ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// PASS or MEASURED.
    Done,
    /// FAIL, or a run of the study failed.
    Failed,
    Inconclusive,
    Invalid,
}

/// Returns how a study ended. A test of a suite that could not run leaves the suite's question open. Any other study
/// with a failed run has failed.
pub fn conclusion(assessment: &Assessment) -> Conclusion {
    let has_failed_run = assessment.tests.iter().any(|test| test.error.is_some());
    let is_suite = matches!(assessment.study, Study::Suite(_));
    match assessment.verdict {
        Verdict::Pass | Verdict::Measured => Conclusion::Done,
        Verdict::Fail => Conclusion::Failed,
        Verdict::Inconclusive | Verdict::Skipped if has_failed_run && !is_suite => Conclusion::Failed,
        Verdict::Inconclusive | Verdict::Skipped => Conclusion::Inconclusive,
        Verdict::Invalid => Conclusion::Invalid,
    }
}

fn sum_up(assessment: &Assessment, unmeasured: Vec<Unmeasured>, has_expectations: bool) -> (Verdict, Cause) {
    let tests = &assessment.tests;
    let worst = tests.iter().map(|test| test.verdict).max().unwrap_or(Verdict::Inconclusive);
    let of_worst: Vec<&Test> = tests.iter().filter(|test| test.verdict == worst).collect();
    let cause_of = |first: &Test| Cause::Test {
        name: first.name.clone(),
        cause: Box::new(first.cause.clone()),
        others: of_worst.len() as u64 - 1,
        tests: tests.len() as u64,
    };
    match (worst, of_worst.first()) {
        (Verdict::Invalid | Verdict::Fail, Some(first)) => (worst, cause_of(first)),
        _ if assessment.stopped => {
            let measured = tests.iter().filter(|test| test.error.is_none()).count() as u64;
            let all = match &assessment.study {
                Study::Suite(request) => Some(request.tests as u64).filter(|all| *all >= measured),
                _ => None,
            };
            (Verdict::Inconclusive, Cause::Stopped { measured, tests: all })
        }
        (Verdict::Inconclusive | Verdict::Skipped, Some(first)) => (Verdict::Inconclusive, cause_of(first)),
        (_, None) => (Verdict::Inconclusive, Cause::NoTests),
        _ if !unmeasured.is_empty() => (Verdict::Inconclusive, not_measured(unmeasured)),
        (Verdict::Measured, Some(_)) if has_expectations => (Verdict::Inconclusive, Cause::NoLimitTested),
        (Verdict::Measured, Some(_)) => (Verdict::Measured, Cause::NothingExpected),
        (Verdict::Pass, Some(_)) => {
            let mut passed = tests.iter().filter(|test| !test.judgements.is_empty());
            let count = passed.clone().count() as u64;
            let example = passed.next().map(|test| (test.name.clone(), Box::new(test.cause.clone())));
            (Verdict::Pass, Cause::Passed { tests: count, example })
        }
    }
}

/// Returns the cause of rules that no test measured.
pub fn not_measured(missing: Vec<Unmeasured>) -> Cause {
    Cause::NotMeasured { rules: missing.iter().map(|missing| missing.rule.clone()).collect(), missing }
}

/// Returns the expectations with the limits that apply to the tests.
fn expected(expectations: &[Expectation], requirements: &[Requirements], tests: &[Test]) -> Vec<Expected> {
    let loads = loads(tests);
    let of_limits = |expectation: &Expectation| {
        let met = loads.iter().flat_map(|(ddir, load)| expectation.limits(*ddir, *load));
        let mut limits: Vec<ExpectedLimit> = Vec::new();
        for limit in met {
            let limit = ExpectedLimit {
                metric: limit.metric,
                volume: None,
                value: limit.value,
                tolerance: limit.enough.share.min(ALL),
                source: Some(limit.citation()),
            };
            if !limits.contains(&limit) {
                limits.push(limit);
            }
        }
        Expected { words: expectation.text.clone(), limits }
    };
    let of_rules = |given: &Requirements| {
        let limits = given.list.iter().map(|rule| ExpectedLimit {
            metric: rule.metric,
            volume: rule.volume.clone(),
            value: rule.value,
            tolerance: 1.0,
            source: rule.source.clone(),
        });
        Expected { words: given.text.clone(), limits: limits.collect() }
    };
    expectations.iter().map(of_limits).chain(requirements.iter().map(of_rules)).collect()
}

/// The directions of the tests, without and with the machine's cache.
fn loads(tests: &[Test]) -> Vec<(Ddir, Load)> {
    let goes =
        |test: &Test, ddir: Ddir| JobRounds::of(&test.rounds).iter().any(|rounds| rounds.ddirs().contains(&ddir));
    let has = |ddir, cached| tests.iter().any(|test| (test.aim == Aim::VmCached) == cached && goes(test, ddir));
    let all = [(Ddir::Read, false), (Ddir::Read, true), (Ddir::Write, false), (Ddir::Write, true)];
    let met = all.into_iter().filter(|(ddir, cached)| has(*ddir, *cached));
    met.map(|(ddir, cached)| (ddir, Load { cached, alone: true, ..Load::default() })).collect()
}
