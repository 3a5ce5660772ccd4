//! Words and phrases that the project replaced by the field's terms, in `words.txt`.

use std::collections::HashMap;

use super::finding::Finding;

const LIST: &str = include_str!("../../words.txt");
/// The list, and this file's tests.
const EXEMPT: [&str; 1] = ["crates/xtask/src/tidy/words.rs"];
/// Phrases that begin with a listed word: of plain English, and the title of a page that is cited.
const ALLOWED: [&str; 2] = ["lots of", "tell whether your storage"];

/// A phrase in lower case, word by word, and the term.
struct Phrase {
    words: Vec<String>,
    term: &'static str,
}

/// The listed phrases, by their first word.
pub struct Phrases {
    listed: HashMap<String, Vec<Phrase>>,
    allowed: Vec<Vec<String>>,
}

impl Phrases {
    pub fn new() -> Phrases {
        let split = |phrase: &str| phrase.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once(": "));
        let mut listed: HashMap<String, Vec<Phrase>> = HashMap::new();
        for (term, phrase) in pairs.flat_map(|(term, phrases)| phrases.split(", ").map(move |phrase| (term, phrase))) {
            let words = split(phrase);
            listed.entry(words[0].clone()).or_default().push(Phrase { words, term });
        }
        Phrases { listed, allowed: ALLOWED.map(split).into() }
    }

    /// Returns a finding for each listed phrase of a file.
    pub fn check(&self, path: &str, text: &str) -> Vec<Finding> {
        if EXEMPT.contains(&path) {
            return Vec::new();
        }
        let words = words(text);
        let begins = |at: usize, phrase: &[String]| {
            words.get(at..at + phrase.len()).is_some_and(|found| found.iter().map(|(word, _)| word).eq(phrase))
        };
        let found_at = |at: usize| {
            let phrase = self.listed.get(&words[at].0)?.iter().find(|phrase| begins(at, &phrase.words))?;
            let is_allowed = self.allowed.iter().any(|allowed| begins(at, allowed));
            let what = format!("\"{}\" is not a term of the project: {}", phrase.words.join(" "), phrase.term);
            (!is_allowed).then(|| Finding::new(path, words[at].1, what))
        };
        (0..words.len()).filter_map(found_at).collect()
    }
}

/// Returns the words of a text in lower case, with their lines. A line without words ends a text: no phrase extends beyond it.
fn words(text: &str) -> Vec<(String, usize)> {
    let is_word = |character: char| character.is_alphanumeric() || ['\'', '/', '_'].contains(&character);
    let of_line = |(at, line): (usize, &str)| {
        let words = line.split(|character| !is_word(character)).map(|word| word.trim_matches(['\'', '/']));
        let mut words: Vec<_> =
            words.filter(|word| !word.is_empty()).map(|word| (word.to_lowercase(), at + 1)).collect();
        if words.is_empty() {
            words.push((String::new(), at + 1));
        }
        words
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        Phrases::new().check("docs/a.md", text).iter().map(Finding::line).collect()
    }

    #[test]
    fn phrases_are_found_across_lines_and_not_across_texts() {
        let expected = "docs/a.md:1: \"so many\" is not a term of the project: the quantity, with its unit";
        assert_eq!(found("//! Reads so\n//! many I/Os."), [expected]);
        assert_eq!(found("Reads so\n\nmany I/Os, was_told."), [""; 0]);
        assert_eq!(found("b(\"Somebody\");").len(), 1);
    }

    #[test]
    fn terms_of_the_field_pass() {
        assert_eq!(found("Lots of I/Os"), [""; 0]);
        assert_eq!(found("lots").len(), 1);
    }
}
