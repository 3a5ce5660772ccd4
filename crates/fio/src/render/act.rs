//! The report of `--profile=act`: the share of slow I/Os in each hour.

use std::fmt::Write;

use record::WorkerRecord;

/// Length of a slice.
pub const SLICE_S: u64 = 3600;

/// A class of slow I/Os: those above its limit and at most at the limit of the next class.
struct SlowClass {
    above_ms: u64,
    /// A slice fails from this share on, in 1/1000 of its I/Os.
    fails_from_permille: u32,
}

const CLASSES: [SlowClass; 3] = [
    SlowClass { above_ms: 1, fails_from_permille: 50 },
    SlowClass { above_ms: 8, fails_from_permille: 10 },
    SlowClass { above_ms: 64, fails_from_permille: 1 },
];

/// Counts of I/Os, and of those in each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ActCounts {
    ios: u64,
    slow: [u64; CLASSES.len()],
}

impl ActCounts {
    /// Returns the counts of all I/Os so far. A bin of the latency histograms counts as a whole.
    pub fn of_workers(workers: &[WorkerRecord]) -> Self {
        let mut counts = ActCounts::default();
        for ddir in workers.iter().flat_map(|worker| &worker.stats.ddirs) {
            let above = CLASSES
                .each_ref()
                .map(|class| ddir.lat.count() - ddir.lat.histogram.count_below(class.above_ms * 1_000_000 + 1));
            counts.ios += ddir.lat.count();
            for (class, slow) in counts.slow.iter_mut().enumerate() {
                *slow += above[class] - above.get(class + 1).copied().unwrap_or(0);
            }
        }
        counts
    }

    /// Returns the counts since `earlier`.
    pub fn since(&self, earlier: &ActCounts) -> ActCounts {
        let mut slow = self.slow;
        slow.iter_mut().zip(earlier.slow).for_each(|(slow, earlier)| *slow = slow.saturating_sub(earlier));
        ActCounts { ios: self.ios.saturating_sub(earlier.ios), slow }
    }

    fn percent(&self, class: usize) -> f64 {
        if self.ios == 0 { 0.0 } else { 100.0 * self.slow[class] as f64 / self.ios as f64 }
    }

    fn fails(&self, class: usize) -> bool {
        self.percent(class) * 10.0 >= f64::from(CLASSES[class].fails_from_permille)
    }

    /// Returns the line of the first class with too many I/Os.
    pub fn failure(&self) -> Option<String> {
        let class = (0..CLASSES.len()).find(|&class| self.fails(class))?;
        let limit = f64::from(CLASSES[class].fails_from_permille) / 10.0;
        Some(format!("act: {:.6}% exceeds pass criteria of {limit:.6}%\n", self.percent(class)))
    }
}

/// Returns the table of all slices. The columns of the transactions and of the device are equal, as in fio.
pub fn act_table(slices: &[ActCounts]) -> String {
    let mut text = "        trans                   device\n        %>(ms)                  %>(ms)\n slice".to_owned();
    for class in CLASSES.iter().chain(&CLASSES) {
        // Writing to a string does not fail.
        let _ = write!(text, "\t {:2}", class.above_ms);
    }
    text.push_str("\n -----  -----   -----  ------   -----   -----  ------\n");
    for (slice, number) in slices.iter().zip(1..) {
        let _ = write!(text, "   {number:2}");
        for class in (0..CLASSES.len()).chain(0..CLASSES.len()) {
            let _ = write!(text, "\t{:.2}", slice.percent(class));
        }
        text.push('\n');
    }
    let has_failed = slices.iter().any(|slice| slice.failure().is_some());
    let verdict = if has_failed { "FAILED" } else { "PASSED" };
    text + &format!("\nact: test complete, device(s): {verdict}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_apart_and_a_slice_fails_at_its_limit() {
        let passes = ActCounts { ios: 1000, slow: [49, 9, 0] };
        let fails = ActCounts { ios: 1000, slow: [0, 10, 0] };
        assert_eq!(passes.failure(), None);
        assert_eq!(fails.failure().as_deref(), Some("act: 1.000000% exceeds pass criteria of 1.000000%\n"));
        assert_eq!(ActCounts { ios: 1500, slow: [49, 19, 0] }.since(&passes), ActCounts { ios: 500, slow: [0, 10, 0] });
        let table = act_table(&[passes, ActCounts::default()]);
        assert!(table.contains("    1\t4.90\t0.90\t0.00\t4.90\t0.90\t0.00\n    2\t0.00"), "{table}");
        assert!(table.ends_with("\nact: test complete, device(s): PASSED\n"));
        assert!(act_table(&[passes, fails]).ends_with("FAILED\n"));
    }
}
