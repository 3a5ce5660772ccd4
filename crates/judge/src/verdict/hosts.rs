//! The judgements of each host of a fleet.

use assessment::{Judgement, Round, Subject, Test, ThresholdBound};
use record::HostRecord;

use super::test::{Criteria, of_rounds};

/// Returns the judgements of each host, as those of a test on this host alone. The worst figure, compared with its threshold,
/// comes first.
pub(super) fn judgements(test: &Test, criteria: &Criteria) -> Vec<Judgement> {
    if criteria.expectations.is_empty() && criteria.rules.is_empty() {
        return Vec::new();
    }
    let hosts =
        test.rounds.iter().map(|round| round.record.hosts()).find(|hosts| !hosts.is_empty()).unwrap_or_default();
    let of_host = |host: &HostRecord| {
        let mut of_host = of_rounds(&alone(test, &host.name), criteria);
        of_host.iter_mut().for_each(|judgement| judgement.at.push(("host".to_owned(), host.name.clone())));
        of_host
    };
    let mut all: Vec<Judgement> = hosts.iter().flat_map(of_host).collect();
    all.sort_by(|one, other| excess(other).total_cmp(&excess(one)));
    all
}

/// Returns the ratio of a figure and its threshold: above 1 if it does not meet the threshold.
fn excess(judgement: &Judgement) -> f64 {
    judgement.threshold.as_ref().map_or(0.0, |threshold| match threshold.bound {
        ThresholdBound::AtLeast => threshold.value / judgement.measured,
        ThresholdBound::AtMost => judgement.measured / threshold.value,
    })
}

/// Returns the test as the host alone would have made it.
fn alone(test: &Test, name: &str) -> Test {
    let round = |round: &Round| {
        let (_, record) = round.record.host_records().find(|(host, _)| host.name == name)?;
        Some(Round { at: round.at.clone(), record })
    };
    let rounds = test.rounds.iter().filter_map(round).collect();
    let mut alone = Test::of_rounds(test.name.clone(), test.title.clone(), test.job.clone(), rounds);
    alone.aim = test.aim;
    alone.volumes.clone_from(&test.volumes);
    alone.steady.clone_from(&test.steady);
    let is_of_others = |subject: &Subject| matches!(subject, Subject::Host { name: of, .. } if of != name);
    alone.findings = test.findings.iter().filter(|finding| !is_of_others(&finding.subject)).cloned().collect();
    alone
}
