//! Tables for other programs: columns with types, and rows.

use units::untrusted::UntrustedText;

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Text,
    Count,
    /// A point in time, in ms since 1970 in UTC.
    UnixMs,
    /// A measured number; empty if it was not measured.
    Figure,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
}

/// A value of its column's type.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    Text(UntrustedText),
    /// A value of [`Kind::Count`] or [`Kind::UnixMs`].
    Count(i64),
    Figure(Option<f64>),
}

/// Converts a count to a signed integer. Larger counts become the largest one.
impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Count(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<&UntrustedText> for Cell {
    fn from(text: &UntrustedText) -> Cell {
        Cell::Text(text.clone())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<Option<f64>> for Cell {
    fn from(figure: Option<f64>) -> Cell {
        Cell::Figure(figure)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    pub(super) columns: &'static [Column],
    /// Adds a row with one cell per column.
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Formats the table as CSV, with a line of column names.
    pub fn csv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let mut text = names.join(",") + "\n";
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(Cell::csv).collect();
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }
}

impl Cell {
    fn csv(&self) -> String {
        match self {
            Cell::Text(text) => units::markup::csv_cell(text.raw()),
            Cell::Count(count) => count.to_string(),
            Cell::Figure(figure) => figure.map(|figure| figure.to_string()).unwrap_or_default(),
        }
    }
}
