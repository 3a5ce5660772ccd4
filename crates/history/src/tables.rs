//! The tables of the database.

use rusqlite::Connection;

use crate::HistoryError;
use crate::turn::begin;

/// Application number in the file's header: "fath".
const APPLICATION: i64 = 0x6661_7468;
/// Version of the tables.
const VERSION: i64 = 1;
const TABLES: &str = "
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        started_unix_ms INTEGER NOT NULL,
        ended_unix_ms INTEGER NOT NULL,
        utc_offset_s INTEGER NOT NULL,
        host TEXT NOT NULL,
        target TEXT NOT NULL,
        file_system TEXT NOT NULL,
        devices TEXT NOT NULL,
        instance_type TEXT NOT NULL,
        zone TEXT NOT NULL,
        suite TEXT NOT NULL,
        title TEXT NOT NULL,
        automatic INTEGER NOT NULL,
        verdict TEXT,
        message TEXT NOT NULL,
        cause TEXT NOT NULL,
        key_figures TEXT NOT NULL,
        stopped INTEGER NOT NULL,
        fathom TEXT NOT NULL,
        command TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        document BLOB NOT NULL
    ) STRICT;
    CREATE INDEX runs_automatic ON runs(id, bytes) WHERE automatic = 1;
    CREATE TABLE tags (
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        tag TEXT NOT NULL,
        PRIMARY KEY (run, tag)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tags_by_tag ON tags(tag);
    CREATE TABLE figures (
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        test TEXT NOT NULL,
        at TEXT NOT NULL,
        direction TEXT NOT NULL,
        verdict TEXT,
        iops REAL,
        bytes_per_s REAL,
        mean_ns REAL,
        p50_ns REAL,
        p99_ns REAL,
        PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;
";

/// Creates the tables of an empty database, in one transaction.
///
/// # Errors
///
/// The database is of another program or version, or SQLite fails.
pub fn create(connection: &Connection, waits_for_turn: bool) -> Result<(), HistoryError> {
    if !is_empty(connection)? {
        return check(connection);
    }
    // Another program may have created them meanwhile: look again inside the transaction.
    let transaction = begin(connection, waits_for_turn)?;
    if !is_empty(&transaction)? {
        return check(&transaction);
    }
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    Ok(transaction.commit()?)
}

/// Checks that this fathom reads the database.
///
/// # Errors
///
/// The database is of another program or version, or SQLite fails.
pub fn check(connection: &Connection) -> Result<(), HistoryError> {
    match (number(connection, "PRAGMA application_id")?, number(connection, "PRAGMA user_version")?) {
        (APPLICATION, VERSION) => Ok(()),
        (APPLICATION, version) => Err(HistoryError::OtherVersion { version, readable: VERSION }),
        _ => Err(HistoryError::OtherProgram),
    }
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    let tables = number(connection, "SELECT count(*) FROM sqlite_schema")?;
    Ok(tables == 0 && number(connection, "PRAGMA application_id")? == 0)
}

fn number(connection: &Connection, question: &str) -> rusqlite::Result<i64> {
    connection.query_row(question, [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Connection {
        Connection::open_in_memory().expect("memory takes a database")
    }

    #[test]
    fn another_version_is_left_alone_and_the_error_says_what_to_do() {
        let connection = memory();
        create(&connection, false).expect("tables");
        create(&connection, false).expect("nothing is left to do");
        connection.pragma_update(None, "user_version", 4).expect("a number");
        let error = create(&connection, false).expect_err("another version").to_string();
        assert!(error.contains("version 4") && error.contains("fathom history add"), "{error}");
        assert_eq!(number(&connection, "PRAGMA user_version"), Ok(4));
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let connection = memory();
        connection.execute_batch("CREATE TABLE theirs (id INTEGER)").expect("a table");
        assert!(create(&connection, false).is_err_and(|error| matches!(error, HistoryError::OtherProgram)));
        let connection = memory();
        connection.pragma_update(None, "application_id", 42).expect("a number");
        assert!(create(&connection, false).is_err());
    }
}
