//! House style, as far as a program can see it.

use std::path::{Path, PathBuf};

/// Where our code is.
const FOLDERS: [&str; 3] = ["crates", "bench", "tests"];
/// Longest file, tests left out.
const LINES_MAX: usize = 600;
/// Longest function, tests left out.
const FUNCTION_LINES_MAX: usize = 70;
/// What may stand before a function.
const BEFORE_FN: [&str; 7] = ["pub", "pub(crate)", "pub(super)", "const", "unsafe", "extern", "\"C\""];
/// Files that may be longer because they are tables. The list may only shrink or gain tables.
const TABLES: [&str; 1] = ["crates/fio/src/options/core.rs"];
/// Names that say nothing about a subject.
const EMPTY_NAMES: [&str; 6] = ["utils", "util", "helpers", "common", "misc", "manager"];

pub fn findings(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut paths = Vec::new();
    for folder in FOLDERS {
        paths.extend(rust_files(&root.join(folder))?);
    }
    for path in paths {
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
        let long = functions(&text).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES_MAX && !is_test(&shown));
        found.extend(long.map(|(name, lines)| {
            format!("{shown}: {name} has {lines} lines, {FUNCTION_LINES_MAX} are enough for one function")
        }));
    }
    Ok(found)
}

/// Each function's name and lines, as rustfmt lays it out: its end stands right below its beginning.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let words = line.trim_start();
        let indent = &line[..line.len() - words.len()];
        let Some((before, name)) = words.split_once("fn ") else { continue };
        if !before.split_whitespace().all(|word| BEFORE_FN.contains(&word)) || words.ends_with([';', '}']) {
            continue;
        }
        let is_end = |rest: &str| rest == "}" || (rest.starts_with(')') && rest.ends_with(';'));
        if let Some(below) = lines[at..].iter().position(|line| line.strip_prefix(indent).is_some_and(is_end)) {
            found.push((name.split(['(', '<']).next().unwrap_or_default(), below + 1));
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_to_their_own_end() {
        let text = "impl A {\n    pub(super) fn a<T>(\n        self,\n    ) {\n        if b {\n        }\n    }\n}\n\
                    trait C {\n    fn d();\n    fn e(\n        f: G,\n    );\n}\nconst fn h() {\n}\n// fn i {\n";
        assert_eq!(functions(text), [("a", 6), ("e", 3), ("h", 2)]);
    }
}
