//! The folders of the user, for the files of this program.

use std::path::PathBuf;

/// Returns the path in an environment variable.
pub fn given_path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the folder that the variable `xdg` names, or the one below the home folder of the user of
/// this process. On Windows HOME is rarely set: the folder of local
/// application data.
pub fn user_folder(xdg: &str, below_home: &str) -> Option<PathBuf> {
    let below_home = || os::process::home_folder().map(|home| home.join(below_home));
    given_path(xdg).or_else(below_home).or_else(|| given_path("LOCALAPPDATA"))
}
