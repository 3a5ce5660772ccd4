//! Errors of the history.

use std::path::PathBuf;
use std::{fmt, io};

use record::schema::SchemaError;
use rusqlite::ErrorCode;

/// Why the history was not read or written.
#[derive(Debug)]
pub enum HistoryError {
    /// The folder of the database cannot be created.
    Folder { path: PathBuf, error: io::Error },
    /// The database cannot be opened.
    Open { path: PathBuf, error: Box<HistoryError> },
    /// SQLite fails.
    Database(rusqlite::Error),
    /// The database is not one of fathom.
    OtherProgram,
    /// The database is one of another version of fathom.
    OtherVersion { version: i64, readable: i64 },
    /// The newest runs are in the write-ahead log, which SQLite cannot read without writing.
    LogOnReadOnlyDisk,
    /// The history has no run of this number.
    NoRun(i64),
    /// Only the figures of the run are saved.
    FiguresOnly(i64),
    /// The document of a run cannot be read.
    Document { run: i64, error: Box<HistoryError> },
    /// A document is not valid, or has a value without a text.
    Schema(SchemaError),
    /// A document cannot be compressed.
    Compress(io::Error),
    /// A document cannot be decompressed.
    Decompress(io::Error),
    /// A document is larger than 4 GiB.
    TooLarge,
    /// A table cannot be written as Parquet.
    Parquet(String),
    /// This build writes no Parquet.
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

impl fmt::Display for HistoryError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistoryError::Folder { path, error } => write!(to, "{}: {error}", path.display()),
            HistoryError::Open { path, error } => write!(to, "{}: {error}", path.display()),
            HistoryError::Database(error) => error.fmt(to),
            HistoryError::OtherProgram => to.write_str("the database belongs to another program"),
            HistoryError::OtherVersion { version, readable } => write!(
                to,
                "the database has version {version}, this fathom reads version {readable}\nhelp: export its runs with the \
                 fathom that wrote them (`export RUN --format json --output FILE`), move the database away, and add them: \
                 `fathom history add FILE`"
            ),
            HistoryError::LogOnReadOnlyDisk => to.write_str(
                "the disk is read-only, and the newest runs are in the file history.db-wal\nhelp: copy history.db and \
                 history.db-wal to DIR/fathom and set XDG_DATA_HOME=DIR",
            ),
            HistoryError::NoRun(run) => write!(to, "no run {run} in the history"),
            HistoryError::FiguresOnly(run) => write!(
                to,
                "run {run}: only its figures are saved, because it has more than 64 threads; --record saves the whole run"
            ),
            HistoryError::Document { run, error } => write!(to, "run {run}: {error}"),
            HistoryError::Schema(error) => error.fmt(to),
            HistoryError::Compress(error) => error.fmt(to),
            HistoryError::Decompress(error) => write!(to, "cannot be decompressed: {error}"),
            HistoryError::TooLarge => to.write_str("larger than 4 GiB"),
            HistoryError::Parquet(error) => to.write_str(error),
            HistoryError::NoParquet => to.write_str(
                "this fathom was built without Parquet: use --format csv, or build it with `cargo build --release --all-features`",
            ),
        }
    }
}

impl std::error::Error for HistoryError {}

impl From<rusqlite::Error> for HistoryError {
    fn from(error: rusqlite::Error) -> HistoryError {
        HistoryError::Database(error)
    }
}

impl From<SchemaError> for HistoryError {
    fn from(error: SchemaError) -> HistoryError {
        HistoryError::Schema(error)
    }
}
