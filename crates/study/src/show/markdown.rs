//! A sweep for issues and documents.

use super::table::table;
use super::{Report, chart};

pub(super) fn write(report: &Report) -> String {
    let line = format!("{} {}", report.asked.dialect, report.asked.line.join(" "));
    let mut text = format!("### Sweep of {}\n\n", code(&line));
    if let Some(sentence) = report.sentence() {
        text.push_str(&format!("**{}**\n\n", escaped(sentence)));
    }
    let table = table(report);
    let heads = table.columns.iter().map(|column| match column.group.as_str() {
        "" => column.head.clone(),
        group => format!("{group} {}", column.head),
    });
    text.push_str(&row(heads));
    text.push_str(&row(table.columns.iter().map(|_| "---:".to_owned())));
    for table_row in &table.rows {
        let rest = table.columns.len() - table_row.settings.len();
        let settings = table_row.settings.iter().cloned();
        match &table_row.figures {
            Ok(figures) => text.push_str(&row(settings.chain(figures.iter().cloned()))),
            Err(reason) => {
                let empty = std::iter::repeat_n(String::new(), rest.saturating_sub(1));
                text.push_str(&row(settings.chain([reason.clone()]).chain(empty)));
            }
        }
    }
    text.push('\n');
    report.notes().iter().for_each(|note| text.push_str(&format!("- {}\n", escaped(note))));
    if report.verdict.is_some() {
        text.push_str(&format!("\n```text\n{}```\n", chart::draw(report)));
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| escaped(&cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => safe.push(' '),
            '|' | '*' | '_' | '`' | '<' | '>' | '\\' => safe.extend(['\\', c]),
            _ => safe.push(c),
        }
    }
    safe
}

/// Between more backticks than stand in it.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, swept};
    use super::*;
    use assessment::Metric;

    #[test]
    fn rows_have_as_many_cells_as_the_head() {
        let sweep = swept(&["b=4K,8K,16K"], 1, &[(1, 0), (0, 0)]);
        let text = write(&Report::new(&asked(1, Metric::BANDWIDTH), &sweep));
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len(), 5);
        assert!(rows.iter().all(|row| row.matches('|').count() == rows[0].matches('|').count()), "{text}");
        assert!(text.contains("| latency, µs mean |") && text.contains("**highest bandwidth"), "{text}");
        assert!(text.starts_with("### Sweep of `diskspd -b64k"), "{text}");
    }

    #[test]
    fn text_from_outside_stays_text() {
        assert_eq!(escaped("a|b\n<c>"), "a\\|b \\<c\\>");
        assert_eq!(code("a `b` c"), "`` a `b` c ``");
    }
}
