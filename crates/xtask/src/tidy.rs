//! House style, as far as a program can see it.

use std::path::{Path, PathBuf};

/// Longest file, tests left out.
const LINES_MAX: usize = 600;
/// Files that may be longer because they are tables. The list may only shrink or gain tables.
const TABLES: [&str; 1] = ["crates/fio/src/options/core.rs"];
/// Names that say nothing about a subject.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "misc", "manager"];

pub fn findings(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for path in rust_files(&root.join("crates"))? {
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if EMPTY_NAMES.contains(&stem) {
            found.push(format!("{shown}: a file's name is its subject"));
        }
        if !text.starts_with("//!") {
            found.push(format!("{shown}: starts without saying what it is for"));
        }
        let lines = text.split("\n#[cfg(test)]").next().unwrap_or_default().lines().count();
        if lines > LINES_MAX && !is_test(&shown) && !TABLES.contains(&shown.as_str()) {
            found.push(format!("{shown}: {lines} lines, {LINES_MAX} are enough for one subject"));
        }
    }
    Ok(found)
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs")
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
