//! What people look at: an assessment as a card for the terminal, a page, Markdown, and charts.
//!
//! Pure functions: no I/O, no clock; the same assessment gives the same bytes.

mod card;
pub mod chart;
mod figures;
mod findings;
mod html;
mod markdown;
#[cfg(feature = "png")]
mod png;
mod rows;
mod text;

pub use card::{Card, card};
pub use chart::Chart;
pub use html::html;
pub use markdown::markdown;
#[cfg(feature = "png")]
pub use png::png;

use judge::assessment::Assessment;

/// All charts of an assessment, each a picture by itself.
pub fn charts(assessment: &Assessment) -> Vec<Chart> {
    let detail = chart::Detail::default();
    assessment.tests.iter().flat_map(|test| chart::of_test(test, &detail)).collect()
}

/// All charts in one picture, one below the other.
pub fn svg(assessment: &Assessment) -> String {
    chart::sheet(assessment, &charts(assessment))
}
