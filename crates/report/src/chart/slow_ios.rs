//! The slowest I/Os of a traced test over time, and the split of their time.

use std::cmp::Reverse;

use assessment::Test;
use plan::Ddir;
use record::{IoLayer, SlowIos, SlowSample};
use units::format::{percent, time_ns};

use super::axis::{Axis, span};
use super::canvas::{Canvas, Entry};
use super::panel::{LEFT, Panel};
use super::picture::{Chart, Detail};
use super::time_series::TimeSeries;
use crate::explanation::{conclusive, ios_of, joined, layer, of_test};

const LAYERS: [IoLayer; 5] =
    [IoLayer::Submission, IoLayer::Queue, IoLayer::Device, IoLayer::Reaping, IoLayer::NotTraced];

/// Returns the charts of a test whose runs were traced.
pub fn charts(test: &Test, series: &TimeSeries, detail: &Detail) -> Vec<Chart> {
    over_time(test, series, detail).into_iter().chain(split(test)).collect()
}

/// Returns the slowest I/Os with their time in the test, in s.
fn samples(test: &Test, series: &TimeSeries, most: usize) -> Vec<(f64, Ddir, SlowSample)> {
    let mut samples: Vec<(f64, Ddir, SlowSample)> = Vec::new();
    for (round, start_s) in test.rounds.iter().zip(&series.starts_s) {
        let traced = round.record.explanation.iter().filter(|explanation| !explanation.trace.is_inconclusive());
        for slow in traced.flat_map(|explanation| &explanation.directions) {
            samples.extend(slow.samples.iter().map(|sample| (start_s + sample.at_ns as f64 / 1e9, slow.ddir, *sample)));
        }
    }
    samples.sort_by_key(|(.., sample)| Reverse(sample.latency_ns));
    samples.truncate(most);
    samples
}

fn over_time(test: &Test, series: &TimeSeries, detail: &Detail) -> Option<Chart> {
    let samples = samples(test, series, detail.points);
    let (least, most) = span(samples.iter().map(|(.., sample)| sample.latency_ns as f64))?;
    let end_s = samples.iter().map(|(at_s, ..)| *at_s).fold(series.end_s, f64::max);
    let shown: Vec<(usize, IoLayer)> = LAYERS
        .into_iter()
        .enumerate()
        .filter(|(_, of)| samples.iter().any(|(.., sample)| sample.layer == *of))
        .collect();
    let legend: Vec<Entry> = shown.iter().map(|(at, of)| Entry::line(format!("s{at}"), layer(*of))).collect();
    let mut canvas = Canvas::new(Axis::time(end_s), Axis::latency("latency", least, most), &legend);
    series.borders.iter().for_each(|border| canvas.border(*border));
    for (at, of) in &shown {
        for (at_s, ddir, sample) in samples.iter().filter(|(.., sample)| sample.layer == *of) {
            let hint = format!("{}: {}, most of it {}", ddir.name(), time_ns(sample.latency_ns as f64), layer(*of));
            canvas.dot(&format!("f{at}"), *at_s, sample.latency_ns as f64, &hint);
        }
    }
    let words = format!(
        "Each dot is one of the {} slowest I/Os. Its colour is the layer with most of its time. Latencies range from {} to {}.",
        samples.len(),
        time_ns(least),
        time_ns(most)
    );
    Some(Chart::new(&test.name, "slow-ios", "The slowest I/Os over time", words, canvas))
}

/// Returns the split of the time of the slowest I/Os: the last traced run of each direction.
fn split(test: &Test) -> Option<Chart> {
    let last = |ddir: Ddir| conclusive(test).rev().flat_map(|run| &run.directions).find(|slow| slow.ddir == ddir);
    let found: Vec<&SlowIos> = Ddir::ALL.into_iter().filter_map(last).collect();
    if found.is_empty() {
        return None;
    }
    let axis = Axis::counts("share of the time (%)", 100.0);
    let mut panel = Panel::new();
    for slow in found {
        for (text, share) in joined(&slow.parts) {
            let bar = panel.row(&format!("{} {text}", ios_of(slow.ddir)), &percent(share));
            panel.bar(&format!("f{}", slow.ddir as usize), bar, LEFT, Panel::x_of(&axis, share * 100.0));
        }
    }
    let words = of_test(test).join(" ");
    Some(panel.finish(&axis, &test.name, "slow-parts", "Where the slowest I/Os spend their time", words))
}

#[cfg(test)]
mod tests {
    use assessment::Round;
    use record::{Explanation, Record, TimePart, Timeline, TraceCost};

    use super::*;

    /// Returns a run of 2 s with a slow read after 1 s.
    fn round(layer: IoLayer) -> Round {
        let mut timeline = Timeline::new(0, 1_000_000_000, vec!["sda".to_owned()]);
        (0..2).for_each(|at| timeline.count((at * 1_000_000_000, (at + 1) * 1_000_000_000), Ddir::Read, 10, 40_960));
        timeline.end(2_000_000_000, &[]);
        let slow = SlowIos {
            ddir: Ddir::Read,
            all_ios: 20,
            ios: 1,
            from_ns: 5_000_000,
            parts: vec![TimePart { layer, cause: None, time_share: 1.0, ios: 1 }],
            period_s: None,
            merged: 0,
            split: 0,
            samples: vec![SlowSample { at_ns: 1_000_000_000, latency_ns: 5_000_000, layer }],
        };
        let mut record = Record::new(Default::default(), 0);
        record.timeline = vec![timeline];
        let trace = TraceCost { duration_ns: 1, traced_ns: 1, ..TraceCost::default() };
        record.explanation = Some(Box::new(Explanation { trace, directions: vec![slow] }));
        Round { at: Vec::new(), record }
    }

    #[test]
    fn slow_ios_of_all_runs_are_at_their_times() {
        let rounds = vec![round(IoLayer::Device), round(IoLayer::Queue)];
        let test = Test::of_rounds("a".to_owned(), String::new(), String::new(), rounds);
        let records: Vec<_> = test.rounds.iter().map(|round| (&round.record, String::new())).collect();
        let series = TimeSeries::of_records(&records, 100);
        let mut at_s: Vec<f64> = samples(&test, &series, 100).iter().map(|(at_s, ..)| *at_s).collect();
        at_s.sort_by(f64::total_cmp);
        assert_eq!(at_s, [1.0, 3.0]);
        let found = charts(&test, &series, &Detail::default());
        assert_eq!(found.iter().map(|chart| chart.kind).collect::<Vec<_>>(), ["slow-ios", "slow-parts"]);
        assert_eq!(found[0].body.matches("<circle").count(), 2);
        assert!(found[1].description.contains("100 % in the queue of the block layer"), "{}", found[1].description);
    }

    #[test]
    fn without_a_conclusive_explanation_there_is_no_chart() {
        let [mut plain, mut lossy] = [round(IoLayer::Device), round(IoLayer::Device)];
        plain.record.explanation = None;
        lossy.record.explanation.as_mut().unwrap().trace.lost_events = 100;
        for round in [plain, lossy] {
            let test = Test::of_rounds("a".to_owned(), String::new(), String::new(), vec![round]);
            assert!(charts(&test, &TimeSeries::of(&test, 100), &Detail::default()).is_empty());
        }
    }
}
