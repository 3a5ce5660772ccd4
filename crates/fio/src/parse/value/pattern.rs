//! Patterns for buffers: a sequence of `0xdeadbeef`, `-100`, `"text"`, `'file'` and `%o`.

use super::problem::Problem;
use plan::PatternPart;

use super::types::Pattern;
use crate::parse::env::Env;

const PATTERN_BYTES_MAX: usize = 128 * 1024;

/// Parses a pattern. `offsets` allows `%o`.
///
/// # Errors
///
/// Fails if the text is not a pattern, if a file cannot be read, or if the pattern is longer than 128 KiB.
pub fn pattern(text: &str, offsets: bool, env: &dyn Env) -> Result<Pattern, Problem> {
    let mut parts = Vec::new();
    let mut total = 0;
    let mut at = 0;
    let expected = "expected 0x and hexadecimal digits, a number, \"text\" or 'file'";
    let error = |at: usize, message: &str| Problem::error(at..text.len(), message, expected);
    if text.is_empty() {
        return Err(error(0, "the pattern is empty"));
    }
    while at < text.len() {
        let rest = &text[at..];
        let (part, used) = match rest.as_bytes()[0] {
            quote @ (b'"' | b'\'') => {
                let quote = char::from(quote);
                let inner = rest[1..].split_once(quote).map(|(inner, _)| inner);
                let inner = inner.ok_or_else(|| error(at, "the closing quote is missing"))?;
                let bytes = if quote == '"' {
                    inner.as_bytes().to_vec()
                } else {
                    env.read_file(inner).map_err(|cause| error(at, &format!("cannot read {inner}: {cause}")))?
                };
                (PatternPart::Bytes(bytes), inner.len() + 2)
            }
            b'%' if rest.starts_with("%o") && offsets => (PatternPart::Offset, 2),
            b'%' => return Err(error(at, "a format is not allowed here")),
            _ => number(rest).ok_or_else(|| error(at, "not a pattern"))?,
        };
        if matches!(&part, PatternPart::Bytes(bytes) if bytes.is_empty()) {
            return Err(error(at, "this part is empty"));
        }
        total += match &part {
            PatternPart::Bytes(bytes) => bytes.len(),
            PatternPart::Offset => 8,
        };
        if total > PATTERN_BYTES_MAX {
            return Err(error(0, "the pattern is longer than 128 KiB"));
        }
        parts.push(part);
        at += used;
    }
    Ok(Pattern(parts))
}

/// Parses a number. Hexadecimal digits are bytes in order. A decimal number is little endian, without leading zeroes.
fn number(text: &str) -> Option<(PatternPart, usize)> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let mut count = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        // In 0xff0x14, the second 0 is the start of the next number.
        if count > 0 && digits[count..].starts_with(['x', 'X']) && digits[..count].ends_with('0') {
            count -= 1;
        }
        return (count > 0).then(|| (PatternPart::Bytes(hexadecimal(&digits[..count])), count + 2));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let mut count = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
    if count > 1 && unsigned[count..].starts_with(['x', 'X']) && unsigned[..count].ends_with('0') {
        count -= 1;
    }
    let value: i32 = text[..sign + count].parse().ok()?;
    let mut bytes = value.to_le_bytes().to_vec();
    while bytes.len() > 1 && bytes.last() == Some(&0) {
        bytes.pop();
    }
    Some((PatternPart::Bytes(bytes), sign + count))
}

fn hexadecimal(digits: &str) -> Vec<u8> {
    let nibbles: Vec<u8> = digits.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    let (odd, pairs) = nibbles.split_at(nibbles.len() % 2);
    odd.iter().copied().chain(pairs.chunks(2).map(|pair| pair[0] << 4 | pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::env::FixedEnv;

    fn bytes(text: &str) -> Option<Vec<u8>> {
        let env = FixedEnv::default().file("f", b"xy");
        pattern(text, true, &env).ok().map(|pattern| pattern.bytes())
    }

    #[test]
    fn a_pattern_is_a_sequence_of_parts() {
        assert_eq!(bytes("\"abcd\"").as_deref(), Some(b"abcd".as_slice()));
        assert_eq!(bytes("-1024").as_deref(), Some([0, 0xfc, 0xff, 0xff].as_slice()));
        assert_eq!(bytes("66").as_deref(), Some([66].as_slice()));
        assert_eq!(bytes("0xFF0X1").as_deref(), Some([0xff, 1].as_slice()));
        assert_eq!(bytes("\"123\"0xFFeeCC").as_deref(), Some([0x31, 0x32, 0x33, 0xff, 0xee, 0xcc].as_slice()));
        let mixed = [0xf6, 0xff, 0xff, 0xff, 0xab, 0x31, 0, 0, 0, 0, 0, 0, 0, 0, 0x32];
        assert_eq!(bytes("-100xab\"1\"%o\"2\"").as_deref(), Some(mixed.as_slice()));
        assert_eq!(bytes("'f'").as_deref(), Some(b"xy".as_slice()));
        assert_eq!(bytes("0").as_deref(), Some([0].as_slice()));
    }

    #[test]
    fn invalid_patterns_are_rejected() {
        for text in ["", "abc", "\"a", "0x", "%x", "99999999999", "'missing'", "\"\"", "é"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
