//! The tables of the database, and their migration from older versions.

use std::cmp::Ordering;

use rusqlite::Connection;

use crate::HistoryError;
use crate::turn::begin;

/// Application number in the file's header: "fath".
const APPLICATION: i64 = 0x6661_7468;

/// The migrations, one per version. A released one never changes.
pub const STEPS: [&str; 4] = [
    "
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        started_unix_ms INTEGER NOT NULL,
        ended_unix_ms INTEGER NOT NULL,
        utc_offset_s INTEGER NOT NULL,
        host TEXT NOT NULL,
        target TEXT NOT NULL,
        suite TEXT NOT NULL,
        verdict TEXT,
        cause TEXT NOT NULL,
        stopped INTEGER NOT NULL,
        fathom TEXT NOT NULL,
        command TEXT NOT NULL,
        document BLOB NOT NULL
    ) STRICT;
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
",
    "
    ALTER TABLE runs ADD COLUMN title TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN unasked INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE runs ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX runs_unasked ON runs(id, bytes) WHERE unasked = 1;
",
    "
    ALTER TABLE runs ADD COLUMN file_system TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN devices TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE runs ADD COLUMN instance_type TEXT NOT NULL DEFAULT '';
    ALTER TABLE runs ADD COLUMN zone TEXT NOT NULL DEFAULT '';
",
    "
    ALTER TABLE runs ADD COLUMN cause_data TEXT NOT NULL DEFAULT '';
",
];

/// Migrates the tables to the newest version, in one transaction.
pub fn bring_up(connection: &Connection, steps: &[&str], waits_for_turn: bool) -> Result<(), HistoryError> {
    if version(connection)? == steps.len() && is_ours(connection)? {
        return Ok(());
    }
    // Another program may have migrated them meanwhile: read the version again inside the transaction.
    let transaction = begin(connection, waits_for_turn)?;
    let version = version(&transaction)?;
    if !is_ours(&transaction)? {
        return Err(HistoryError::OtherProgram);
    }
    if version > steps.len() {
        return Err(HistoryError::NewerVersion { version, readable: steps.len() });
    }
    for step in &steps[version..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", steps.len() as i64)?;
    Ok(transaction.commit()?)
}

/// Checks that a database that cannot be migrated has the newest version.
pub fn check(connection: &Connection) -> Result<(), HistoryError> {
    let version = version(connection)?;
    match (is_ours(connection)?, version.cmp(&STEPS.len())) {
        (false, _) => Err(HistoryError::OtherProgram),
        (true, Ordering::Less) => Err(HistoryError::OldOnReadOnlyDisk),
        (true, Ordering::Equal) => Ok(()),
        (true, Ordering::Greater) => Err(HistoryError::NewerVersion { version, readable: STEPS.len() }),
    }
}

fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// Whether the database is fathom's, or empty.
fn is_ours(connection: &Connection) -> Result<bool, HistoryError> {
    let number = |question: &str| connection.query_row(question, [], |row| row.get::<_, i64>(0));
    let found = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(found == APPLICATION || (found == 0 && tables == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: [&str; 1] = ["CREATE TABLE runs (id INTEGER PRIMARY KEY); INSERT INTO runs VALUES (7)"];
    const NEW: [&str; 2] = [OLD[0], "ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT 'here'"];

    fn memory() -> Connection {
        Connection::open_in_memory().expect("memory takes a database")
    }

    #[test]
    fn an_older_version_is_brought_up_with_what_it_holds() {
        let connection = memory();
        bring_up(&connection, &OLD, false).expect("steps");
        bring_up(&connection, &NEW, false).expect("steps");
        bring_up(&connection, &NEW, false).expect("nothing is left to do");
        let row = connection.query_row("SELECT id, host FROM runs", [], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(row, Ok((7, "here".to_owned())));
        assert!(
            bring_up(&connection, &OLD, false).is_err_and(|error| matches!(error, HistoryError::NewerVersion { .. }))
        );
    }

    #[test]
    fn a_step_that_fails_leaves_what_was_there() {
        let connection = memory();
        bring_up(&connection, &OLD, false).expect("steps");
        let broken = [OLD[0], "ALTER TABLE runs ADD COLUMN host TEXT; INSERT INTO nowhere VALUES (1)"];
        assert!(bring_up(&connection, &broken, false).is_err());
        assert_eq!(version(&connection), Ok(1));
        bring_up(&connection, &NEW, false).expect("the column isn't there yet");
    }

    #[test]
    fn another_programs_database_is_left_alone() {
        let connection = memory();
        connection.execute_batch("CREATE TABLE theirs (id INTEGER)").expect("a table");
        assert!(bring_up(&connection, &STEPS, false).is_err_and(|error| matches!(error, HistoryError::OtherProgram)));
        let connection = memory();
        connection.pragma_update(None, "application_id", 42).expect("a number");
        assert!(bring_up(&connection, &STEPS, false).is_err());
    }
}
