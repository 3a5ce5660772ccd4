//! Values that several commands take: times, sizes, counts, report files, limits of a change.

use std::time::Duration;

use clap::ValueEnum;
use judge::compare::ChangeLimit;
use units::quantity::{size_bytes, time_or_seconds_ns};

use app::reports::{self, Kind};
#[cfg(any(target_os = "linux", windows))]
use app::target::KeepFree;

/// The longest time that an option takes. A longer one is a typing error.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// A time: `500ms`, `30s`, `5m`, `1h`. Without a unit it is in seconds.
///
/// # Errors
/// The text is not a time, or is longer than 30 days.
pub fn time(text: &str) -> Result<Duration, String> {
    let time = time_or_seconds_ns(text).ok().map(Duration::from_nanos).filter(|time| *time <= LONGEST);
    time.ok_or_else(|| "expected a time of at most 30 days, such as 30s or 5m".to_owned())
}

/// A time in ns.
///
/// # Errors
/// As [`time`].
pub fn time_ns(text: &str) -> Result<u64, String> {
    time(text).map(|time| time.as_nanos() as u64)
}

/// A size in bytes, at least 1: `4k`, `10G`.
///
/// # Errors
/// The text is not a size, or is 0.
pub fn size(text: &str) -> Result<u64, String> {
    let bytes = size_bytes(text).ok().filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "expected a size, such as 10G".to_owned())
}

/// A size, 0 or more, a percentage, or `auto`: `20G`, `5%`.
///
/// # Errors
/// The text is none of them, or the percentage is above 100.
#[cfg(any(target_os = "linux", windows))]
pub fn keep_free(text: &str) -> Result<KeepFree, String> {
    let found = match text.strip_suffix('%') {
        None if text == "auto" => Some(KeepFree::Auto),
        Some(percent) => percent.trim().parse().ok().filter(|percent| *percent <= 100).map(KeepFree::Percent),
        None => size_bytes(text).ok().map(KeepFree::Bytes),
    };
    found.ok_or_else(|| "expected a size or a percentage, such as 20G or 5%".to_owned())
}

/// A number of repeats, at least 1.
///
/// # Errors
/// The text is not a number, or is 0.
pub fn repeats(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|times| *times > 0).ok_or_else(|| "expected a number of runs, at least 1".into())
}

/// The path of a report. The end of its name chooses the format.
///
/// # Errors
/// The name has no known end.
pub fn report(path: &str) -> Result<String, String> {
    Kind::of_name(path).map(|_| path.to_owned())
}

/// The path of a report on a comparison.
///
/// # Errors
/// The name has no known end, or that of a picture.
pub fn comparison_report(path: &str) -> Result<String, String> {
    reports::check_comparison(path).map(|()| path.to_owned())
}

/// The path of a report on a trend.
///
/// # Errors
/// The name is not that of a page.
pub fn trend_report(path: &str) -> Result<String, String> {
    reports::check_trend(path).map(|()| path.to_owned())
}

/// Format of a table.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// A text table
    Table,
    Json,
}

/// The rules of one `--fail-on`.
#[derive(Clone, Debug)]
pub struct ChangeLimits(pub Vec<ChangeLimit>);

/// Parses the rules of one `--fail-on`.
///
/// # Errors
/// The first rule that can't be read.
pub fn change_limits(text: &str) -> Result<ChangeLimits, String> {
    ChangeLimit::parse_all(text).map(ChangeLimits).map_err(|error| error.to_string())
}
