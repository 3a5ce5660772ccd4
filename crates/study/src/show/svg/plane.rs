//! The plane that a chart is drawn on: its frame, its scale from zero, its texts.

use std::fmt::Write;

use units::markup::escaped;

const WIDTH: f64 = 800.0;
const PLOT_HEIGHT: f64 = 320.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 88.0;
/// Below the plot: the places' labels and the axis' name.
const BELOW: f64 = 60.0;
const LEGEND_LINE: f64 = 20.0;
/// Lines of the grid, about.
const STEPS: f64 = 5.0;

pub(super) struct Plane {
    places: usize,
    /// The value at the upper end, and between lines of the grid.
    top_value: f64,
    step: f64,
    legend_lines: usize,
}

impl Plane {
    /// So many places side by side, and values from 0 to `largest`.
    pub(super) fn new(places: usize, largest: f64, legend_lines: usize) -> Plane {
        let step = round_step(largest / STEPS);
        // A little room for the number above the highest.
        let top_value = (largest * 1.05 / step).ceil().max(1.0) * step;
        Plane { places, top_value, step, legend_lines }
    }

    pub(super) fn open(&self) -> String {
        let height = TOP + PLOT_HEIGHT + BELOW + self.legend_lines as f64 * LEGEND_LINE;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} \
             {height}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        )
    }

    pub(super) fn left(&self) -> f64 {
        LEFT
    }

    pub(super) fn place_width(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.places.max(1) as f64
    }

    /// The middle of a place.
    pub(super) fn x(&self, place: usize) -> f64 {
        LEFT + self.place_width() * (place as f64 + 0.5)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        TOP + PLOT_HEIGHT * (1.0 - value / self.top_value)
    }

    pub(super) fn legend_y(&self, line: usize) -> f64 {
        TOP + PLOT_HEIGHT + BELOW + line as f64 * LEGEND_LINE
    }

    /// Lines for round values, each with its number, and what they are.
    pub(super) fn grid(&self, title: &str, svg: &mut String) {
        let steps = (self.top_value / self.step).round() as usize;
        for at in 0..=steps {
            let value = at as f64 * self.step;
            let (y, colour) = (self.y(value), if at == 0 { "#000" } else { "#ddd" });
            let _ = writeln!(svg, r#"<path d="M{LEFT} {y:.1}H{:.1}" stroke="{colour}"/>"#, WIDTH - RIGHT);
            self.text(LEFT - 6.0, y + 4.0, "end", 11, &tick(value, self.step), svg);
        }
        let middle = TOP + PLOT_HEIGHT / 2.0;
        let _ = writeln!(
            svg,
            r#"<text x="16" y="{middle:.1}" font-size="12" text-anchor="middle" transform="rotate(-90 16 {middle:.1})">{}</text>"#,
            escaped(title)
        );
    }

    /// Labels below the plot; leant over where they would touch.
    pub(super) fn places(&self, labels: impl Iterator<Item = String>, title: &str, svg: &mut String) {
        let labels: Vec<String> = labels.collect();
        let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let leant = longest as f64 * 7.0 > self.place_width();
        let y = TOP + PLOT_HEIGHT + 16.0;
        for (place, label) in labels.iter().enumerate() {
            let x = self.x(place);
            if leant {
                let _ = writeln!(
                    svg,
                    r#"<text x="{x:.1}" y="{y:.1}" font-size="10" text-anchor="end" transform="rotate(-30 {x:.1} {y:.1})">{}</text>"#,
                    escaped(label)
                );
            } else {
                self.text(x, y, "middle", 12, label, svg);
            }
        }
        let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
        self.text(middle, TOP + PLOT_HEIGHT + 40.0, "middle", 12, title, svg);
    }

    pub(super) fn text(&self, x: f64, y: f64, anchor: &str, size: u32, text: &str, svg: &mut String) {
        let text = escaped(text);
        let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}">{text}</text>"#);
    }
}

/// 1, 2 or 5 times a power of ten that is no less.
fn round_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0, 10.0].into_iter().find(|times| times * power >= step * 0.999).unwrap_or(10.0);
    times * power
}

/// A line's number, with the decimals that its step needs.
fn tick(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_goes_by_round_steps_beyond_the_largest_value() {
        assert_eq!([0.0, 0.03, 1.0, 1.1, 3.0, 700.0].map(round_step), [1.0, 0.05, 1.0, 2.0, 5.0, 1000.0]);
        let plane = Plane::new(3, 3802.0, 0);
        assert!((plane.step, plane.top_value) == (1000.0, 4000.0) && plane.y(3802.0) < plane.y(0.0));
        assert_eq!((tick(0.05, 0.05), tick(2000.0, 1000.0)), ("0.05".to_owned(), "2000".to_owned()));
    }
}
