//! The top of the page: the answer, the thresholds, the main figures, and one overview of all tests.

use assessment::{Assessment, Cause, Study};
use maud::{Markup, html};

use super::badge::badge;
use crate::answer;
use crate::chart::{self, Chart, Detail};
use crate::disturbed;
use crate::grid;
use crate::study::Ink;
use crate::text::{NONE, class, plain, sentence};
use crate::thresholds::{self, Check, CheckOf, mark};

/// Thresholds beyond this number are collapsed, the best ones.
const CHECKS_SHOWN: usize = 12;

/// Formats the verdict with its sentence, the limits of the machine, and what to type next.
pub fn sentence_of(assessment: &Assessment) -> Markup {
    let is_in_cause = matches!(assessment.cause, Cause::Stopped { .. });
    html! {
        div.overall.(class(assessment.verdict)) {
            p {
                (badge(assessment.verdict)) " " (sentence(&answer::sentence(assessment))) "."
                @if assessment.stopped && !is_in_cause { " Stopped before its end." }
            }
            @for line in disturbed::figures(assessment) { p.more { (sentence(&line)) "." } }
            @if let Some(advice) = answer::advice(assessment) { p.more { "What to do: " (of_command(&advice.to_string())) "." } }
            @if let Some(limits) = answer::machine(assessment) { p.more { (sentence(&plain(&limits))) "." } }
            @if let Some((lead, command)) = answer::next_command(assessment) {
                p.more { (sentence(lead)) ": " code { (of_command(&command)) } }
            }
        }
    }
}

/// Formats a command, or a sentence with one. A browser breaks lines after hyphens, but not within options.
pub fn of_command(command: &str) -> Markup {
    html! {
        @for (at, word) in command.split(' ').enumerate() {
            @if at > 0 { " " }
            @if word.starts_with('-') { span.option { (word) } } @else { (word) }
        }
    }
}

/// Formats the thresholds, each with its sign; empty without thresholds.
pub fn checks(assessment: &Assessment) -> Markup {
    let checks = thresholds::beside_the_sentence(assessment);
    let (applications, others): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| check.of == CheckOf::Application);
    html! {
        (list(assessment, &others))
        @if !applications.is_empty() {
            p.soft { "Published requirements of applications, each with the rule that decides:" }
        }
        (list(assessment, &applications))
    }
}

fn list(assessment: &Assessment, checks: &[&Check]) -> Markup {
    let (shown, more) = checks.split_at(checks.len().min(CHECKS_SHOWN));
    let items = |checks: &[&Check]| html! { ul.checks { @for one in checks { (check(assessment, one)) } } };
    html! {
        @if !shown.is_empty() { (items(shown)) }
        @if !more.is_empty() { details { summary { (more.len()) " more" } (items(more)) } }
    }
}

fn check(assessment: &Assessment, check: &Check) -> Markup {
    let link = match check.of {
        CheckOf::Test(at) => Some(format!("#test-{at}")),
        CheckOf::Application => Some("#applications".to_owned()),
        CheckOf::Whole | CheckOf::Change => None,
    };
    html! {
        li class=(class(check.verdict)) {
            span.mark role="img" aria-label=(check.verdict.to_string()) { (mark(check.verdict, Ink::Unicode)) }
            span {
                @if let Some(link) = link { a href=(link) { (check.name) } } @else { (check.name) }
                ": "
                @if let Some(compared) = &check.compared {
                    (compared.figure()) " " b { (compared.measured()) } ", " (compared.bound())
                    @let ratio = compared.ratio_and_tolerance();
                    @if !ratio.is_empty() { ": " (ratio) }
                    // The sentence above has the reason of the figure that decides.
                    @let why = if compared.decides(assessment) { String::new() } else { compared.why() };
                    @if !why.is_empty() { br; span.soft { (why) } }
                } @else {
                    (check.cause)
                }
            }
        }
    }
}

/// Formats the grid of CrystalDiskMark's suite; empty for other suites.
pub fn grid(assessment: &Assessment) -> Markup {
    html! {
        @if let Some(grid) = grid::of(assessment) {
            section id="grid" {
                table.grid {
                    caption { (grid::NOTE) }
                    thead { tr { th scope="col" { "MB/s" } @for head in &grid.columns { th.num scope="col" { (head) } } } }
                    tbody {
                        @for (name, cells) in &grid.rows {
                            tr {
                                th scope="row" { (plain(name)) }
                                @for cell in cells { td.num { (cell.as_deref().unwrap_or(NONE)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Formats the overview: of a search or a sweep its curve, else the figures of all tests, and the rate over time of the test
/// that decides. It is empty for a single row of figures.
pub fn overview(assessment: &Assessment, detail: &Detail) -> Markup {
    let is_single = assessment.tests.len() == 1;
    let curves: Vec<Chart> = assessment.tests.iter().flat_map(|test| chart::curves(assessment, test)).collect();
    let bars = if curves.is_empty() { chart::overview(assessment) } else { Vec::new() };
    let deciding = chart::deciding(assessment, detail).filter(|_| detail.points > 0 && curves.is_empty());
    html! {
        @if detail.points > 0 && !curves.is_empty() {
            section id="overview" { h2 { (if matches!(assessment.study, Study::Repeats(_)) { "The runs" } else { "The curve" }) } div.charts { @for curve in &curves { (super::test::figure(curve)) } } }
        } @else if detail.points > 0 && !bars.is_empty() {
            section id="overview" {
                h2 { (if is_single { "Overview" } else { "All tests" }) }
                // The labels of these charts say what their descriptions say.
                div.charts.overview {
                    @for chart in &bars { figure { figcaption { b { (chart.title) } } (chart.inline()) } }
                }
                @if let Some((at, chart)) = &deciding {
                    // In print the test has it.
                    div.over-time {
                        h3 { "Over time: " a href={ "#test-" (at) } { (chart.test) } }
                        div.charts { (super::test::figure(chart)) }
                    }
                }
            }
        }
    }
}
