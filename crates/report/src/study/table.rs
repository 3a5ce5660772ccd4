//! Tables with headings, as text, Markdown and HTML.

use maud::{Markup, html};
use units::markup::one_line;

use crate::text::{NONE, cut, masked, plain};

/// Columns of a terminal.
pub(super) const WIDTH: usize = 80;
const GAP: usize = 2;
/// Characters of a label.
pub(super) const LABEL_MAX: usize = 24;

pub struct Table {
    /// Title, if there are several tables.
    pub title: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

pub struct Column {
    /// Heading above adjacent columns, such as a unit.
    pub group: String,
    pub head: String,
    /// Cells are names, not numbers.
    pub is_text: bool,
    /// Heading of a cell on a phone, if it is not that of the group and the column.
    label: Option<String>,
}

pub struct Row {
    /// Cells of the first columns.
    pub labels: Vec<String>,
    /// Cells of the further columns, or the reason why there are none.
    pub cells: Result<Vec<String>, String>,
}

impl Column {
    pub fn number(group: &str, head: &str) -> Column {
        Column { group: group.to_owned(), head: head.to_owned(), is_text: false, label: None }
    }

    pub fn text(head: &str) -> Column {
        Column { group: String::new(), head: head.to_owned(), is_text: true, label: None }
    }

    /// Sets the heading of a cell on a phone.
    pub fn labelled(self, label: &str) -> Column {
        Column { label: Some(label.to_owned()), ..self }
    }

    /// Returns the heading with its group, for Markdown.
    fn full(&self) -> String {
        match (self.group.as_str(), self.head.as_str()) {
            ("", head) => head.to_owned(),
            (group, "") => group.to_owned(),
            (group, head) => format!("{group} {head}"),
        }
    }

    fn class(&self) -> Option<&str> {
        (!self.is_text).then_some("num")
    }

    /// Returns the heading of a number on a phone. A name needs none.
    fn label(&self) -> Option<String> {
        let label = self.label.clone().or_else(|| (!self.is_text).then(|| self.full()));
        label.filter(|label| !label.is_empty())
    }

    fn cell(&self, cell: &str) -> Markup {
        let class = if matches!(cell, "" | NONE) { Some("num none") } else { self.class() };
        html! { td class=[class] data-label=[self.label()] { (cell) } }
    }
}

impl Table {
    /// Formats the table for a terminal.
    pub fn text(&self) -> String {
        let widths = self.widths();
        let mut text = if self.title.is_empty() { String::new() } else { format!("{}\n", one_line(&self.title)) };
        text += &self.group_line(&widths);
        text += &self.line(self.columns.iter().map(|column| one_line(&column.head).into_owned()), &widths);
        for row in &self.rows {
            text += &self.row_line(row, &widths);
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|column| length(&one_line(&column.head))).collect();
        for row in &self.rows {
            let labels = row.labels.iter().map(|label| length(&one_line(label)).min(LABEL_MAX));
            let cells = labels.chain(row.cells.iter().flatten().map(|cell| length(cell)));
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell);
            }
        }
        for (first, last) in self.groups() {
            let group = length(&self.columns[first].group);
            let below: usize = widths[first..=last].iter().sum::<usize>() + GAP * (last - first);
            widths[first] += group.saturating_sub(below);
        }
        widths
    }

    /// First and last column of each group.
    fn groups(&self) -> Vec<(usize, usize)> {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            match groups.last_mut() {
                Some((first, last)) if !column.group.is_empty() && self.columns[*first].group == column.group => {
                    *last = at;
                }
                _ => groups.push((at, at)),
            }
        }
        groups
    }

    fn group_line(&self, widths: &[usize]) -> String {
        let of_group = |(first, last): (usize, usize)| {
            let width = widths[first..=last].iter().sum::<usize>() + GAP * (last - first);
            let title = &self.columns[first].group;
            let placed = if first == last { format!("{title:>width$}") } else { format!("{title:^width$}") };
            format!("{:GAP$}{placed}", "")
        };
        let line: String = self.groups().into_iter().map(of_group).collect();
        if line.trim().is_empty() { String::new() } else { format!("{}\n", line.trim_end()) }
    }

    fn line(&self, cells: impl Iterator<Item = String>, widths: &[usize]) -> String {
        let cells = cells.zip(widths).zip(&self.columns);
        let line: String = cells
            .map(|((cell, width), column)| match column.is_text {
                true => format!("{:GAP$}{cell:<width$}", ""),
                false => format!("{:GAP$}{cell:>width$}", ""),
            })
            .collect();
        format!("{}\n", line.trim_end())
    }

    fn row_line(&self, row: &Row, widths: &[usize]) -> String {
        let labels = row.labels.iter().map(|label| tail(&one_line(label), LABEL_MAX));
        match &row.cells {
            Ok(cells) => self.line(labels.chain(cells.iter().cloned()), widths),
            Err(reason) => {
                let labels = self.line(labels, widths);
                let labels = labels.trim_end_matches('\n');
                let room = WIDTH.saturating_sub(length(labels) + GAP).max(20);
                format!("{labels}{:GAP$}{}\n", "", cut(&plain(reason), room))
            }
        }
    }

    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| masked(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = if self.title.is_empty() { String::new() } else { format!("{}\n\n", masked(&self.title)) };
        text += &line(self.columns.iter().map(Column::full).collect());
        let rules = self.columns.iter().map(|column| if column.is_text { " --- " } else { " ---: " });
        text += &format!("|{}|\n", rules.collect::<Vec<_>>().join("|"));
        for row in &self.rows {
            text += &line(self.cells(row));
        }
        text + "\n"
    }

    /// Formats the table for a page. On a phone each row is a block, and each cell has its heading as a label.
    pub fn html(&self) -> Markup {
        let title = if self.title.is_empty() { "Figures" } else { &self.title };
        html! {
            div.wide tabindex="0" role="region" aria-label=(title) {
                table.flow {
                    // Without a title of its own, the table has that of its section.
                    @if !self.title.is_empty() { caption { (title) } }
                    thead {
                        (self.group_heads())
                        tr { @for column in &self.columns { th class=[column.class()] scope="col" { (column.head) } } }
                    }
                    tbody { @for row in &self.rows { tr { (self.row(row)) } } }
                }
            }
        }
    }

    fn row(&self, row: &Row) -> Markup {
        let columns = self.columns.get(row.labels.len()..).unwrap_or_default();
        html! {
            @for (at, (column, cell)) in self.columns.iter().zip(&row.labels).enumerate() {
                @if at == 0 { th class=[column.class()] scope="row" data-label=[column.label()] { (cell) } }
                @else { (column.cell(cell)) }
            }
            @match &row.cells {
                Ok(cells) => { @for (column, cell) in columns.iter().zip(cells) { (column.cell(cell)) } }
                Err(reason) => { td.text colspan=(columns.len().max(1)) { (reason) } }
            }
        }
    }

    /// Returns the row of HTML above the heads; empty without groups.
    fn group_heads(&self) -> Markup {
        html! {
            @if self.columns.iter().any(|column| !column.group.is_empty()) {
                tr {
                    @for (first, last) in self.groups() {
                        @match self.columns[first].group.as_str() {
                            "" => { td colspan=(last + 1 - first) {} }
                            group => { th.group scope="colgroup" colspan=(last + 1 - first) { (group) } }
                        }
                    }
                }
            }
        }
    }

    /// One cell for each column.
    fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells = row.labels.clone();
        match &row.cells {
            Ok(figures) => cells.extend(figures.iter().cloned()),
            Err(reason) => cells.push(reason.clone()),
        }
        cells.resize(self.columns.len(), String::new());
        cells
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Cuts a text at its start: names of files differ at their ends.
pub(super) fn tail(text: &str, most: usize) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let left_out = (length(text) + 1).saturating_sub(most);
    ['…'].into_iter().chain(text.chars().skip(left_out)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![
            Column::text("b"),
            Column::number("IOPS", "read"),
            Column::number("IOPS", "write"),
            Column::number("", "MiB/s"),
        ];
        let row = |label: &str, cells: &[&str]| Row {
            labels: vec![label.to_owned()],
            cells: Ok(cells.iter().map(|cell| (*cell).to_owned()).collect()),
        };
        let failed = Row { labels: vec!["a|b".to_owned()], cells: Err("failed: <disk full>".to_owned()) };
        Table { title: String::new(), columns, rows: vec![row("4K", &["300", "1,802", "9.3"]), failed] }
    }

    #[test]
    fn columns_are_aligned_and_groups_stand_above_them() {
        let expected =
            "          IOPS\n  b    read  write  MiB/s\n  4K    300  1,802    9.3\n  a|b  failed: <disk full>\n";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn rows_of_markdown_and_html_have_a_cell_for_each_column() {
        let markdown = table().markdown();
        assert!(markdown.starts_with("| b | IOPS read | IOPS write | MiB/s |\n| --- | ---: | ---: | ---: |\n"));
        assert!(markdown.contains("| a\\|b | failed: \\<disk full\\> |  |  |\n"), "{markdown}");
        let html = table().html().0;
        assert!(html.contains("<td class=\"num\" data-label=\"IOPS write\">1,802</td>"), "{html}");
        assert!(html.contains("<td class=\"text\" colspan=\"3\">failed: &lt;disk full&gt;</td>"), "{html}");
        let heads = "<tr><td colspan=\"1\"></td><th class=\"group\" scope=\"colgroup\" colspan=\"2\">IOPS</th><td colspan=\"1\"></td></tr>";
        assert!(html.contains(heads), "{html}");
        assert!(html.contains("&lt;disk full&gt;"));
    }

    #[test]
    fn long_labels_are_cut_at_their_start() {
        assert_eq!((tail("/mnt/a/data.bin", 8), tail("short", 8)), ("…ata.bin".to_owned(), "short".to_owned()));
    }
}
