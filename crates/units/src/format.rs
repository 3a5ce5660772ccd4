//! Formats quantities for people: three significant digits, a unit by magnitude, thousands separators.
//!
//! These texts are for reading. [`crate::quantity`] has exact texts that parse back.

const MIB: f64 = 1024.0 * 1024.0;
const MB: f64 = 1e6;

/// Significant digits below 1,000.
const DIGITS: i32 = 3;

/// Binary units in bytes, the largest first.
const SIZES: [(&str, f64); 5] =
    [("PiB", MIB * MIB * 1024.0), ("TiB", MIB * MIB), ("GiB", MIB * 1024.0), ("MiB", MIB), ("KiB", 1024.0)];

/// Units of time in nanoseconds, the largest first.
const TIMES: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];

/// Times from this number of seconds are shown in minutes, or in hours.
const MINUTES_FROM_S: f64 = 120.0;
const HOURS_FROM_S: f64 = 7200.0;

/// Ratios from here are shown as multiples.
pub const TIMES_FROM: f64 = 2.0;

/// Values from this fraction of a unit round up to one unit.
const ROUNDS_TO_ONE: f64 = 0.9995;

/// Formats a number: `12,800`. Numbers below 100 have three significant digits: `62.4`.
pub fn grouped(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    if number.abs() < 99.95 {
        return digits(number);
    }
    with_separators(&format!("{number:.0}"))
}

/// Formats a number as [`grouped`], with more decimals if it would look like `border` and is not equal to it: `499.6`.
pub fn beside(number: f64, border: f64) -> String {
    let text = grouped(number);
    if number == border || text != grouped(border) {
        return text;
    }
    with_separators(&fewest_decimals(number, 1, &[border]))
}

/// Separates the thousands of a decimal number.
fn with_separators(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let whole = number.find('.').unwrap_or(number.len());
    let mut text = sign.to_owned();
    for (at, digit) in number.chars().enumerate() {
        if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number for an axis label: `12k`, `2.5M`.
pub fn compact(number: f64) -> String {
    match number.abs() {
        1e9.. => format!("{}G", grouped(number / 1e9)),
        1e6.. => format!("{}M", grouped(number / 1e6)),
        1e3.. => format!("{}k", grouped(number / 1e3)),
        _ => grouped(number),
    }
}

/// Formats bytes in the largest binary unit with a value of at least 1: `1.5 GiB`, `512 bytes`.
pub fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        ..1024 => format!("{} bytes", grouped(bytes as f64)),
        _ => {
            let (number, unit) = in_unit(bytes as f64, &SIZES);
            format!("{number} {unit}")
        }
    }
}

/// Formats a bandwidth in MiB/s: `191 MiB/s`. The fixed unit makes figures comparable.
pub fn bandwidth(bytes_per_s: f64) -> String {
    format!("{} MiB/s", grouped(bytes_per_s / MIB))
}

/// Formats a bandwidth in MiB/s and in MB/s, the unit of vendors: `191 MiB/s (200 MB/s)`.
pub fn bandwidth_both(bytes_per_s: f64) -> String {
    format!("{} ({} MB/s)", bandwidth(bytes_per_s), grouped(bytes_per_s / MB))
}

/// Formats a rate of I/Os: `12,800 IOPS`.
pub fn iops(per_s: f64) -> String {
    format!("{} IOPS", grouped(per_s))
}

/// Formats a time: `812 ns`, `62.4 us`, `10 ms`, `49 s`, `6.5 min`, `2.1 h`.
pub fn time_ns(ns: f64) -> String {
    let (number, unit) = time_parts_ns(ns);
    format!("{number} {unit}")
}

/// Formats a time as [`time_ns`] and returns the number and its unit.
pub fn time_parts_ns(ns: f64) -> (String, &'static str) {
    let seconds = ns / 1e9;
    match seconds.abs() {
        HOURS_FROM_S.. => (grouped(seconds / 3600.0), "h"),
        MINUTES_FROM_S.. => (grouped(seconds / 60.0), "min"),
        _ => in_unit(ns, &TIMES),
    }
}

/// Formats a time as [`time_parts_ns`], with more decimals if it would look like `border_ns` and is not equal to it.
pub fn time_parts_beside_ns(ns: f64, border_ns: f64) -> (String, &'static str) {
    let (text, unit) = time_parts_ns(ns);
    if (text.as_str(), unit) != (time_parts_ns(border_ns).0.as_str(), time_parts_ns(border_ns).1) {
        return (text, unit);
    }
    let scale = [("h", 3.6e12), ("min", 6e10)].iter().chain(&TIMES).find(|(name, _)| *name == unit);
    let scale = scale.map_or(1.0, |(_, scale)| *scale);
    (beside(ns / scale, border_ns / scale), unit)
}

/// Formats a share of a change with its sign: 0.05 is `+5 %`. Only -1 is `-100 %`.
pub fn change(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", percent(share))
}

/// Formats a ratio as a percentage: 0.5 is `50 %`. Only 0 is `0 %`, and only 1 is `100 %`.
pub fn percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    let text = if percent.abs() < 1000.0 { digits(percent) } else { grouped(percent) };
    let is_rounded = ["0", "-0", "100", "-100"].contains(&text.as_str());
    format!("{} %", if is_rounded { fewest_decimals(percent, 0, &[-100.0, 0.0, 100.0]) } else { text })
}

/// Formats a measured value over an expected one: `0.59 %`, `70 %`, `99.6 %`, `23.7 times`. It is not rounded to 0 or 100 %, nor
/// across `enough`, the ratio from which (or up to which) it is enough.
pub fn ratio(ratio: f64, enough: f64) -> String {
    let percent = ratio * 100.0;
    let borders = [0.0, 100.0, enough * 100.0];
    match ratio {
        TIMES_FROM.. => format!("{} times", grouped(ratio)),
        // 98 % can be enough, so that tenths count.
        0.9..1.1 => format!("{} %", fewest_decimals(percent, 1, &borders)),
        0.0..0.01 => format!("{} %", significant(percent, 2)),
        _ => format!("{} %", fewest_decimals(percent, 0, &borders)),
    }
}

/// Formats a number with the fewest decimals (at least `decimals`) that keep it on its side of each border.
fn fewest_decimals(number: f64, decimals: usize, borders: &[f64]) -> String {
    const DECIMALS_MAX: usize = 9;
    let keeps_side = |text: &String| {
        let shown: f64 = text.parse().unwrap_or(f64::NAN);
        borders.iter().all(|border| shown.partial_cmp(border) == number.partial_cmp(border))
    };
    let texts = (decimals..=DECIMALS_MAX).map(|decimals| format!("{number:.decimals$}"));
    texts.into_iter().find(keeps_side).unwrap_or_else(|| number.to_string())
}

/// Formats a value in the largest unit with a rounded value of at least 1, or in the smallest unit.
fn in_unit(value: f64, units: &[(&'static str, f64)]) -> (String, &'static str) {
    let filled = units.iter().find(|(_, scale)| value.abs() >= scale * ROUNDS_TO_ONE).or(units.last());
    let (name, scale) = filled.copied().unwrap_or(("", 1.0));
    let number = value / scale;
    let is_rounded_up = (ROUNDS_TO_ONE..1.0).contains(&number.abs());
    (grouped(if is_rounded_up { number.signum() } else { number }), name)
}

fn digits(number: f64) -> String {
    significant(number, DIGITS)
}

/// Formats a number with that number of significant digits, without trailing zeros.
fn significant(number: f64, digits: i32) -> String {
    let before = if number == 0.0 { 1 } else { number.abs().log10().floor() as i32 + 1 };
    let decimals = (digits - before).clamp(0, 6) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_or_three_digits() {
        let texts = [0.0, 0.1234, 7.0, 62.4, 999.6, 12_800.0, 1_234_567.2, -4096.0].map(grouped);
        assert_eq!(texts, ["0", "0.123", "7", "62.4", "1,000", "12,800", "1,234,567", "-4,096"]);
        assert_eq!([950.0, 12_000.0, 2_500_000.0, 3e9].map(compact), ["950", "12k", "2.5M", "3G"]);
    }

    #[test]
    fn sizes_are_in_the_largest_unit_with_a_value_of_one_or_more() {
        let texts = [0, 1, 1023, 1024, 1536, 512 << 20, (3 << 30) / 2, 5 << 40, 3 << 50].map(size);
        let expected = ["0 bytes", "1 byte", "1,023 bytes", "1 KiB", "1.5 KiB", "512 MiB", "1.5 GiB", "5 TiB", "3 PiB"];
        assert_eq!(texts, expected);
        assert_eq!([1023 << 20, (1 << 30) - 1].map(size), ["1,023 MiB", "1 GiB"]);
    }

    #[test]
    fn times_have_a_unit_by_magnitude() {
        let texts = [0.0, 812.0, 62_400.0, 999_600.0, 1e7, 4e8, 2.5e9, 4.9e10].map(time_ns);
        assert_eq!(texts, ["0 ns", "812 ns", "62.4 us", "1 ms", "10 ms", "400 ms", "2.5 s", "49 s"]);
        assert_eq!([1.1e11, 3.9e11, 7.56e12, 2.592e15].map(time_ns), ["110 s", "6.5 min", "2.1 h", "720 h"]);
    }

    #[test]
    fn figures_keep_their_side_of_a_border() {
        let pairs = [(499.6, 500.0), (500.0, 500.0), (12_799.9, 12_800.0), (1_234_567.04, 1_234_567.0), (62.4, 500.0)];
        assert_eq!(
            pairs.map(|(number, border)| beside(number, border)),
            ["499.6", "500", "12,799.9", "1,234,567.04", "62.4"]
        );
        assert_eq!(
            [(-12_800.4, -12_800.0), (f64::INFINITY, 5.0)].map(|(one, other)| beside(one, other)),
            ["-12,800.4", "inf"]
        );
        let times = [(9.9996e6, 1e7), (1e7, 1e7), (999_700.0, 1e6), (3.9004e11, 3.9e11)];
        let times = times.map(|(ns, border_ns)| time_parts_beside_ns(ns, border_ns));
        let expected = [("9.9996", "ms"), ("10", "ms"), ("0.9997", "ms"), ("6.501", "min")];
        assert_eq!(times, expected.map(|(number, unit)| (number.to_owned(), unit)));
        assert_eq!(
            [0.05, -0.997, -0.9999, -1.0, 0.0, 0.00001].map(change),
            ["+5 %", "-99.7 %", "-99.99 %", "-100 %", "0 %", "+0.001 %"]
        );
    }

    #[test]
    fn ratios_are_percentages_or_multiples() {
        let texts =
            [0.0, 0.0059, 0.012, 0.703, 0.996, 1.2, 2.314, 23.7, 356.2, 35_600.0].map(|value| ratio(value, 1.0));
        let expected = [
            "0 %",
            "0.59 %",
            "1 %",
            "70 %",
            "99.6 %",
            "120 %",
            "2.31 times",
            "23.7 times",
            "356 times",
            "35,600 times",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn each_form_begins_at_its_boundary() {
        assert_eq!([99.94, 99.95, -99.94, -99.95].map(grouped), ["99.9", "100", "-99.9", "-100"]);
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(grouped), ["inf", "-inf", "NaN"]);
        assert_eq!([999.0, 1e3, -1e3, 1e6, 1e9].map(compact), ["999", "1k", "-1k", "1M", "1G"]);
        assert_eq!([119.9e9, 120e9, 7199.0e9, 7200e9].map(time_ns), ["120 s", "2 min", "120 min", "2 h"]);
        assert_eq!([-120e9, -7200e9, -2e9].map(time_ns), ["-2 min", "-2 h", "-2 s"]);
        assert_eq!(
            [9.994, 9.9996, 10.0, -10.0, 123.0].map(percent),
            ["999 %", "1000 %", "1,000 %", "-1,000 %", "12,300 %"]
        );
        let ratios = [0.0099, 0.01, 0.8999, 0.9, 1.0999, 1.1, 1.999, 2.0].map(|value| ratio(value, 1.0));
        assert_eq!(ratios, ["0.99 %", "1 %", "90 %", "90.0 %", "110.0 %", "110 %", "200 %", "2 times"]);
    }

    #[test]
    fn values_that_round_to_a_unit_are_shown_in_it() {
        assert_eq!([999_499.0, 999_500.0, 999_501.0].map(time_ns), ["999 us", "1 ms", "1 ms"]);
        assert_eq!([-999_500.0, -1e6, 0.25].map(time_ns), ["-1 ms", "-1 ms", "0.25 ns"]);
        assert_eq!(time_parts_ns(1_500_000.0), ("1.5".to_owned(), "ms"));
    }

    #[test]
    fn small_numbers_have_at_most_six_decimals() {
        assert_eq!(
            [0.001_234_5, 0.000_012_345, 1.0, 10.0, -0.05].map(grouped),
            ["0.00123", "0.000012", "1", "10", "-0.05"]
        );
        assert_eq!([0.001_26, 0.000_126].map(|value| ratio(value, 1.0)), ["0.13 %", "0.013 %"]);
    }

    #[test]
    fn rates_and_ratios_have_one_unit() {
        assert_eq!(bandwidth_both(200e6), "191 MiB/s (200 MB/s)");
        assert_eq!([4096.0, 12_811.0 * MIB].map(bandwidth), ["0.00391 MiB/s", "12,811 MiB/s"]);
        assert_eq!(iops(12_800.4), "12,800 IOPS");
        assert_eq!([0.703, 1.0, 0.999, 12.5].map(percent), ["70.3 %", "100 %", "99.9 %", "1,250 %"]);
    }
    #[test]
    fn nothing_is_rounded_to_another_side() {
        assert_eq!([0.9996, 0.999_996, 1.0004, -0.9999].map(percent), ["99.96 %", "99.9996 %", "100.04 %", "-99.99 %"]);
        assert_eq!(
            [0.9997, 1.000_2, 0.97996, 0.98, 0.980_01].map(|value| ratio(value, 0.98)),
            ["99.97 %", "100.02 %", "97.996 %", "98.0 %", "98.001 %"]
        );
        assert_eq!([0.697, 0.7, 0.7001].map(|value| ratio(value, 0.7)), ["69.7 %", "70 %", "70.01 %"]);
        assert_eq!(ratio(1.0 - 1e-14, 1.0), "99.999999999999 %");
    }
}
