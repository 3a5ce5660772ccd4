//! The database: opens it, keeps runs, finds them again.

use std::path::Path;
use std::time::{Duration, Instant};

use assessment::Verdict;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, ToSql, TransactionBehavior};

use crate::document::unpacked;
use crate::{Document, Entry, Summary, Wanted, tables};

/// How long another program that writes is waited for.
const BUSY: Duration = Duration::from_secs(10);
/// The same for a run that is kept in passing.
const BUSY_IN_PASSING: Duration = Duration::from_millis(200);
/// A log that isn't written back by a run that is kept in passing, in bytes.
const LOG_SHORT: u64 = 1 << 20;
/// Where many programs keep runs without a pause between them, nobody is the last to close: the log is written back at
/// so many pages.
const LOG_PAGES: u32 = 4000;
/// Pause where the database itself doesn't wait.
const AGAIN: Duration = Duration::from_millis(20);
const COLUMNS: &str = "id, kind, started_unix_ms, ended_unix_ms, utc_offset_s, host, target, suite, verdict, cause, \
                       stopped, fathom, command, title, unasked";

pub struct Store {
    pub(crate) connection: Connection,
}

/// How a database is gone about.
#[derive(Clone, Copy)]
struct Manner {
    busy: Duration,
    /// What a commit waits for, in SQLite's word.
    synchronous: &'static str,
}

impl Store {
    /// Opens the database, and makes it where there is none.
    pub fn open(path: &Path) -> Result<Store, String> {
        Store::open_with(path, Manner { busy: BUSY, synchronous: "FULL" })
    }

    /// The same for a run that nobody asked to keep, which nothing is to wait for: others that write are waited for
    /// hardly at all, and few writes wait for the disk. After a power cut the newest runs may be missing; those that
    /// are there are whole.
    pub fn open_in_passing(path: &Path) -> Result<Store, String> {
        let store = Store::open_with(path, Manner { busy: BUSY_IN_PASSING, synchronous: "NORMAL" })?;
        // Who closes the database last writes the log back and waits for the disk; who opens it first reads all of the
        // log. Between the two a log of this length costs least.
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let is_short = std::fs::metadata(log).map_or(0, |found| found.len()) < LOG_SHORT;
        let told = |error: rusqlite::Error| error.to_string();
        store.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_short).map_err(told)?;
        store.connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES).map_err(told)?;
        Ok(store)
    }

    fn open_with(path: &Path, manner: Manner) -> Result<Store, String> {
        let told = |why: String| format!("{}: {why}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut connection = Connection::open(path).map_err(|error| told(error.to_string()))?;
        connection.busy_timeout(manner.busy).map_err(|error| told(error.to_string()))?;
        set_up(&connection, manner).map_err(|error| told(error.to_string()))?;
        tables::bring_up(&mut connection, &tables::STEPS).map_err(told)?;
        Ok(Store { connection })
    }

    /// Runs, the newest first.
    pub fn list(&self, wanted: &Wanted) -> Result<Vec<Entry>, String> {
        let mut question = format!("SELECT {COLUMNS} FROM runs WHERE true");
        let mut given: Vec<&dyn ToSql> = Vec::new();
        if let Some(tag) = &wanted.tag {
            question += " AND id IN (SELECT run FROM tags WHERE tag = ?)";
            given.push(tag);
        }
        if let Some(target) = &wanted.target {
            question += " AND target = ?";
            given.push(target);
        }
        if let Some(kind) = &wanted.kind {
            question += " AND kind = ?";
            given.push(kind);
        }
        // A negative limit is none.
        let limit = wanted.limit.map_or(-1, signed);
        question += " ORDER BY id DESC LIMIT ?";
        given.push(&limit);
        self.entries(&question, &given).map_err(|error| error.to_string())
    }

    fn entries(&self, question: &str, given: &[&dyn ToSql]) -> rusqlite::Result<Vec<Entry>> {
        let mut statement = self.connection.prepare(question)?;
        let found = statement.query_map(given, entry)?.collect::<rusqlite::Result<Vec<Entry>>>()?;
        let filled = found
            .into_iter()
            .map(|entry| Ok(Entry { tags: self.tags(entry.id)?, figures: self.figures(entry.id)?, ..entry }));
        filled.collect()
    }

    fn tags(&self, id: i64) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached("SELECT tag FROM tags WHERE run = ? ORDER BY tag")?;
        statement.query_map([id], |row| row.get(0))?.collect()
    }

    fn figures(&self, id: i64) -> rusqlite::Result<Vec<Summary>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT test, at, direction, verdict, iops, bytes_per_s, mean_ns, p50_ns, p99_ns FROM figures \
             WHERE run = ? ORDER BY position",
        )?;
        let line = |row: &Row| {
            Ok(Summary {
                test: row.get(0)?,
                at: row.get(1)?,
                direction: row.get(2)?,
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

    /// The number of the newest run.
    pub fn last(&self) -> Result<Option<i64>, String> {
        let last = self.connection.query_row("SELECT max(id) FROM runs", [], |row| row.get(0));
        last.map_err(|error| error.to_string())
    }

    /// A run by its number.
    pub fn entry(&self, id: i64) -> Result<Entry, String> {
        let question = format!("SELECT {COLUMNS} FROM runs WHERE id = ?");
        let found = self.entries(&question, &[&id]).map_err(|error| error.to_string())?;
        found.into_iter().next().ok_or_else(|| missing(id))
    }

    pub fn document(&self, id: i64) -> Result<Document, String> {
        let blob: Option<Vec<u8>> = self
            .connection
            .query_row("SELECT document FROM runs WHERE id = ?", [id], |row| row.get(0))
            .optional()
            .map_err(|error| error.to_string())?;
        let blob = blob.ok_or_else(|| missing(id))?;
        if blob.is_empty() {
            return Err(format!("run {id}: with so many threads only its figures are kept; --record keeps all"));
        }
        let text = unpacked(&blob).map_err(|why| format!("run {id}: {why}"))?;
        Document::read(&text).map_err(|why| format!("run {id}: {why}"))
    }

    /// Deletes all of these, or none where one of them isn't there.
    pub fn delete(&mut self, ids: &[i64]) -> Result<(), String> {
        let told = |error: rusqlite::Error| error.to_string();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        for id in ids {
            if transaction.execute("DELETE FROM runs WHERE id = ?", [id]).map_err(told)? == 0 {
                return Err(missing(*id));
            }
        }
        transaction.commit().map_err(told)
    }
}

/// Turning to the write-ahead log is the one thing for which the
/// database doesn't wait by itself.
fn set_up(connection: &Connection, manner: Manner) -> rusqlite::Result<()> {
    let since = Instant::now();
    let is_busy = |error: &rusqlite::Error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    };
    loop {
        let done = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match done {
            Err(error) if is_busy(&error) && since.elapsed() < manner.busy => std::thread::sleep(AGAIN),
            done => break done?,
        }
    }
    connection.execute_batch(&format!("PRAGMA synchronous = {}; PRAGMA foreign_keys = ON;", manner.synchronous))
}

pub(crate) fn missing(id: i64) -> String {
    format!("there is no run {id} in the history")
}

/// The database's integers have a sign; times and limits beyond them are those of no clock.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn verdict(name: &str) -> Option<Verdict> {
    [Verdict::Measured, Verdict::Pass, Verdict::Inconclusive, Verdict::Fail, Verdict::Invalid]
        .into_iter()
        .find(|verdict| verdict.to_string() == name)
}

fn entry(row: &Row) -> rusqlite::Result<Entry> {
    let time = |at: usize| row.get::<_, i64>(at).map(|time| u64::try_from(time).unwrap_or_default());
    Ok(Entry {
        id: row.get(0)?,
        kind: row.get(1)?,
        started_unix_ms: time(2)?,
        ended_unix_ms: time(3)?,
        utc_offset_s: row.get(4)?,
        host: row.get(5)?,
        target: row.get(6)?,
        suite: row.get(7)?,
        verdict: row.get::<_, Option<String>>(8)?.as_deref().and_then(verdict),
        cause: row.get(9)?,
        stopped: row.get(10)?,
        fathom: row.get(11)?,
        command: serde_json::from_str(&row.get::<_, String>(12)?).unwrap_or_default(),
        title: row.get(13)?,
        unasked: row.get(14)?,
        tags: Vec::new(),
        figures: Vec::new(),
    })
}
