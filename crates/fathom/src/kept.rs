//! Where the history is, and which of its runs a word means.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ::history::{Document, Store, Wanted};
use assessment::{Assessment, Target};
use judge::single;
use record::Record;
use serde::Serialize;
use study::repeats::{self, NAMES};

use crate::{saved, session};

/// The newest run.
const LAST: &str = "last";

pub fn store() -> Result<Store, String> {
    Store::open(&path()?)
}

/// None where nothing was ever kept.
pub fn store_if_any() -> Result<Option<Store>, String> {
    let path = path()?;
    if path.exists() { Store::open(&path).map(Some) } else { Ok(None) }
}

fn given(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn path() -> Result<PathBuf, String> {
    let data = given("XDG_DATA_HOME").or_else(|| Some(given("HOME")?.join(".local/share")));
    let data = data.ok_or("neither XDG_DATA_HOME nor HOME is set: there is no history")?;
    Ok(data.join("fathom/history.db"))
}

/// Keeps an assessment, and says its number.
pub fn keep(assessment: Assessment) -> Result<i64, String> {
    store()?.add(&Document::Assessment(Box::new(assessment)), &[])
}

/// Scripts say by the environment that nothing is to be kept.
pub fn is_off() -> bool {
    std::env::var_os("FATHOM_NO_HISTORY").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Keeps a run of a dialect's line, which nobody asked for: a program that takes fio's place says no word about it, waits
/// for nothing, and leaves no files where others couldn't write them again.
pub fn keep_in_passing(record: Record) {
    let did_something = record.totals().all.ios > 0;
    let Some(path) = path().ok().filter(|path| did_something && !is_off() && is_ours(path)) else { return };
    // A limit on the length of files would end the program with a signal.
    os::process::ignore_file_size_signal();
    let _ =
        Store::open_in_passing(&path).and_then(|mut store| store.add_in_passing(&Document::Record(Box::new(record))));
}

/// What there is of the path belongs to whom this process is, as it doesn't under `sudo` with the user's own HOME; and a
/// home that isn't there isn't made.
fn is_ours(path: &Path) -> bool {
    let home = given("HOME").filter(|_| given("XDG_DATA_HOME").is_none());
    let owner = |path: &Path| std::fs::metadata(path).map(|found| found.uid()).ok();
    if home.as_deref().is_some_and(|home| owner(home).is_none()) {
        return false;
    }
    // The database, its folder, the folder of all programs' data; and the home above them.
    let found = path.ancestors().take(3).chain(home.as_deref()).find_map(owner);
    found.is_none_or(|found| Some(found) == owner(Path::new("/proc/self")))
}

/// Whether a word is the number of a run or `last`; a file of such a name is `./7`.
pub fn is_of_history(word: &str) -> bool {
    word == LAST || (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The number that a word says; runs are counted from 1.
pub fn id(store: &Store, word: &str) -> Result<i64, String> {
    match word {
        LAST => store.last()?.ok_or_else(|| "nothing is kept yet".to_owned()),
        _ => {
            let id = word.parse::<i64>().ok().filter(|id| *id > 0 && is_of_history(word));
            id.ok_or_else(|| format!("`{word}` is no number of a run; `fathom history` lists them"))
        }
    }
}

/// The numbers of several, each once.
pub fn ids(store: &Store, words: &[String]) -> Result<Vec<i64>, String> {
    let mut ids = Vec::new();
    for word in words {
        let id = id(store, word)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The run of a word for which [`is_of_history`].
pub fn document(word: &str) -> Result<Document, String> {
    let store = store_if_any()?.ok_or("nothing is kept yet")?;
    saved::completed(store.document(id(&store, word)?)?).map_err(|error| error.to_string())
}

/// All runs with a tag, the oldest first.
pub fn documents_with(tag: &str) -> Result<Vec<Document>, String> {
    let store = store_if_any()?.ok_or("nothing is kept yet")?;
    let mut entries = store.list(&Wanted { tag: Some(tag.to_owned()), ..Wanted::default() })?;
    if entries.is_empty() {
        return Err(format!("no run has the tag {tag}"));
    }
    entries.reverse();
    entries.iter().map(|entry| store.document(entry.id)).collect()
}

/// Returns the repeats whose runs have a tag. Runs of two workloads have it with `-A` and `-B`, too.
///
/// # Errors
///
/// No run has the tag, or the runs are no repeats.
pub fn repeats_with(tag: &str) -> Result<Assessment, String> {
    let store = store_if_any()?.ok_or("nothing is kept yet")?;
    let wanted = Wanted { tag: Some(tag.to_owned()), kind: Some("record".to_owned()), ..Wanted::default() };
    let mut entries = store.list(&wanted)?;
    if entries.is_empty() {
        return Err(format!("no run has the tag {tag}"));
    }
    entries.reverse();
    let of_workload = NAMES.map(|name| format!("{tag}-{name}"));
    let side_of = |tags: &[String]| of_workload.iter().position(|workload| tags.contains(workload)).unwrap_or(0);
    let workloads = entries.iter().map(|entry| side_of(&entry.tags)).max().map_or(1, |last| last + 1);
    let mut sides: Vec<Vec<(Option<i64>, Record)>> = (0..workloads).map(|_| Vec::new()).collect();
    for entry in &entries {
        if let Document::Record(record) = store.document(entry.id)? {
            sides[side_of(&entry.tags)].push((Some(entry.id), *record));
        }
    }
    let target = sides.iter().flatten().next().map(|(_, record)| single::targets(record)).unwrap_or_default();
    let target = Target { path: target, ..Target::default() };
    let session = session::start("run", &[], target, Vec::new(), &[]);
    repeats::of_records(&session, tag, sides).map_err(|error| {
        format!(
            "the runs with the tag {tag}: {error}\nhelp: `fathom history --tag {tag}` lists them, `fathom compare` compares them"
        )
    })
}

pub fn json_text(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| error.to_string())
}
