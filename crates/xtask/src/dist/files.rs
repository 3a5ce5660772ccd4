//! Folders, files and commands of the packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Folders of one call.
pub struct Folders<'a> {
    pub root: &'a Path,
    /// What users get.
    pub packages: PathBuf,
    /// The files of an installed system, from which the packages are made.
    pub stage: PathBuf,
}

/// Runs a command and returns what it prints to standard output.
pub fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
}

pub fn text(command: &mut Command) -> Result<String, String> {
    output(command).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the SHA-256 of a file as hexadecimal digits.
pub fn sha256(path: &Path) -> Result<String, String> {
    let sum = text(Command::new("sha256sum").arg(path))?;
    sum.split(' ').next().map(str::to_owned).ok_or_else(|| "sha256sum printed nothing".to_owned())
}

pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, content)).map_err(|error| format!("{}: {error}", path.display()))
}

pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let folder = to.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::copy(from, to)).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

pub fn recreate(folder: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = || fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<_>>();
    read().map_err(|error| format!("{}: {error}", folder.display()))
}

pub fn name_of(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}
