//! The suites: the built-in ones, those of the user, and any file.

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
    let own = own_folder().map(|folder| folder.join(format!("{name}.toml")));
    if let Some(own) = own.filter(|path| path.exists()) {
        return read(&own);
    }
    built_in(name).ok_or_else(|| {
        let names: Vec<String> = all().into_iter().map(|known| known.name).collect();
        let near = nearest(name, names.iter().map(String::as_str));
        let help =
            near.map_or_else(|| "`fathom suite list` lists all".to_owned(), |near| format!("did you mean {near}?"));
        format!("there is no suite {name}\nhelp: {help}; the path of a file contains `/` or ends with `.toml`").into()
    })
}

/// Returns all suites with a name. A suite of the user replaces a built-in one of the same name.
pub fn all() -> Vec<Known> {
    let mut all = Vec::new();
    let entries = own_folder().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut paths: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push(Known { suite: read(&path), name, path: Some(path) });
    }
    for name in BUILT_IN {
        if all.iter().all(|known| known.name != name) {
            let suite = built_in(name).ok_or_else(|| format!("there is no suite {name}").into());
            all.push(Known { suite, name: name.to_owned(), path: None });
        }
    }
    all
}

fn read(path: &Path) -> Result<Suite, CommandError> {
    let name = path.display().to_string();
    let text = input::read_text(path, input::Kind::Suite)
        .map_err(|error| format!("{name}: {}", units::errno::reason(&error)))?;
    Ok(Suite::read(&name, &text)?)
}

/// Returns the folder of the suites of the user.
fn own_folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config").map(|config| config.join("fathom/suites"))
}
