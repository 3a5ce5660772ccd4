//! The top of the page: the answer, the thresholds, the main figures, and one overview of all tests.

use assessment::Assessment;
use units::markup::escaped;

use super::badge::badge;
use crate::causes::cause;
use crate::chart::{self, Chart, Detail};
use crate::grid;
use crate::text::{NONE, class, plain, sentence};
use crate::thresholds::{self, Check, mark};

/// Thresholds beyond this number are collapsed, the best ones.
const CHECKS_SHOWN: usize = 12;

/// Formats the verdict with its cause.
pub fn sentence_of(assessment: &Assessment) -> String {
    let stopped = if assessment.stopped { " Stopped before its end." } else { "" };
    format!(
        "<div class=\"overall {}\"><p>{} {}.{stopped}</p></div>\n",
        class(assessment.verdict),
        badge(assessment.verdict),
        escaped(&sentence(&cause(assessment)))
    )
}

/// Formats the thresholds, each with its sign; empty without thresholds.
pub fn checks(assessment: &Assessment) -> String {
    let checks = thresholds::of(assessment);
    if checks.is_empty() {
        return String::new();
    }
    let mut order: Vec<&Check> = checks.iter().collect();
    if checks.len() <= CHECKS_SHOWN {
        return format!("<ul class=\"checks\">\n{}</ul>\n", order.into_iter().map(check).collect::<String>());
    }
    // The worst ones are shown.
    order.sort_by_key(|check| std::cmp::Reverse(check.verdict));
    let list = |checks: &[&Check]| checks.iter().map(|one| check(one)).collect::<String>();
    let (shown, more) = order.split_at(CHECKS_SHOWN);
    format!(
        "<ul class=\"checks\">\n{}</ul>\n<details><summary>{} more</summary><ul class=\"checks\">\n{}</ul></details>\n",
        list(shown),
        more.len(),
        list(more)
    )
}

fn check(check: &Check) -> String {
    let name = escaped(&check.name);
    let name = check.test.map_or_else(|| name.clone(), |at| format!("<a href=\"#test-{at}\">{name}</a>"));
    let words = match check.figure.is_empty() {
        true => escaped(&check.cause),
        false => {
            let ratio = if check.ratio.is_empty() { String::new() } else { format!(": {}", escaped(&check.ratio)) };
            let [figure, measured, bound] = [&check.figure, &check.measured, &check.bound].map(|text| escaped(text));
            format!("{figure} <b>{measured}</b>, {bound}{ratio}")
        }
    };
    let (verdict, mark) = (check.verdict, mark(check.verdict));
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
        true => ("All tests", "charts overview", chart::overview(assessment).iter().map(plain_figure).collect()),
        false => ("The curve", "charts", curves.iter().map(super::test::figure).collect()),
    };
    if charts.is_empty() {
        return String::new();
    }
    format!("<section id=\"overview\"><h2>{title}</h2>\n<div class=\"{class}\">\n{charts}</div></section>\n")
}

/// Formats a chart whose labels say what its description says.
fn plain_figure(chart: &Chart) -> String {
    format!("<figure><figcaption><b>{}</b></figcaption>{}</figure>\n", escaped(&chart.title), chart.inline())
}
