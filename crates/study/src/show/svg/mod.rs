//! A sweep as a picture: bars for one axis, a line or bars for each combination of the others, whiskers where runs were
//! repeated. One file without links, scripts or fonts of its own.

mod plane;

use std::fmt::Write;

use units::markup::escaped;

use super::Report;
use super::text::{cut, tail};
use plane::Plane;

/// Told apart by people who don't see all colours, and on grey prints by shape and dashes.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999"];
const DASHES: [&str; 4] = ["", "8 4", "2 3", "10 3 2 3"];
const BAR_COLOUR: &str = "#0072b2";
const BEST_COLOUR: &str = "#d55e00";
/// Characters of a line of text that fit the picture.
const TEXT_MAX: usize = 105;
const HEAD_MAX: usize = 80;
const LABEL_MAX: usize = 16;
/// Bars stand apart by this share of a place.
const BAR_SHARE: f64 = 0.7;

pub(super) fn write(report: &Report) -> String {
    let series = report.series();
    let places = report.sweep.axes()[0].values.len();
    let legend_lines = if series.len() > 1 { series.len() } else { 0 };
    let plane = Plane::new(places, largest_drawn(report) / report.scale().divisor, legend_lines);
    let mut svg = plane.open();
    titles(report, &plane, &mut svg);
    plane.grid(&report.metric_title(), &mut svg);
    let labels = report.sweep.axes()[0].values.iter().map(|value| tail(value, LABEL_MAX));
    plane.places(labels, &report.sweep.axes()[0].option, &mut svg);
    let as_lines = series.len() > 1 && report.sweep.axes()[0].is_ordered();
    for (at, (name, rows)) in series.iter().enumerate() {
        let drawn = Series { report, plane: &plane, at, of: series.len(), rows };
        if as_lines {
            drawn.line(&mut svg)
        } else {
            drawn.bars(&mut svg)
        }
        if series.len() > 1 {
            legend(&plane, at, as_lines, name, &mut svg);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Of all that is drawn, whiskers among it.
fn largest_drawn(report: &Report) -> f64 {
    let tops = report.rows.iter().filter_map(|row| row.range(report.asked.metric)).map(|(_, top)| top);
    tops.fold(report.largest(), f64::max)
}

fn titles(report: &Report, plane: &Plane, svg: &mut String) {
    let line = format!("{} {}", report.asked.dialect, report.asked.line.join(" "));
    let sentence = report.sentence().unwrap_or("nothing was measured");
    let (head, rest) = sentence.split_once("; ").unwrap_or((sentence, ""));
    let lines = [(24.0, 15, head, HEAD_MAX), (42.0, 12, rest, TEXT_MAX), (60.0, 11, &line, TEXT_MAX)];
    for (y, size, text, most) in lines {
        plane.text(plane.left(), y, "start", size, &cut(text, most), svg);
    }
}

fn legend(plane: &Plane, at: usize, as_line: bool, name: &str, svg: &mut String) {
    let y = plane.legend_y(at);
    let (x, colour) = (plane.left(), COLOURS[at % COLOURS.len()]);
    if as_line {
        let dash = DASHES[at / 2 % DASHES.len()];
        let _ = writeln!(
            svg,
            r#"<path d="M{x:.1} {y:.1}h30" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>"#
        );
        marker(at, x + 15.0, y, svg);
    } else {
        let _ = writeln!(svg, r#"<rect x="{x:.1}" y="{:.1}" width="30" height="10" fill="{colour}"/>"#, y - 5.0);
    }
    plane.text(x + 38.0, y + 4.0, "start", 12, &cut(name, TEXT_MAX), svg);
}

/// A shape for each series: circle, square, triangle, diamond.
fn marker(at: usize, x: f64, y: f64, svg: &mut String) {
    let colour = COLOURS[at % COLOURS.len()];
    let _ = match at % 4 {
        0 => writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#),
        1 => writeln!(svg, r#"<path d="M{x:.1} {y:.1}m-4 -4h8v8h-8z" fill="{colour}"/>"#),
        2 => writeln!(svg, r#"<path d="M{x:.1} {y:.1}m0 -5l5 9h-10z" fill="{colour}"/>"#),
        _ => writeln!(svg, r#"<path d="M{x:.1} {y:.1}m0 -5l5 5l-5 5l-5 -5z" fill="{colour}"/>"#),
    };
}

/// One combination of the axes after the first.
struct Series<'a> {
    report: &'a Report<'a>,
    plane: &'a Plane,
    /// Which of them, and of how many.
    at: usize,
    of: usize,
    /// Rows in the order of the first axis.
    rows: &'a [usize],
}

impl Series<'_> {
    /// In the unit of the picture.
    fn value(&self, row: usize) -> Option<f64> {
        Some(self.report.rows[row].value(self.report.asked.metric)? / self.report.scale().divisor)
    }

    fn is_best(&self, row: usize) -> bool {
        self.report.verdict.as_ref().is_some_and(|verdict| verdict.best == row)
    }

    fn bars(&self, svg: &mut String) {
        let width = self.plane.place_width() * BAR_SHARE / self.of as f64;
        for (place, &row) in self.rows.iter().enumerate() {
            let left = self.plane.x(place) + width * (self.at as f64 - self.of as f64 / 2.0);
            let middle = left + width / 2.0;
            let Some(value) = self.value(row) else {
                self.absent(row, middle, svg);
                continue;
            };
            let colour = match (self.of, self.is_best(row)) {
                (1, true) => BEST_COLOUR,
                (1, false) => BAR_COLOUR,
                _ => COLOURS[self.at % COLOURS.len()],
            };
            let (top, bottom) = (self.plane.y(value), self.plane.y(0.0));
            let _ = writeln!(
                svg,
                r#"<rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{:.1}" fill="{colour}">{}</rect>"#,
                bottom - top,
                self.hint(row)
            );
            let above = self.whisker(row, middle, svg).unwrap_or(top);
            if self.of == 1 || self.is_best(row) {
                self.number(row, middle, above, svg);
            }
        }
    }

    fn line(&self, svg: &mut String) {
        let mut path = String::new();
        let mut pen_is_down = false;
        for (place, &row) in self.rows.iter().enumerate() {
            let Some(value) = self.value(row) else {
                pen_is_down = false;
                continue;
            };
            let command = if pen_is_down { 'L' } else { 'M' };
            let _ = write!(path, "{command}{:.1} {:.1}", self.plane.x(place), self.plane.y(value));
            pen_is_down = true;
        }
        let (colour, dash) = (COLOURS[self.at % COLOURS.len()], DASHES[self.at / 2 % DASHES.len()]);
        let _ = writeln!(
            svg,
            r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>"#
        );
        for (place, &row) in self.rows.iter().enumerate() {
            let x = self.plane.x(place);
            let Some(value) = self.value(row) else {
                self.absent(row, x, svg);
                continue;
            };
            let above = self.whisker(row, x, svg).unwrap_or(self.plane.y(value));
            let _ = writeln!(svg, "<g>{}", self.hint(row));
            marker(self.at, x, self.plane.y(value), svg);
            svg.push_str("</g>\n");
            if self.is_best(row) {
                self.number(row, x, above - 2.0, svg);
            }
        }
    }

    /// From the smallest to the largest run; gives back its upper end.
    fn whisker(&self, row: usize, x: f64, svg: &mut String) -> Option<f64> {
        let (least, most) = self.report.rows[row].range(self.report.asked.metric)?;
        let divisor = self.report.scale().divisor;
        let (low, high) = (self.plane.y(least / divisor), self.plane.y(most / divisor));
        let _ = writeln!(
            svg,
            r##"<path d="M{x:.1} {low:.1}V{high:.1}m-4 0h8M{:.1} {low:.1}h8" stroke="#333" fill="none"/>"##,
            x - 4.0
        );
        Some(high)
    }

    fn number(&self, row: usize, x: f64, y: f64, svg: &mut String) {
        let value = self.report.rows[row].value(self.report.asked.metric).unwrap_or(0.0);
        self.plane.text(x, y - 5.0, "middle", 11, &self.report.scale().number(value), svg);
    }

    /// A point without a value is a word on the ground.
    fn absent(&self, row: usize, x: f64, svg: &mut String) {
        let word = if self.report.rows[row].failure().is_some() { "failed" } else { "not run" };
        self.plane.text(x, self.plane.y(0.0) - 5.0, "middle", 11, word, svg);
    }

    /// What a pointer held over the point shows.
    fn hint(&self, row: usize) -> String {
        let (row, metric) = (&self.report.rows[row], self.report.asked.metric);
        let value = row.value(metric).map_or_else(String::new, |value| self.report.scale().with_unit(value));
        format!("<title>{}</title>", escaped(&format!("{}: {value}", row.point.name())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, swept};
    use super::*;
    use assessment::Metric;

    fn drawn(axes: &[&str], repeats: usize, runs: &[(u64, u64)]) -> String {
        let sweep = swept(axes, repeats, runs);
        write(&Report::new(&asked(repeats, Metric::BANDWIDTH), &sweep))
    }

    #[test]
    fn one_axis_is_a_bar_for_each_value_with_its_number() {
        let svg = drawn(&["b=4K,8K,16K"], 1, &[(500, 0), (0, 0), (1000, 0)]);
        assert_eq!(svg.matches("<rect").count(), 3, "the ground and two bars: {svg}");
        assert!(
            svg.contains(">1,000</text>") && svg.contains(">failed</text>") && svg.contains(">16K</text>"),
            "{svg}"
        );
        assert!(svg.contains("highest bandwidth") && svg.contains("&lt;test&gt; &amp; more.dat"), "{svg}");
    }

    #[test]
    fn several_axes_are_lines_or_groups_of_bars_with_a_legend() {
        let runs = [(1, 0), (2, 0), (3, 0), (4, 0)];
        let lines = drawn(&["bs=4k,8k", "o=1,2"], 1, &runs);
        assert!(
            lines.contains(">o=2</text>") && lines.contains("<circle") && !lines.contains("<rect x=\"1"),
            "{lines}"
        );
        let bars = drawn(&["ioengine=psync,libaio", "o=1,2"], 1, &runs);
        assert!(bars.contains(">o=2</text>") && !bars.contains("<circle"), "{bars}");
    }

    #[test]
    fn repeats_have_whiskers_and_an_empty_sweep_a_picture() {
        let svg = drawn(&["o=1"], 2, &[(100, 0), (120, 0)]);
        assert_eq!(svg.matches("stroke=\"#333\"").count(), 1, "{svg}");
        assert!(drawn(&["o=1"], 1, &[]).contains("nothing was measured"));
    }
}
