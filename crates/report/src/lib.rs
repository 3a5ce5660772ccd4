//! Renders assessments: a card for the terminal, HTML, Markdown, charts, and the wording of all of them.
//!
//! Pure functions: no I/O, no clock; the same assessment gives the same bytes.
//!
//! Start with `card`, then `wording/finding.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod answer;
pub mod capture;
mod capture_job;
mod capture_page;
mod card;
mod card_picture;
mod causes;
pub mod chart;
mod comparison;
mod disturbed;
mod document;
pub mod explanation;
mod figures;
mod findings;
mod grid;
mod health;
mod hosts;
mod html;
mod identity;
mod junit;
mod key_figures;
mod lettering;
pub mod limits;
mod markdown;
mod matrix;
mod png;
mod published_limits;
mod rows;
mod series;
mod site;
mod study;
mod suitability;
mod text;
mod thresholds;
mod trend;
mod worded;
pub mod wording;

pub use capture_job::job as capture_job;
pub use capture_page::page as capture_page;
pub use card::{card, card_of_columns};
pub use card_picture::{card_png, card_svg};
pub use causes::cause;
pub use chart::Chart;
pub use comparison::{
    ComparedSets, html as comparison_html, junit as comparison_junit, markdown as comparison_markdown,
};
pub use document::{AssessmentDocument, document};
pub use html::{html, html_with_link};
pub use junit::junit;
pub use markdown::markdown;
pub use png::{IS_BUILT_IN as HAS_PICTURES, PngError};
pub use series::{bencher, influx, prometheus};
pub use site::{INDEX, Site, SiteRun, SiteTarget, run_page};
pub use study::{
    ComparisonDocument, Ink, KneeDocument, RepeatsDocument, SweepDocument, answer_of_comparison, comparison_json,
    comparison_text, csv, json, sentence, text,
};
pub use trend::{Trend, TrendPoint, html as trend_html, text as trend_text};
pub use worded::AdvisedFinding;

use assessment::Assessment;

/// Returns all charts of an assessment, with names that differ.
pub fn charts(assessment: &Assessment) -> Vec<Chart> {
    let detail = chart::Detail::default();
    let of_tests = assessment.tests.iter().flat_map(|test| chart::of_test(assessment, test, &detail));
    let mut charts: Vec<Chart> = chart::overview(assessment).into_iter().chain(of_tests).collect();
    // Names of tests can differ only in characters that are replaced in names of files.
    for at in 1..charts.len() {
        let name = std::mem::take(&mut charts[at].name);
        charts[at].name = free_name(name, |name| charts[..at].iter().any(|chart| chart.name == name));
    }
    charts
}

/// Returns the name, with a number after it if it is in use.
fn free_name(name: String, is_used: impl Fn(&str) -> bool) -> String {
    let other = is_used(&name).then(|| (2..).map(|nth| format!("{name}-{nth}")).find(|other| !is_used(other)));
    other.flatten().unwrap_or(name)
}

/// Returns all charts of an assessment in one SVG document.
pub fn svg(assessment: &Assessment) -> String {
    chart::sheet(assessment, &charts(assessment))
}

/// Returns all charts of an assessment in one PNG image.
///
/// # Errors
///
/// [`PngError`] if the charts cannot be drawn.
pub fn png(assessment: &Assessment) -> Result<Vec<u8>, PngError> {
    png::of_svg(&svg(assessment))
}
