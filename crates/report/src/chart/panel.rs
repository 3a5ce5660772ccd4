//! Charts of rows: a name and a value, and a bar or an interval below them.

use units::markup::escaped;

use super::axis::Axis;
use super::canvas::{self, number};
use super::data::Data;
use super::picture::Chart;
use crate::text::{cut, file_name, plain};

pub const LEFT: f64 = 10.0;
const RIGHT: f64 = 14.0;
const ROW_HEIGHT: f64 = 31.0;
pub const BAR_HEIGHT: f64 = 9.0;
/// Height of the label of expected values.
const LIMIT_HEIGHT: f64 = 13.0;
/// Height of the labels of the axis.
const BELOW: f64 = 22.0;
/// Approximate width of a character of a label.
const CHARACTER: f64 = 7.0;

/// A chart under construction.
pub struct Panel {
    pub body: String,
    pub top: f64,
}

impl Panel {
    pub fn new() -> Panel {
        Panel { body: String::new(), top: 4.0 }
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        self.body += &format!("<text x=\"{}\" y=\"{}\"{anchor}>{}</text>", number(x), number(y), escaped(text));
    }

    /// Starts a row: its name on the left, its value on the right. Returns the upper end of its bar.
    pub fn row(&mut self, name: &str, value: &str) -> f64 {
        let room = (canvas::WIDTH - LEFT - RIGHT) / CHARACTER - value.chars().count() as f64 - 2.0;
        self.text(LEFT, self.top + 12.0, "start", &cut(&plain(name), room.max(6.0) as usize));
        self.text(canvas::WIDTH - RIGHT, self.top + 12.0, "end", value);
        let bar = self.top + 16.0;
        self.top += ROW_HEIGHT;
        bar
    }

    /// Draws the expected values of a row as lines, with a label below. Those above `top` are only in the label.
    pub fn limits(&mut self, axis: &Axis, bar: f64, top: f64, limits: &[(f64, String)]) {
        let Some((first, _)) = limits.first() else { return };
        for (value, _) in limits.iter().filter(|(value, _)| *value <= top) {
            let x = number(Panel::x_of(axis, *value));
            let (from, to) = (number(bar - 3.0), number(bar + BAR_HEIGHT + 3.0));
            self.body += &format!("<path class=\"lim\" d=\"M{x} {from}V{to}\"/>");
        }
        let names: Vec<&str> = limits.iter().map(|(_, name)| name.as_str()).collect();
        let arrow = if limits.iter().any(|(value, _)| *value > top) { " →" } else { "" };
        let label = format!("expected {}{arrow}", names.join(", "));
        let half = label.chars().count() as f64 * CHARACTER / 2.0;
        let x = Panel::x_of(axis, *first).clamp(LEFT + half, (canvas::WIDTH - RIGHT - half).max(LEFT + half));
        self.text(x, bar + BAR_HEIGHT + LIMIT_HEIGHT, "middle", &label);
        self.top += LIMIT_HEIGHT;
    }

    /// Draws a bar between two places, at its upper end.
    pub fn bar(&mut self, classes: &str, bar: f64, from: f64, to: f64) {
        let (x, y, width) = (number(from), number(bar), number((to - from).max(0.8)));
        self.body +=
            &format!("<rect class=\"{classes}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BAR_HEIGHT}\"/>");
    }

    /// Draws an interval as a bar and a value as a dot, at the upper end of a bar.
    pub fn interval(&mut self, axis: &Axis, bar: f64, colour: usize, interval: Option<(f64, f64)>, value: f64) {
        let y = bar + BAR_HEIGHT / 2.0;
        if let Some((low, high)) = interval {
            let [low, high] = [low, high].map(|end| Panel::x_of(axis, end));
            self.bar(&format!("f{colour} part"), bar, low, high);
        }
        let x = number(Panel::x_of(axis, value));
        self.body += &format!("<path class=\"w s{colour}\" d=\"M{x} {}V{}\"/>", number(y - 8.0), number(y + 8.0));
    }

    pub fn x_of(axis: &Axis, value: f64) -> f64 {
        LEFT + (canvas::WIDTH - LEFT - RIGHT) * axis.at(value)
    }

    /// Draws the axis below the rows, and its grid behind them.
    pub fn finish(mut self, axis: &Axis, test: &str, kind: &'static str, title: &str, description: String) -> Chart {
        let mut grid = String::new();
        let mut last = f64::NEG_INFINITY;
        for (value, label) in &axis.ticks {
            let x = Panel::x_of(axis, *value);
            grid += &format!("<path class=\"g\" d=\"M{} 4V{}\"/>", number(x), number(self.top));
            let half = label.chars().count() as f64 * CHARACTER / 2.0 + 1.0;
            let middle = x.clamp(half, canvas::WIDTH - half);
            // A label that would overlap the one before is left out.
            if middle - half >= last {
                self.text(middle, self.top + 14.0, "middle", label);
                last = middle + half;
            }
        }
        Chart {
            test: test.to_owned(),
            kind,
            name: format!("{}-{kind}", file_name(test)),
            title: title.to_owned(),
            caption: description.clone(),
            description,
            body: grid + &self.body,
            height: self.top + BELOW,
            data: Data::default(),
        }
    }
}
