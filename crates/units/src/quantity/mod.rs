//! Parsing of quantities for all options and files of fathom's own commands.
//!
//! | quantity | units | a number without a unit |
//! |---|---|---|
//! | [`Kind::Size`] | `B`; `K` or `KiB`, `M`, `G`, `T`, `P`: powers of 1024; `kB`, `MB`, `GB`, `TB`, `PB`: powers of 1000 | bytes |
//! | [`Kind::Bandwidth`] | a size per second: `MiB/s`, `MB/s`, `MBps` | an error |
//! | [`Kind::Time`] | `ns`, `us`, `ms`, `s`, `min` or `m`, `h`, `d` | an error; seconds for [`time_or_seconds_ns`] |
//! | [`Kind::Count`] | `k`, `M`, `G`: powers of 1000 | I/Os per second |
//!
//! Units are case-insensitive. Decimals such as `1.5G` are allowed, exponents are not. White space is allowed between
//! number and unit. [`crate::format`] formats quantities.
//!
//! The dialects follow the rules of their programs. [`option_value`] parses values of their options.

mod error;
mod kind;
mod parse;
mod problem;
#[cfg(test)]
mod tests;
mod whole;
mod written;

pub use error::ParseError;
pub use kind::Kind;
pub use problem::Problem;
pub use whole::{size_bytes, time_ns, time_or_seconds_ns};
pub use written::Written;

/// 2^10 bytes.
pub const KIB: f64 = 1024.0;
/// 2^20 bytes.
pub const MIB: f64 = KIB * KIB;
/// 2^30 bytes.
pub const GIB: f64 = MIB * KIB;
/// 2^40 bytes.
pub const TIB: f64 = GIB * KIB;

/// Parses the number in an option value as both dialects do: `4k`, `4kb` and `4KiB` are 4096.
///
/// Also accepts times (in seconds) and percentages, so that values of one option can be sorted and plotted. Returns
/// `None` for any other text.
pub fn option_value(text: &str) -> Option<f64> {
    let written = Written::parse(text).ok()?;
    let unit = written.unit().to_ascii_lowercase();
    let scale = match unit.as_str() {
        "" | "b" | "s" | "sec" | "%" => 1.0,
        "ns" | "nsec" => 1e-9,
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => {
            let letter = unit.strip_suffix("ib").or(unit.strip_suffix('b')).unwrap_or(&unit);
            let letter = letter.strip_suffix('i').unwrap_or(letter);
            let power = ["k", "m", "g", "t", "p"].iter().position(|known| *known == letter)?;
            KIB.powi(power as i32 + 1)
        }
    };
    Some(written.value() * scale)
}
