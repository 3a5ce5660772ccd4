//! The straight line through figures that were taken at even distances.

/// By least squares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// From one figure to the next.
    pub slope: f64,
    /// Where it stands at the first figure.
    pub start: f64,
    /// Where it stands at the last.
    pub end: f64,
}

/// `None` of fewer than two figures.
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
