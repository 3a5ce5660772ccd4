//! Bytes as people read them.

const UNITS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];

/// In the largest unit that they fill, with one decimal where they aren't whole.
pub fn with_unit(bytes: u64) -> String {
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let text = format!("{:.1}", bytes as f64 / unit as f64);
            format!("{} {name}", text.strip_suffix(".0").unwrap_or(&text))
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_is_taken_that_is_filled() {
        let shown = [0, 1023, 1024, 1536, 512 << 20, (3 << 30) / 2, 5 << 40].map(with_unit);
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "512 MiB", "1.5 GiB", "5 TiB"]);
    }
}
