//! Numbers of I/Os in windows of equal length.

/// Counts in windows. I/Os come in the order of their times.
pub struct Windows {
    width_ns: u64,
    /// Index of the last window with I/Os, and its count.
    last: u64,
    count: u64,
    /// Windows with I/Os before the last one.
    filled: u64,
    most: u64,
    total: u64,
    sum_squares: f64,
}

impl Windows {
    pub fn new(width_ns: u64) -> Windows {
        Windows { width_ns, last: 0, count: 0, filled: 0, most: 0, total: 0, sum_squares: 0.0 }
    }

    pub fn add(&mut self, at_ns: u64) {
        let window = at_ns / self.width_ns;
        if window != self.last && self.count > 0 {
            self.filled += 1;
            self.sum_squares += (self.count as f64).powi(2);
            self.count = 0;
        }
        self.last = window;
        self.count += 1;
        self.total += 1;
        self.most = self.most.max(self.count);
    }

    /// Returns the number of I/Os.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the highest count.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Returns the share of windows without I/Os.
    pub fn empty_share(&self, duration_ns: u64) -> f64 {
        let all = self.number(duration_ns);
        let filled = self.filled + u64::from(self.count > 0);
        all.saturating_sub(filled) as f64 / all as f64
    }

    /// Returns the variance of the counts of whole windows, divided by their mean. 0 without I/Os in them.
    pub fn dispersion(&self, duration_ns: u64) -> f64 {
        let whole = duration_ns / self.width_ns;
        // The part of a window at the end has fewer I/Os.
        let last = if self.last < whole { self.count } else { 0 };
        let total = self.total - self.count + last;
        let mean = total as f64 / whole.max(1) as f64;
        let sum_squares = self.sum_squares + (last as f64).powi(2);
        if total == 0 || whole == 0 { 0.0 } else { (sum_squares / whole as f64 / mean - mean).max(0.0) }
    }

    /// Returns the number of windows of a capture. A part of a window at the end counts if it has I/Os.
    fn number(&self, duration_ns: u64) -> u64 {
        (duration_ns / self.width_ns).max(if self.count > 0 { self.last.saturating_add(1) } else { 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_windows_have_a_variance() {
        let mut windows = Windows::new(10);
        assert_eq!((windows.dispersion(100), windows.empty_share(100)), (0.0, 1.0));
        [0, 1, 25].into_iter().for_each(|at| windows.add(at));
        // Counts 2, 0, 1: mean 1, variance 2/3.
        assert!((windows.dispersion(30) - 2.0 / 3.0).abs() < 1e-9);
        assert!((windows.dispersion(28) - 1.0).abs() < 1e-9, "the third window is not complete: counts 2 and 0");
        assert_eq!((windows.most(), windows.total()), (2, 3));
        assert!((windows.empty_share(30) - 1.0 / 3.0).abs() < 1e-9);
        assert!((windows.empty_share(38) - 1.0 / 3.0).abs() < 1e-9, "the last window is not complete");
    }
}
