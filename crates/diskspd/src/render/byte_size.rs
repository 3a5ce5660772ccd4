//! Sizes in reports: in the largest unit, as an integer or with two decimals.

const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];

/// Returns number and unit. Sizes below 1 KiB have no unit.
fn parts(bytes: u64) -> (String, &'static str) {
    match UNITS.iter().find(|(shift, _)| bytes >> shift > 0) {
        None => (bytes.to_string(), ""),
        Some((shift, unit)) if bytes.trailing_zeros() >= *shift => ((bytes >> shift).to_string(), unit),
        Some((shift, unit)) => (format!("{:.2}", bytes as f64 / (1_u64 << shift) as f64), unit),
    }
}

/// Formats `4KiB`, `1.50GiB`, `512`.
pub fn byte_size(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    number + unit
}

/// Formats the same, with the number right-aligned in six columns.
pub fn aligned_byte_size(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    format!("{number:>6}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_integers_or_have_two_decimals_in_the_largest_unit() {
        let shown = [0, 1023, 1024, 1536, 1 << 30, (4 << 30) - 2, 5 << 40, u64::MAX].map(byte_size);
        assert_eq!(shown, ["0", "1023", "1KiB", "1.50KiB", "1GiB", "4.00GiB", "5TiB", "16777216.00TiB"]);
    }

    #[test]
    fn aligned_sizes_have_six_columns() {
        assert_eq!([1_610_612_736, 102 << 30].map(aligned_byte_size), ["  1.50GiB", "   102GiB"]);
    }
}
