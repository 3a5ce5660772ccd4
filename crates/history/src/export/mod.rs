//! Kept runs for other programs: whole documents as JSON, and tables of figures or of intervals as CSV or Parquet.

mod figures;
mod intervals;
mod parquet;
mod table;

use crate::{Entry, Store};
pub use table::Table;

/// The whole document of one run; an array of them for more.
pub fn json(store: &Store, ids: &[i64]) -> Result<String, String> {
    let documents: Vec<String> = ids.iter().map(|id| store.document(*id)?.write()).collect::<Result<_, String>>()?;
    match &documents[..] {
        [one] => Ok(one.clone()),
        more => Ok(format!("[\n{}\n]\n", more.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join(",\n"))),
    }
}

/// The figures: a row for each test and direction.
pub fn figures(entries: &[Entry]) -> Table {
    figures::table(entries)
}

/// A row for each interval and direction; one run's document at a time is in memory.
pub fn intervals(store: &Store, ids: &[i64]) -> Result<Table, String> {
    let mut table = intervals::empty();
    for id in ids {
        intervals::add(&mut table, *id, &store.document(*id)?);
    }
    Ok(table)
}
