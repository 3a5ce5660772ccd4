//! The catalogue as this user has it: what comes with the program, and the files of their own.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use judge::limits::Catalogue;
use plan::Plan;
use units::diagnostic::Source;

use crate::saved::Place;

/// What comes with the program, then the user's own files by name, which have the last word.
pub fn catalogue() -> Result<Catalogue, String> {
    let mut catalogue = Catalogue::built_in();
    for path in files()? {
        let text = fs::read_to_string(&path).map_err(|error| told(&path, &error))?;
        let source = Source::new(path.display().to_string(), text);
        catalogue.add(&source).map_err(|wrong| wrong.to_string())?;
    }
    Ok(catalogue)
}

/// Writes one of the user's own files, whole, and tells where it is.
pub fn keep(name: &str, text: &str) -> Result<PathBuf, String> {
    let folder = folder().ok_or("neither XDG_CONFIG_HOME nor HOME is set: there is no place for it")?;
    fs::create_dir_all(&folder).map_err(|error| told(&folder, &error))?;
    let path = folder.join(name);
    let shown = path.to_str().ok_or_else(|| format!("{}: this is not UTF-8", path.display()))?;
    Place::open(shown, &Plan::default())?.save_text(text)?;
    Ok(path)
}

fn files() -> Result<Vec<PathBuf>, String> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(told(&folder, &error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| told(&folder, &error))?.path();
        // A file that is being written begins with a dot.
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|end| end == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn folder() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = given("XDG_CONFIG_HOME").or_else(|| Some(given("HOME")?.join(".config")))?;
    Some(config.join("fathom/limits"))
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {}", path.display(), units::errno::reason(error))
}
