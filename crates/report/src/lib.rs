//! What people look at: an assessment as a card for the terminal, a page, Markdown, and charts.
//!
//! Pure functions: no I/O, no clock; the same assessment gives the same bytes.

mod card;
pub mod chart;
mod figures;
mod findings;
mod html;
mod lettering;
mod markdown;
mod matrix;
mod png;
mod rows;
mod study;
mod text;

pub use card::card;
pub use chart::Chart;
pub use html::html;
pub use markdown::markdown;
pub use png::png;
pub use study::{Ink, comparison_json, comparison_text, csv, failed_limits, json, sentence, text};

use assessment::Assessment;

/// All charts of an assessment, each a picture by itself.
pub fn charts(assessment: &Assessment) -> Vec<Chart> {
    let detail = chart::Detail::default();
    let mut charts: Vec<Chart> =
        assessment.tests.iter().flat_map(|test| chart::of_test(assessment, test, &detail)).collect();
    // Names of tests that differ in signs that file names don't have.
    for at in 1..charts.len() {
        let name = charts[at].name.clone();
        let earlier = |name: &str| charts[..at].iter().any(|chart| chart.name == name);
        let free = (2..).map(|nth| format!("{name}-{nth}")).find(|other| !earlier(other));
        if let Some(free) = free.filter(|_| earlier(&name)) {
            charts[at].name = free;
        }
    }
    charts
}

/// All charts in one picture, one below the other.
pub fn svg(assessment: &Assessment) -> String {
    chart::sheet(assessment, &charts(assessment))
}
