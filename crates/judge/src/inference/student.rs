//! Student's distribution: probabilities and quantiles, also for a number of degrees of freedom that is no integer.

/// Terms of the continued fraction. It converges within some dozens.
const TERMS_MAX: usize = 300;
/// Relative precision of the continued fraction.
const PRECISION: f64 = 1e-15;
/// Smallest value of a denominator of the continued fraction.
const TINY: f64 = 1e-300;
/// Steps of a bisection: to the last bit of a number.
const STEPS: usize = 200;

/// Returns the probability of a value at least this far from 0, on either side.
pub fn two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5).clamp(0.0, 1.0)
}

/// Returns the distance from 0 that is exceeded, on either side, with a probability.
pub fn quantile(two_sided_p: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while two_sided(high, freedom) > two_sided_p && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        if two_sided(middle, freedom) > two_sided_p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The regularized incomplete beta function (DLMF 8.17.22), by the modified method of Lentz.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    // The fraction converges fast below this value only (DLMF 8.17.4).
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp() / a;
    let mut fraction: f64 = 1.0;
    let (mut upper, mut lower): (f64, f64) = (1.0, 0.0);
    for at in 0..TERMS_MAX {
        let m = (at / 2) as f64;
        let numerator = match at {
            0 => 1.0,
            at if at % 2 == 0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
        lower = 1.0 / kept(1.0 + numerator * lower);
        upper = kept(1.0 + numerator / upper);
        fraction *= upper * lower;
        if (upper * lower - 1.0).abs() < PRECISION {
            break;
        }
    }
    front * (fraction - 1.0)
}

/// The logarithm of the gamma function for x > 0: Stirling's series (DLMF 5.11.1), moved to large x.
fn ln_gamma(x: f64) -> f64 {
    let mut factor = 1.0;
    let mut x = x;
    while x < 12.0 {
        factor *= x;
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - factor.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_published_tables() {
        for (p, freedom, expected) in
            [(0.05, 1.0, 12.706), (0.05, 4.0, 2.776), (0.01, 8.0, 3.355), (0.4, 30.0, 0.854), (0.05, 1e6, 1.960)]
        {
            let found = quantile(p, freedom);
            assert!((found - expected).abs() < 6e-4, "{p} {freedom}: {found}");
        }
    }

    #[test]
    fn ends_of_the_range_have_probabilities() {
        assert_eq!((two_sided(0.0, 3.0), two_sided(f64::INFINITY, 3.0)), (1.0, 0.0));
        // With one degree of freedom, the distribution is Cauchy's.
        assert!((two_sided(1.0, 1.0) - 0.5).abs() < 1e-12);
    }
}
