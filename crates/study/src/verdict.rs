//! The sentence that a sweep is made for: which point is best, and which come near it.

use assessment::Metric;

use crate::metric::{self, Scale};
use crate::{Axis, Row, Sweep};

/// Points this near the best count as good as it.
pub const NEAR_PERCENT: f64 = 2.0;

/// The best point of a sweep.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The place of the best point among the rows.
    pub best: usize,
    pub value: f64,
    /// Points no further from the best count as good as it: 2, or what its own repeats lie apart.
    pub near_percent: f64,
    /// Rows, the best among them, that are that near.
    pub near: Vec<usize>,
    pub sentence: String,
}

/// `None` where no point has the metric.
pub fn verdict(sweep: &Sweep, rows: &[Row], metric: Metric) -> Option<Verdict> {
    let values: Vec<Option<f64>> = rows.iter().map(|row| row.value(metric)).collect();
    let known = || values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
    let better = |a: f64, b: f64| if metric.is_rate() { a > b } else { a < b };
    let (best, value) = known().reduce(|best, other| if better(other.1, best.1) { other } else { best })?;
    let spread = rows[best].spread_percent(metric).unwrap_or(0.0);
    let near_percent = NEAR_PERCENT.max(spread);
    let is_near = |other: f64| (other - value).abs() * 100.0 <= near_percent * value;
    let near: Vec<usize> = known().filter(|(_, other)| is_near(*other)).map(|(at, _)| at).collect();
    let largest = known().map(|(_, value)| value).fold(0.0, f64::max);
    let scale = metric::scale(metric, largest);
    let first = format!(
        "{} {} {} at {}",
        if metric.is_rate() { "highest" } else { "lowest" },
        metric.title(),
        scale.with_unit(value),
        rows[best].point.name()
    );
    let within = if spread > NEAR_PERCENT {
        format!("within {near_percent:.1} % (the spread of its repeats)")
    } else {
        format!("within {NEAR_PERCENT} %")
    };
    let rest = match near.len() {
        1 => next_best(rows, &values, best, metric, scale),
        several if several == rows.len() => Some(format!("all others {within}")),
        _ => Some(format!("{within} {}", neighbours(sweep, rows, best, &near))),
    };
    let sentence = rest.map_or(first.clone(), |rest| format!("{first}; {rest}"));
    Some(Verdict { best, value, near_percent, near, sentence })
}

/// How far behind the next one is.
fn next_best(rows: &[Row], values: &[Option<f64>], best: usize, metric: Metric, scale: Scale) -> Option<String> {
    let others =
        values.iter().enumerate().filter(|(at, _)| *at != best).filter_map(|(at, value)| Some((at, (*value)?)));
    let distance = |value: f64| (value - values[best].unwrap_or(value)).abs();
    let (next, value) = others.min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
    let best = values[best].filter(|best| *best > 0.0)?;
    let percent = distance(value) * 100.0 / best;
    let side = if metric.is_rate() { "less" } else { "more" };
    let name = rows[next].point.name();
    Some(format!("next is {} at {name}, {percent:.0} % {side}", scale.with_unit(value)))
}

/// Which points are as good as the best: in words where only one ordered axis tells them apart and they lie side by
/// side, else by their names.
fn neighbours(sweep: &Sweep, rows: &[Row], best: usize, near: &[usize]) -> String {
    let along =
        sweep.axes().iter().position(|axis| near.iter().all(|at| differ_only_in(axis, &rows[*at], &rows[best])));
    if let Some(at) = along.filter(|at| sweep.axes()[*at].is_ordered()) {
        let axis = &sweep.axes()[at];
        let place = |row: &Row| axis.values.iter().position(|value| *value == row.point.settings[at].1).unwrap_or(0);
        let places: Vec<usize> = near.iter().map(|row| place(&rows[*row])).collect();
        let (low, high) = (places.iter().min().copied().unwrap_or(0), places.iter().max().copied().unwrap_or(0));
        let name = |place: usize| format!("{}={}", axis.option, axis.values[place]);
        if high - low + 1 == places.len() {
            return match (low == 0, high + 1 == axis.values.len()) {
                (true, true) => format!("for all values of {}", axis.option),
                (true, false) => format!("up to {}", name(high)),
                (false, true) => format!("from {} on", name(low)),
                (false, false) => format!("from {} to {}", name(low), name(high)),
            };
        }
    }
    const NAMED_MAX: usize = 5;
    let others: Vec<String> = near.iter().filter(|at| **at != best).map(|at| rows[*at].point.name()).collect();
    let more = others.len().saturating_sub(NAMED_MAX);
    let named = others[..others.len() - more].join(", ");
    if more > 0 { format!("at {named} and {more} more") } else { format!("at {named}") }
}

fn differ_only_in(axis: &Axis, row: &Row, best: &Row) -> bool {
    let mut pairs = row.point.settings.iter().zip(&best.point.settings);
    pairs.all(|(mine, theirs)| mine.0 == axis.option || mine == theirs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Order;
    use crate::sample;

    /// One run of each point, with so many I/Os of 4 KiB each.
    fn sentence(axes: &[&str], metric: Metric, ios: &[u64]) -> String {
        let axes = axes.iter().map(|word| Axis::parse(word).unwrap()).collect();
        let mut sweep = Sweep::new(axes, 1, Order::Given).unwrap();
        for ios in ios {
            let turn = sweep.next_turn().unwrap();
            sweep.take(turn, &sample::record(&[(*ios, 1 << 20, 1_000_000_000 / ios.max(&1))]));
        }
        verdict(&sweep, &sweep.rows(), metric).map_or_else(String::new, |verdict| verdict.sentence)
    }

    #[test]
    fn the_best_point_and_its_neighbours_are_said_in_one_sentence() {
        let said = |ios: &[u64]| sentence(&["b=4K..64K"], Metric::BANDWIDTH, ios);
        assert_eq!(
            said(&[500, 1000, 2000, 3790, 3802]),
            "highest bandwidth 3,802 MiB/s at b=64K; within 2 % from b=32K on"
        );
        assert_eq!(said(&[990, 1000, 2, 3, 4]), "highest bandwidth 1,000 MiB/s at b=8K; within 2 % up to b=8K");
        assert_eq!(
            said(&[2, 990, 1000, 990, 3]),
            "highest bandwidth 1,000 MiB/s at b=16K; within 2 % from b=8K to b=32K"
        );
        assert_eq!(said(&[1000, 2, 990, 3, 4]), "highest bandwidth 1,000 MiB/s at b=4K; within 2 % at b=16K");
        assert_eq!(
            said(&[1000, 2, 900, 3, 4]),
            "highest bandwidth 1,000 MiB/s at b=4K; next is 900 MiB/s at b=16K, 10 % less"
        );
        assert_eq!(said(&[1000; 5]), "highest bandwidth 1,000 MiB/s at b=4K; all others within 2 %");
        assert_eq!(said(&[1000]), "highest bandwidth 1,000 MiB/s at b=4K");
        assert_eq!(said(&[0]), "");
    }

    #[test]
    fn less_latency_is_better() {
        let said = sentence(
            &["iodepth=1,2,4"],
            Metric::latency(assessment::LatencyKind::Total, assessment::Statistic::Mean),
            &[1000, 1005, 400],
        );
        assert_eq!(said, "lowest mean latency 995 µs at iodepth=2; within 2 % up to iodepth=2");
    }

    #[test]
    fn with_several_axes_points_are_named_in_full() {
        let said = |ios: &[u64]| sentence(&["bs=4k,8k,16k", "ioengine=psync,libaio"], Metric::IOPS, ios);
        assert_eq!(
            said(&[1, 1, 2, 995, 3, 1000]),
            "highest IOPS 1,000 at bs=16k ioengine=libaio; within 2 % from bs=8k on"
        );
        assert_eq!(
            said(&[995, 1, 2, 3, 3, 1000]),
            "highest IOPS 1,000 at bs=16k ioengine=libaio; within 2 % at bs=4k ioengine=psync"
        );
    }

    #[test]
    fn repeats_that_lie_apart_widen_what_counts_as_near() {
        let mut sweep = Sweep::new(vec![Axis::parse("o=1,2").unwrap()], 2, Order::Given).unwrap();
        for ios in [940, 1000, 1060, 1000] {
            let turn = sweep.next_turn().unwrap();
            sweep.take(turn, &sample::record(&[(ios, 4096, 1000)]));
        }
        let verdict = verdict(&sweep, &sweep.rows(), Metric::IOPS).unwrap();
        assert_eq!((verdict.best, verdict.near.len()), (0, 2));
        assert!(
            verdict.sentence.ends_with("all others within 12.0 % (the spread of its repeats)"),
            "{}",
            verdict.sentence
        );
    }
}
