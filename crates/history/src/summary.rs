//! The figures of a saved run: a line for each test and direction.

use assessment::{LatencyKind, Metric, Quantity, Statistic, Verdict};
use judge::verdict::JobRounds;
use schemars::JsonSchema;
use serde::Serialize;
use units::untrusted::UntrustedText;

use crate::Document;

/// Name of the test of a single run.
pub const SINGLE: &str = "run";

/// A figure that was not measured is `None`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    pub test: UntrustedText,
    /// The settings of the round, as `bs=64k`.
    pub at: UntrustedText,
    /// `read`, `write`, `trim` or `flush`; empty if the test completed no I/O.
    pub direction: UntrustedText,
    pub verdict: Option<Verdict>,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    pub mean_ns: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
}

impl Summary {
    pub fn of(document: &Document) -> Vec<Summary> {
        let assessment = match document {
            Document::Record(record) => {
                return of_rounds(SINGLE, &JobRounds::new(&[], vec![record]), None);
            }
            Document::Assessment(assessment) => assessment,
        };
        let mut all = Vec::new();
        for test in &assessment.tests {
            let groups = JobRounds::of_test(test);
            let found: Vec<_> =
                groups.iter().flat_map(|rounds| of_rounds(&test.name, rounds, Some(test.verdict))).collect();
            if found.is_empty() {
                all.push(Summary {
                    test: test.name.as_str().into(),
                    verdict: Some(test.verdict),
                    ..Summary::default()
                });
            }
            all.extend(found);
        }
        all
    }
}

fn of_rounds(test: &str, rounds: &JobRounds, verdict: Option<Verdict>) -> Vec<Summary> {
    let at: Vec<String> = rounds.at.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let line = |direction: &str| Summary {
        test: test.into(),
        at: at.join(" ").into(),
        direction: direction.into(),
        verdict,
        ..Summary::default()
    };
    let figure = |metric: Metric| rounds.figure(metric).map(|figure| figure.measured);
    let mut lines = Vec::new();
    for ddir in rounds.ddirs() {
        let of = |quantity: Quantity| figure(Metric { ddir: Some(ddir), quantity });
        let latency = |statistic: Statistic| of(Quantity::Latency(LatencyKind::Completion, statistic));
        lines.push(Summary {
            iops: of(Quantity::Iops),
            bytes_per_s: of(Quantity::Bandwidth),
            mean_ns: latency(Statistic::Mean),
            p50_ns: latency(Statistic::Percentile(50.0)),
            p99_ns: latency(Statistic::Percentile(99.0)),
            ..line(ddir.name())
        });
    }
    let flush = |statistic: Statistic| figure(Metric { ddir: None, quantity: Quantity::Fsync(statistic) });
    if let Some(mean_ns) = flush(Statistic::Mean) {
        lines.push(Summary {
            mean_ns: Some(mean_ns),
            p50_ns: flush(Statistic::Percentile(50.0)),
            p99_ns: flush(Statistic::Percentile(99.0)),
            ..line("flush")
        });
    }
    lines
}
