//! Latency lines of the normal report.

use super::number::{Prefix, Unit, short};
use record::Latency;
use std::fmt::Write;

/// A unit of time: its name in reports and its length in ns.
struct TimeUnit(&'static str, u64);

const NANOSECONDS: TimeUnit = TimeUnit("nsec", 1);
const MICROSECONDS: TimeUnit = TimeUnit("usec", 1_000);
const MILLISECONDS: TimeUnit = TimeUnit("msec", 1_000_000);

/// Width of the percentile table, in characters.
const TABLE_WIDTH: usize = 73;

/// Returns a line such as `slat (usec): min=…`. Empty without samples.
pub(super) fn summary(name: &str, latency: &Latency) -> String {
    if latency.count() == 0 {
        return String::new();
    }
    let (min, max, deviation) = (latency.min_ns(), latency.max_ns(), latency.deviation_ns());
    let fits = |unit: &TimeUnit| min > 2 * unit.1 && max >= 100 * unit.1 && deviation > unit.1 as f64;
    let TimeUnit(unit, length) = [MILLISECONDS, MICROSECONDS].into_iter().find(fits).unwrap_or(NANOSECONDS);
    let whole = |ns: u64| short(ns / length, 6, 0, Prefix::Decimal, Unit::None);
    format!(
        "    {name} ({unit}): min={}, max={}, avg={:5.2}, stdev={:5.2}\n",
        whole(min),
        whole(max),
        latency.mean_ns() / length as f64,
        deviation / length as f64,
    )
}

/// Returns the percentile table. Empty without samples or percentiles.
pub(super) fn percentiles(name: &str, latency: &Latency, percentiles: &[f64]) -> String {
    let values: Vec<u64> = percentiles.iter().map(|&percent| latency.percentile_ns(percent)).collect();
    let (Some(&min), Some(&max)) = (values.iter().min(), values.iter().max()) else { return String::new() };
    if latency.count() == 0 {
        return String::new();
    }
    let fits = |unit: &TimeUnit| min > 2 * unit.1 && max >= 100 * unit.1;
    let TimeUnit(unit, length) = [MILLISECONDS, MICROSECONDS].into_iter().find(fits).unwrap_or(NANOSECONDS);
    // Rounding down, as for minimum and maximum, keeps the percentiles between them.
    let (values, max) = (values.iter().map(|ns| ns / length), max / length);
    let width = (max.checked_ilog10().unwrap_or(0) as usize + 1).max(5);
    let decimals = decimals(percentiles);
    let each_line = (TABLE_WIDTH / (decimals + 10 + width)).max(1);
    let cells: Vec<String> = percentiles
        .iter()
        .zip(values)
        .map(|(percent, value)| format!("{percent:rank$.decimals$}th=[{value:width$}]", rank = decimals + 3))
        .collect();
    let mut text = format!("    {name} percentiles ({unit}):\n");
    let lines = cells.chunks(each_line).map(|line| line.join(", ")).collect::<Vec<_>>();
    let _ = writeln!(text, "     | {}", lines.join(",\n     | "));
    text
}

/// Returns the largest number of decimals in a list of percentiles.
fn decimals(percentiles: &[f64]) -> usize {
    let digits = |percent: &f64| percent.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    percentiles.iter().map(digits).max().unwrap_or(0)
}

/// Formats a time with its unit, such as `10.00us`.
pub(super) fn duration(ns: u64) -> String {
    let (unit, length) = match ns {
        2_000_000_000.. => ("s", 1e9),
        2_000_000.. => ("ms", 1e6),
        2_000.. => ("us", 1e3),
        _ => ("ns", 1.0),
    };
    format!("{:.2}{unit}", ns as f64 / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_largest_that_keeps_all_figures_large() {
        let of = |values: &[u64]| {
            let mut latency = Latency::default();
            values.iter().for_each(|&ns| latency.record(ns));
            summary("clat", &latency)
        };
        assert_eq!(of(&[150, 1_234_567]), "    clat (nsec): min=150, max=1234.6k, avg=617358.50, stdev=872864.63\n");
        assert!(of(&[2_001, 100_000]).starts_with("    clat (usec): min=2, max=100, avg=51.00"));
        assert!(of(&[2_001, 99_999]).starts_with("    clat (nsec): min=2001, max=99999,"));
        assert!(of(&[3_000_000, 200_000_000]).starts_with("    clat (msec): min=3, max=200,"));
        assert!(of(&[5_000_000; 3]).starts_with("    clat (nsec): min=5000.0k,"));
        assert_eq!(of(&[]), "");
    }

    #[test]
    fn the_percentile_table_has_fios_width() {
        let mut latency = Latency::default();
        (1..=100).for_each(|ns| latency.record(ns));
        let table = percentiles("clat", &latency, &[50.0, 99.0]);
        assert_eq!(table, "    clat percentiles (nsec):\n     |  50th=[   50],  99th=[   99]\n");
        let table = percentiles("lat", &latency, &[1.0, 5.0, 10.0, 20.0, 99.99]);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[1], "     |  1.00th=[    1],  5.00th=[    5], 10.00th=[   10], 20.00th=[   20],");
        assert_eq!(lines[2], "     | 99.99th=[  100]");
    }

    #[test]
    fn durations_have_two_decimals() {
        assert_eq!(
            [0, 1999, 10_000, 5_000_000, 2_000_000_000].map(duration).join(" "),
            "0.00ns 1999.00ns 10.00us 5.00ms 2.00s"
        );
    }
}
