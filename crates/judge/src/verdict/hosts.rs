//! The judgements of each host of a fleet.

use std::collections::BTreeMap;

use assessment::{Judgement, Round, Subject, Test, ThresholdBound};
use units::order::OrderBy;

use super::test::{Criteria, of_rounds};
use crate::findings::fleet_hosts::host_records;

/// Returns the judgements of each host, as those of a test on this host alone. The worst figure, compared with its threshold,
/// comes first.
pub(super) fn judgements(test: &Test, criteria: &Criteria) -> Vec<Judgement> {
    if criteria.expectations.is_empty() && criteria.rules.is_empty() {
        return Vec::new();
    }
    let of_host = |(name, rounds): (&str, Vec<Round>)| {
        let mut of_host = of_rounds(&alone(test, name, rounds), criteria);
        of_host.iter_mut().for_each(|judgement| judgement.at.push(("host".to_owned(), name.to_owned())));
        of_host
    };
    let mut all: Vec<Judgement> = rounds(test).into_iter().flat_map(of_host).collect();
    all.order_by(|one, other| excess(other).total_cmp(&excess(one)));
    all
}

/// Returns the ratio of a figure and its threshold: above 1 if it does not meet the threshold.
fn excess(judgement: &Judgement) -> f64 {
    judgement.threshold.as_ref().map_or(0.0, |threshold| match threshold.bound {
        ThresholdBound::AtLeast => threshold.value / judgement.measured,
        ThresholdBound::AtMost => judgement.measured / threshold.value,
    })
}

/// Returns the runs of each host, by its name.
fn rounds(test: &Test) -> BTreeMap<&str, Vec<Round>> {
    let mut rounds: BTreeMap<&str, Vec<Round>> = BTreeMap::new();
    for round in &test.rounds {
        for (host, record) in host_records(&round.record) {
            rounds.entry(host.name.raw()).or_default().push(Round { at: round.at.clone(), record });
        }
    }
    rounds
}

/// Returns the test as the host alone would have made it.
fn alone(test: &Test, name: &str, rounds: Vec<Round>) -> Test {
    let mut alone = Test::of_rounds(test.name.clone(), test.title.clone(), test.job.clone(), rounds);
    alone.aim = test.aim;
    alone.volumes.clone_from(&test.volumes);
    alone.steady.clone_from(&test.steady);
    let is_of_others = |subject: &Subject| matches!(subject, Subject::Host { name: of, .. } if of != name);
    alone.findings = test.findings.iter().filter(|finding| !is_of_others(&finding.subject)).cloned().collect();
    alone
}
