//! Runs go in: as a whole, in one transaction. Those that nobody asked to keep make room for newer ones.

use record::schema;
use rusqlite::{Transaction, TransactionBehavior, params};

use crate::document::{Packing, packed};
use crate::store::{missing, signed};
use crate::{Document, Entry, Store};

/// Runs that were kept in passing: no more than so many, the newest,
pub const RUNS_IN_PASSING: u64 = 1000;
/// and no more than so many bytes of them.
pub const BYTES_IN_PASSING: u64 = 256 << 20;
/// Of a run with more threads only the figures are kept in passing: writing it down would take longer than people
/// wait who asked for nothing.
const WORKERS_IN_PASSING: usize = 64;

impl Store {
    /// Keeps a run, and says its number.
    pub fn add(&mut self, document: &Document, tags: &[String]) -> Result<i64, String> {
        let entry = Entry::of(document, tags);
        let blob = packed(&document.write()?, Packing::Small)?;
        self.insert(&entry, &blob, None).map_err(|error| error.to_string())
    }

    /// Keeps a run that nobody asked to keep: it goes when newer ones need the room.
    pub fn add_in_passing(&mut self, document: &Document) -> Result<i64, String> {
        self.add_within(document, (RUNS_IN_PASSING, BYTES_IN_PASSING))
    }

    fn add_within(&mut self, document: &Document, room: (u64, u64)) -> Result<i64, String> {
        let entry = Entry { unasked: true, ..Entry::of(document, &[]) };
        let text = match document {
            Document::Record(record) if record.workers.len() > WORKERS_IN_PASSING => None,
            Document::Record(record) => Some(schema::write_unverified(record).map_err(|broken| broken.to_string())?),
            Document::Assessment(_) => Some(document.write()?),
        };
        let blob = text.map_or(Ok(Vec::new()), |text| packed(&text, Packing::Fast))?;
        self.insert(&entry, &blob, Some(room)).map_err(|error| error.to_string())
    }

    /// Gives runs a tag more. They are asked for from then on.
    pub fn tag(&mut self, ids: &[i64], tags: &[String]) -> Result<(), String> {
        let told = |error: rusqlite::Error| error.to_string();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
        for id in ids {
            if transaction.execute("UPDATE runs SET unasked = 0 WHERE id = ?", [id]).map_err(told)? == 0 {
                return Err(missing(*id));
            }
            for tag in tags {
                let put =
                    transaction.execute("INSERT OR IGNORE INTO tags (run, tag) VALUES (?1, ?2)", params![id, tag]);
                put.map_err(told)?;
            }
        }
        transaction.commit().map_err(told)
    }

    fn insert(&mut self, entry: &Entry, blob: &[u8], room: Option<(u64, u64)>) -> rusqlite::Result<i64> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let id = put(&transaction, entry, blob)?;
        if let Some((runs, bytes)) = room {
            // The newest one stays, however long it is.
            transaction.execute(
                "DELETE FROM runs WHERE id < ?1 AND id IN (SELECT id FROM (SELECT id, \
                 row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM runs WHERE unasked = 1 \
                 WINDOW newest AS (ORDER BY id DESC)) WHERE place > ?2 OR total > ?3)",
                params![id, signed(runs), signed(bytes)],
            )?;
        }
        transaction.commit()?;
        Ok(id)
    }
}

fn put(transaction: &Transaction, entry: &Entry, blob: &[u8]) -> rusqlite::Result<i64> {
    let command = serde_json::to_string(&entry.command).unwrap_or_default();
    transaction.execute(
        "INSERT INTO runs (kind, started_unix_ms, ended_unix_ms, utc_offset_s, host, target, suite, verdict, cause, \
         stopped, fathom, command, document, title, unasked, bytes) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
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
            entry.title,
            entry.unasked,
            signed(blob.len() as u64),
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
    Ok(id)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Wanted;

    fn store(test: &str) -> (Store, std::path::PathBuf) {
        let folder = std::env::temp_dir().join(format!("fathom-keep-{test}-{}", std::process::id()));
        (Store::open_in_passing(&folder.join("history.db")).expect("a store"), folder)
    }

    fn document() -> Document {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/records/1-fio.json");
        Document::read(&std::fs::read(path).expect("a golden record")).expect("a record")
    }

    fn numbers(store: &Store) -> Vec<i64> {
        store.list(&Wanted::default()).expect("a list").iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn old_runs_that_nobody_asked_for_make_room_and_no_others() {
        let (mut store, folder) = store("room");
        let document = document();
        let asked = store.add(&document, &[]).expect("kept");
        let tagged = store.add_within(&document, (3, u64::MAX)).expect("kept");
        store.tag(&[tagged], &["mine".to_owned()]).expect("tagged");
        assert!(store.tag(&[asked, 77], &["mine".to_owned()]).is_err_and(|why| why.contains("no run 77")));
        for _ in 0..5 {
            store.add_within(&document, (3, u64::MAX)).expect("kept");
        }
        assert_eq!(numbers(&store), [7, 6, 5, tagged, asked]);
        // By bytes: the newest stays, even if it is too long by itself.
        store.add_within(&document, (3, 1)).expect("kept");
        assert_eq!(numbers(&store), [8, tagged, asked]);
        let figures = "SELECT count(DISTINCT run) FROM figures";
        let left: i64 = store.connection.query_row(figures, [], |row| row.get(0)).expect("figures");
        assert_eq!(left, 3, "what is dropped leaves nothing");
        drop(std::fs::remove_dir_all(folder));
    }

    #[test]
    fn of_a_run_with_very_many_threads_the_figures_are_kept() {
        let (mut store, folder) = store("threads");
        let Document::Record(mut record) = document() else { panic!("a record") };
        let worker = record.workers[0].clone();
        record.workers.resize(WORKERS_IN_PASSING + 1, worker);
        let mut plan = plan::Plan::clone(&record.plan);
        let worker = plan.workers[0].clone();
        plan.workers.resize(WORKERS_IN_PASSING + 1, worker);
        record.plan = plan.into();
        let id = store.add_in_passing(&Document::Record(record)).expect("kept");
        assert!(!store.entry(id).expect("an entry").figures.is_empty());
        assert!(store.document(id).is_err_and(|why| why.contains("only its figures are kept")));
        drop(std::fs::remove_dir_all(folder));
    }
}
