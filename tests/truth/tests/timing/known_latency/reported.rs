//! Values of a report, compared with measured latencies.

use fathom_truth::arithmetic::{fio_bin, mean, percentile};

/// Number of I/Os above a percentile that is compared with its upper bound.
const ABOVE_MIN: f64 = 50.0;

pub struct Reported {
    pub mean_ns: f64,
    /// Percentiles and their values.
    pub percentiles_ns: Vec<(f64, u64)>,
    /// Resolution of times in the report.
    pub step_ns: u64,
}

impl Reported {
    /// Checks that no value is below that of the files.
    pub fn assert_none_is_too_short(&self, what: &str, took_ns: &[u64]) {
        let (seen, took) = (self.mean_ns + self.step_ns as f64, mean(took_ns));
        assert!(seen >= 0.998 * took, "{what}: a mean of {took} ns was reported as {seen} ns");
        for (share, seen) in &self.percentiles_ns {
            let took = percentile(took_ns, *share);
            let (first, last) = fio_bin(took);
            let is_above = seen + self.step_ns >= first - (last - first);
            assert!(is_above, "{what}: a {share}th percentile of {took} ns was reported as {seen} ns");
        }
    }

    /// Returns values that exceed those of files and FUSE: a mean by more than 2 %, a percentile by more than one bin. A percentile
    /// with almost no I/Os above it depends on the machine's slowest moment and is left out.
    pub fn too_long(&self, took_ns: &[u64], floor_ns: &[u64]) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut held = |figure: String, seen: u64, took: u64, floor: u64, most: u64| {
            if seen > most + self.step_ns {
                found.push((figure, format!("{took} ns, and {floor} ns of FUSE, were reported as {seen} ns")));
            }
        };
        let (took, floor) = (mean(took_ns) as u64, mean(floor_ns) as u64);
        held("mean".into(), self.mean_ns as u64, took, floor, (took + floor) / 100 * 102);
        let are_enough = |share: f64| (1.0 - share / 100.0) * took_ns.len() as f64 >= ABOVE_MIN;
        for (share, seen) in self.percentiles_ns.iter().filter(|(share, _)| are_enough(*share)) {
            let took = percentile(took_ns, *share);
            let floor = percentile(floor_ns, f64::midpoint(share.max(90.0), 100.0));
            let (first, last) = fio_bin(took + floor);
            held(format!("{share}th percentile"), *seen, took, floor, last + (last - first));
        }
        found
    }
}
