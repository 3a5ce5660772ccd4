//! Adds runs to the database, each in one transaction. Newer automatic runs replace older ones.

use record::schema::{self, Layout};
use rusqlite::{Transaction, params};

use crate::document::{Packing, packed};
use crate::store::signed;
use crate::{Document, Entry, HistoryError, Store};

/// Largest number of automatic runs in the database.
pub const AUTOMATIC_RUNS_MAX: u64 = 1000;
/// Largest size of all automatic runs, in bytes.
pub const AUTOMATIC_BYTES_MAX: u64 = 256 << 20;
/// Of an automatic run with more threads only the figures are saved: compressing the record would delay the end of the
/// program.
const AUTOMATIC_WORKERS_MAX: usize = 64;

impl Store {
    /// Adds a document and returns its number. `message` is the cause of its verdict as a sentence, for lists.
    ///
    /// # Errors
    ///
    /// The document has no text, or SQLite fails.
    pub fn add(&mut self, document: &Document, message: &str, tags: &[String]) -> Result<i64, HistoryError> {
        let entry = Entry::of(document, message, tags);
        let blob = packed(&document.write()?, Packing::Small)?;
        Ok(self.insert(&entry, &blob, None)?)
    }

    /// Saves a run automatically. It is deleted when newer automatic runs need the space.
    ///
    /// # Errors
    ///
    /// As [`Store::add`].
    pub fn add_in_passing(&mut self, document: &Document) -> Result<i64, HistoryError> {
        self.add_within(document, (AUTOMATIC_RUNS_MAX, AUTOMATIC_BYTES_MAX))
    }

    fn add_within(&mut self, document: &Document, room: (u64, u64)) -> Result<i64, HistoryError> {
        let entry = Entry { automatic: true, ..Entry::of(document, "", &[]) };
        let text = match document {
            Document::Record(record) if record.workers.len() > AUTOMATIC_WORKERS_MAX => None,
            Document::Record(record) => Some(schema::write_unverified(record)?),
            Document::Assessment(_) => Some(document.write()?),
        };
        let blob = text.map_or(Ok(Vec::new()), |text| packed(&text, Packing::Fast))?;
        Ok(self.insert(&entry, &blob, Some(room))?)
    }

    /// Adds tags to runs. A tagged run is no longer automatic, so newer runs do not replace it.
    ///
    /// # Errors
    ///
    /// A run does not exist, or SQLite fails.
    pub fn tag(&mut self, ids: &[i64], tags: &[String]) -> Result<(), HistoryError> {
        let transaction = self.write()?;
        for id in ids {
            if transaction.execute("UPDATE runs SET automatic = 0 WHERE id = ?", [id])? == 0 {
                return Err(HistoryError::NoRun(*id));
            }
            for tag in tags {
                let put =
                    transaction.execute("INSERT OR IGNORE INTO tags (run, tag) VALUES (?1, ?2)", params![id, tag]);
                put?;
            }
        }
        Ok(transaction.commit()?)
    }

    fn insert(&mut self, entry: &Entry, blob: &[u8], room: Option<(u64, u64)>) -> rusqlite::Result<i64> {
        let transaction = self.write()?;
        let id = put(&transaction, entry, blob)?;
        if let Some((runs, bytes)) = room {
            // The newest run stays, whatever its size.
            transaction.execute(
                "DELETE FROM runs WHERE id < ?1 AND id IN (SELECT id FROM (SELECT id, \
                 row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM runs WHERE automatic = 1 \
                 WINDOW newest AS (ORDER BY id DESC)) WHERE place > ?2 OR total > ?3)",
                params![id, signed(runs), signed(bytes)],
            )?;
        }
        transaction.commit()?;
        Ok(id)
    }
}

fn put(transaction: &Transaction, entry: &Entry, blob: &[u8]) -> rusqlite::Result<i64> {
    let command = Layout::LINE.format(&entry.command).unwrap_or_default();
    let devices = Layout::LINE.format(&entry.devices).unwrap_or_default();
    let cause = entry.cause.as_ref().and_then(|cause| Layout::LINE.format(cause).ok()).unwrap_or_default();
    let key_figures = Layout::LINE.format(&entry.key_figures).unwrap_or_default();
    transaction.execute(
        "INSERT INTO runs (kind, started_unix_ms, ended_unix_ms, utc_offset_s, host, target, suite, verdict, message, \
         stopped, fathom, command, document, title, automatic, bytes, file_system, devices, instance_type, zone, cause, \
         key_figures) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
        params![
            entry.kind.raw(),
            signed(entry.started_unix_ms),
            signed(entry.ended_unix_ms),
            entry.utc_offset_s,
            entry.host.raw(),
            entry.target.raw(),
            entry.suite.raw(),
            entry.verdict.map(|verdict| verdict.to_string()),
            entry.message.raw(),
            entry.stopped,
            entry.fathom.raw(),
            command,
            blob,
            entry.title.raw(),
            entry.automatic,
            signed(blob.len() as u64),
            entry.file_system.raw(),
            devices,
            entry.instance_type.raw(),
            entry.zone.raw(),
            cause,
            key_figures,
        ],
    )?;
    let id = transaction.last_insert_rowid();
    for tag in &entry.tags {
        transaction.execute("INSERT INTO tags (run, tag) VALUES (?1, ?2)", params![id, tag.raw()])?;
    }
    for (position, line) in (0i64..).zip(&entry.figures) {
        transaction.execute(
            "INSERT INTO figures VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                id,
                position,
                line.test.raw(),
                line.at.raw(),
                line.direction.raw(),
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
    use crate::RunFilter;

    fn store(test: &str) -> (Store, std::path::PathBuf) {
        let folder = std::env::temp_dir().join(format!("fathom-keep-{test}-{}", std::process::id()));
        (Store::open_in_passing(&folder.join("history.db")).expect("a store"), folder)
    }

    fn document() -> Document {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/records/1-fio.json");
        Document::read(&std::fs::read(path).expect("a golden record")).expect("a record")
    }

    fn numbers(store: &Store) -> Vec<i64> {
        store.list(&RunFilter::default()).expect("a list").iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn new_automatic_runs_replace_old_ones_and_no_others() {
        let (mut store, folder) = store("room");
        let document = document();
        let requested = store.add(&document, "", &[]).expect("kept");
        let tagged = store.add_within(&document, (3, u64::MAX)).expect("kept");
        store.tag(&[tagged], &["mine".to_owned()]).expect("tagged");
        assert!(
            store
                .tag(&[requested, 77], &["mine".to_owned()])
                .is_err_and(|error| matches!(error, HistoryError::NoRun(77)))
        );
        for _ in 0..5 {
            store.add_within(&document, (3, u64::MAX)).expect("kept");
        }
        assert_eq!(numbers(&store), [7, 6, 5, tagged, requested]);
        // The newest run stays, although it is larger than the limit.
        store.add_within(&document, (3, 1)).expect("kept");
        assert_eq!(numbers(&store), [8, tagged, requested]);
        let figures = "SELECT count(DISTINCT run) FROM figures";
        let left: i64 = store.connection.query_row(figures, [], |row| row.get(0)).expect("figures");
        assert_eq!(left, 3, "deleted runs leave no figures");
        drop(std::fs::remove_dir_all(folder));
    }

    #[test]
    fn of_a_run_with_very_many_threads_the_figures_are_kept() {
        let (mut store, folder) = store("threads");
        let Document::Record(mut record) = document() else { panic!("a record") };
        let worker = record.workers[0].clone();
        record.workers.resize(AUTOMATIC_WORKERS_MAX + 1, worker);
        let mut plan = plan::Plan::clone(&record.plan);
        let worker = plan.workers[0].clone();
        plan.workers.resize(AUTOMATIC_WORKERS_MAX + 1, worker);
        record.plan = plan.into();
        let id = store.add_in_passing(&Document::Record(record)).expect("kept");
        assert!(!store.entry(id).expect("an entry").figures.is_empty());
        assert!(store.document(id).is_err_and(|error| matches!(error, HistoryError::FiguresOnly(_))));
        drop(std::fs::remove_dir_all(folder));
    }
}
