//! The verdict over all tests of an assessment: the worst of theirs.

use plan::Ddir;

use super::figures::Rounds;
use super::test::{self, ALL, Asked};
use crate::limits::{Expectation, Load};
use crate::requirements::{Requirement, Requirements};
use assessment::{Aim, Assessment, Expected, ExpectedLimit, Quantity, Test, Verdict};

/// The cause where nothing was asked for.
pub const NOTHING_EXPECTED: &str = "nothing was expected of the target";

/// Judges every test, and the whole; what was judged before is judged anew.
pub fn judge(assessment: &mut Assessment, expectations: &[Expectation], requirements: &[Requirements]) {
    let rules: Vec<&Requirement> = requirements.iter().flat_map(|given| &given.list).collect();
    let tests_of: Vec<(&Requirement, Vec<usize>)> =
        rules.iter().map(|rule| (*rule, tests_for(rule, &assessment.tests))).collect();
    for (at, tested) in assessment.tests.iter_mut().enumerate() {
        let rules = tests_of.iter().filter(|(_, tests)| tests.contains(&at)).map(|(rule, _)| *rule).collect();
        test::judge(tested, &Asked { expectations, rules });
    }
    assessment.expectations = expected(expectations, requirements, &assessment.tests);
    let unmeasured = tests_of.iter().filter(|(_, tests)| tests.is_empty()).map(|(rule, _)| rule.words.as_str());
    let unmeasured: Vec<&str> = unmeasured.collect();
    (assessment.verdict, assessment.cause) = sum_up(assessment, &unmeasured, !expectations.is_empty());
}

/// The tests that a rule is about: those that are made to show the figure, or where none is, all that have it.
pub fn tests_for(rule: &Requirement, tests: &[Test]) -> Vec<usize> {
    let has = |test: &Test| {
        let fits = |rounds: &Rounds| test::is_for(rule, rounds) && rounds.figure(rule.metric).is_some();
        test::is_of_volume(rule, test) && Rounds::of(&test.rounds).iter().any(fits)
    };
    let all: Vec<usize> = tests.iter().enumerate().filter(|(_, test)| has(test)).map(|(at, _)| at).collect();
    if !rule.blocks.is_empty() {
        return all;
    }
    let shows = |at: &usize| is_made_for(rule.metric.quantity, tests[*at].aim);
    let made: Vec<usize> = all.iter().copied().filter(shows).collect();
    if made.is_empty() { all } else { made }
}

fn is_made_for(quantity: Quantity, aim: Aim) -> bool {
    match quantity {
        Quantity::Iops => matches!(aim, Aim::DiskIops | Aim::VmUncached | Aim::VmCached),
        Quantity::Bandwidth => aim == Aim::DiskBandwidth,
        Quantity::Latency(..) => aim == Aim::LatencyFloor,
        Quantity::Fsync(_) => aim == Aim::FlushLatency,
        Quantity::Cpu => false,
    }
}

fn sum_up(assessment: &Assessment, unmeasured: &[&str], has_expectations: bool) -> (Verdict, String) {
    let tests = &assessment.tests;
    let worst = tests.iter().map(|test| test.verdict).max().unwrap_or(Verdict::Inconclusive);
    let of_worst: Vec<&Test> = tests.iter().filter(|test| test.verdict == worst).collect();
    let said = |first: &Test| {
        let others = of_worst.len() - 1;
        let more = if others > 0 { format!(" (and {others} more of {} tests)", tests.len()) } else { String::new() };
        // A finding's words begin with the job's name, which may be the test's.
        let cause = first.cause.strip_prefix(&format!("{}: ", first.name)).unwrap_or(&first.cause);
        format!("{}: {cause}{more}", first.name)
    };
    match (worst, of_worst.first()) {
        (Verdict::Invalid | Verdict::Fail, Some(first)) => (worst, said(first)),
        _ if assessment.stopped => {
            let measured = tests.iter().filter(|test| test.error.is_none()).count();
            let many = if measured == 1 { "test" } else { "tests" };
            (Verdict::Inconclusive, format!("it was stopped after {measured} {many}; --resume goes on"))
        }
        (Verdict::Inconclusive, Some(first)) => (worst, said(first)),
        (_, None) => (Verdict::Inconclusive, "no test was run".to_owned()),
        _ if !unmeasured.is_empty() => {
            (Verdict::Inconclusive, format!("no test measured what is required: {}", unmeasured.join(", ")))
        }
        (Verdict::Measured, Some(_)) if has_expectations => {
            (Verdict::Inconclusive, "no test was meant for a limit that is published of the target".to_owned())
        }
        (Verdict::Measured, Some(_)) => (Verdict::Measured, NOTHING_EXPECTED.to_owned()),
        (Verdict::Pass, Some(_)) => {
            let passed = tests.iter().filter(|test| !test.judgements.is_empty()).count();
            let best = tests.iter().find(|test| !test.judgements.is_empty());
            let example = best.map_or(String::new(), |test| format!("; {}: {}", test.name, test.cause));
            let all = if passed == 1 { "1 test came".to_owned() } else { format!("{passed} tests came") };
            (Verdict::Pass, format!("{all} to what was expected{example}"))
        }
    }
}

/// What was expected, as it is kept and shown: the limits that the tests can meet.
fn expected(expectations: &[Expectation], requirements: &[Requirements], tests: &[Test]) -> Vec<Expected> {
    let loads = loads(tests);
    let of_limits = |expectation: &Expectation| {
        let met = loads.iter().flat_map(|(ddir, load)| expectation.limits(*ddir, *load));
        let mut limits: Vec<ExpectedLimit> = Vec::new();
        for limit in met {
            let limit = ExpectedLimit {
                metric: limit.metric.to_string(),
                value: limit.value,
                unit: limit.metric.unit().to_owned(),
                tolerance: limit.enough.share.min(ALL),
                source: limit.origin(),
            };
            if !limits.contains(&limit) {
                limits.push(limit);
            }
        }
        Expected { words: expectation.words.clone(), limits }
    };
    let of_rules = |given: &Requirements| {
        let limits = given.list.iter().map(|rule| ExpectedLimit {
            metric: rule.volume.iter().map(|volume| format!("{volume}:")).collect::<String>()
                + &rule.metric.to_string(),
            value: rule.value,
            unit: rule.metric.unit().to_owned(),
            tolerance: 1.0,
            source: rule.origin.clone(),
        });
        Expected { words: given.words.clone(), limits: limits.collect() }
    };
    expectations.iter().map(of_limits).chain(requirements.iter().map(of_rules)).collect()
}

/// The directions of the tests, past the cache and from it.
fn loads(tests: &[Test]) -> Vec<(Ddir, Load)> {
    let goes = |test: &Test, ddir: Ddir| Rounds::of(&test.rounds).iter().any(|rounds| rounds.ddirs().contains(&ddir));
    let has = |ddir, cached| tests.iter().any(|test| (test.aim == Aim::VmCached) == cached && goes(test, ddir));
    let all = [(Ddir::Read, false), (Ddir::Read, true), (Ddir::Write, false), (Ddir::Write, true)];
    let met = all.into_iter().filter(|(ddir, cached)| has(*ddir, *cached));
    met.map(|(ddir, cached)| (ddir, Load { cached, alone: true, ..Load::default() })).collect()
}
