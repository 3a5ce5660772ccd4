//! Conversions between kinds of numbers.

/// Returns the integer part of a number. A negative number and NaN are 0, a number above the range is `u64::MAX`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion of floats saturates")]
pub fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn floats_become_integers_within_the_range() {
        let values = [0.0, 1.9, -3.0, f64::NAN, 1e300, f64::NEG_INFINITY];
        assert_eq!(values.map(whole), [0, 1, 0, 0, u64::MAX, 0]);
    }
}
