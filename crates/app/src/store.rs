//! The history: where its file is, and which of its runs an argument names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::history::{Document, Entry, RunFilter, Store, TargetFilter};
use assessment::Assessment;
use record::Record;
use record::schema::{Layout, SchemaError};
use serde::Serialize;
use study::Session;
use study::repeats::{self, NAMES};
use targets::OutputGuard;
use units::untrusted::UntrustedText;

use crate::command_error::CommandError;
use crate::user_folder::user_folder;
use crate::{atomic_file, documents};

/// Most runs of one target that are searched for repeats, the newest first.
const SIMILAR_MAX: u64 = 100;
/// The newest run.
const LAST: &str = "last";

/// Opens the history and creates it if necessary.
///
/// # Errors
/// The file cannot be opened, or the output guard refuses it.
pub fn open() -> Result<Store, CommandError> {
    Ok(Store::open(&checked(path()?)?)?)
}

/// Opens the history to read or change it; `None` if it does not exist yet. On a read-only disk it can be read.
///
/// # Errors
/// As [`open`], or its folder cannot be read.
pub fn open_if_any() -> Result<Option<Store>, CommandError> {
    let path = path()?;
    let exists = path.try_exists().map_err(|error| format!("{}: {}", path.display(), units::errno::reason(&error)))?;
    Ok(if exists { Some(Store::open_to_read(&checked(path)?)?) } else { None })
}

/// Opens a history that must exist.
///
/// # Errors
/// The history does not exist, or as [`open`].
pub fn open_existing() -> Result<Store, CommandError> {
    Ok(open_if_any()?.ok_or("the history is empty")?)
}

/// Returns the path of the history.
///
/// # Errors
/// The environment names no folder.
pub(crate) fn path() -> Result<PathBuf, CommandError> {
    let data = user_folder("XDG_DATA_HOME", ".local/share")
        .ok_or("neither XDG_DATA_HOME nor HOME is set: there is no history")?;
    Ok(data.join("fathom/history.db"))
}

/// Returns a path that the output guard accepts.
///
/// # Errors
/// The output guard refuses it.
pub(crate) fn checked(path: PathBuf) -> Result<PathBuf, CommandError> {
    let mut guard = OutputGuard::new([]);
    // SQLite writes its log and locks beside the database.
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        atomic_file::check(Path::new(&name), &mut guard)?;
    }
    Ok(path)
}

/// Adds a document with the cause of its verdict, and returns its number.
///
/// # Errors
/// The history cannot be written.
pub fn add(store: &mut Store, document: &Document, tags: &[String]) -> Result<i64, CommandError> {
    let message = match document {
        Document::Assessment(assessment) => report::cause(assessment),
        Document::Record(_) => String::new(),
    };
    Ok(store.add(document, &message, tags)?)
}

/// Returns true if an argument is a number or `last`. A file with such a name is written `./7`.
pub fn is_run_id(arg: &str) -> bool {
    arg == LAST || (!arg.is_empty() && arg.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the number of the run that an argument names. Numbers begin at 1.
///
/// # Errors
/// The argument is not a number, or `last` is requested of an empty history.
pub fn id(store: &Store, arg: &str) -> Result<i64, CommandError> {
    match arg {
        LAST => Ok(store.last()?.ok_or("the history is empty")?),
        _ => {
            let id = arg.parse::<i64>().ok().filter(|id| *id > 0 && is_run_id(arg));
            Ok(id.ok_or_else(|| format!("`{arg}` is not the number of a run\nhelp: `fathom history` lists the runs"))?)
        }
    }
}

/// Returns the numbers of several runs, each once.
///
/// # Errors
/// As [`id`].
pub fn ids(store: &Store, args: &[String]) -> Result<Vec<i64>, CommandError> {
    let mut ids = Vec::new();
    for arg in args {
        let id = id(store, arg)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Returns the run of an argument for which [`is_run_id`] is true.
///
/// # Errors
/// The history has no such run, or cannot be read.
pub fn document(arg: &str) -> Result<Document, CommandError> {
    let store = open_existing()?;
    Ok(documents::complete(store.document(id(&store, arg)?)?)?)
}

/// Returns the filter of a target. The target need not exist any more.
pub fn target_filter(given: &str) -> TargetFilter {
    let path = std::path::absolute(given).map(|path| path.components().collect::<PathBuf>());
    let path = path.map_or_else(|_| given.to_owned(), |path| path.display().to_string());
    TargetFilter { given: given.to_owned(), path }
}

/// Returns all runs with a tag, the oldest first.
///
/// # Errors
/// No run has the tag, or the history cannot be read.
pub fn documents_with(tag: &str) -> Result<Vec<Document>, CommandError> {
    let store = open_existing()?;
    let mut entries = store.list(&RunFilter { tag: Some(tag.to_owned()), ..RunFilter::default() })?;
    if entries.is_empty() {
        return Err(format!("no run has the tag {tag}").into());
    }
    entries.reverse();
    entries.iter().map(|entry| Ok(store.document(entry.id)?)).collect()
}

/// Returns runs of the history that can be repeats of some documents: those of the same kind on the same target and host.
///
/// # Errors
/// The history cannot be read.
pub fn similar_to(documents: &[&Document]) -> Result<Vec<(i64, Document)>, CommandError> {
    let Some(store) = open_if_any()? else { return Ok(Vec::new()) };
    let mut filters: Vec<RunFilter> = Vec::new();
    for document in documents {
        let entry = Entry::of(document, "", &[]);
        let target = Some(TargetFilter { given: entry.target.raw().to_owned(), path: entry.target.into_raw() });
        let (host, kind) = (Some(entry.host.into_raw()), Some(entry.kind.into_raw()));
        let filter = RunFilter { target, host, kind, limit: Some(SIMILAR_MAX), ..RunFilter::default() };
        if !filters.contains(&filter) {
            filters.push(filter);
        }
    }
    let mut found = BTreeMap::new();
    for filter in &filters {
        for entry in store.list(filter)? {
            // Of runs with many jobs only the figures are saved.
            if let Ok(document) = store
                .document(entry.id)
                .map_err(CommandError::from)
                .and_then(|document| Ok(documents::complete(document)?))
            {
                found.insert(entry.id, document);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Returns the repeats whose runs have a tag. Runs of two workloads have it with `-A` and `-B`, too.
///
/// # Errors
/// No run has the tag, or the runs are no repeats.
pub fn repeats_with(tag: &str) -> Result<Assessment, CommandError> {
    let store = open_existing()?;
    let filter = RunFilter { tag: Some(tag.to_owned()), kind: Some("record".to_owned()), ..RunFilter::default() };
    let mut entries = store.list(&filter)?;
    if entries.is_empty() {
        return Err(format!("no run has the tag {tag}").into());
    }
    entries.reverse();
    let of_workload = NAMES.map(|name| format!("{tag}-{name}"));
    let side_of = |tags: &[UntrustedText]| {
        of_workload.iter().position(|workload| tags.iter().any(|tag| tag.raw() == workload)).unwrap_or(0)
    };
    let workloads = entries.iter().map(|entry| side_of(&entry.tags)).max().map_or(1, |last| last + 1);
    let mut sides: Vec<Vec<(Option<i64>, Record)>> = (0..workloads).map(|_| Vec::new()).collect();
    for entry in &entries {
        if let Document::Record(record) = store.document(entry.id)? {
            sides[side_of(&entry.tags)].push((Some(entry.id), *record));
        }
    }
    let (fathom, tags) = (env!("CARGO_PKG_VERSION").to_owned(), vec![tag.to_owned()]);
    let session = Session { fathom, tags, ..Session::default() };
    repeats::of_records(&session, tag, sides).map_err(|error| {
        CommandError::from(format!(
            "the runs with the tag {tag}: {error}\nhelp: `fathom history --tag {}` lists them, `fathom compare` compares them",
            units::shell::quoted(tag)
        ))
    })
}

/// Returns a value as JSON with a line end.
///
/// # Errors
/// The value cannot be represented.
pub fn json_text(value: &impl Serialize) -> Result<String, CommandError> {
    Ok(Layout::LINES.format(value).map_err(SchemaError::from)? + "\n")
}
