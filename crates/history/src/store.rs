//! The database: opens it, lists, reads and deletes runs.

#![expect(clippy::disallowed_methods, reason = "SQLite makes the files, and their paths pass the guard")]

use std::path::Path;
use std::time::{Duration, Instant};

use assessment::Verdict;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, ToSql, Transaction};
use serde::de::DeserializeOwned;
use units::untrusted::UntrustedText;

use crate::document::unpacked;
use crate::turn::{begin, is_busy};
use crate::{Document, Entry, HistoryError, RunFilter, Summary, tables};

/// Longest wait for another program that writes, from its last commit.
const BUSY: Duration = Duration::from_secs(10);
/// Longest wait after a run: the result is then saved in a file.
const BUSY_AFTER_RUN: Duration = Duration::from_secs(1);
/// The same for an automatic run.
const BUSY_OF_AUTOMATIC: Duration = Duration::from_millis(200);
/// An automatic run writes the log back if the log is larger than this, in bytes.
const LOG_SHORT: u64 = 1 << 20;
/// If several programs save runs without a pause, none of them is the last to close. The log is then written back at
/// this number of pages.
const LOG_PAGES: u32 = 4000;
/// Pause between two attempts where SQLite itself does not wait.
const AGAIN: Duration = Duration::from_millis(20);
const COLUMNS: &str = "id, kind, started_unix_ms, ended_unix_ms, utc_offset_s, host, target, suite, verdict, cause, \
                       stopped, fathom, command, title, automatic, file_system, devices, instance_type, zone, message, \
                       key_figures";

/// Condition on the target as it was given, its path, the folder above it, and on one of several targets: they are
/// separated by spaces, and a volume has its name before it.
const OF_TARGET: &str = " AND (target IN (?, ?) OR substr(target, 1, length(?)) = ? \
                         OR instr(replace(' ' || target || ' ', '=', ' '), ' ' || ? || ' ') > 0 \
                         OR instr(replace(' ' || target, '=', ' '), ' ' || ?) > 0)";

pub struct Store {
    pub(crate) connection: Connection,
    /// Waits again if other programs committed during the wait.
    waits_for_turn: bool,
}

/// Returns the URI of a database that no program can change.
fn immutable(path: &Path) -> String {
    let mut location = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if std::path::is_separator('\\') => location.push('/'),
            b'%' | b'?' | b'#' => location += &format!("%{byte:02x}"),
            _ if byte.is_ascii() => location.push(char::from(byte)),
            _ => location += &format!("%{byte:02x}"),
        }
    }
    // A drive letter is below the root.
    let root = if location.as_bytes().get(1) == Some(&b':') { "/" } else { "" };
    format!("file:{root}{location}?immutable=1")
}

/// How a database is opened.
#[derive(Clone, Copy)]
struct Opening {
    busy: Duration,
    /// The value of SQLite's `synchronous`: what a commit waits for.
    synchronous: &'static str,
    waits_for_turn: bool,
}

impl Store {
    /// Opens the database, and creates it if there is none.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, or the database is not one that this version reads.
    pub fn open(path: &Path) -> Result<Store, HistoryError> {
        Store::open_with(path, Opening { busy: BUSY, synchronous: "FULL", waits_for_turn: true })
    }

    /// Opens the database for the result of a run. It waits 1 s for other writers.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open_after_run(path: &Path) -> Result<Store, HistoryError> {
        Store::open_with(path, Opening { busy: BUSY_AFTER_RUN, synchronous: "FULL", waits_for_turn: false })
    }

    /// Opens an existing database to read it, also on a read-only disk.
    ///
    /// # Errors
    ///
    /// The database is not one that this version reads, or it cannot be read.
    pub fn open_to_read(path: &Path) -> Result<Store, HistoryError> {
        match Store::open(path) {
            Err(error) if error.is_of_read_only_disk() => Store::open_unchanged(path),
            opened => opened,
        }
    }

    /// Opens a database that no program can change. SQLite then needs no lock, and does not read the write-ahead log.
    fn open_unchanged(path: &Path) -> Result<Store, HistoryError> {
        let failed = |error| HistoryError::Open { path: path.to_owned(), error: Box::new(error) };
        if log_bytes(path) > 0 {
            return Err(failed(HistoryError::LogOnReadOnlyDisk));
        }
        let location = immutable(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(&location, flags).map_err(HistoryError::from);
        let connection = opened.and_then(|connection| tables::check(&connection).map(|()| connection));
        connection.map(|connection| Store { connection, waits_for_turn: false }).map_err(failed)
    }

    /// Opens the database for an automatic run. The run must not delay the program: it waits 200 ms for other writers,
    /// and a commit does not wait for the disk. After a power failure the newest runs may be missing; the others are
    /// whole.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, or the database is in use or not one that this version reads.
    pub fn open_in_passing(path: &Path) -> Result<Store, HistoryError> {
        let opening = Opening { busy: BUSY_OF_AUTOMATIC, synchronous: "NORMAL", waits_for_turn: false };
        let store = Store::open_with(path, opening)?;
        // The last program to close the database writes the log back and waits for the disk. The first one to open it
        // reads the whole log. A log of this length costs least in sum.
        let is_short = log_bytes(path) < LOG_SHORT;
        store.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_short)?;
        store.connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
        Ok(store)
    }

    fn open_with(path: &Path, opening: Opening) -> Result<Store, HistoryError> {
        if let Some(folder) = path.parent() {
            let failed = |error| HistoryError::Folder { path: folder.to_owned(), error };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let waits_for_turn = opening.waits_for_turn;
        let opened = connect(path, opening).map(|connection| Store { connection, waits_for_turn });
        opened.map_err(|error| HistoryError::Open { path: path.to_owned(), error: Box::new(error) })
    }

    /// Starts a transaction that writes.
    pub(crate) fn write(&mut self) -> rusqlite::Result<Transaction<'_>> {
        begin(&self.connection, self.waits_for_turn)
    }

    /// Returns the runs that match, the newest first.
    ///
    /// # Errors
    ///
    /// SQLite fails.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<Entry>, HistoryError> {
        let mut question = format!("SELECT {COLUMNS} FROM runs WHERE true");
        let mut given: Vec<&dyn ToSql> = Vec::new();
        if let Some(tag) = &filter.tag {
            question += " AND id IN (SELECT run FROM tags WHERE tag = ?)";
            given.push(tag);
        }
        let folder = filter.target.as_ref().map(|target| format!("{}/", target.path.trim_end_matches('/')));
        if let (Some(target), Some(folder)) = (&filter.target, &folder) {
            question += OF_TARGET;
            given.extend([&target.given as &dyn ToSql, &target.path, folder, folder, &target.path, folder]);
        }
        for (column, value) in
            [("host", &filter.host), ("instance_type", &filter.instance_type), ("suite", &filter.suite)]
        {
            if let Some(value) = value {
                question += &format!(" AND {column} = ? COLLATE NOCASE");
                given.push(value);
            }
        }
        if let Some(kind) = &filter.kind {
            question += " AND kind = ?";
            given.push(kind);
        }
        question += " ORDER BY id DESC";
        let limit = filter.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(self.entries(&question, &given, filter.device.as_deref(), limit)?)
    }

    /// Returns at most `limit` entries; only those with the device, if one is given.
    fn entries(
        &self,
        question: &str,
        given: &[&dyn ToSql],
        device: Option<&str>,
        limit: usize,
    ) -> rusqlite::Result<Vec<Entry>> {
        let mut statement = self.connection.prepare(question)?;
        let has_device = |entry: &Entry| {
            device.is_none_or(|wanted| entry.devices.iter().any(|device| device.is_identified_by(wanted)))
        };
        let found = statement.query_map(given, entry)?.filter(|entry| entry.as_ref().map_or(true, has_device));
        let found = found.take(limit).collect::<rusqlite::Result<Vec<Entry>>>()?;
        let filled = found
            .into_iter()
            .map(|entry| Ok(Entry { tags: self.tags(entry.id)?, figures: self.figures(entry.id)?, ..entry }));
        filled.collect()
    }

    fn tags(&self, id: i64) -> rusqlite::Result<Vec<UntrustedText>> {
        let mut statement = self.connection.prepare_cached("SELECT tag FROM tags WHERE run = ? ORDER BY tag")?;
        statement.query_map([id], |row| text(row, 0))?.collect()
    }

    fn figures(&self, id: i64) -> rusqlite::Result<Vec<Summary>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT test, at, direction, verdict, iops, bytes_per_s, mean_ns, p50_ns, p99_ns FROM figures \
             WHERE run = ? ORDER BY position",
        )?;
        let line = |row: &Row| {
            Ok(Summary {
                test: text(row, 0)?,
                at: text(row, 1)?,
                direction: text(row, 2)?,
                verdict: row.get::<_, Option<String>>(3)?.as_deref().and_then(verdict),
                iops: row.get(4)?,
                bytes_per_s: row.get(5)?,
                mean_ns: row.get(6)?,
                p50_ns: row.get(7)?,
                p99_ns: row.get(8)?,
            })
        };
        statement.query_map([id], line)?.collect()
    }

    /// Returns the number of the newest run; `None` without a run.
    ///
    /// # Errors
    ///
    /// SQLite fails.
    pub fn last(&self) -> Result<Option<i64>, HistoryError> {
        let last = self.connection.query_row("SELECT max(id) FROM runs", [], |row| row.get(0));
        Ok(last?)
    }

    /// Returns a run by its number.
    ///
    /// # Errors
    ///
    /// The run does not exist, or SQLite fails.
    pub fn entry(&self, id: i64) -> Result<Entry, HistoryError> {
        let question = format!("SELECT {COLUMNS} FROM runs WHERE id = ?");
        let found = self.entries(&question, &[&id], None, 1)?;
        found.into_iter().next().ok_or(HistoryError::NoRun(id))
    }

    /// Returns the document of a run.
    ///
    /// # Errors
    ///
    /// The run does not exist, only its figures are saved, or its document cannot be read.
    pub fn document(&self, id: i64) -> Result<Document, HistoryError> {
        let blob: Option<Vec<u8>> =
            self.connection.query_row("SELECT document FROM runs WHERE id = ?", [id], |row| row.get(0)).optional()?;
        let blob = blob.ok_or(HistoryError::NoRun(id))?;
        if blob.is_empty() {
            return Err(HistoryError::FiguresOnly(id));
        }
        let read = unpacked(&blob).and_then(|text| Ok(Document::read(&text)?));
        read.map_err(|error| HistoryError::Document { run: id, error: Box::new(error) })
    }

    /// Deletes runs: all of them, or none if one does not exist.
    ///
    /// # Errors
    ///
    /// A run does not exist, or SQLite fails.
    pub fn delete(&mut self, ids: &[i64]) -> Result<(), HistoryError> {
        let transaction = self.write()?;
        for id in ids {
            if transaction.execute("DELETE FROM runs WHERE id = ?", [id])? == 0 {
                return Err(HistoryError::NoRun(*id));
            }
        }
        Ok(transaction.commit()?)
    }
}

/// Returns the size of the write-ahead log of a database.
fn log_bytes(path: &Path) -> u64 {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).map_or(0, |found| found.len())
}

fn connect(path: &Path, opening: Opening) -> Result<Connection, HistoryError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(opening.busy)?;
    set_up(&connection, opening)?;
    tables::create(&connection, opening.waits_for_turn)?;
    Ok(connection)
}

/// Sets the connection up. SQLite does not wait by itself for the change to the write-ahead log.
fn set_up(connection: &Connection, opening: Opening) -> rusqlite::Result<()> {
    let since = Instant::now();
    loop {
        let done = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match done {
            Err(error) if is_busy(&error) && since.elapsed() < opening.busy => std::thread::sleep(AGAIN),
            done => break done?,
        }
    }
    connection.execute_batch(&format!("PRAGMA synchronous = {}; PRAGMA foreign_keys = ON;", opening.synchronous))
}

/// Converts a number to SQLite's signed integers. Larger numbers become the largest one.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn verdict(name: &str) -> Option<Verdict> {
    use Verdict::{Fail, Inconclusive, Invalid, Measured, Pass, Skipped};
    [Measured, Pass, Skipped, Inconclusive, Fail, Invalid].into_iter().find(|verdict| verdict.to_string() == name)
}

/// Parses a column. The parser is that of documents: one of its own would add 1 % to the program's size.
fn json<T: DeserializeOwned>(text: &str) -> Option<T> {
    record::schema::read_document(text.as_bytes()).ok()
}

fn text(row: &Row, at: usize) -> rusqlite::Result<UntrustedText> {
    row.get::<_, String>(at).map(UntrustedText::from)
}

fn entry(row: &Row) -> rusqlite::Result<Entry> {
    let time = |at: usize| row.get::<_, i64>(at).map(|time| u64::try_from(time).unwrap_or_default());
    Ok(Entry {
        id: row.get(0)?,
        kind: text(row, 1)?,
        started_unix_ms: time(2)?,
        ended_unix_ms: time(3)?,
        utc_offset_s: row.get(4)?,
        host: text(row, 5)?,
        target: text(row, 6)?,
        suite: text(row, 7)?,
        verdict: row.get::<_, Option<String>>(8)?.as_deref().and_then(verdict),
        message: text(row, 19)?,
        cause: json(&row.get::<_, String>(9)?),
        stopped: row.get(10)?,
        fathom: text(row, 11)?,
        command: json(&row.get::<_, String>(12)?).unwrap_or_default(),
        title: text(row, 13)?,
        automatic: row.get(14)?,
        file_system: text(row, 15)?,
        devices: json(&row.get::<_, String>(16)?).unwrap_or_default(),
        instance_type: text(row, 17)?,
        zone: text(row, 18)?,
        tags: Vec::new(),
        figures: Vec::new(),
        key_figures: json(&row.get::<_, String>(20)?).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::Scratch;

    #[cfg(unix)]
    #[test]
    fn a_database_that_cannot_be_written_is_read_whatever_its_path() {
        let folder = Scratch::new("history-immutable");
        let path = folder.file("100%41? #1 \\ ü/history.db");
        drop(Store::open(&path).expect("a database"));
        let store = Store::open_unchanged(&path).expect("a database");
        assert_eq!(store.last().expect("an answer"), None);
        assert!(store.connection.execute("DELETE FROM runs", []).is_err());
    }

    #[test]
    fn a_database_with_a_write_ahead_log_on_a_read_only_disk_is_refused() {
        let folder = Scratch::new("history-log");
        let path = folder.file("history.db");
        drop(Store::open(&path).expect("a database"));
        let log = folder.file("history.db-wal");
        std::fs::write(&log, b"").expect("a log");
        assert!(Store::open_unchanged(&path).is_ok(), "an empty log has no transactions");
        std::fs::write(&log, b"x").expect("a log");
        let refused = Store::open_unchanged(&path).err().expect("an error").to_string();
        assert!(refused.contains(&HistoryError::LogOnReadOnlyDisk.to_string()), "{refused}");
    }

    #[test]
    fn a_commit_goes_to_the_log_and_waits_for_the_disk_unless_in_passing() {
        let folder = Scratch::new("history-settings");
        let path = folder.file("history.db");
        let settings = |store: Store| {
            let journal = store.connection.query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0));
            let synchronous = store.connection.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0));
            (journal.expect("a setting"), synchronous.expect("a setting"))
        };
        assert_eq!(settings(Store::open(&path).expect("a database")), ("wal".to_owned(), 2));
        assert_eq!(settings(Store::open_in_passing(&path).expect("a database")), ("wal".to_owned(), 1));
    }

    #[test]
    fn a_new_database_that_another_program_creates_is_waited_for() {
        let folder = Scratch::new("history-created");
        let path = folder.file("history.db");
        let other = Connection::open(&path).expect("a database");
        other.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        let opens = std::thread::spawn(move || Store::open(&path).map(drop));
        std::thread::sleep(Duration::from_millis(300));
        other.execute_batch("COMMIT").expect("a commit");
        opens.join().expect("no panic").expect("the database is free");
    }
}
