//! A build without the feature `parquet`.

use crate::HistoryError;

use super::table::Table;

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
