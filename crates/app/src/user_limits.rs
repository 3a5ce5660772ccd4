//! The catalogue of published limits: the built-in one and the files of the user.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use judge::limits::Catalogue;
use targets::OutputGuard;
use units::diagnostic::Source;

use crate::command_error::CommandError;
use crate::user_folder::user_folder;
use crate::{atomic_file, input};

/// Returns the built-in catalogue with the user's files added in the order of their names. A later file overrides an earlier
/// one.
///
/// # Errors
/// A file cannot be read or is not valid.
pub fn catalogue() -> Result<Catalogue, CommandError> {
    let mut catalogue = Catalogue::built_in();
    for path in files()? {
        let text = input::read_text(&path, input::Kind::Limits).map_err(|error| failed(&path, &error))?;
        let source = Source::new(path.display().to_string(), text);
        catalogue.add(&source)?;
    }
    Ok(catalogue)
}

/// Writes one of the user's files and returns its path.
///
/// # Errors
/// The file cannot be written.
pub fn save(name: &str, text: &str) -> Result<PathBuf, CommandError> {
    let folder = folder().ok_or("neither XDG_CONFIG_HOME nor HOME is set: there is no folder for limits")?;
    targets::make_folder(&folder).map_err(|error| failed(&folder, &error))?;
    let path = folder.join(name);
    atomic_file::write_own(&path, text.as_bytes(), &mut OutputGuard::new([]))?;
    Ok(path)
}

fn files() -> Result<Vec<PathBuf>, CommandError> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(&folder, &error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(&folder, &error))?.path();
        // The name of a file that is being written begins with a dot.
        let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|end| end == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config").map(|config| config.join("fathom/limits"))
}

fn failed(path: &Path, error: &std::io::Error) -> CommandError {
    format!("{}: {}", path.display(), units::errno::reason(error)).into()
}
