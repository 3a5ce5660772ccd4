//! Figures over time, for charts. Their number is bounded: a long run has fewer points per second.

use plan::Ddir;

use crate::view::{JobView, View};

/// Largest number of points of a series. Above it each two points become one.
const POINTS_MAX: usize = 512;
/// Jobs that have a series of their own.
const JOBS_MAX: usize = 64;
/// Percentiles of the latency chart, and their names.
pub const PERCENTILES: [(f64, &str); 3] = [(50.0, "p50"), (99.0, "p99"), (99.9, "p99.9")];

/// The series of all jobs together, then of each job.
#[derive(Clone, Debug, Default)]
pub struct AllSeries {
    list: Vec<Series>,
    /// Updates that make a point.
    updates_per_point: u32,
    updates: u32,
}

/// The figures of one job over time.
#[derive(Clone, Debug, Default)]
pub struct Series {
    pub points: Vec<Point>,
}

/// The figures at one time. Arrays are by direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point {
    pub at_s: f64,
    pub ios_per_s: [f64; 3],
    pub bytes_per_s: [f64; 3],
    /// In the order of [`PERCENTILES`]; `None` without an I/O.
    pub lat_ns: [Option<f64>; 3],
    pub in_flight: f64,
}

impl AllSeries {
    /// Adds the figures of an update.
    pub fn add(&mut self, view: &View) {
        self.updates += 1;
        if self.updates < self.updates_per_point {
            return;
        }
        self.updates = 0;
        let at_s = view.elapsed_ns as f64 / 1e9;
        let all = view.all();
        let views = std::iter::once(&all).chain(view.jobs.iter().take(JOBS_MAX));
        for (at, job) in views.enumerate() {
            if at == self.list.len() {
                self.list.push(Series::default());
            }
            self.list[at].points.push(point(at_s, job));
        }
        if self.list.first().is_some_and(|series| series.points.len() > POINTS_MAX) {
            self.list.iter_mut().for_each(Series::merge_neighbours);
            self.updates_per_point = self.updates_per_point.max(1) * 2;
        }
    }

    /// Returns the series of all jobs (0), or of a job (from 1). Jobs beyond the first 64 have none.
    pub fn get(&self, selected: usize) -> Option<&Series> {
        self.list.get(selected)
    }
}

fn point(at_s: f64, job: &JobView) -> Point {
    let lat_ns = PERCENTILES.map(|(percent, _)| job.latencies().1.percentile(percent).map(|ns| ns as f64));
    Point { at_s, ios_per_s: job.ios_per_s, bytes_per_s: job.bytes_per_s, lat_ns, in_flight: job.in_flight }
}

impl Series {
    fn merge_neighbours(&mut self) {
        let merged = |pair: &[Point]| match pair {
            [first, second] => merge(first, second),
            _ => pair[0],
        };
        self.points = self.points.chunks(2).map(merged).collect();
    }

    /// Returns the points of a rate of one direction; empty if it has no I/O.
    pub fn rate(&self, ddir: Ddir, rate: impl Fn(&Point) -> [f64; 3]) -> Vec<(f64, f64)> {
        let points: Vec<(f64, f64)> =
            self.points.iter().map(|point| (point.at_s, rate(point)[ddir as usize])).collect();
        if points.iter().any(|(_, value)| *value > 0.0) { points } else { Vec::new() }
    }

    /// Returns the points of a percentile, by its place in [`PERCENTILES`].
    pub fn percentile(&self, nth: usize) -> Vec<(f64, f64)> {
        self.points.iter().filter_map(|point| Some((point.at_s, point.lat_ns[nth]?))).collect()
    }
}

/// Returns the mean rates of two points, and their largest percentiles.
fn merge(first: &Point, second: &Point) -> Point {
    let mean = |first: [f64; 3], second: [f64; 3]| std::array::from_fn(|at| f64::midpoint(first[at], second[at]));
    let largest = |at: usize| match (first.lat_ns[at], second.lat_ns[at]) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    Point {
        at_s: second.at_s,
        ios_per_s: mean(first.ios_per_s, second.ios_per_s),
        bytes_per_s: mean(first.bytes_per_s, second.bytes_per_s),
        lat_ns: std::array::from_fn(largest),
        in_flight: f64::midpoint(first.in_flight, second.in_flight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_a_bounded_number_of_points_over_its_whole_time() {
        let mut series = AllSeries::default();
        for second in 1..=100_000u64 {
            let job = JobView { ios_per_s: [8.0, 0.0, 0.0], ..JobView::default() };
            series.add(&View { elapsed_ns: second * 1_000_000_000, jobs: vec![job], ..View::default() });
        }
        for selected in [0, 1] {
            let points = &series.get(selected).unwrap().points;
            assert!((POINTS_MAX / 2..=POINTS_MAX).contains(&points.len()), "{}", points.len());
            assert!(points.iter().all(|point| point.ios_per_s[0] == 8.0));
            assert!(points[0].at_s < 1000.0 && points[points.len() - 1].at_s > 99_000.0);
        }
        assert!(series.get(2).is_none());
    }
}
