//! Remainders by a fixed divisor, without a division.

/// A divisor with its reciprocal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remainder {
    divisor: u64,
    /// (2⁶⁴ - 1) / divisor, rounded down.
    reciprocal: u64,
}

impl Remainder {
    pub fn by(divisor: u64) -> Self {
        let divisor = divisor.max(1);
        Remainder { divisor, reciprocal: u64::MAX / divisor }
    }

    #[inline]
    pub fn of(self, value: u64) -> u64 {
        // The reciprocal is too small by at most 1, so the quotient is too small by at most 1.
        let quotient = ((u128::from(value) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = value - quotient * self.divisor;
        if rest >= self.divisor { rest - self.divisor } else { rest }
    }

    /// Returns the largest multiple of the divisor that is not above the value.
    #[inline]
    pub fn round_down(self, value: u64) -> u64 {
        value - self.of(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use random::Jenkins64;

    #[test]
    fn remainders_are_those_of_a_division() {
        let mut random = Jenkins64::new(1);
        let edges = [1, 2, 3, 511, 512, 4096, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX];
        let drawn: Vec<u64> = (0..500).map(|shift| random.draw() >> (shift % 64)).collect();
        for divisor in edges.iter().chain(&drawn).copied().filter(|divisor| *divisor > 0) {
            let values = [0, 1, divisor - 1, divisor, divisor.wrapping_add(1), divisor.wrapping_mul(3), u64::MAX];
            for value in values.into_iter().chain(edges).chain((0..50).map(|_| random.draw())) {
                assert_eq!(Remainder::by(divisor).of(value), value % divisor, "{value} mod {divisor}");
            }
        }
    }
}
