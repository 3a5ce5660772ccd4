//! What the words of fathom's own commands share: why there is nothing to run, and words for times, sizes and reports.

use std::time::Duration;

use units::diagnostic::Diagnostic;
use units::quantity::{Size, Time};

use crate::reports::Kind;

/// What is measured for longer is a slip.
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

/// Why there is nothing to run.
#[derive(Debug)]
pub enum Stop {
    Help,
    Wrong(String),
}

impl From<lexopt::Error> for Stop {
    fn from(error: lexopt::Error) -> Self {
        Stop::Wrong(error.to_string())
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Stop::Wrong(diagnostic.to_string())
    }
}

/// Parses a time of at most 30 days. A number without a unit is in seconds.
pub fn time(word: &str) -> Result<Duration, String> {
    let time = Time::parse_or_seconds(word).ok().map(Duration::from).filter(|time| *time <= LONGEST);
    time.ok_or_else(|| "expected a time, such as 30s or 5m, of at most 30 days".to_owned())
}

/// Parses a size of at least 1 byte.
pub fn size(word: &str) -> Result<u64, String> {
    let bytes = word.parse::<Size>().ok().map(Size::bytes).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "expected a size, such as 10G".to_owned())
}

/// The next word as the place of a report, whose name says what it is to be.
pub fn report(parser: &mut lexopt::Parser) -> Result<String, Stop> {
    let path = lexopt::ValueExt::string(parser.value()?)?;
    Kind::of_name(&path).map_err(Stop::Wrong)?;
    Ok(path)
}

/// `table` is false, `json` is true.
pub fn is_json(word: &str) -> Result<bool, String> {
    match word {
        "table" => Ok(false),
        "json" => Ok(true),
        _ => Err("expected table or json".into()),
    }
}

/// A number of runs.
pub fn repeats(word: &str) -> Result<usize, String> {
    word.parse().ok().filter(|times| *times > 0).ok_or_else(|| "expected a number of runs, at least 1".into())
}

/// As a test looks at it.
#[cfg(test)]
pub fn told(stop: Stop) -> String {
    match stop {
        Stop::Help => "help".to_owned(),
        Stop::Wrong(message) => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_or_are_seconds() {
        let ns = |word: &str| time(word).map(|time| time.as_nanos()).ok();
        assert_eq!((ns("30"), ns("0.5s"), ns("5m")), (Some(30_000_000_000), Some(500_000_000), Some(300_000_000_000)));
        assert_eq!(
            (ns("250us"), ns("20ms"), ns("720h")),
            (Some(250_000), Some(20_000_000), Some(2_592_000_000_000_000))
        );
        for wrong in ["", "s", "-1s", "31d", "721h", "1e3", "9999999999999999999999h", "1.2.3s"] {
            assert_eq!(ns(wrong), None, "{wrong}");
        }
    }
}
