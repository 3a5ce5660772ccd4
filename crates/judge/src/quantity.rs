//! Quantities as people write them: `500GB`, `250MiB/s`, `10ms`, `5k`.

pub const KIB: f64 = 1024.0;
pub const MIB: f64 = KIB * KIB;
pub const GIB: f64 = MIB * KIB;
pub const TIB: f64 = GIB * KIB;

/// What a number without a unit is, and which units may follow one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In bytes.
    Size,
    /// In bytes per second.
    Bandwidth,
    /// In ns.
    Time,
    /// A count; `k` and `M` are 1000s.
    Count,
}

const SIZES: [(&str, f64); 12] = [
    ("b", 1.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("k", KIB),
    ("m", MIB),
    ("g", GIB),
    ("t", TIB),
    ("kib", KIB),
    ("mib", MIB),
    ("gib", GIB),
];
const TIMES: [(&str, f64); 8] =
    [("ns", 1.0), ("us", 1e3), ("usec", 1e3), ("ms", 1e6), ("msec", 1e6), ("s", 1e9), ("sec", 1e9), ("min", 60e9)];
const COUNTS: [(&str, f64); 2] = [("k", 1e3), ("m", 1e6)];

impl Kind {
    /// How much one of a unit is.
    pub fn unit(self, unit: &str) -> Option<f64> {
        let unit = unit.trim().to_ascii_lowercase();
        let look =
            |table: &[(&str, f64)], unit: &str| table.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
        match self {
            Kind::Size if unit == "tib" => Some(TIB),
            Kind::Size => look(&SIZES, &unit),
            Kind::Bandwidth => {
                let bytes = unit.strip_suffix("/s").or(unit.strip_suffix("ps")).unwrap_or(&unit);
                Kind::Size.unit(bytes)
            }
            Kind::Time => {
                look(&TIMES, unit.strip_prefix('µ').map(|rest| format!("u{rest}")).as_deref().unwrap_or(&unit))
            }
            Kind::Count => look(&COUNTS, &unit),
        }
    }

    /// The units, as a message names them.
    pub fn units(self) -> &'static str {
        match self {
            Kind::Size => "B, KiB, MiB, GiB, TiB, kB, MB, GB or TB",
            Kind::Bandwidth => "MiB/s, GiB/s, MB/s or GB/s",
            Kind::Time => "ns, us, ms or s",
            Kind::Count => "k or M",
        }
    }
}

/// The number and its unit, which may be empty; `None` where there is no number, or one that isn't at least 0.
pub fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    number.is_finite().then_some((number, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, text: &str) -> Option<f64> {
        let (number, unit) = split(text)?;
        Some(number * kind.unit(unit)?)
    }

    #[test]
    fn units_are_read_as_people_write_them() {
        assert_eq!(read(Kind::Size, "500GB"), Some(500e9));
        assert_eq!(read(Kind::Size, "4 TiB"), Some(4.0 * TIB));
        assert_eq!(read(Kind::Size, "64k"), Some(65536.0));
        assert_eq!(read(Kind::Bandwidth, "250MB/s"), Some(250e6));
        assert_eq!(read(Kind::Bandwidth, "1.5GiB/s"), Some(1.5 * GIB));
        assert_eq!(read(Kind::Time, "10ms"), Some(1e7));
        assert_eq!(read(Kind::Time, "200µs"), Some(2e5));
        assert_eq!(read(Kind::Count, "5k"), Some(5e3));
    }

    #[test]
    fn nonsense_is_none() {
        for text in ["", "GB", "-5GB", "5 parsecs", "1e999GB", "..", "5ü"] {
            assert_eq!(read(Kind::Size, text), None, "{text}");
        }
    }
}
