//! The suites: the built-in ones, those of the user, and any file.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use study::suite::{BUILT_IN, Suite, built_in};
use units::nearest::nearest;

use crate::command_error::CommandError;
use crate::input;
use crate::user_folder::user_folder;

/// A suite of the list.
pub struct Known {
    pub suite: Result<Suite, CommandError>,
    pub name: String,
    /// `None` for a built-in suite.
    pub path: Option<PathBuf>,
}

/// Returns a suite by its name or by the path of its file.
///
/// # Errors
/// There is no such suite, or its file is not valid.
pub fn find(name: &str) -> Result<Suite, CommandError> {
    if name.contains('/') || name.ends_with(".toml") {
        return read(&PathBuf::from(name));
    }
    if let Some(own) = own_folder().map(|folder| folder.join(format!("{name}.toml"))) {
        match fs::symlink_metadata(&own) {
            Ok(_) => return read(&own),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&own, &error)),
        }
    }
    if let Some(suite) = built_in(name) {
        return Ok(suite);
    }
    let names: Vec<String> = all()?.into_iter().map(|known| known.name).collect();
    let near = nearest(name, names.iter().map(String::as_str));
    let help = near.map_or_else(|| "`fathom suite list` lists all".to_owned(), |near| format!("did you mean {near}?"));
    Err(format!("there is no suite {name}\nhelp: {help}; the path of a file contains `/` or ends with `.toml`").into())
}

/// Returns all suites with a name. A suite of the user replaces a built-in one of the same name.
///
/// # Errors
/// The folder of the suites of the user cannot be read.
pub fn all() -> Result<Vec<Known>, CommandError> {
    let mut all = Vec::new();
    for path in own_files()? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push(Known { suite: read(&path), name, path: Some(path) });
    }
    for name in BUILT_IN {
        if all.iter().all(|known| known.name != name) {
            let suite = built_in(name).ok_or_else(|| format!("there is no suite {name}").into());
            all.push(Known { suite, name: name.to_owned(), path: None });
        }
    }
    Ok(all)
}

/// Returns the files of the suites of the user, sorted by name.
fn own_files() -> Result<Vec<PathBuf>, CommandError> {
    let Some(folder) = own_folder() else { return Ok(Vec::new()) };
    let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        entries => entries.map_err(|error| failed(&folder, &error))?,
    };
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<Suite, CommandError> {
    let text = input::read_text(path, input::Kind::Suite).map_err(|error| failed(path, &error))?;
    Ok(Suite::read(&path.display().to_string(), &text)?)
}

fn failed(path: &Path, error: &io::Error) -> CommandError {
    format!("{}: {}", path.display(), units::errno::reason(error)).into()
}

/// Returns the folder of the suites of the user.
fn own_folder() -> Option<PathBuf> {
    let config = user_folder("XDG_CONFIG_HOME", ".config")?;
    // The home of a service can be a device, or the folder of another user.
    fs::metadata(&config).is_ok().then(|| config.join("fathom/suites"))
}
