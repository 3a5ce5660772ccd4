//! A comparison as an HTML page: the conclusion, the figures, and the runs of all sets in one chart per figure.

use assessment::Verdict;
use units::markup::escaped;

use super::{Checked, ComparedSets, RunFacts};
use crate::chart::{Detail, overlay};
use crate::html::{badge, end, figure, fitting, start};
use crate::study::{Ink, comparison_notes, comparison_table};
use crate::text::{class, sentence};
use crate::thresholds::mark;

pub fn html(sets: &ComparedSets) -> String {
    fitting(|detail, bytes_most| page(sets, detail, bytes_most))
}

/// Returns the page; `None` as soon as it is larger than `bytes_most`.
fn page(sets: &ComparedSets, detail: &Detail, bytes_most: usize) -> Option<String> {
    let (first, others) = sets.sentences();
    let mut page = start(&format!("{}: {first}", sets.title()));
    let verdict = sets.verdict();
    let badge = if verdict == Verdict::Measured { String::new() } else { badge(verdict) + " " };
    let others: String = others.iter().map(|one| format!("<p class=\"more\">{}.</p>", sentence_of(one))).collect();
    page += &format!(
        "<header>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n<div class=\"overall {}\"><p>{badge}{}.</p>{others}</div>\n{}</header>\n<main>\n",
        escaped(&sets.title()),
        escaped(&sets.places()),
        class(verdict),
        sentence_of(&first),
        checks(&sets.checks()),
    );
    page += &format!("<section id=\"figures\"><h2>Figures</h2>\n{}", comparison_table(sets.comparison).html());
    let notes = comparison_notes(sets.comparison);
    page += &notes.iter().map(|note| format!("<p class=\"soft\">{}</p>\n", lines(note))).collect::<String>();
    page += "</section>\n<h2 id=\"tests\">Tests</h2>\n";
    let tests = sets.tests();
    for (at, (name, runs)) in tests.iter().enumerate() {
        let charts = if detail.points > 0 { overlay::charts(name, runs, detail) } else { Vec::new() };
        // The conclusion has the results of a single test.
        let results = if tests.len() > 1 { sets.results(name) } else { Vec::new() };
        page += &format!(
            "<details class=\"test\" open><summary><h3>{}</h3></summary><section id=\"test-{at}\">\n<ul>{}</ul>\n\
             <div class=\"charts\">\n{}</div>\n</section></details>\n",
            escaped(name),
            results.iter().map(|result| format!("<li>{}</li>", escaped(result))).collect::<String>(),
            charts.iter().map(figure).collect::<String>(),
        );
        if page.len() > bytes_most {
            return None;
        }
    }
    if detail.points == 0 {
        page += "<p class=\"soft\">No charts: with the charts of all tests the page would be too large.</p>\n";
    }
    page += &format!("<section id=\"runs\"><h2>Runs</h2>\n{}</section>\n</main>\n", runs(&sets.facts()));
    page += &end(env!("CARGO_PKG_VERSION"));
    (page.len() <= bytes_most).then_some(page)
}

fn sentence_of(text: &str) -> String {
    escaped(&sentence(text))
}

fn lines(note: &str) -> String {
    escaped(note).replace('\n', "<br>")
}

fn checks(checks: &[Checked]) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let check = |one: &Checked| {
        format!(
            "<li class=\"{}\"><span class=\"mark\">{}</span><span>{}: {}</span></li>\n",
            class(one.verdict),
            mark(one.verdict, Ink::Unicode),
            escaped(&one.name()),
            escaped(&one.message),
        )
    };
    format!("<ul class=\"checks\">\n{}</ul>\n", checks.iter().map(check).collect::<String>())
}

fn runs(facts: &[RunFacts]) -> String {
    let row = |run: &RunFacts| {
        let cell =
            |label: &str, text: &str| format!("<td class=\"cause\" data-label=\"{label}\">{}</td>", escaped(text));
        format!(
            "<tr><th scope=\"row\">{}</th>{}{}{}{}</tr>\n",
            escaped(&run.set),
            cell("Test", &run.suite),
            cell("Target", &run.target),
            cell("Host", &run.host),
            cell("Started", &run.started),
        )
    };
    format!(
        "<table class=\"stack\"><thead><tr><th scope=\"col\">Set</th><th scope=\"col\">Test</th><th scope=\"col\">Target</th>\
         <th scope=\"col\">Host</th><th scope=\"col\">Started</th></tr></thead><tbody>\n{}</tbody></table>\n",
        facts.iter().map(row).collect::<String>()
    )
}
