//! Text literals of engine and judge contain no option of fio or DiskSpd and no name of these programs.

use std::collections::BTreeSet;
use std::path::Path;

use super::source::{Finding, Source};

/// Crates under this rule.
const CRATES: [&str; 2] = ["engine", "judge"];
/// fio's table of options.
const OPTIONS: &str = "crates/fio/options.toml";
/// Minimum number of names in the table. Fewer mean that the table was not found.
const NAMES_MIN: usize = 100;
/// Names of programs, in lower case.
const PROGRAMS: [&str; 2] = ["fio", "diskspd"];

/// Names of fio's options.
pub struct OptionNames(BTreeSet<String>);

impl OptionNames {
    /// Reads the names of the table of options.
    ///
    /// # Errors
    ///
    /// The table was not found.
    pub fn of(root: &Path) -> Result<OptionNames, String> {
        let text = std::fs::read_to_string(root.join(OPTIONS)).map_err(|error| format!("{OPTIONS}: {error}"))?;
        let name = |line: &str| Some(line.strip_prefix("name = \"")?.strip_suffix('"')?.to_owned());
        let names: BTreeSet<String> = text.lines().filter_map(name).collect();
        let what = format!("{OPTIONS}: no table of options with lines `name = \"…\"`: correct dialect_words.rs");
        if names.len() < NAMES_MIN { Err(what) } else { Ok(OptionNames(names)) }
    }

    /// Returns whether fio has an option of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Returns a finding for each text with such a word.
pub fn check(source: &Source, options: &OptionNames) -> Vec<Finding> {
    if !CRATES.contains(&source.crate_name()) {
        return Vec::new();
    }
    let found = |text: &str, line| {
        let word = dialect_word(text, options)?;
        let what =
            format!("\"{word}\" in a text: return typed data; the dialect's crate (fio, diskspd) or report words it");
        Some(Finding::new(&source.path, line, what))
    };
    let texts = source.tokens.iter().filter(|token| token.text.contains('"'));
    texts.filter_map(|token| found(&token.text, token.line)).collect()
}

/// Returns the first word of a literal that belongs to a dialect.
fn dialect_word<'a>(literal: &'a str, options: &OptionNames) -> Option<&'a str> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_' || character == '-';
    let mut at = 0;
    while let Some(start) = literal[at..].find(is_word).map(|found| at + found) {
        let end = literal[start..].find(|character| !is_word(character)).map_or(literal.len(), |found| start + found);
        let (before, word, after) = (&literal[..start], &literal[start..end], &literal[end..]);
        if is_dialect_word(before, word, after, options) {
            return Some(word);
        }
        at = end;
    }
    None
}

fn is_dialect_word(before: &str, word: &str, after: &str, options: &OptionNames) -> bool {
    let is_argument = before.ends_with([' ', '"', '`', '\'', '(', '=']);
    if let Some(name) = word.strip_prefix("--") {
        return is_argument && name.starts_with(|first: char| first.is_ascii_alphabetic());
    }
    if let Some(switch) = word.strip_prefix('-') {
        // DiskSpd's options: one letter, then letters and digits.
        return is_argument && switch.len() <= 3 && switch.starts_with(|first: char| first.is_ascii_alphabetic());
    }
    if PROGRAMS.contains(&word.to_ascii_lowercase().as_str()) {
        return true;
    }
    // `aws:gp3?size=500` is the name of a limit.
    let is_setting = after.starts_with('=') && !after.starts_with("==") && !before.ends_with(['?', '&']);
    options.contains(word) && (is_setting || word.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let options = OptionNames(["iodepth", "direct", "end_fsync", "size"].map(str::to_owned).into());
        let source = Source::parse("crates/engine/src/a.rs", text).unwrap();
        check(&source, &options).iter().map(|finding| finding.text.split('"').nth(1).unwrap().to_owned()).collect()
    }

    #[test]
    fn options_and_programs_in_texts_fail() {
        let text = "fn f() { a(\"use iodepth=4\"); a(\"fio: failed\"); a(\"try --readonly\"); a(\"leave -Sh out\"); \
                    a(\"end_fsync\"); a(\"DiskSpd\"); a(\"-w\"); }";
        assert_eq!(words(text), ["iodepth", "fio", "--readonly", "-Sh", "end_fsync", "DiskSpd", "-w"]);
    }

    #[test]
    fn plain_words_comments_and_other_settings_pass() {
        let text = "/// Like fio's iodepth=.\nfn f() { a(\"the size of a direct write\"); a(\"gp3?size=5\"); \
                    a(\"a-b\"); a(\"{x:-3}\"); a(\"size == 4\"); a(\"portfolio\"); }";
        assert_eq!(words(text), [""; 0]);
    }

    #[test]
    fn other_crates_may_use_their_words() {
        let source = Source::parse("crates/fio/src/a.rs", "fn f() { a(\"fio\") }").unwrap();
        assert_eq!(check(&source, &OptionNames(BTreeSet::new())), []);
    }

    #[test]
    fn names_are_read_from_the_table() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(OptionNames::of(&root).unwrap().contains("iodepth"));
        assert!(OptionNames::of(Path::new("/missing")).is_err());
    }
}
