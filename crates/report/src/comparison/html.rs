//! A comparison as an HTML page: the conclusion, the figures, and the runs of all sets in one chart per figure.

use assessment::Verdict;
use maud::{Markup, PreEscaped, Render, html};

use super::{Checked, ComparedSets, RunFacts};
use crate::chart::{Detail, overlay, ratios};
use crate::html::{badge, document, figure, fitting, lines, no_charts, stack};
use crate::study::{Ink, comparison_notes, comparison_table};
use crate::text::{class, sentence};
use crate::thresholds::mark;

pub fn html(sets: &ComparedSets) -> String {
    fitting(|detail, bytes_most| page(sets, detail, bytes_most))
}

/// Returns the page; `None` as soon as it is larger than `bytes_most`.
fn page(sets: &ComparedSets, detail: &Detail, bytes_most: usize) -> Option<String> {
    let (first, others) = sets.sentences();
    let verdict = sets.verdict();
    let header = html! {
        h1 { (sets.title()) }
        p.soft { (sets.places()) }
        div.overall.(class(verdict)) {
            p { @if verdict != Verdict::Measured { (badge(verdict)) " " } (sentence(&first)) "." }
            @for one in &others { p.more { (sentence(one)) "." } }
        }
        (checks(&sets.checks()))
    };
    let mut charts = PreEscaped(String::new());
    let tests = sets.tests();
    for (at, (name, runs)) in tests.iter().enumerate() {
        // The conclusion has the results of a single test.
        let results = if tests.len() > 1 { sets.results(name) } else { Vec::new() };
        test(at, name, &results, runs, detail).render_to(&mut charts.0);
        if charts.0.len() > bytes_most {
            return None;
        }
    }
    let main = html! {
        section id="figures" {
            h2 { "Figures" }
            @if let Some(chart) = ratios::chart(sets.comparison).filter(|_| detail.points > 0) {
                div.charts { (figure(&chart)) }
            }
            (comparison_table(sets.comparison).html())
            @for note in comparison_notes(sets.comparison) { p.soft { (lines(&note)) } }
        }
        h2 id="tests" { "Tests" }
        (charts)
        @if detail.points == 0 { (no_charts()) }
        section id="runs" { h2 { "Runs" } (runs(&sets.facts())) }
    };
    let page = document(&format!("{}: {first}", sets.title()), &header, &main, env!("CARGO_PKG_VERSION"));
    (page.len() <= bytes_most).then_some(page)
}

fn test(at: usize, name: &str, results: &[String], runs: &[overlay::RunsOfSet], detail: &Detail) -> Markup {
    let charts = if detail.points > 0 { overlay::charts(name, runs, detail) } else { Vec::new() };
    html! {
        details.test open {
            summary { h3 { (name) } }
            section id={ "test-" (at) } {
                ul { @for result in results { li { (result) } } }
                div.charts { @for chart in &charts { (figure(chart)) } }
            }
        }
    }
}

fn checks(checks: &[Checked]) -> Markup {
    html! {
        @if !checks.is_empty() {
            ul.checks {
                @for one in checks {
                    li class=(class(one.verdict)) {
                        span.mark { (mark(one.verdict, Ink::Unicode)) }
                        span { (one.name()) ": " (one.message) }
                    }
                }
            }
        }
    }
}

fn runs(facts: &[RunFacts]) -> Markup {
    let columns = [("Set", ""), ("Test", "cause"), ("Target", "cause"), ("Host", "cause"), ("Started", "cause")];
    let row = |run: &RunFacts| {
        [&run.set, &run.suite, &run.target, &run.host, &run.started].map(|cell| cell.render()).to_vec()
    };
    stack(&columns, facts.iter().map(row))
}
