//! A chart as a picture, with a text for readers who do not see it.

use maud::{Markup, PreEscaped, html};

use super::canvas::{self, Canvas};
use super::data::Data;
use super::sheet;
use crate::text::file_name;

/// A chart of a test.
pub struct Chart {
    /// Name of the test.
    pub test: String,
    /// Kind of the chart: `iops`, `heat`.
    pub kind: &'static str,
    /// Name of the chart's file, made of the test and the kind.
    pub name: String,
    pub title: String,
    /// What the chart shows, in one or two sentences.
    pub description: String,
    /// The text below the chart on a page: the description, without figures that are labels of the chart.
    pub caption: String,
    pub(super) body: String,
    pub(super) height: f64,
    /// The values of its lines; empty for other charts.
    pub(crate) data: Data,
}

/// Resolution of charts. It bounds the size of a page.
#[derive(Clone, Copy)]
pub struct Detail {
    /// Points in time.
    pub points: usize,
    /// Areas of a chart that show their figures under the pointer.
    pub hints: usize,
    /// Points in time of a chart that is zoomed by the script of a page.
    pub zoomed_points: usize,
}

impl Default for Detail {
    fn default() -> Self {
        Detail { points: 240, hints: 60, zoomed_points: 0 }
    }
}

impl Chart {
    pub(super) fn new(test: &str, kind: &'static str, title: &str, description: String, canvas: Canvas) -> Chart {
        let name = format!("{}-{kind}", file_name(test));
        let (body, height, data) = canvas.finish();
        let (test, title, caption) = (test.to_owned(), title.to_owned(), description.clone());
        Chart { test, kind, name, title, description, caption, body, height, data }
    }

    /// Replaces the text below the chart.
    pub(super) fn captioned(self, caption: &str) -> Chart {
        Chart { caption: caption.to_owned(), ..self }
    }

    /// Returns the chart as an SVG element for a page that has the style.
    pub fn inline(&self) -> Markup {
        let view = format!("0 0 {} {}", canvas::WIDTH, canvas::number(self.height));
        let time = self.data.time.map(|ends| ends.map(|end| end.to_string()).join(" "));
        html! {
            svg.chart data-time=[time] viewBox=(view) role="img" aria-label={ (self.title) ". " (self.description) } {
                (PreEscaped(&self.body))
            }
        }
    }

    /// Returns the chart as an SVG document.
    pub fn svg(&self) -> String {
        sheet::alone(&[self], &format!("{}: {}", self.test, self.title))
    }

    /// Returns the chart as a PNG image.
    ///
    /// # Errors
    ///
    /// [`crate::PngError`] if the chart cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, crate::PngError> {
        crate::png::of_svg(&self.svg())
    }
}
