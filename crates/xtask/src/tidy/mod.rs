//! `cargo xtask tidy`: rules of structure and style that no other tool has. They read tokens: no pattern needs a syntax tree.

mod borders;
mod crate_table;
mod dialect_words;
mod imports;
mod pages;
mod shape;
mod source;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dialect_words::OptionNames;
use imports::Module;
use pages::Pages;
use source::{Finding, Source, is_test_path};
use words::Phrases;

/// Folders with Rust code.
const CODE_FOLDERS: [&str; 4] = ["crates/", "bench/", "tests/", "fuzz/"];
/// Start of the names of metrics, which pages name too.
const METRIC: &str = "fathom_";
/// Folders without sources.
const SKIPPED_FOLDERS: [&str; 4] = ["target", "fuzz/target", ".git", "corpus"];

/// Runs all rules on the workspace.
///
/// # Errors
///
/// The findings, one a line, or a file that cannot be read.
pub fn run(root: &Path) -> Result<(), String> {
    let mut sources = Vec::new();
    for path in files(root)?.iter().filter(|path| path.ends_with(".rs")) {
        sources.push(Source::parse(path, &read(root, path)?)?);
    }
    let phrases = Phrases::new();
    let mut found = crate_table::check(root)?;
    let pages = read_pages(root)?;
    for (path, text) in &pages {
        found.extend(phrases.check(path, text));
    }
    found.extend(pages::check(&pages, |path| root.join(path).exists()));
    let options = OptionNames::of(root)?;
    let functions: BTreeSet<&str> = sources.iter().flat_map(|source| pages::functions(&source.text)).collect();
    let is_known = |name: &str| functions.contains(name) || options.contains(name) || name.starts_with(METRIC);
    found.extend(pages::check_functions(&pages, is_known));
    for source in &sources {
        found.extend(phrases.check(&source.path, &source.text));
        found.extend(shape::check(source));
    }
    let test_modules: Vec<String> = sources.iter().flat_map(|source| source.test_modules.clone()).collect();
    sources.retain(|source| {
        let below = |module: &String| {
            source.path.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with(['.', '/']))
        };
        !test_modules.iter().any(below)
    });
    found.extend(imports::check(&sources.iter().map(Module::of).collect::<Vec<_>>()));
    sources.retain(|source| !is_test_path(&source.path));
    for source in &sources {
        found.extend(borders::check(source));
        found.extend(dialect_words::check(source, &options));
    }
    outcome(&found)
}

/// Checks the pages only.
///
/// # Errors
///
/// The findings, one a line, or a file that cannot be read.
pub fn pages(root: &Path) -> Result<(), String> {
    outcome(&pages::check(&read_pages(root)?, |path| root.join(path).exists()))
}

fn outcome(found: &[Finding]) -> Result<(), String> {
    let lines: Vec<String> = found.iter().map(Finding::line).collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n       ")) }
}

fn read_pages(root: &Path) -> Result<Pages, String> {
    let pages = files(root)?.into_iter().filter(|path| path.ends_with(".md"));
    pages.map(|path| read(root, &path).map(|text| (path, text))).collect()
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
}

/// Rust files of the code folders and all pages, relative to the root and sorted.
fn files(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let is_code = relative.ends_with(".rs") && CODE_FOLDERS.iter().any(|folder| relative.starts_with(folder));
            if path.is_dir() {
                folders.extend((!SKIPPED_FOLDERS.contains(&relative.as_str())).then_some(path));
            } else if is_code || relative.ends_with(".md") {
                found.push(relative);
            }
        }
    }
    found.sort();
    Ok(found)
}
