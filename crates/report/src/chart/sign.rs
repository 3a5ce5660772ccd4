//! Signs that distinguish lines without colour: on paper, and for readers who see few colours.

use super::canvas::number;

/// A sign on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Dot,
    Triangle,
    Ring,
    /// A figure that is worthless.
    Cross,
}

/// Signs of the percentiles 50, 99 and 99.9, in all charts.
pub const OF_PERCENTILES: [Sign; 3] = [Sign::Dot, Sign::Triangle, Sign::Ring];

impl Sign {
    /// Returns the sign of a series. With [`line_classes`], lines on each other stay visible.
    pub fn of_series(at: usize) -> Sign {
        OF_PERCENTILES[at % OF_PERCENTILES.len()]
    }

    /// Returns the sign as an SVG element, in the colour of a series.
    pub fn svg(self, colour: usize, x: f64, y: f64, title: &str) -> String {
        let (x_text, y_text) = (number(x), number(y));
        match self {
            Sign::Dot => {
                format!("<circle class=\"f{colour}\" cx=\"{x_text}\" cy=\"{y_text}\" r=\"3\">{title}</circle>")
            }
            Sign::Ring => {
                format!("<circle class=\"o s{colour}\" cx=\"{x_text}\" cy=\"{y_text}\" r=\"3.4\">{title}</circle>")
            }
            Sign::Cross => format!(
                "<path class=\"o s{colour}\" d=\"M{l} {t}L{r} {b}M{l} {b}L{r} {t}\">{title}</path>",
                l = number(x - 4.0),
                r = number(x + 4.0),
                t = number(y - 4.0),
                b = number(y + 4.0)
            ),
            Sign::Triangle => format!(
                "<polygon class=\"f{colour}\" points=\"{x_text},{} {},{low} {},{low}\">{title}</polygon>",
                number(y - 4.4),
                number(x + 4.2),
                number(x - 4.2),
                low = number(y + 3.0)
            ),
        }
    }
}

/// Returns the CSS classes of the line of a series: its colour, and its dashes.
pub fn line_classes(at: usize) -> String {
    format!("s{at} d{}", at % OF_PERCENTILES.len())
}
