//! A sweep for a terminal: what was varied, the table, its notes, the chart and the sentence.

use super::table::{Column, Table, TableRow, table};
use super::{Report, chart};

/// Columns of a terminal that everybody has.
pub(crate) const WIDTH: usize = 80;
const GAP: usize = 2;
/// Characters of an axis' value.
pub(super) const VALUE_MAX: usize = 24;

pub(super) fn write(report: &Report) -> String {
    let mut text = format!("sweep of: {} {}\n\n", report.asked.dialect, report.asked.line.join(" "));
    text.push_str(&grid(&table(report)));
    let notes = report.notes();
    if !notes.is_empty() {
        text.push('\n');
        notes.iter().for_each(|note| text.push_str(&wrapped(note)));
    }
    if report.verdict.is_some() {
        text.push_str(&format!("\n{}", chart::draw(report)));
    }
    if let Some(sentence) = report.sentence() {
        text.push_str(&format!("\n{sentence}\n"));
    }
    text
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Cut to so many characters, with a mark at the end.
pub(super) fn cut(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Cut to so many characters at its start: names of files differ at their ends.
pub(super) fn tail(text: &str, most: usize) -> String {
    let left_out = (length(text) + 1).saturating_sub(most);
    if length(text) <= most {
        text.to_owned()
    } else {
        ['…'].into_iter().chain(text.chars().skip(left_out)).collect()
    }
}

/// Broken between words; what follows the first line is set in.
pub(crate) fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.trim().is_empty() && length(&line) + 1 + length(word) > WIDTH {
            lines.push_str(&line);
            lines.push('\n');
            line = " ".to_owned();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    format!("{lines}{line}\n")
}

/// The table, right-aligned; what columns have in common stands above them.
fn grid(table: &Table) -> String {
    let widths = widths(table);
    let mut text = group_line(table, &widths);
    text.push_str(&line(table.columns.iter().map(|column| column.head.as_str()), &widths));
    for row in &table.rows {
        text.push_str(&row_line(row, &widths));
    }
    text
}

fn widths(table: &Table) -> Vec<usize> {
    let mut widths: Vec<usize> = table.columns.iter().map(|column| length(&column.head)).collect();
    for row in &table.rows {
        let settings = row.settings.iter().map(|value| length(value).min(VALUE_MAX));
        let cells = settings.chain(row.figures.iter().flatten().map(|cell| length(cell)));
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell);
        }
    }
    for (first, last) in groups(&table.columns) {
        let group = length(&table.columns[first].group);
        let below: usize = widths[first..=last].iter().sum::<usize>() + GAP * (last - first);
        widths[first] += group.saturating_sub(below);
    }
    widths
}

/// First and last column of each stretch with the same group.
fn groups(columns: &[Column]) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        match groups.last_mut() {
            Some((first, last)) if !column.group.is_empty() && columns[*first].group == column.group => *last = at,
            _ => groups.push((at, at)),
        }
    }
    groups
}

fn group_line(table: &Table, widths: &[usize]) -> String {
    let line: String = groups(&table.columns)
        .into_iter()
        .map(|(first, last)| {
            let width = widths[first..=last].iter().sum::<usize>() + GAP * (last - first);
            let title = &table.columns[first].group;
            let centred = if first == last { format!("{title:>width$}") } else { format!("{title:^width$}") };
            format!("{:GAP$}{centred}", "")
        })
        .collect();
    if line.trim().is_empty() { String::new() } else { format!("{}\n", line.trim_end()) }
}

fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let line: String = cells.zip(widths).map(|(cell, width)| format!("{:GAP$}{cell:>width$}", "")).collect();
    format!("{line}\n")
}

fn row_line(row: &TableRow, widths: &[usize]) -> String {
    let settings: Vec<String> = row.settings.iter().map(|value| tail(value, VALUE_MAX)).collect();
    let settings = settings.iter().map(String::as_str);
    match &row.figures {
        Ok(figures) => line(settings.chain(figures.iter().map(String::as_str)), widths),
        Err(reason) => {
            let settings = line(settings, widths);
            let settings = settings.trim_end_matches('\n');
            let room = WIDTH.saturating_sub(length(settings) + GAP).max(20);
            format!("{settings}{:GAP$}{}\n", "", cut(reason, room))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{asked, swept};
    use super::*;
    use assessment::Metric;

    #[test]
    fn a_table_a_chart_and_a_sentence_fit_the_terminal() {
        let sweep = swept(&["b=4K..32K"], 1, &[(300, 200), (600, 400), (0, 0), (2_000, 1_802)]);
        let text = write(&Report::new(&asked(1, Metric::BANDWIDTH), &sweep));
        let expected = "\
sweep of: diskspd -b64k -w40 my <test> & more.dat

           IOPS                  latency, µs       CPU
    b   read  write  MiB/s  mean  p50  p99  p99.9    %
   4K    300    200    500   190  151  250    250   25
   8K    600    400  1,000   190  151  250    250   25
  16K  failed: test.dat: no space left on the device
  32K  2,000  1,802  3,802   197  151  250    250   25

CPU: the jobs' threads; 100 % is one processor

bandwidth, MiB/s, over b
";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("\nhighest bandwidth 3,802 MiB/s at b=32K; next is 1,000 MiB/s at b=8K, 74 % less\n"));
        assert!(text.lines().all(|line| length(line) <= WIDTH), "{text}");
    }

    #[test]
    fn notes_are_broken_between_words() {
        let text = wrapped(&"word ".repeat(30));
        assert!(text.lines().all(|line| length(line) <= WIDTH) && text.lines().nth(1).unwrap().starts_with("  word"));
        assert_eq!(text.split_whitespace().count(), 30);
        assert_eq!(wrapped("short"), "short\n");
    }

    #[test]
    fn long_values_are_shown_by_their_ends() {
        assert_eq!((tail("/mnt/a/data.bin", 8), tail("short", 8)), ("…ata.bin".to_owned(), "short".to_owned()));
        let sweep = swept(&["filename=/mnt/with/a/very/long/path/one,/mnt/with/a/very/long/path/two"], 1, &[(1, 0)]);
        let text = write(&Report::new(&asked(1, Metric::IOPS), &sweep));
        assert!(text.lines().skip(2).take(4).all(|line| length(line) <= WIDTH), "{text}");
        assert!(text.contains("path/one ") && text.contains("path/two "), "{text}");
    }

    #[test]
    fn repeats_add_a_spread_and_reads_alone_no_writes() {
        let sweep = swept(&["o=1,2"], 2, &[(90, 0), (200, 0), (110, 0), (200, 0)]);
        let text = write(&Report::new(&asked(2, Metric::IOPS), &sweep));
        assert!(!text.contains("write "), "{text}");
        let row = text.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap();
        assert!(row.contains(" 100 ") && row.ends_with(" 20.0"), "{text}");
    }

    #[test]
    fn a_sweep_of_which_nothing_came_has_only_its_reasons() {
        let sweep = swept(&["o=1,2"], 1, &[(0, 0)]);
        let text = write(&Report::new(&asked(1, Metric::IOPS), &sweep));
        assert!(
            text.contains("\n\n  o\n  1  failed: test.dat") && text.contains("not run") && !text.contains("highest"),
            "{text}"
        );
    }
}
