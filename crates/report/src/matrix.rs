//! Tests that vary two settings, as a table of one by the other: IOPS by block size and mix, as in SNIA's reports.

use assessment::{Aim, Test};
use units::format::{grouped, time_ns};
use units::order::OrderBy;
use units::quantity::option_value;

use crate::figures::Cell;

/// A table of one setting by another.
pub struct Matrix {
    pub title: &'static str,
    /// Names of the settings: of the rows, of the columns.
    pub names: [String; 2],
    pub columns: Vec<String>,
    /// The value of a row, and its figure in each column.
    pub rows: Vec<(String, Vec<Option<String>>)>,
}

/// Returns the table; `None` unless exactly two settings vary.
pub fn of_test(test: &Test, cells: &[Cell]) -> Option<Matrix> {
    let mut names: Vec<&str> = cells.first()?.at.iter().map(|(name, _)| *name).collect();
    if names.len() != 2 {
        return None;
    }
    // Block sizes are rows, as in SNIA's tables.
    names.order_by_key(|name| !["bs", "b"].contains(name));
    let [rows, columns] = [0, 1].map(|at| values(cells, names[at]));
    if rows.len() < 2 || columns.len() < 2 {
        return None;
    }
    let (title, figure): (_, fn(&Cell) -> String) = match test.aim {
        Aim::LatencyFloor | Aim::FlushLatency => ("Mean service time", |cell| time_ns(cell.service().mean_ns())),
        Aim::DiskBandwidth => ("MiB/s", |cell| grouped(cell.rates().bytes_per_s / f64::from(1 << 20))),
        _ => ("IOPS", |cell| grouped(cell.rates().iops)),
    };
    let row = |value: &String| {
        let at = |column: &String| {
            let is_it = |cell: &&Cell| cell.value(names[0]) == Some(value) && cell.value(names[1]) == Some(column);
            cells.iter().find(is_it).filter(|cell| cell.has_ios()).map(figure)
        };
        (value.clone(), columns.iter().map(at).collect())
    };
    let rows = rows.iter().map(row).collect();
    Some(Matrix { title, names: [names[0].to_owned(), names[1].to_owned()], columns, rows })
}

/// Sorts values from small to large.
fn values(cells: &[Cell], setting: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in cells.iter().filter_map(|cell| cell.value(setting)) {
        if !values.iter().any(|known| known == value) {
            values.push(value.to_owned());
        }
    }
    let size = |value: &String| option_value(value).unwrap_or(f64::MAX);
    values.order_by(|one, other| size(one).total_cmp(&size(other)));
    values
}
