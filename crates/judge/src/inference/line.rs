//! The least-squares line through evenly spaced values.

/// A line by least squares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// Slope per value.
    pub slope: f64,
    /// Value of the line at the first point.
    pub start: f64,
    /// Value of the line at the last point.
    pub end: f64,
}

/// Fits a line; `None` for fewer than two values.
pub fn line(values: &[f64]) -> Option<Line> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let (middle, mean) = ((count - 1.0) / 2.0, super::mean(values));
    let mut products = 0.0;
    let mut squares = 0.0;
    for (at, value) in values.iter().enumerate() {
        let distance = at as f64 - middle;
        products += distance * (value - mean);
        squares += distance * distance;
    }
    let slope = products / squares;
    Some(Line { slope, start: mean - slope * middle, end: mean + slope * middle })
}
