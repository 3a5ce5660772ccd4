//! Escaping of text for XML, SVG and HTML.

/// Escapes text for use between tags or in quotes. Characters that XML does not allow become `?`.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('?'),
            '\n' | '\t' => safe.push(c),
            c if c.is_control() => safe.push('?'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_is_valid_in_tags_and_quotes() {
        assert_eq!(escaped("a<b> & \"c\" 'd'\u{1}\u{ffff}\n"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;??\n");
    }
}
