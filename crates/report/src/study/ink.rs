//! Characters of a terminal.

/// Characters that a text may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ink {
    #[default]
    Unicode,
    Ascii,
}

/// Replaces each character by one of ASCII, so that columns stay in place.
pub fn in_ascii(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{2588}'..='\u{258c}' => '#',
        '\u{258d}'..='\u{258f}' => ' ',
        'µ' => 'u',
        '…' => '.',
        '–' => '-',
        '×' => 'x',
        '±' => '+',
        c if c.is_ascii() => c,
        _ => '?',
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_keeps_every_column() {
        assert_eq!(in_ascii("a ███▌ 3 µs … é"), "a #### 3 us . ?");
    }
}
