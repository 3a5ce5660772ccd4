//! The top of the page: the answer, the thresholds, the main figures, and one overview of all tests.

use assessment::{Assessment, Cause};
use units::markup::escaped;

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
pub fn sentence_of(assessment: &Assessment) -> String {
    let is_in_cause = matches!(assessment.cause, Cause::Stopped { .. });
    let stopped = if assessment.stopped && !is_in_cause { " Stopped before its end." } else { "" };
    let advice =
        answer::advice(assessment).map(|advice| format!("<p class=\"more\">What to do: {}.</p>", escaped(&advice)));
    let undisturbed: String = disturbed::figures(assessment)
        .iter()
        .map(|line| format!("<p class=\"more\">{}.</p>", escaped(&sentence(line))))
        .collect();
    let limits = answer::machine(assessment)
        .map(|limits| format!("<p class=\"more\">{}.</p>", escaped(&sentence(&plain(&limits)))));
    let next = answer::next_command(assessment).map(|(lead, command)| {
        format!("<p class=\"more\">{}: <code>{}</code></p>", escaped(&sentence(lead)), escaped(&command))
    });
    format!(
        "<div class=\"overall {}\"><p>{} {}.{stopped}</p>{undisturbed}{}{}{}</div>\n",
        class(assessment.verdict),
        badge(assessment.verdict),
        escaped(&sentence(&answer::sentence(assessment))),
        advice.unwrap_or_default(),
        limits.unwrap_or_default(),
        next.unwrap_or_default(),
    )
}

/// Formats the thresholds, each with its sign; empty without thresholds.
pub fn checks(assessment: &Assessment) -> String {
    let checks = thresholds::beside_the_sentence(assessment);
    let (applications, others): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| check.of == CheckOf::Application);
    let title = match applications.is_empty() {
        true => "",
        false => "<p class=\"soft\">Published requirements of applications, each with the rule that decides:</p>\n",
    };
    // The sentence above has the reason of the figure that decides.
    let is_in_sentence = |check: &Check| check.compared.is_some_and(|compared| compared.decides(assessment));
    format!("{}{title}{}", list(&others, &is_in_sentence), list(&applications, &is_in_sentence))
}

fn list(checks: &[&Check], is_in_sentence: &dyn Fn(&Check) -> bool) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let items = |checks: &[&Check]| checks.iter().map(|one| check(one, is_in_sentence)).collect::<String>();
    let (shown, more) = checks.split_at(checks.len().min(CHECKS_SHOWN));
    let shown = format!("<ul class=\"checks\">\n{}</ul>\n", items(shown));
    match more.len() {
        0 => shown,
        count => format!(
            "{shown}<details><summary>{count} more</summary><ul class=\"checks\">\n{}</ul></details>\n",
            items(more)
        ),
    }
}

fn check(check: &Check, is_in_sentence: &dyn Fn(&Check) -> bool) -> String {
    let name = escaped(&check.name);
    let name = match check.of {
        CheckOf::Test(at) => format!("<a href=\"#test-{at}\">{name}</a>"),
        CheckOf::Application => format!("<a href=\"#applications\">{name}</a>"),
        CheckOf::Whole | CheckOf::Change => name,
    };
    let words = match &check.compared {
        None => escaped(&check.cause),
        Some(compared) => {
            let ratio = compared.ratio_and_tolerance();
            let ratio = if ratio.is_empty() { ratio } else { format!(": {ratio}") };
            let [figure, measured, bound] = [compared.figure(), compared.measured(), compared.bound() + &ratio];
            let why = if is_in_sentence(check) { String::new() } else { compared.why() };
            let why = if why.is_empty() { why } else { format!("<br><span class=\"soft\">{}</span>", escaped(&why)) };
            format!("{} <b>{}</b>, {}{why}", escaped(&figure), escaped(&measured), escaped(&bound))
        }
    };
    let (verdict, mark) = (check.verdict, mark(check.verdict, Ink::Unicode));
    format!(
        "<li class=\"{}\"><span class=\"mark\" role=\"img\" aria-label=\"{verdict}\">{mark}</span><span>{name}: {words}</span></li>\n",
        class(verdict)
    )
}

/// Formats the grid of CrystalDiskMark's suite; empty for other suites.
pub fn grid(assessment: &Assessment) -> String {
    let Some(grid) = grid::of(assessment) else { return String::new() };
    let heads: String =
        grid.columns.iter().map(|head| format!("<th scope=\"col\" class=\"num\">{head}</th>")).collect();
    let row = |(name, cells): &(String, Vec<Option<String>>)| {
        let cells: String = cells
            .iter()
            .map(|cell| format!("<td class=\"num\">{}</td>", escaped(cell.as_deref().unwrap_or(NONE))))
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escaped(&plain(name)))
    };
    format!(
        "<section id=\"grid\"><table class=\"grid\"><caption>{}</caption><thead><tr><th scope=\"col\">MB/s</th>{heads}</tr></thead>\
         <tbody>\n{}</tbody></table></section>\n",
        grid::NOTE,
        grid.rows.iter().map(row).collect::<String>()
    )
}

/// Formats the overview: of a search or a sweep its curve, else the figures of all tests. It is empty for a single row of
/// figures.
pub fn overview(assessment: &Assessment, detail: &Detail) -> String {
    if detail.points == 0 {
        return String::new();
    }
    let curves: Vec<Chart> = assessment.tests.iter().flat_map(|test| chart::curves(assessment, test)).collect();
    let (title, class, charts): (_, _, String) = match curves.is_empty() {
        true => (
            overview_title(assessment),
            "charts overview",
            chart::overview(assessment).iter().map(plain_figure).collect(),
        ),
        false => ("The curve", "charts", curves.iter().map(super::test::figure).collect()),
    };
    if charts.is_empty() {
        return String::new();
    }
    format!("<section id=\"overview\"><h2>{title}</h2>\n<div class=\"{class}\">\n{charts}</div></section>\n")
}

fn overview_title(assessment: &Assessment) -> &'static str {
    if assessment.tests.len() == 1 { "Overview" } else { "All tests" }
}

/// Formats a chart whose labels say what its description says.
fn plain_figure(chart: &Chart) -> String {
    format!("<figure><figcaption><b>{}</b></figcaption>{}</figure>\n", escaped(&chart.title), chart.inline())
}
