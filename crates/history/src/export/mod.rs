//! Exports saved runs for other programs: documents as JSON, tables of figures or intervals as CSV or Parquet.

mod figures;
mod intervals;
#[cfg(feature = "parquet")]
mod parquet;
mod table;

use crate::{Document, Entry, HistoryError, Store};
pub use table::Table;

/// Returns the document of one run, or an array of the documents of several. `write` writes a document.
///
/// # Errors
///
/// A run does not exist, its document cannot be read, or `write` fails.
pub fn json<E>(store: &Store, ids: &[i64], write: impl Fn(&Document) -> Result<String, E>) -> Result<String, E>
where
    E: From<HistoryError>,
{
    let documents = ids.iter().map(|id| write(&store.document(*id)?));
    let documents: Vec<String> = documents.collect::<Result<_, E>>()?;
    match &documents[..] {
        [one] => Ok(one.clone()),
        more => Ok(format!("[\n{}\n]\n", more.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join(",\n"))),
    }
}

/// Returns the figures: a row for each test and direction.
pub fn figures(entries: &[Entry]) -> Table {
    figures::table(entries)
}

/// Returns the intervals: a row for each interval and direction. One run's document at a time is in memory.
///
/// # Errors
///
/// A run does not exist, or its document cannot be read.
pub fn intervals(store: &Store, ids: &[i64]) -> Result<Table, HistoryError> {
    let mut table = intervals::empty();
    for id in ids {
        intervals::add(&mut table, *id, &store.document(*id)?);
    }
    Ok(table)
}

#[cfg(not(feature = "parquet"))]
impl Table {
    /// Fails: this build writes no Parquet.
    ///
    /// # Errors
    ///
    /// [`HistoryError::NoParquet`].
    pub fn parquet(&self) -> Result<Vec<u8>, HistoryError> {
        Err(HistoryError::NoParquet)
    }
}
