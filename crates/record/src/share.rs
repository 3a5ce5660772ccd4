//! A share of counts.

/// The part of a whole between two positions of it.
pub(crate) struct Share {
    pub from: u64,
    pub to: u64,
    /// Length of the whole, above 0.
    pub whole: u64,
}

impl Share {
    /// Returns the share of a count, rounded so that adjacent shares add up to the count.
    pub(crate) fn of_count(&self, count: u64) -> u64 {
        u64::try_from(self.of_sum(u128::from(count))).unwrap_or(u64::MAX)
    }

    /// Returns the share of a sum, rounded as that of a count.
    pub(crate) fn of_sum(&self, sum: u128) -> u128 {
        let whole = u128::from(self.whole);
        let until = |at: u64| {
            let at = u128::from(at);
            (sum / whole).saturating_mul(at).saturating_add((sum % whole * at + whole / 2) / whole)
        };
        until(self.to) - until(self.from)
    }
}
