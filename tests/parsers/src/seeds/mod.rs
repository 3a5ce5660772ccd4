//! Inputs to begin with, made from the tables of options, the samples in `corpus` and the files in `data`.
//!
//! Without them a fuzzer does not get past the first token of most inputs.

pub mod diskspd;
pub mod fio;
pub mod log;
pub mod rules;
pub mod saved;
pub mod text;
pub mod trace;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Tokens of a dictionary. The fuzzer picks one of them at random.
const TOKENS_MAX: usize = 4000;

/// Returns the tokens of inputs: words, each also with the punctuation after it. Options, keywords and units are among
/// them, as the seeds have them all.
pub fn tokens(inputs: &[Vec<u8>]) -> Vec<String> {
    let mut tokens = BTreeSet::new();
    for text in inputs.iter().filter_map(|input| std::str::from_utf8(input).ok()) {
        for part in text.split_inclusive(|c: char| !is_of_word(c)) {
            let word = part.trim_end_matches(|c: char| !is_of_word(c));
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            if !is_number && (2..=32).contains(&word.len()) {
                tokens.insert(word.to_owned());
                if part.ends_with(['=', '"', '>', ':', '(']) {
                    tokens.insert(part.to_owned());
                }
            }
        }
    }
    tokens.into_iter().take(TOKENS_MAX).collect()
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.%".contains(c)
}

/// Returns a path in the repository.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Returns the contents of the files of a folder with one of these endings, in the order of their names.
fn files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(in_repository(folder)).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let is_wanted = |path: &PathBuf| path.extension().is_some_and(|end| endings.iter().any(|wanted| end == *wanted));
    paths.into_iter().filter(is_wanted).filter_map(|path| fs::read(path).ok()).collect()
}

/// Returns the lines of a text file.
fn lines(path: &str) -> Vec<String> {
    let bytes = fs::read(in_repository(path)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// Returns the words of a line, separated by NUL as the command line parsers expect it.
fn words(line: &str) -> Vec<u8> {
    line.split_whitespace().collect::<Vec<_>>().join("\0").into_bytes()
}
