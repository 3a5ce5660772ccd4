//! Short texts of fathom's own commands: quantities, axes of sweeps, limits of changes.

use std::str::FromStr;

use assessment::Metric;
use diskspd::vary::with_switch;
use judge::compare::ChangeLimit;
use study::{Axis, sweep};
use units::quantity::{Bandwidth, Iops, ParseError, Percent, Size, Time, option_value};

use crate::Progress;

/// Reads any text as each kind of quantity.
///
/// # Panics
/// A quantity changes when it is written and read.
pub fn quantity(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    option_value(text);
    let read = [
        kept(text, Size::exact),
        kept(text, Time::exact),
        kept(text, Bandwidth::exact),
        kept(text, Iops::exact),
        kept(text, Percent::exact),
        Time::parse_or_seconds(text).map(|_| ()),
    ];
    let progress = |outcome: &Result<(), ParseError>| match outcome {
        Ok(()) => Progress::Accepted,
        Err(error) => {
            drop((error.to_string(), error.help()));
            if error.range().start > 0 { Progress::Further } else { Progress::FirstToken }
        }
    };
    read.iter().map(progress).max().unwrap_or(Progress::FirstToken)
}

fn kept<T: FromStr<Err = ParseError> + PartialEq + Copy>(text: &str, exact: fn(T) -> String) -> Result<(), ParseError> {
    let value: T = text.parse()?;
    let written = exact(value);
    assert!(written.parse() == Ok(value), "{text} became {written}");
    Ok(())
}

/// Reads any words as axes of a sweep, and sets their first values in a command line of DiskSpd; NUL separates the words.
pub fn axes(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    let mut axes = Vec::new();
    for word in text.split('\0') {
        match Axis::parse(word) {
            Ok(axis) => axes.push(axis),
            Err(error) => {
                drop(error.to_string());
                return if axes.is_empty() { Progress::of::<()>(&Err(error)) } else { Progress::Further };
            }
        }
    }
    let mut line: Vec<String> = ["-b4K", "-o2", "a"].map(str::to_owned).to_vec();
    for axis in &axes {
        axis.is_ordered();
        line = with_switch(&line, &axis.option, &axis.values[0]);
    }
    let axes: Vec<_> = axes.into_iter().map(|axis| (axis.option, axis.values)).collect();
    match sweep::points(&axes) {
        Ok(points) => {
            points.iter().for_each(|point| drop(sweep::name(point)));
            Progress::Accepted
        }
        Err(error) => {
            drop(error.to_string());
            Progress::Further
        }
    }
}

/// Reads any text as the name of a metric, and as limits of a change.
///
/// # Panics
/// A metric changes when it is written and read.
pub fn change_limits(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    if let Some(metric) = Metric::parse(text) {
        let written = metric.to_string();
        assert_eq!(Metric::parse(&written), Some(metric), "{text} became {written}");
        drop((metric.title(), metric.show(1e9)));
    }
    match ChangeLimit::parse_all(text) {
        Ok(_) => Progress::Accepted,
        Err(error) => {
            drop(error.to_string());
            let named = text.split(['<', '>', ',']).next().and_then(|name| Metric::parse(name.trim()));
            if named.is_some() { Progress::Further } else { Progress::FirstToken }
        }
    }
}
