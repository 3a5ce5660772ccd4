//! Kinds of quantities and their units.

/// Kind of a quantity. It determines the allowed units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// In bytes.
    Size,
    /// In bytes per second.
    Bandwidth,
    /// In nanoseconds.
    Time,
    /// A count, or I/Os per second.
    Count,
}

type Units = [(&'static str, u64)];

/// Units in bytes, in lower case.
const SIZES: [(&str, u64); 23] = [
    ("b", 1),
    ("byte", 1),
    ("bytes", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("ki", 1 << 10),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mi", 1 << 20),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gi", 1 << 30),
    ("t", 1 << 40),
    ("tib", 1 << 40),
    ("ti", 1 << 40),
    ("p", 1 << 50),
    ("pib", 1 << 50),
    ("pi", 1 << 50),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("pb", 1_000_000_000_000_000),
];

/// Units in nanoseconds.
const TIMES: [(&str, u64); 15] = [
    ("ns", 1),
    ("nsec", 1),
    ("us", 1_000),
    ("usec", 1_000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("hour", 3_600_000_000_000),
    ("hours", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("days", 86_400_000_000_000),
];

const COUNTS: [(&str, u64); 4] = [("iops", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];

impl Kind {
    /// Returns the value of `unit` in base units. `None` if the kind does not have this unit.
    pub fn scale(self, unit: &str) -> Option<f64> {
        self.exact_scale(unit).map(|scale| scale as f64)
    }

    /// Returns the name of the kind in an error message: "`10Q` is not a size".
    pub fn name(self) -> &'static str {
        match self {
            Kind::Size => "a size",
            Kind::Bandwidth => "a bandwidth",
            Kind::Time => "a time",
            Kind::Count => "a count",
        }
    }

    /// Returns a list of the units for a help text.
    pub fn units(self) -> &'static str {
        match self {
            Kind::Size => "K, M, G, T (powers of 1024, also KiB, MiB, ...) or kB, MB, GB, TB (powers of 1000)",
            Kind::Bandwidth => "KiB/s, MiB/s, GiB/s (powers of 1024) or kB/s, MB/s, GB/s (powers of 1000)",
            Kind::Time => "ns, us, ms, s, min, h or d",
            Kind::Count => "k, M or G (powers of 1000)",
        }
    }

    /// Returns the value of `unit` in base units, as an integer.
    pub(super) fn exact_scale(self, unit: &str) -> Option<u64> {
        let unit = unit.trim().to_ascii_lowercase();
        match self {
            Kind::Size => find(&SIZES, &unit),
            Kind::Bandwidth => find(&SIZES, unit.strip_suffix("/s").or(unit.strip_suffix("ps")).unwrap_or(&unit)),
            // U+00B5 (micro sign) and U+03BC (Greek mu) look alike.
            Kind::Time => find(&TIMES, &unit.replace(['µ', 'μ'], "u")),
            Kind::Count => {
                let prefix = unit.strip_suffix("iops").map(str::trim).filter(|prefix| !prefix.is_empty());
                find(&COUNTS, prefix.unwrap_or(&unit))
            }
        }
    }
}

fn find(units: &Units, unit: &str) -> Option<u64> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale)
}
