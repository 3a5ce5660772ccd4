//! A report's figures, and whether they are those of the latencies that were measured.

use fathom_truth::arithmetic::{fio_bin, mean, percentile};

pub struct Reported {
    pub mean_ns: f64,
    /// Shares and what is not exceeded by them.
    pub percentiles_ns: Vec<(f64, u64)>,
    /// The step in which the report tells times.
    pub step_ns: u64,
}

impl Reported {
    /// Nothing is faster than the files were.
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

    /// Nothing is slower than the files and FUSE were: the mean by no more than 2 %, a percentile by one bin.
    pub fn none_is_too_long(&self, took_ns: &[u64], floor_ns: &[u64]) -> Result<(), String> {
        let (seen, took, floor) = (self.mean_ns - self.step_ns as f64, mean(took_ns), mean(floor_ns));
        if seen > 1.02 * (took + floor) {
            return Err(format!("a mean of {took:.0} ns, and {floor:.0} ns of FUSE, was reported as {seen:.0} ns"));
        }
        for (share, seen) in &self.percentiles_ns {
            let took = percentile(took_ns, *share);
            let floor = percentile(floor_ns, f64::midpoint(*share, 100.0));
            let (first, last) = fio_bin(took + floor);
            if *seen > last + (last - first) + self.step_ns {
                return Err(format!(
                    "a {share}th percentile of {took} ns, and {floor} ns of FUSE, was reported as {seen} ns"
                ));
            }
        }
        Ok(())
    }
}
