//! Words and phrases that the project replaced by the field's terms, in `words.txt`.

use super::source::Finding;

const LIST: &str = include_str!("../../words.txt");
/// The tests of this file.
const EXEMPT: &str = "crates/xtask/src/tidy/words.rs";
/// Phrases that begin with a listed word: of plain English, and the title of a page that is cited.
const ALLOWED: [&str; 2] = [" lots of ", " tell whether your storage "];

/// The listed phrases, with a space before and after, and their terms.
pub struct Phrases(Vec<(String, &'static str)>);

impl Phrases {
    pub fn new() -> Phrases {
        let lines = LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
        let of_line = |(term, phrases): (&'static str, &str)| -> Vec<_> {
            phrases.split(", ").map(|phrase| (format!(" {phrase} "), term)).collect()
        };
        Phrases(lines.flat_map(of_line).collect())
    }

    /// Returns a finding for each listed phrase of a file.
    pub fn check(&self, path: &str, text: &str) -> Vec<Finding> {
        let mut found = Vec::new();
        let (words, lines) = words(text);
        for (phrase, term) in self.0.iter().filter(|_| path != EXEMPT) {
            for (at, _) in words.match_indices(phrase) {
                if !ALLOWED.iter().any(|allowed| words[at..].starts_with(allowed)) {
                    let line = lines.partition_point(|start| *start <= at);
                    let what = format!("\"{}\" is not a term of the project: {term}", phrase.trim());
                    found.push(Finding::new(path, line, what));
                }
            }
        }
        found
    }
}

/// Returns the words of a text in lower case with spaces around them, and where each line starts. No phrase extends beyond a line
/// without words, which is a period.
fn words(text: &str) -> (String, Vec<usize>) {
    let is_word = |character: char| character.is_alphanumeric() || ['\'', '/', '_'].contains(&character);
    let (mut all, mut starts) = (" ".to_owned(), Vec::new());
    for line in text.lines() {
        starts.push(all.len() - 1);
        let words = line.split(|character| !is_word(character)).map(|word| word.trim_matches(['\'', '/']));
        words.filter(|word| !word.is_empty()).for_each(|word| all += &format!("{} ", word.to_lowercase()));
        if starts.last() == Some(&(all.len() - 1)) {
            all += ". ";
        }
    }
    (all, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_across_lines_and_not_across_texts() {
        let found = |text: &str| Phrases::new().check("docs/a.md", text).iter().map(Finding::line).collect::<Vec<_>>();
        let expected = "docs/a.md:2: \"so many\" is not a term of the project: the quantity, with its unit";
        assert_eq!(found("\n//! Reads so\n//! many I/Os."), [expected]);
        assert_eq!(found("Reads so\n\nmany I/Os, was_told. Lots of I/Os"), [""; 0]);
        assert_eq!((found("b(\"Somebody\");").len(), found("lots").len()), (1, 1));
    }
}
