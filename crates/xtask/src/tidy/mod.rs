//! `cargo xtask tidy`: rules of structure and style that a program can check.
//!
//! Each rule has a file.

mod command_imports;
mod crate_table;
mod dialect_words;
mod finding;
mod import_cycles;
mod modules;
mod output_files;
mod shape;
mod source;
mod string_errors;
mod verdicts;
mod words;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use dialect_words::OptionNames;
use finding::Finding;
use modules::{Crates, FileImports};
use source::{Source, is_test_path};
use string_errors::Function;
use words::Phrases;

/// Folders with Rust code.
const CODE_FOLDERS: [&str; 4] = ["crates", "bench", "tests", "fuzz"];
/// Folders without sources.
const SKIPPED_FOLDERS: [&str; 4] = ["target", "fuzz/target", ".git", "corpus"];

/// A rule for single files.
struct FileRule {
    name: &'static str,
    skips_tests: bool,
    check: fn(&Source, &OptionNames) -> Vec<Finding>,
}

const FILE_RULES: [FileRule; 4] = [
    FileRule { name: "shape", skips_tests: false, check: |source, _| shape::check(source) },
    FileRule { name: "output-files", skips_tests: true, check: |source, _| output_files::check(source) },
    FileRule { name: "verdicts", skips_tests: true, check: |source, _| verdicts::check(source) },
    FileRule { name: "dialect-words", skips_tests: true, check: dialect_words::check },
];
/// Runs all rules on the workspace.
///
/// # Errors
///
/// The findings, one a line, or a file that cannot be read.
pub fn run(root: &Path) -> Result<(), String> {
    let findings = all_findings(root)?;
    let lines = findings.iter().map(|(rule, finding)| format!("{} ({rule})", finding.line()));
    if findings.is_empty() { Ok(()) } else { Err(lines.collect::<Vec<_>>().join("\n       ")) }
}

/// What one file contributes.
struct FileFacts {
    imports: FileImports,
    functions: Vec<Function>,
    /// By rule, as in [`FILE_RULES`].
    findings: Vec<Vec<Finding>>,
}

impl FileFacts {
    fn of(path: &str, text: &str, options: &OptionNames) -> Result<FileFacts, String> {
        let source = Source::parse(path, text)?;
        let findings = FILE_RULES.iter().map(|rule| {
            let mut findings = (rule.check)(&source, options);
            findings.retain(|finding| !rule.skips_tests || !source.is_test_line(finding.line));
            findings
        });
        Ok(FileFacts {
            imports: FileImports::of(&source),
            functions: string_errors::functions(&source),
            findings: findings.collect(),
        })
    }
}

/// Findings and their rules.
fn all_findings(root: &Path) -> Result<Vec<(&'static str, Finding)>, String> {
    let files = files(root)?;
    let mut options = OptionNames::default();
    for path in files.iter().filter(|path| path.starts_with(dialect_words::OPTION_FOLDER)) {
        options.add(&Source::parse(path, &read(root, path)?)?);
    }
    let (mut imports, mut functions) = (Vec::new(), Vec::new());
    let mut by_rule: Vec<(&str, Vec<Finding>)> = FILE_RULES.iter().map(|rule| (rule.name, Vec::new())).collect();
    for facts in in_threads(root, &files, &options)? {
        imports.push(facts.imports);
        functions.extend(facts.functions);
        by_rule.iter_mut().zip(facts.findings).for_each(|((_, all), findings)| all.extend(findings));
    }
    let crates = Crates::new(imports);
    let is_test = |path: &str| is_test_path(path) || crates.is_test_file(path);
    for (rule, (_, found)) in FILE_RULES.iter().zip(&mut by_rule) {
        found.retain(|finding| !rule.skips_tests || !is_test(&finding.path));
    }
    let phrases = Phrases::new();
    for path in &files {
        by_rule.push(("words", phrases.check(path, &read(root, path)?)));
    }
    by_rule.extend([
        ("dialect-words", options.check().into_iter().collect()),
        ("string-errors", string_errors::check(&functions, &crates)),
        ("crate-table", crate_table::check(root)?),
        ("import-cycles", import_cycles::check(&crates)),
        ("command-imports", command_imports::check(&crates)),
    ]);
    Ok(by_rule.into_iter().flat_map(|(rule, found)| found.into_iter().map(move |finding| (rule, finding))).collect())
}

/// Parses all Rust files in several threads.
fn in_threads(root: &Path, files: &[String], options: &OptionNames) -> Result<Vec<FileFacts>, String> {
    let files: Vec<&String> = files.iter().filter(|path| path.ends_with(".rs")).collect();
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut facts = Vec::new();
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            facts.push(FileFacts::of(path, &read(root, path)?, options)?);
        }
        Ok(facts)
    };
    let parts: Vec<Result<Vec<FileFacts>, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    let mut all: Vec<FileFacts> = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    all.sort_by(|one, other| one.imports.path.cmp(&other.imports.path));
    Ok(all)
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
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if path.is_dir() {
                folders.extend((!SKIPPED_FOLDERS.contains(&relative.as_str())).then_some(path));
            } else if name.ends_with(".md") || (name.ends_with(".rs") && in_code_folder(&relative)) {
                found.push(relative);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn in_code_folder(path: &str) -> bool {
    CODE_FOLDERS.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_read_only_from_its_folders() {
        assert!(in_code_folder("crates/a/src/lib.rs") && in_code_folder("bench/src/lib.rs"));
        assert!(!in_code_folder("benchmarks/a.rs") && !in_code_folder("data/a.rs"));
    }
}
