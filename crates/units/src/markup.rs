//! Text of others in XML, SVG and HTML.

/// As text between tags or within quotes; what XML can't hold becomes a question mark.
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
    fn nothing_ends_a_tag_or_a_quote_and_xml_can_hold_the_rest() {
        assert_eq!(escaped("a<b> & \"c\" 'd'\u{1}\u{ffff}\n"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;??\n");
    }
}
