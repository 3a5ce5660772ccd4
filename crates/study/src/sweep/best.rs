//! The best point of a sweep, and the points that are as good.

use assessment::{Best, Metric, SweepPoint};

/// Points within this distance of the best count as equally good.
const NEAR_PERCENT: f64 = 2.0;

/// Returns the best valid point by a metric; `None` if no such point has it.
pub fn best(points: &[SweepPoint], metric: Metric, is_valid: impl Fn(usize) -> bool) -> Option<Best> {
    let value = |(at, point): (usize, &SweepPoint)| point.value(metric).filter(|_| is_valid(at));
    let values: Vec<Option<f64>> = points.iter().enumerate().map(value).collect();
    let known = || values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
    let better = |a: f64, b: f64| if metric.is_rate() { a > b } else { a < b };
    let (point, value) = known().reduce(|best, other| if better(other.1, best.1) { other } else { best })?;
    let spread = points[point].spread_percent.unwrap_or(0.0);
    let near_percent = NEAR_PERCENT.max(spread);
    let distance = |other: f64| (other - value).abs();
    let near: Vec<usize> =
        known().filter(|(_, other)| distance(*other) * 100.0 <= near_percent * value).map(|(at, _)| at).collect();
    let others = || known().filter(|(at, _)| *at != point);
    let next = others().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1))).map(|(at, _)| at);
    let next = next.filter(|_| near.len() == 1 && value > 0.0);
    Some(Best { point, value, near_percent, is_spread: spread > NEAR_PERCENT, near, next })
}

#[cfg(test)]
mod tests {
    use assessment::{Figures, Rates, SweepRun};

    use super::*;

    fn points(iops: &[f64]) -> Vec<SweepPoint> {
        let point = |iops: &f64| {
            let figures = Figures { total: Rates { iops: *iops, ..Rates::default() }, ..Figures::default() };
            let runs = vec![SweepRun::Figures(figures.clone())];
            SweepPoint { settings: Vec::new(), runs, median: Some(figures), range: None, spread_percent: None }
        };
        iops.iter().map(point).collect()
    }

    fn near(iops: &[f64]) -> (usize, Vec<usize>, Option<usize>) {
        let best = best(&points(iops), Metric::IOPS, |_| true).unwrap();
        (best.point, best.near, best.next)
    }

    #[test]
    fn points_within_two_percent_of_the_best_are_as_good() {
        assert_eq!(near(&[990.0, 1000.0, 2.0, 985.0]), (1, vec![0, 1, 3], None));
        assert_eq!(near(&[1000.0, 2.0, 900.0]), (0, vec![0], Some(2)));
        assert_eq!(near(&[1000.0]), (0, vec![0], None));
        assert_eq!(best(&[], Metric::IOPS, |_| true), None);
    }

    #[test]
    fn an_invalid_point_is_neither_the_best_nor_near_it() {
        let points = points(&[1000.0, 990.0, 500.0]);
        let valid = best(&points, Metric::IOPS, |at| at != 0).unwrap();
        assert_eq!((valid.point, valid.near, valid.next), (1, vec![1], Some(2)));
        assert_eq!(best(&points, Metric::IOPS, |_| false), None);
    }

    #[test]
    fn repeats_with_a_spread_widen_what_is_near() {
        let mut points = points(&[1000.0, 900.0]);
        points[0].spread_percent = Some(12.0);
        let best = best(&points, Metric::IOPS, |_| true).unwrap();
        assert!(best.is_spread && best.near == [0, 1] && best.near_percent == 12.0);
    }

    #[test]
    fn less_latency_is_better() {
        let metric = Metric::parse("lat.mean").unwrap();
        let mut points = points(&[1.0, 1.0]);
        for (point, mean_ns) in points.iter_mut().zip([500.0, 400.0]) {
            let figures = point.median.as_mut().unwrap();
            figures.total.latency = Some(assessment::Latencies { mean_ns, ..Default::default() });
        }
        assert_eq!(best(&points, metric, |_| true).unwrap().point, 1);
    }
}
