//! The drawing area of charts: two axes, and lines, bands and dots between them.

use units::markup::escaped;

use super::axis::Axis;
use super::data::Data;
use super::sign::Sign;

pub const WIDTH: f64 = 440.0;
const PLOT_HEIGHT: f64 = 190.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 10.0;
const BELOW: f64 = 40.0;
const LEGEND_LINE: f64 = 16.0;
/// Approximate width of a character of a label. On phones they are larger.
const CHARACTER: f64 = 7.0;
/// Height of a label.
const LINE_HEIGHT: f64 = 13.0;
/// Smallest width of a field of a colour scale, and the least space between its labels.
const FIELD_WIDTH: f64 = 31.0;
const LABEL_GAP: f64 = 8.0;

pub struct Canvas {
    body: String,
    data: Data,
    pub x: Axis,
    pub y: Axis,
    top: f64,
    /// Length of the body before what is drawn between the axes.
    plot_at: usize,
}

/// The start and the end of a span of time in s, and the value that holds over it.
pub type Span = (f64, f64, Option<f64>);

/// An entry of the legend.
pub struct Entry {
    /// CSS classes of its sample.
    pub classes: String,
    pub name: String,
    /// The sign on the line, and its colour.
    mark: Option<(Sign, usize)>,
}

impl Entry {
    pub fn line(classes: impl Into<String>, name: impl Into<String>) -> Entry {
        Entry { classes: classes.into(), name: name.into(), mark: None }
    }

    /// An entry of a line with signs, in the colour of a series.
    pub fn marked(self, mark: Sign, colour: usize) -> Entry {
        Entry { mark: Some((mark, colour)), ..self }
    }
}

/// A field of a colour scale: its CSS class, and the smallest value that it stands for.
pub struct Field {
    pub class: String,
    pub least: String,
}

impl Canvas {
    fn empty(x: Axis, y: Axis) -> Canvas {
        let data = Data { columns: [x.column.clone(), y.column.clone()], ..Data::default() };
        Canvas { body: String::new(), data, x, y, top: TOP, plot_at: 0 }
    }

    /// Keeps a series of measured values, to save from the page. An only series without a name has that of the axis.
    pub fn keep(&mut self, name: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let name = if name.is_empty() { &self.y.name } else { name };
        let place = |x: f64| self.x.places.get(x as usize).cloned().unwrap_or_else(|| x.to_string());
        let points = points.into_iter().map(|(x, y)| (place(x), y)).collect();
        self.data.series.push((name.to_owned(), points));
    }

    /// Draws the axes, and the legend above them.
    pub fn new(x: Axis, y: Axis, legend: &[Entry]) -> Canvas {
        let mut canvas = Canvas::empty(x, y);
        canvas.legend(legend);
        canvas.axes();
        canvas
    }

    /// Draws the axes, and a scale of colours above them.
    pub fn with_scale(x: Axis, y: Axis, name: &str, fields: &[Field]) -> Canvas {
        let mut canvas = Canvas::empty(x, y);
        canvas.text(LEFT, TOP + 8.0, "start", name);
        let left = LEFT + name.chars().count() as f64 * CHARACTER + 8.0;
        let label = |field: &Field| field.least.chars().count() as f64 * CHARACTER;
        let room = (WIDTH - RIGHT - left) / fields.len().max(1) as f64;
        let widest = fields.iter().map(|field| label(field) + LABEL_GAP).fold(FIELD_WIDTH, f64::max);
        let width = widest.min(room);
        let mut last = f64::NEG_INFINITY;
        for (at, field) in fields.iter().enumerate() {
            let x = left + at as f64 * width;
            canvas.body += &format!(
                "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"11\"/>",
                field.class,
                number(x),
                number(TOP - 1.0),
                number(width)
            );
            let (middle, half) = (x + width / 2.0, label(field) / 2.0);
            // A label that would touch the one before is left out.
            if middle - half >= last + LABEL_GAP {
                canvas.text(middle, TOP + 23.0, "middle", &field.least);
                last = middle + half;
            }
        }
        canvas.top = TOP + 34.0;
        canvas.axes();
        canvas
    }

    fn legend(&mut self, entries: &[Entry]) {
        if entries.is_empty() {
            return;
        }
        let (mut left, mut baseline) = (LEFT, TOP + 8.0);
        for Entry { classes, name, mark } in entries {
            let width = 26.0 + name.chars().count() as f64 * CHARACTER + 12.0;
            if left > LEFT && left + width > WIDTH {
                (left, baseline) = (LEFT, baseline + LEGEND_LINE);
            }
            self.body += &format!("<path class=\"{classes}\" d=\"M{} {}h20\"/>", number(left), number(baseline - 4.0));
            if let Some((mark, colour)) = mark {
                self.body += &mark.svg(*colour, left + 10.0, baseline - 4.0, "");
            }
            self.text(left + 26.0, baseline, "start", name);
            left += width;
        }
        self.top = baseline + LEGEND_LINE - 2.0;
    }

    fn axes(&mut self) {
        let (x, y) = (self.x.clone(), self.y.clone());
        let bottom = self.top + PLOT_HEIGHT;
        let mut last = f64::INFINITY;
        for (value, label) in &y.ticks {
            let at = self.y_of(*value);
            self.body += &format!("<path class=\"g\" d=\"M{LEFT} {}H{}\"/>", number(at), WIDTH - RIGHT);
            // A label that would overlap the one before is left out.
            if last - at >= LINE_HEIGHT {
                self.text(LEFT - 5.0, at + 3.5, "end", label);
                last = at;
            }
        }
        let mut last = f64::NEG_INFINITY;
        self.body += "<g class=\"ticks\">";
        for (value, label) in &x.ticks {
            let at = self.x_of(*value);
            self.body += &format!("<path class=\"a\" d=\"M{} {}v4\"/>", number(at), number(bottom));
            // The last label stays inside the chart.
            let half = label.chars().count() as f64 * CHARACTER / 2.0 + 2.0;
            let middle = at.min(WIDTH - half);
            if middle - half >= last {
                self.text(middle, bottom + 15.0, "middle", label);
                last = middle + half;
            }
        }
        self.body += &format!("</g><path class=\"a\" d=\"M{LEFT} {}H{}\"/>", number(bottom), WIDTH - RIGHT);
        self.text(LEFT + (WIDTH - LEFT - RIGHT) / 2.0, bottom + 31.0, "middle", &x.name);
        let middle = number(self.top + PLOT_HEIGHT / 2.0);
        let name = escaped(&y.name);
        self.body += &format!(
            "<text x=\"13\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 13 {middle})\">{name}</text>"
        );
        self.plot_at = self.body.len();
    }

    pub fn x_of(&self, value: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.x.at(value)
    }

    pub fn y_of(&self, value: f64) -> f64 {
        self.top + PLOT_HEIGHT * (1.0 - self.y.at(value))
    }

    pub fn height(&self) -> f64 {
        self.top + PLOT_HEIGHT + BELOW
    }

    /// Draws a line through points.
    pub fn line(&mut self, classes: &str, points: &[(f64, f64)]) {
        let mut path = String::new();
        for (at, (x, y)) in points.iter().enumerate() {
            let command = if at == 0 { 'M' } else { 'L' };
            path += &format!("{command}{} {}", number(self.x_of(*x)), number(self.y_of(*y)));
        }
        self.path(classes, &path);
    }

    /// Draws and keeps values that hold over spans; `None` is a gap.
    pub fn steps(&mut self, classes: &str, name: &str, steps: &[Span]) {
        self.keep(name, steps.iter().filter_map(|(from, _, value)| Some((*from, (*value)?))));
        self.path(classes, &self.path_of(steps, number));
    }

    /// Draws values as [`Canvas::steps`] does, and keeps finer values, which a zoomed chart shows instead.
    pub fn zoomed_steps(&mut self, classes: &str, name: &str, steps: &[Span], finer: &[Span]) {
        self.keep(name, finer.iter().filter_map(|(from, _, value)| Some((*from, (*value)?))));
        self.path(&format!("{classes} whole"), &self.path_of(steps, number));
        self.path(&format!("{classes} finer"), &self.path_of(finer, |x| format!("{x:.2}")));
    }

    fn path_of(&self, steps: &[Span], place: impl Fn(f64) -> String) -> String {
        let mut path = String::new();
        let mut pen_at: Option<f64> = None;
        for (from, to, value) in steps {
            let Some(value) = value else {
                pen_at = None;
                continue;
            };
            let (left, right, y) = (self.x_of(*from), self.x_of(*to), self.y_of(*value));
            match pen_at {
                Some(at) if (at - left).abs() < 0.5 => path += &format!("V{}", number(y)),
                _ => path += &format!("M{} {}", place(left), number(y)),
            }
            path += &format!("H{}", place(right));
            pen_at = Some(right);
        }
        path
    }

    fn path(&mut self, classes: &str, path: &str) {
        if !path.is_empty() {
            self.body += &format!("<path class=\"{classes}\" d=\"{path}\"/>");
        }
    }

    /// Draws a filled shape, in the chart's coordinates.
    pub fn shape(&mut self, class: &str, path: &str) {
        self.path(class, path);
    }

    /// Draws a horizontal line at a value.
    pub fn level(&mut self, classes: &str, value: f64, hint: &str) {
        let y = number(self.y_of(value));
        let hint = escaped(hint);
        self.body +=
            &format!("<path class=\"{classes}\" d=\"M{LEFT} {y}H{}\"><title>{hint}</title></path>", WIDTH - RIGHT);
    }

    /// Draws a vertical line at a value.
    pub fn border(&mut self, value: f64) {
        let x = number(self.x_of(value));
        self.body += &format!("<path class=\"b\" d=\"M{x} {}V{}\"/>", number(self.top), number(self.top + PLOT_HEIGHT));
    }

    /// Draws a vertical line for an event.
    pub fn event(&mut self, value: f64, hint: &str) {
        let (x, top, bottom) = (number(self.x_of(value)), number(self.top), number(self.top + PLOT_HEIGHT));
        let hint = escaped(hint);
        self.body += &format!("<path class=\"x\" d=\"M{x} {top}V{bottom}\"><title>{hint}</title></path>");
    }

    /// Shades the area between two values of the x axis.
    pub fn band(&mut self, class: &str, from: f64, to: f64) {
        let (left, right) = (self.x_of(from), self.x_of(to));
        self.body += &format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{PLOT_HEIGHT}\"/>",
            number(left),
            number(self.top),
            number(right - left)
        );
    }

    /// Shows a text while the pointer is over the area between two values of the x axis.
    pub fn hint(&mut self, from: f64, to: f64, hint: &str) {
        let (left, right) = (self.x_of(from), self.x_of(to));
        self.body += &format!(
            "<rect class=\"t\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{PLOT_HEIGHT}\"><title>{}</title></rect>",
            number(left),
            number(self.top),
            number((right - left).max(0.5)),
            escaped(hint)
        );
    }

    pub fn dot(&mut self, class: &str, x: f64, y: f64, hint: &str) {
        let (x, y) = (number(self.x_of(x)), number(self.y_of(y)));
        let hint = escaped(hint);
        self.body +=
            &format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"3.5\"><title>{hint}</title></circle>");
    }

    /// Draws a sign at a point.
    pub fn mark(&mut self, mark: Sign, colour: usize, (x, y): (f64, f64), hint: &str) {
        let title = if hint.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(hint)) };
        self.body += &mark.svg(colour, self.x_of(x), self.y_of(y), &title);
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        self.body += &format!("<text x=\"{}\" y=\"{}\"{anchor}>{}</text>", number(x), number(y), escaped(text));
    }

    pub fn finish(mut self) -> (String, f64, Data) {
        let height = self.height();
        if let Some(end_s) = self.x.end_s().filter(|_| !self.data.series.is_empty()) {
            self.data.time = Some([LEFT, WIDTH - RIGHT, self.top, self.top + PLOT_HEIGHT, end_s]);
            self.body = format!("{}<g class=\"plot\">{}</g>", &self.body[..self.plot_at], &self.body[self.plot_at..]);
        }
        (self.body, height, self.data)
    }
}

/// Formats a coordinate with one digit.
pub fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}
