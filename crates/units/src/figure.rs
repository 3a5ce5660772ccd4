//! Figures as people read them: thousands parted, units by size, no more digits than anybody looks at.

const MIB: f64 = 1024.0 * 1024.0;
const MB: f64 = 1e6;
/// Digits that are shown of a figure below 1,000.
const DIGITS: i32 = 3;

/// Whole, with commas between thousands: `12,800`; below 100 with what decimals three digits leave.
pub fn grouped(figure: f64) -> String {
    if !figure.is_finite() {
        return figure.to_string();
    }
    if figure.abs() < 99.95 {
        return digits(figure);
    }
    let whole = format!("{:.0}", figure.abs());
    let mut shown = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    if figure < 0.0 { format!("-{shown}") } else { shown }
}

/// Bytes per second, in powers of 1024 as machines count them and of 1000 as vendors do.
pub fn bandwidth(bytes_per_s: f64) -> String {
    format!("{} MiB/s ({} MB/s)", grouped(bytes_per_s / MIB), grouped(bytes_per_s / MB))
}

/// A time in the unit that leaves a number people can say.
pub fn time_ns(ns: f64) -> String {
    match ns.abs() {
        1e9.. => format!("{} s", grouped(ns / 1e9)),
        1e6.. => format!("{} ms", grouped(ns / 1e6)),
        1e3.. => format!("{} us", grouped(ns / 1e3)),
        _ => format!("{} ns", grouped(ns)),
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    format!("{} %", if percent.abs() < 1000.0 { digits(percent) } else { grouped(percent) })
}

/// With three digits, and no zeros at the end of the decimals.
fn digits(figure: f64) -> String {
    let before = if figure == 0.0 { 1 } else { figure.abs().log10().floor() as i32 + 1 };
    let decimals = (DIGITS - before).clamp(0, 6) as usize;
    let text = format!("{figure:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted_and_small_figures_keep_digits() {
        let shown = [0.0, 0.1234, 7.0, 62.4, 999.6, 12_800.0, 1_234_567.2, -4096.0].map(grouped);
        assert_eq!(shown, ["0", "0.123", "7", "62.4", "1,000", "12,800", "1,234,567", "-4,096"]);
    }

    #[test]
    fn units_follow_the_size() {
        assert_eq!([812.0, 62_400.0, 1e7, 2.5e9].map(time_ns), ["812 ns", "62.4 us", "10 ms", "2.5 s"]);
        assert_eq!(bandwidth(200e6), "191 MiB/s (200 MB/s)");
        assert_eq!([0.703, 1.0, 0.999, 12.5].map(percent), ["70.3 %", "100 %", "99.9 %", "1,250 %"]);
    }
}
