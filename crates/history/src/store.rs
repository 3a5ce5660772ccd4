//! The database: opens it, keeps runs, finds them again.

use std::path::Path;
use std::time::{Duration, Instant};

use judge::Verdict;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, ToSql, TransactionBehavior, params};

use crate::document::{packed, unpacked};
use crate::{Document, Entry, Summary, Wanted, tables};

/// How long another program that writes is waited for.
const BUSY: Duration = Duration::from_secs(10);
/// Pause where the database itself doesn't wait.
const AGAIN: Duration = Duration::from_millis(20);
const COLUMNS: &str = "id, kind, started_unix_ms, ended_unix_ms, utc_offset_s, host, target, suite, verdict, cause, \
                       stopped, fathom, command";

pub struct Store {
    connection: Connection,
}

impl Store {
    /// Opens the database, and makes it where there is none.
    pub fn open(path: &Path) -> Result<Store, String> {
        let told = |why: String| format!("{}: {why}", path.display());
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut connection = Connection::open(path).map_err(|error| told(error.to_string()))?;
        connection.busy_timeout(BUSY).map_err(|error| told(error.to_string()))?;
        set_up(&connection).map_err(|error| told(error.to_string()))?;
        tables::bring_up(&mut connection, &tables::STEPS).map_err(told)?;
        Ok(Store { connection })
    }

    /// Keeps a run, and says its number.
    pub fn add(&mut self, document: &Document, tags: &[String]) -> Result<i64, String> {
        let entry = Entry::of(document, tags);
        let blob = packed(&document.write()?)?;
        self.insert(&entry, &blob).map_err(|error| error.to_string())
    }

    fn insert(&mut self, entry: &Entry, blob: &[u8]) -> rusqlite::Result<i64> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let command = serde_json::to_string(&entry.command).unwrap_or_default();
        transaction.execute(
            "INSERT INTO runs (kind, started_unix_ms, ended_unix_ms, utc_offset_s, host, target, suite, verdict, cause, \
             stopped, fathom, command, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                entry.kind,
                signed(entry.started_unix_ms),
                signed(entry.ended_unix_ms),
                entry.utc_offset_s,
                entry.host,
                entry.target,
                entry.suite,
                entry.verdict.map(|verdict| verdict.to_string()),
                entry.cause,
                entry.stopped,
                entry.fathom,
                command,
                blob,
            ],
        )?;
        let id = transaction.last_insert_rowid();
        for tag in &entry.tags {
            transaction.execute("INSERT INTO tags (run, tag) VALUES (?1, ?2)", params![id, tag])?;
        }
        for (position, line) in (0i64..).zip(&entry.figures) {
            transaction.execute(
                "INSERT INTO figures VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    id,
                    position,
                    line.test,
                    line.at,
                    line.direction,
                    line.verdict.map(|verdict| verdict.to_string()),
                    line.iops,
                    line.bytes_per_s,
                    line.mean_ns,
                    line.p50_ns,
                    line.p99_ns,
                ],
            )?;
        }
        transaction.commit()?;
        Ok(id)
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
        let text = unpacked(&blob.ok_or_else(|| missing(id))?).map_err(|why| format!("run {id}: {why}"))?;
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

/// What was committed stays after a power cut, too. Turning to the write-ahead log is the one thing for which the
/// database doesn't wait by itself.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    let since = Instant::now();
    let is_busy = |error: &rusqlite::Error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    };
    loop {
        let done = connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()));
        match done {
            Err(error) if is_busy(&error) && since.elapsed() < BUSY => std::thread::sleep(AGAIN),
            done => break done?,
        }
    }
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")
}

fn missing(id: i64) -> String {
    format!("there is no run {id} in the history")
}

/// The database's integers have a sign; times and limits beyond them are those of no clock.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn verdict(name: &str) -> Option<Verdict> {
    [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail, Verdict::Invalid]
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
        tags: Vec::new(),
        figures: Vec::new(),
    })
}
