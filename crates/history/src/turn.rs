//! The lock of a writer. SQLite gives it to any of the programs that wait, so one of many can wait longer than the limit while
//! the others commit.

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

/// Starts a transaction that writes. With `waits_for_turn`, the limit of the wait begins again with each commit of another
/// connection.
///
/// # Errors
///
/// Another program holds the lock for too long, or SQLite fails.
pub fn begin(connection: &Connection, waits_for_turn: bool) -> rusqlite::Result<Transaction<'_>> {
    loop {
        let before = commits_of_others(connection)?;
        match Transaction::new_unchecked(connection, TransactionBehavior::Immediate) {
            Err(error) if waits_for_turn && is_busy(&error) && commits_of_others(connection)? != before => {}
            started => return started,
        }
    }
}

/// Returns a number that changes with each commit of another connection.
fn commits_of_others(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA data_version", [], |row| row.get(0))
}

pub fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;

    fn connect(path: &Path, busy: Duration) -> Connection {
        let connection = Connection::open(path).expect("a database");
        connection.busy_timeout(busy).expect("a setting");
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).expect("a setting");
        connection
            .execute_batch("PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS numbers (one)")
            .expect("a table");
        connection
    }

    /// Writes some times. It holds the lock for a while, and takes it again at once.
    fn write_without_pause(connection: &Connection, times: usize, held: Duration) {
        for _ in 0..times {
            let transaction = begin(connection, true).expect("the lock");
            transaction.execute_batch("INSERT INTO numbers VALUES (1)").expect("a row");
            std::thread::sleep(held);
            transaction.commit().expect("a commit");
        }
    }

    #[test]
    fn a_writer_waits_longer_than_the_limit_while_others_commit() {
        let folder = harness::Scratch::new("history-turn");
        let path = folder.file("history.db");
        let (holder, waiter) = (connect(&path, Duration::from_secs(60)), connect(&path, Duration::from_secs(2)));
        let holds = std::thread::spawn(move || write_without_pause(&holder, 50, Duration::from_millis(70)));
        std::thread::sleep(Duration::from_millis(200));
        write_without_pause(&waiter, 1, Duration::ZERO);
        holds.join().expect("the holder writes");
    }

    #[test]
    fn a_lock_that_is_held_without_a_commit_is_given_up() {
        let folder = harness::Scratch::new("history-held");
        let path = folder.file("history.db");
        let (holder, waiter) = (connect(&path, Duration::ZERO), connect(&path, Duration::ZERO));
        let held = begin(&holder, true).expect("the lock");
        assert!(begin(&waiter, true).is_err_and(|error| is_busy(&error)));
        drop(held);
        assert!(begin(&waiter, true).is_ok());
    }
}
