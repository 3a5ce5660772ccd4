//! Errors of the history.

use std::io;
use std::path::PathBuf;

use record::schema::SchemaError;
use rusqlite::ErrorCode;

/// Why the history was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The folder of the database cannot be created.
    #[error("{}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    /// The database cannot be opened.
    #[error("{}: {error}", path.display())]
    Open { path: PathBuf, error: Box<HistoryError> },
    /// SQLite fails.
    #[error("{0}")]
    Database(#[from] rusqlite::Error),
    /// The database is not one of fathom.
    #[error("the database belongs to another program")]
    OtherProgram,
    /// The database is one of another version of fathom.
    #[error(
        "the database has version {version}, this fathom reads version {readable}\nhelp: export its runs with the fathom that \
         wrote them (`export RUN --format json --output FILE`), move the database away, and add them: `fathom history add FILE`"
    )]
    OtherVersion { version: i64, readable: i64 },
    /// The newest runs are in the write-ahead log, which SQLite cannot read without writing.
    #[error(
        "the disk is read-only, and the newest runs are in the file history.db-wal\nhelp: copy history.db and history.db-wal \
         to DIR/fathom and set XDG_DATA_HOME=DIR"
    )]
    LogOnReadOnlyDisk,
    /// The history has no run of this number.
    #[error("no run {0} in the history")]
    NoRun(i64),
    /// Only the figures of the run are saved.
    #[error("run {0}: only its figures are saved, because it has more than 64 threads; --record saves the whole run")]
    FiguresOnly(i64),
    /// The document of a run cannot be read.
    #[error("run {run}: {error}")]
    Document { run: i64, error: Box<HistoryError> },
    /// A document is not valid, or has a value without a text.
    #[error("{0}")]
    Schema(#[from] SchemaError),
    /// A document cannot be compressed.
    #[error("{0}")]
    Compress(io::Error),
    /// A document cannot be decompressed.
    #[error("cannot be decompressed: {0}")]
    Decompress(io::Error),
    /// A document is larger than 4 GiB.
    #[error("larger than 4 GiB")]
    TooLarge,
    /// A table cannot be written as Parquet.
    #[error("{0}")]
    Parquet(String),
    /// This build writes no Parquet.
    #[error(
        "this fathom was built without Parquet: use --format csv, or build it with `cargo build --release --all-features`"
    )]
    NoParquet,
}

impl HistoryError {
    /// Returns the code of SQLite's error.
    fn code(&self) -> Option<ErrorCode> {
        match self {
            HistoryError::Open { error, .. } | HistoryError::Document { error, .. } => error.code(),
            HistoryError::Database(error) => error.sqlite_error_code(),
            _ => None,
        }
    }

    /// Returns true if the database is damaged, or is no database.
    pub fn is_damage(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    /// Returns true if the disk of the database cannot be written.
    pub(crate) fn is_of_read_only_disk(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
    }
}
