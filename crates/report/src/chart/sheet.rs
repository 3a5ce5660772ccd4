//! SVG documents of one chart, or of all charts of an assessment.

use assessment::Assessment;
use units::markup::escaped;

use super::picture::Chart;
use super::{canvas, colours};
use crate::text::{cut, plain, target_name};

const HEAD: f64 = 26.0;
const MARGIN: f64 = 14.0;
/// Columns of a document with several charts.
const COLUMNS: usize = 2;
const TITLE_MOST: usize = 66;

pub fn sheet(assessment: &Assessment, charts: &[Chart]) -> String {
    let title = format!("{} on {}: {}", assessment.suite, target_name(&assessment.target), assessment.verdict);
    alone(&charts.iter().collect::<Vec<_>>(), &plain(&title))
}

pub fn alone(charts: &[&Chart], title: &str) -> String {
    let columns = charts.len().clamp(1, COLUMNS);
    let column_width = canvas::WIDTH + MARGIN;
    let with_title = charts.len() != 1;
    let mut top = if with_title { HEAD + MARGIN } else { MARGIN };
    let mut body = String::new();
    for row in charts.chunks(columns) {
        for (column, chart) in row.iter().enumerate() {
            let left = MARGIN + column as f64 * column_width;
            let head = format!("{}: {}", chart.test, chart.title);
            body += &format!(
                "<g transform=\"translate({} {})\"><text class=\"n\" x=\"0\" y=\"12\">{}</text><g transform=\"translate(0 18)\">{}</g></g>\n",
                canvas::number(left),
                canvas::number(top),
                escaped(&cut(&head, TITLE_MOST)),
                chart.body
            );
        }
        top += row.iter().map(|chart| chart.height).fold(0.0, f64::max) + HEAD + MARGIN;
    }
    let width = canvas::number(MARGIN + columns as f64 * column_width);
    let height = canvas::number(top);
    let head = if with_title {
        format!("<text class=\"m\" x=\"{MARGIN}\" y=\"{}\">{}</text>\n", HEAD, escaped(&cut(title, 2 * TITLE_MOST)))
    } else {
        String::new()
    };
    let style = colours::style_alone();
    let words: Vec<&str> = charts.iter().map(|chart| chart.description.as_str()).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\"><title>{}</title><desc>{}</desc>\n<style>{style}.chart .n{{font-weight:600;fill:#1b1f24}}.chart .m{{font-size:15px;font-weight:600;fill:#1b1f24}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{head}{body}</svg>\n",
        escaped(title),
        escaped(&words.join(" "))
    )
}
