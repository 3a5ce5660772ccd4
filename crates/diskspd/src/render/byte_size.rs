//! Sizes as reports show them: in the largest unit that fits, whole or with two decimals.

const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];

/// Number and unit; below a KiB there is no unit.
fn parts(bytes: u64) -> (String, &'static str) {
    match UNITS.iter().find(|(shift, _)| bytes >> shift > 0) {
        None => (bytes.to_string(), ""),
        Some((shift, unit)) if bytes.trailing_zeros() >= *shift => ((bytes >> shift).to_string(), unit),
        Some((shift, unit)) => (format!("{:.2}", bytes as f64 / (1_u64 << shift) as f64), unit),
    }
}

/// `4KiB`, `1.50GiB`, `512`.
pub fn byte_size(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    number + unit
}

/// The same in a column: six places for the number.
pub fn aligned_byte_size(bytes: u64) -> String {
    let (number, unit) = parts(bytes);
    format!("{number:>6}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_fits_is_whole_or_has_two_decimals() {
        let shown = [0, 1023, 1024, 1536, 1 << 30, (4 << 30) - 2, 5 << 40, u64::MAX].map(byte_size);
        assert_eq!(shown, ["0", "1023", "1KiB", "1.50KiB", "1GiB", "4.00GiB", "5TiB", "16777216.00TiB"]);
    }

    #[test]
    fn a_column_has_six_places_for_the_number() {
        assert_eq!([1_610_612_736, 102 << 30].map(aligned_byte_size), ["  1.50GiB", "   102GiB"]);
    }
}
