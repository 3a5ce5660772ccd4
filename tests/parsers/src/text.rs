//! Short texts of fathom's own commands: quantities, axes of sweeps, limits of changes.

use assessment::Metric;
use diskspd::vary::with_switch;
use judge::compare::ChangeLimit;
use study::{Axis, sweep};
use units::quantity::{Kind, ParseError, option_value, size_bytes, time_ns, time_or_seconds_ns};

use crate::Progress;

/// Reads any text as each kind of quantity.
///
/// # Panics
/// A whole number differs from the number with its decimals.
pub fn quantity(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    option_value(text);
    let whole = |whole: Result<u64, ParseError>, kind: Kind| {
        let whole = whole?;
        let value = kind.parse(text)?;
        assert!((whole as f64 - value).abs() <= 1.0 + value * 1e-12, "{text} is {whole} and {value}");
        Ok(())
    };
    let read = [
        whole(size_bytes(text), Kind::Size),
        whole(time_ns(text), Kind::Time),
        Kind::Bandwidth.parse(text).map(|_| ()),
        Kind::Count.parse(text).map(|_| ()),
        time_or_seconds_ns(text).map(|_| ()),
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
