//! Quantities as people write them: the one parser for the options and files of fathom's own commands.
//!
//! | quantity | units | a number without a unit |
//! |---|---|---|
//! | [`Size`] | `B`; `K` or `KiB`, `M`, `G`, `T`, `P`: powers of 1024; `kB`, `MB`, `GB`, `TB`, `PB`: powers of 1000 | bytes |
//! | [`Bandwidth`] | a size per second: `MiB/s`, `MB/s`, `MBps` | an error |
//! | [`Time`] | `ns`, `us`, `ms`, `s`, `min` or `m`, `h`, `d` | an error; seconds for [`Time::parse_or_seconds`] |
//! | [`Iops`] | `k`, `M`, `G`: powers of 1000 | I/Os per second |
//! | [`Percent`] | `%` | an error |
//!
//! Units are read in upper and lower case. Decimals such as `1.5G` are allowed, exponents are not. White space may stand
//! between the number and its unit. Each type has two texts: `Display` is the short form for people
//! ([`crate::format`]), `exact` is a form that parses back to the same value.
//!
//! The dialects keep the rules of their programs. [`option_value`] reads the values of their options.

mod error;
mod kind;
#[cfg(test)]
mod tests;
mod typed;
mod written;

pub use error::{ParseError, Problem};
pub use kind::Kind;
pub use typed::{Bandwidth, Iops, Percent, Size, Time};
pub use written::Written;

/// 2^10 bytes.
pub const KIB: f64 = 1024.0;
/// 2^20 bytes.
pub const MIB: f64 = KIB * KIB;
/// 2^30 bytes.
pub const GIB: f64 = MIB * KIB;
/// 2^40 bytes.
pub const TIB: f64 = GIB * KIB;

/// Returns the number in an option's value, as both dialects read it: `4k`, `4kb` and `4KiB` are 4096.
///
/// Times and percentages are accepted, too (in seconds, in percent), so that the values of one option can be put in
/// order and drawn on an axis. Returns `None` for any other text.
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
