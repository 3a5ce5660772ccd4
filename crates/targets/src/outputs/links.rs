//! Links at the end of a path.

use std::path::{Path, PathBuf};

use crate::folders::LINKS_MAX;

/// Follows the links at the end of a path, as an open with `O_CREAT` does.
pub(super) fn without_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(to) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    path
}

/// Returns a path without links. The file need not exist.
pub fn resolve(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = std::fs::canonicalize(path) {
        return Some(path);
    }
    let path = std::path::absolute(without_links(path)).ok()?;
    let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    folder.zip(path.file_name()).map(|(folder, name)| folder.join(name)).or(Some(path))
}
