//! Quantities in fio's format: significant digits, prefix, unit.

/// Unit of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    None,
    Bytes,
    BytesPerSecond,
    /// The value is in bytes per second and is printed in bits per second.
    BitsPerSecond,
}

impl Unit {
    pub(super) fn of_bandwidth(bits: bool) -> Unit {
        if bits { Unit::BitsPerSecond } else { Unit::BytesPerSecond }
    }

    fn suffix(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Bytes => "B",
            Unit::BytesPerSecond => "B/s",
            Unit::BitsPerSecond => "bit/s",
        }
    }
}

/// Prefixes: powers of 1024 (`Ki`) or of 1000 (`k`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prefix {
    Binary,
    Decimal,
}

impl Prefix {
    /// Returns the prefixes for a value of `kb_base`.
    pub(super) fn of_base(kb_base: u32) -> Prefix {
        if kb_base.is_power_of_two() { Prefix::Binary } else { Prefix::Decimal }
    }

    pub(super) fn other(self) -> Prefix {
        match self {
            Prefix::Binary => Prefix::Decimal,
            Prefix::Decimal => Prefix::Binary,
        }
    }

    fn step(self) -> u64 {
        match self {
            Prefix::Binary => 1024,
            Prefix::Decimal => 1000,
        }
    }

    fn names(self) -> [&'static str; 7] {
        match self {
            Prefix::Binary => ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"],
            Prefix::Decimal => ["", "k", "M", "G", "T", "P", "E"],
        }
    }
}

/// Formats a value with at most `digits` characters, including the decimal point, before the prefix.
///
/// `power` is the power of the prefix that the value is in: 0 for bytes, 1 for KiB.
pub(super) fn short(value: u64, digits: usize, power: usize, prefix: Prefix, unit: Unit) -> String {
    let names = prefix.names();
    let mut whole = if unit == Unit::BitsPerSecond { value.saturating_mul(8) } else { value };
    let mut power = power.min(names.len() - 1);
    let mut rest = None;
    while length(whole) > digits.max(1) && power + 1 < names.len() {
        rest = Some(whole % prefix.step());
        whole /= prefix.step();
        power += 1;
    }
    let tail = format!("{}{}", names[power], unit.suffix());
    let Some(rest) = rest else { return format!("{whole}{tail}") };
    let room = digits.saturating_sub(length(whole));
    if room <= 1 {
        let rounded = whole + u64::from(rest >= prefix.step() / 2);
        return format!("{rounded}{tail}");
    }
    let decimals = room - 1;
    let fraction = format!("{:.decimals$}", rest as f64 / prefix.step() as f64);
    // The fraction can round up to 1.
    whole += u64::from(fraction.starts_with('1'));
    format!("{whole}{}{tail}", &fraction[1..])
}

fn length(value: u64) -> usize {
    value.checked_ilog10().unwrap_or(0) as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_at_most_the_given_digits() {
        let bytes = |value, digits| short(value, digits, 0, Prefix::Binary, Unit::Bytes);
        assert_eq!(bytes(4096, 4), "4096B");
        assert_eq!(bytes(2_031_616, 4), "1984KiB");
        assert_eq!(bytes(200 << 20, 4), "200MiB");
        assert_eq!(bytes(17 << 30, 4), "17.0GiB");
        assert_eq!(bytes(12_345_678_901, 10), "12056327.1KiB");
        assert_eq!(bytes(0, 4), "0B");
        assert_eq!(short(1_234_567, 6, 0, Prefix::Decimal, Unit::None), "1234.6k");
        assert_eq!(short(20_971_520, 4, 0, Prefix::Decimal, Unit::BytesPerSecond), "21.0MB/s");
    }

    #[test]
    fn a_fraction_that_rounds_up_to_1_is_carried() {
        assert_eq!(short(99_999, 4, 0, Prefix::Decimal, Unit::None), "100.0k");
        assert_eq!(short(u64::MAX, 1, 0, Prefix::Binary, Unit::Bytes), "16EiB");
    }

    #[test]
    fn bits_are_eight_times_the_bytes_and_a_power_selects_the_prefix() {
        assert_eq!(short(100 << 20, 4, 0, Prefix::Binary, Unit::BitsPerSecond), "800Mibit/s");
        assert_eq!(short(2048, 4, 1, Prefix::Binary, Unit::BytesPerSecond), "2048KiB/s");
        assert_eq!(short(20_480, 4, 1, Prefix::Binary, Unit::BytesPerSecond), "20.0MiB/s");
    }
}
