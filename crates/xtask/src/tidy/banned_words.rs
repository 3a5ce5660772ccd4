//! Words and phrases that the project replaced by the field's terms.
//!
//! Identifiers, comments, string literals and pages are checked. This file is exempt.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::finding::Finding;
use super::source::{PieceKind, Source};

/// Files that list the words.
const EXEMPT: [&str; 1] = ["crates/xtask/src/tidy/banned_words.rs"];

/// Code that calls Windows.
const WINDOWS: &str = "crates/os/src/windows/";

/// Banned words and their replacement. `|` separates alternatives.
type Terms = &'static [(&'static str, &'static str)];

/// Whole identifiers, with their case.
const NAMES: Terms = &[
    ("Asking|asking", "Request, Criteria"),
    ("Terms|terms", "RunOptions, SearchParams, SuiteParams, or what they are"),
    ("Lot", "a batch"),
    ("Voice", "EventSender"),
    ("Marks|marks", "Deadlines, or what they mark"),
    ("Supply", "IoSource"),
    ("Nature", "EngineFlags"),
    ("Bar", "Threshold"),
    ("Census", "InUseSnapshot"),
    ("World|world", "InUseSnapshot"),
    ("Course|course", "phase lifecycle, time series"),
    ("Kept", "saved"),
    ("leave|Leave", "consent"),
];
/// Words that are part of an identifier: `asked` also bans `AskedFor` and `was_asked`.
const NAME_PARTS: Terms = &[
    ("asked", "request, requested"),
    ("lots", "batches, CompletionBatcher"),
    ("voice", "event sender"),
    ("supply", "source"),
    ("nature", "flags"),
    ("doubt|doubts", "confounders"),
    ("census", "snapshot"),
    ("outlet", "output guard"),
    ("retold|told|tell|tells", "replay, print, report, warn"),
    ("said", "message, output, stderr"),
    ("news", "info, message"),
    ("unasked", "automatic"),
    ("processor|processors", "cpu, cpus"),
    ("nobody|somebody|anybody|whoever", "name who or what it is"),
];
/// Names of files, without `.rs`.
const FILE_NAMES: Terms = &[("lot", "completion_batch.rs"), ("hand_over", "submit.rs")];
/// Phrases in comments, string literals and pages, in lower case.
const PHRASES: Terms = &[
    ("processor|processors", "CPU"),
    ("so many|that many|so long|so often|that often|so much|as long as it takes", "the quantity, with its unit"),
    ("told|tell|tells|telling|retold", "returns, prints, reports, warns"),
    ("said|news", "message, or what it states"),
    ("unasked", "automatic, automatically"),
    ("hand over|hands over|handed over|handing over|hand it over|hands it over", "submit"),
    ("gone about|goes about|gone over|goes over|go over", "the action"),
    ("would do for", "meets the requirements of"),
    (
        "have leave|has leave|had leave|with leave|without leave|gives leave|give leave|gave leave|given leave",
        "consent",
    ),
    ("no leave|the leave|its leave|their leave|by leave", "consent"),
    (
        "doesn't say|don't say|didn't say|say nothing|says nothing|said nothing|nothing is said|nothing was said",
        "default",
    ),
    ("who hears|hears of|hear of|heard of", "receives"),
    ("nobody|somebody|anybody|whoever", "name who or what it is"),
    ("of those that|that are none|that is none|what is none|is of none|are of none", "say it directly"),
    ("take what is there|takes what is there|take only what is there", "reap"),
    ("speak against|speaks against|spoke against", "weakens, makes unreliable"),
    ("soak the|soak a|soaks|soaked|soaking", "precondition, preconditioning"),
    ("census|outlet|lots", "the term of the concept: snapshot, output guard, batches"),
    ("a part of the i/os|a part of the time|a part of them", "the share, in percent"),
    ("goes on with rest|go on with rest", "resubmit the rest"),
    ("is gone about|be gone about", "the action"),
];
/// Phrases that begin with a banned word and are the field's terms.
const ALLOWED: [&str; 5] = [
    "processor group",
    "processor groups",
    "word processor",
    "lots of",
    // The title of a page that is cited.
    "tell whether your storage",
];
/// Words that are part of an identifier, banned in some crates only.
const IN_CRATES: &[(&[&str], Terms)] = &[
    (&["judge", "assessment"], &[("generator|generators", "load generator"), ("bar|bars", "threshold")]),
    (&["fathom"], &[("words", "args, or what they are")]),
];

/// A phrase and its replacement.
struct Phrase {
    words: Vec<&'static str>,
    instead: &'static str,
}

/// Replacements by word.
type ByWord = HashMap<&'static str, &'static str>;

fn by_word(terms: Terms) -> ByWord {
    let one = |(words, instead): &(&'static str, &'static str)| (*words, *instead);
    terms.iter().map(one).flat_map(|(words, instead)| words.split('|').map(move |word| (word, instead))).collect()
}

static NAMES_BY_WORD: LazyLock<ByWord> = LazyLock::new(|| by_word(NAMES));
static PARTS_BY_WORD: LazyLock<ByWord> = LazyLock::new(|| by_word(NAME_PARTS));

/// Phrases by their first word.
static PHRASES_BY_WORD: LazyLock<HashMap<&'static str, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: HashMap<&str, Vec<Phrase>> = HashMap::new();
    for (alternatives, instead) in PHRASES {
        for alternative in alternatives.split('|') {
            let words: Vec<&str> = alternative.split(' ').collect();
            phrases.entry(words[0]).or_default().push(Phrase { words, instead });
        }
    }
    phrases
});

/// Returns a finding for each banned word of a file.
pub fn check(source: &Source) -> Vec<Finding> {
    if EXEMPT.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let name = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if let Some(instead) = term(FILE_NAMES, name) {
        found.push(finding(&source.path, 0, name, instead));
    }
    let mut text = Text::default();
    let mut names: HashMap<&str, Option<&str>> = HashMap::new();
    for piece in &source.pieces {
        match piece.kind {
            // Windows' functions and structures have names of their own.
            PieceKind::Identifier if source.path.starts_with(WINDOWS) => {}
            PieceKind::Identifier => {
                let name = piece.text.as_str();
                let instead = *names.entry(name).or_insert_with(|| banned_name(source.crate_name(), name));
                found.extend(instead.map(|instead| finding(&source.path, piece.line, name, instead)));
            }
            PieceKind::Comment => text.add(piece.text.trim_start_matches(['/', '!', '*']), piece.line),
            PieceKind::Text | PieceKind::AttributeText => {
                text.end();
                let lines = piece.text.split('\n').enumerate();
                lines.for_each(|(at, line)| text.add(&line.replace("\\n", " "), piece.line + at));
                text.end();
            }
        }
    }
    found.extend(text.check(&source.path));
    found.sort();
    found
}

/// Returns a finding for each banned word of a page.
pub fn check_page(path: &str, page: &str) -> Vec<Finding> {
    if EXEMPT.contains(&path) {
        return Vec::new();
    }
    let mut text = Text::default();
    page.lines().enumerate().for_each(|(at, line)| text.add(line, at + 1));
    text.check(path)
}

/// Returns the replacement of a banned identifier.
fn banned_name(of_crate: &str, name: &str) -> Option<&'static str> {
    if let Some(instead) = NAMES_BY_WORD.get(name) {
        return Some(instead);
    }
    let parts = parts(name);
    let of_crate = IN_CRATES.iter().filter(|(crates, _)| crates.contains(&of_crate)).map(|(_, terms)| *terms);
    let of_crate: Vec<Terms> = of_crate.collect();
    parts.iter().enumerate().find_map(|(at, part)| {
        let is_load_generator = part.starts_with("generator") && at > 0 && parts[at - 1] == "load";
        if is_load_generator {
            return None;
        }
        let everywhere = PARTS_BY_WORD.get(part.as_str()).copied();
        everywhere.or_else(|| of_crate.iter().find_map(|terms| term(terms, part)))
    })
}

fn finding(path: &str, line: usize, word: &str, instead: &str) -> Finding {
    Finding::new(path, line, format!("\"{word}\" is not a term of the project: {instead}"))
}

/// Returns the replacement of a banned word.
fn term(terms: Terms, word: &str) -> Option<&'static str> {
    terms.iter().find(|(words, _)| words.split('|').any(|banned| banned == word)).map(|(_, instead)| *instead)
}

/// Returns the words of an identifier in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut was_lower = false;
    for character in name.chars() {
        let is_start = character.is_uppercase() && was_lower;
        if (is_start || character == '_') && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if character != '_' {
            part.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The words of comments or of a page. Consecutive lines are one text.
#[derive(Default)]
struct Text {
    /// In lower case, with their lines. An empty word ends a text.
    words: Vec<(String, usize)>,
}

impl Text {
    fn add(&mut self, line_text: &str, line: usize) {
        if self.words.last().is_some_and(|(_, last)| *last + 1 < line) {
            self.end();
        }
        let is_word = |character: char| character.is_alphanumeric() || character == '\'' || character == '/';
        let words = line_text.split(|character| !is_word(character)).map(|word| word.trim_matches(['\'', '/']));
        self.words.extend(words.filter(|word| !word.is_empty()).map(|word| (word.to_lowercase(), line)));
    }

    /// Ends a text: no phrase extends beyond it.
    fn end(&mut self) {
        let line = self.words.last().map_or(0, |(_, line)| *line);
        self.words.push((String::new(), line));
    }

    fn check(&self, path: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut next = 0;
        for (at, (word, line)) in self.words.iter().enumerate() {
            let Some(phrases) = PHRASES_BY_WORD.get(word.as_str()).filter(|_| at >= next && !self.is_allowed(at))
            else {
                continue;
            };
            let longest =
                phrases.iter().filter(|phrase| self.begins(at, &phrase.words)).max_by_key(|phrase| phrase.words.len());
            if let Some(phrase) = longest {
                found.push(finding(path, *line, &phrase.words.join(" "), phrase.instead));
                next = at + phrase.words.len();
            }
        }
        found
    }

    fn begins(&self, at: usize, words: &[&str]) -> bool {
        self.words.get(at..at + words.len()).is_some_and(|ours| ours.iter().map(|(word, _)| word).eq(words))
    }

    fn is_allowed(&self, at: usize) -> bool {
        ALLOWED.iter().any(|phrase| self.begins(at, &phrase.split(' ').collect::<Vec<_>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        check(&Source::parse("crates/engine/src/a.rs", text).unwrap()).iter().map(Finding::line).collect()
    }

    fn banned(text: &str) -> Vec<String> {
        lines(text).iter().map(|line| line.split('"').nth(1).unwrap().to_owned()).collect()
    }

    #[test]
    fn banned_identifiers_fail_with_their_line() {
        let text = "struct A;\nstruct Asked {\n    was_told: bool,\n    voice: Voice,\n}\n";
        assert_eq!(banned(text), ["Asked", "was_told", "Voice", "voice"]);
        assert_eq!(
            lines(text)[1],
            "crates/engine/src/a.rs:3: \"was_told\" is not a term of the project: replay, print, report, warn"
        );
    }

    #[test]
    fn banned_phrases_fail_in_comments_literals_and_attributes() {
        let text = "//! Lots of so\n//! many I/Os.\nfn a() {\n    // Nobody.\n    b(\"hands over\\n told\");\n}\n\
                    #[serde(rename = \"unasked\")]\nstruct A;\n";
        assert_eq!(banned(text), ["so many", "nobody", "hands over", "told", "unasked"]);
    }

    #[test]
    fn terms_of_the_field_pass() {
        let text = "//! The processor group of a CPU.\n\n/// So.\n\n/// Many barriers, a turnstile.\nfn masked(barrier: u8) { leave_out(\"x\"); }\n";
        assert_eq!(banned(text), [""; 0]);
    }

    #[test]
    fn a_generator_is_named_in_full_in_judge() {
        let check = |text: &str| check(&Source::parse("crates/judge/src/a.rs", text).unwrap()).len();
        assert_eq!(check("struct Generator;"), 1);
        assert_eq!(check("struct LoadGenerator; fn load_generator() {}"), 0);
        assert_eq!(banned("struct Generator;"), [""; 0]);
    }

    #[test]
    fn pages_and_file_names_are_checked() {
        let found = check_page("docs/a.md", "# A\n\nIt is gone\nabout so.\n");
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [3]);
        assert_eq!(check_page("docs/a.md", "# A\n\nIt submits 3 I/Os.\n"), []);
        assert_eq!(check(&Source::parse("crates/a/src/hand_over.rs", "").unwrap()).len(), 1);
    }

    #[test]
    fn identifiers_have_parts() {
        assert_eq!(parts("wasAsked_ForCPU2"), ["was", "asked", "for", "cpu2"]);
        assert_eq!(parts("MAX_LOTS"), ["max", "lots"]);
    }
}
