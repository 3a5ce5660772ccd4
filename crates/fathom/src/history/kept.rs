//! Where the history is, and which of its runs a word means.

use std::path::PathBuf;

use ::history::{Document, Store, Wanted};
use judge::assessment::Assessment;
use serde::Serialize;

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

fn path() -> Result<PathBuf, String> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = given("XDG_DATA_HOME").or_else(|| Some(given("HOME")?.join(".local/share")));
    let data = data.ok_or("neither XDG_DATA_HOME nor HOME is set: there is no history")?;
    Ok(data.join("fathom/history.db"))
}

/// Keeps an assessment, and says its number.
pub fn keep(assessment: &Assessment) -> Result<i64, String> {
    store()?.add(&Document::Assessment(Box::new(assessment.clone())), &[])
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
    store.document(id(&store, word)?)
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

pub fn json_text(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| error.to_string())
}
