//! The main figures of each test, by direction: a row each, however many settings and runs the test has.

use assessment::{Assessment, Test};

use crate::figures::{Cell, Side, cells};
use crate::text;

/// The figures of one direction of a test, or of its flushes.
pub struct KeyFigures {
    /// Index of the test.
    pub test: usize,
    /// The test, and the direction if the test has several.
    pub name: String,
    /// The direction, or `flush`.
    pub direction: &'static str,
    /// Class of the direction's colour in charts.
    pub colour: usize,
    pub iops: Option<Span>,
    pub bytes_per_s: Option<Span>,
    /// Service time: p50, p99, p99.9.
    pub latency_ns: [Option<Span>; 3],
}

/// The least and the greatest value over the settings of a test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    pub least: f64,
    pub most: f64,
}

/// The percentiles of [`KeyFigures::latency_ns`].
pub const PERCENTILES: [f64; 3] = [50.0, 99.0, 99.9];

impl Span {
    /// Returns the range of values; `None` without a value.
    pub fn of(mut values: impl Iterator<Item = f64>) -> Option<Span> {
        let first = values.next()?;
        let whole = Span { least: first, most: first };
        Some(values.fold(whole, |span, value| Span { least: span.least.min(value), most: span.most.max(value) }))
    }

    /// Formats the value, or the range of values.
    pub fn shown(self, unit: &str) -> String {
        match text::figure(self.most, unit) {
            most if text::figure(self.least, unit) == most => most,
            _ => text::from_to(self.least, self.most, unit),
        }
    }
}

/// Returns the rows of all tests in their order. Tests without figures have none.
pub fn of(assessment: &Assessment) -> Vec<KeyFigures> {
    assessment.tests.iter().enumerate().flat_map(|(at, test)| of_test(at, test)).collect()
}

/// Returns the rows of one test; `at` is its index.
pub fn of_test(at: usize, test: &Test) -> Vec<KeyFigures> {
    let cells = cells(test);
    let sides: Vec<Side> = cells.iter().flat_map(Cell::sides).collect();
    let mut names: Vec<(usize, &'static str)> = sides.iter().map(|side| (side.colour, side.name)).collect();
    names.sort_unstable();
    names.dedup();
    let of_side = |(colour, name): &(usize, &'static str)| {
        let same = || sides.iter().filter(|side| side.name == *name);
        let rates = || same().filter_map(|side| side.rates);
        KeyFigures {
            test: at,
            name: if names.len() > 1 { format!("{} {name}", test.name) } else { test.name.clone() },
            direction: name,
            colour: *colour,
            iops: Span::of(rates().map(|rates| rates.iops)),
            bytes_per_s: Span::of(rates().map(|rates| rates.bytes_per_s)),
            latency_ns: PERCENTILES
                .map(|percent| Span::of(same().filter_map(|side| side.latency.percentile_ns(percent)))),
        }
    };
    names.iter().map(of_side).collect()
}
