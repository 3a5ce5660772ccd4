//! Text literals of engine and judge contain no option of fio or DiskSpd and no name of these programs.

use std::collections::BTreeSet;

use syn::visit::Visit;

use super::finding::Finding;
use super::source::Source;

/// Crates under this rule.
const CRATES: [&str; 2] = ["engine", "judge"];
/// Folder with fio's option table.
pub const OPTION_FOLDER: &str = "crates/fio/src/options/";
/// Function that makes an entry of that table. Its first argument is the option's name.
const ENTRY: &str = "option";
/// Minimum number of names in the table. Fewer mean that the table was not found.
const NAMES_MIN: usize = 100;
/// Names of programs, in lower case.
const PROGRAMS: [&str; 2] = ["fio", "diskspd"];

/// Names of fio's options.
#[derive(Default)]
pub struct OptionNames {
    names: BTreeSet<String>,
}

impl OptionNames {
    /// Collects the entries of one file of the table.
    pub fn add(&mut self, source: &Source) {
        self.visit_file(&source.syntax);
    }

    /// Returns a finding if the table was not found.
    pub fn check(&self) -> Option<Finding> {
        let what = format!("no table of options with calls `{ENTRY}(\"name\", …)`: correct dialect_words.rs of xtask");
        (self.names.len() < NAMES_MIN).then(|| Finding::new(OPTION_FOLDER, 0, what))
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

impl Visit<'_> for OptionNames {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let syn::Expr::Path(function) = call.func.as_ref()
            && function.path.is_ident(ENTRY)
            && let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(name), .. })) = call.args.first()
        {
            self.names.insert(name.value());
        }
        syn::visit::visit_expr_call(self, call);
    }
}

/// Returns a finding for each text with such a word.
pub fn check(source: &Source, options: &OptionNames) -> Vec<Finding> {
    if !CRATES.contains(&source.crate_name()) {
        return Vec::new();
    }
    let texts = source.strings.iter();
    texts
        .filter_map(|(text, line)| {
            let word = dialect_word(text, options)?;
            let what = format!(
                "\"{word}\" in a text: return typed data; the dialect's crate (fio, diskspd) or report words it"
            );
            Some(Finding::new(&source.path, *line, what))
        })
        .collect()
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
    options.has(word) && (is_setting || word.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let options = OptionNames { names: ["iodepth", "direct", "end_fsync", "size"].map(str::to_owned).into() };
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
        assert_eq!(check(&source, &OptionNames::default()), []);
    }

    #[test]
    fn names_are_read_from_the_table() {
        let mut names = OptionNames::default();
        names.add(&Source::parse("a.rs", "const A: &[O] = &[option(\"rw\", X).late(), option(\"bs\", Y)];").unwrap());
        assert!(names.has("rw") && names.has("bs") && names.check().is_some());
    }
}
