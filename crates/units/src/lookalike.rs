//! Characters that text editors and web pages insert in place of ASCII: dashes, quotation marks, spaces.

/// A character that looks like ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lookalike {
    pub character: char,
    /// Its name, such as `en dash`.
    pub name: &'static str,
    /// What was probably meant. Empty for characters without a width.
    pub ascii: &'static str,
}

/// The byte order mark, which editors of Windows write at the start of a file.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

const fn lookalike(character: char, name: &'static str, ascii: &'static str) -> Lookalike {
    Lookalike { character, name, ascii }
}

const ALL: [Lookalike; 32] = [
    lookalike('\u{2010}', "hyphen", "-"),
    lookalike('\u{2011}', "non-breaking hyphen", "-"),
    lookalike('\u{2012}', "figure dash", "-"),
    lookalike('\u{2013}', "en dash", "-"),
    lookalike('\u{2014}', "em dash", "-"),
    lookalike('\u{2015}', "horizontal bar", "-"),
    lookalike('\u{2212}', "minus sign", "-"),
    lookalike('\u{2e3a}', "two-em dash", "-"),
    lookalike('\u{fe58}', "small em dash", "-"),
    lookalike('\u{fe63}', "small hyphen", "-"),
    lookalike('\u{ff0d}', "full-width hyphen", "-"),
    lookalike('\u{2018}', "typographic quotation mark", "'"),
    lookalike('\u{2019}', "typographic quotation mark", "'"),
    lookalike('\u{201a}', "typographic quotation mark", "'"),
    lookalike('\u{201b}', "typographic quotation mark", "'"),
    lookalike('\u{2032}', "prime", "'"),
    lookalike('\u{201c}', "typographic quotation mark", "\""),
    lookalike('\u{201d}', "typographic quotation mark", "\""),
    lookalike('\u{201e}', "typographic quotation mark", "\""),
    lookalike('\u{201f}', "typographic quotation mark", "\""),
    lookalike('\u{2033}', "double prime", "\""),
    lookalike('\u{ab}', "typographic quotation mark", "\""),
    lookalike('\u{bb}', "typographic quotation mark", "\""),
    lookalike('\u{a0}', "no-break space", " "),
    lookalike('\u{2007}', "figure space", " "),
    lookalike('\u{202f}', "narrow no-break space", " "),
    lookalike('\u{3000}', "ideographic space", " "),
    lookalike('\u{ad}', "soft hyphen", ""),
    lookalike('\u{200b}', "zero-width space", ""),
    lookalike('\u{2060}', "word joiner", ""),
    lookalike('\u{ff1d}', "full-width equals sign", "="),
    lookalike(BYTE_ORDER_MARK, "byte order mark", ""),
];

impl Lookalike {
    fn of(character: char) -> Option<Lookalike> {
        ALL.into_iter().find(|known| known.character == character)
    }

    fn is_dash(self) -> bool {
        self.ascii == "-"
    }
}

/// Returns the first such character of a text.
pub fn first(text: &str) -> Option<Lookalike> {
    text.chars().find_map(Lookalike::of)
}

/// Returns the first such character at the start or the end of a text. Within a name they can be intended.
pub fn at_edge(text: &str) -> Option<Lookalike> {
    text.chars().next().and_then(Lookalike::of).or_else(|| text.chars().next_back().and_then(Lookalike::of))
}

/// Returns the text after the dashes of an option that starts with such a dash.
pub fn after_dashes(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c == '-' || Lookalike::of(c).is_some_and(Lookalike::is_dash));
    let dashes = &text[..text.len() - rest.len()];
    (!dashes.is_ascii()).then_some(rest)
}

/// Returns the text with ASCII in place of such characters.
pub fn in_ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match Lookalike::of(character) {
            Some(known) => plain.push_str(known.ascii),
            None => plain.push(character),
        }
    }
    plain
}

/// Returns the sentence that a text has such a character, such as `U+2013 is an en dash`.
pub fn described(lookalike: Lookalike) -> String {
    let article = if lookalike.name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("U+{:04X} is {article} {}", u32::from(lookalike.character), lookalike.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_named_and_replaced() {
        let text = "4k\u{2013}64k";
        assert_eq!(first(text).map(described).as_deref(), Some("U+2013 is an en dash"));
        assert_eq!(in_ascii(text), "4k-64k");
        assert_eq!(in_ascii("\u{feff}\u{201c}a\u{201d}\u{a0}b"), "\"a\" b");
        assert_eq!(first("4k-64k"), None);
        let all: std::collections::BTreeSet<char> = ALL.iter().map(|known| known.character).collect();
        assert_eq!(all.len(), ALL.len(), "each once");
    }

    #[test]
    fn dashes_at_the_start_and_characters_at_an_edge_are_found() {
        assert_eq!(after_dashes("\u{2013}name=a"), Some("name=a"));
        assert_eq!(after_dashes("-\u{2011}name=a"), Some("name=a"));
        assert_eq!(after_dashes("--name=a"), None);
        assert_eq!(after_dashes("name"), None);
        assert_eq!(at_edge("\u{201c}x").map(|found| found.ascii), Some("\""));
        assert_eq!(at_edge("x\u{a0}").map(|found| found.ascii), Some(" "));
        assert_eq!(at_edge("Jos\u{2013}e"), None);
    }
}
