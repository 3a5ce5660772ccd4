//! Decodes a profile from UTF-8, or from UTF-16 as PowerShell writes it.

use units::diagnostic::{Diagnostic, Source, Span};

use super::writer::is_white;

/// Encodings that a UTF-8 document may declare. PowerShell texts still declare UTF-16 after conversion to UTF-8.
const DECLARED_BY_UTF8: [&str; 4] = ["utf-8", "utf8", "us-ascii", "utf-16"];

pub fn decode(bytes: &[u8], name: &str) -> Result<String, Diagnostic> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes, name),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes, name),
        // No byte order mark, but the first character of an XML document.
        [b'<', 0, ..] => utf16(bytes, u16::from_le_bytes, name),
        [0, b'<', ..] => utf16(bytes, u16::from_be_bytes, name),
        _ => utf8(bytes, name),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, name: &str) -> Result<String, Diagnostic> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|&pair| unit(pair)).collect();
    match String::from_utf16(&units) {
        Ok(text) if odd.is_empty() => Ok(text),
        _ => Err(Diagnostic::error(format!("{name} starts as UTF-16 but is not valid UTF-16"))
            .help("save the profile as UTF-8")),
    }
}

fn utf8(bytes: &[u8], name: &str) -> Result<String, Diagnostic> {
    match str::from_utf8(bytes) {
        Ok(text) => match declared(text).filter(|_| !text.is_ascii()) {
            Some(other) if !DECLARED_BY_UTF8.iter().any(|kind| kind.eq_ignore_ascii_case(other)) => {
                let message = format!("{name} declares the encoding `{other}`, but is UTF-8");
                Err(Diagnostic::error(message).help("write encoding=\"utf-8\""))
            }
            _ => Ok(text.to_owned()),
        },
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            let encoding = declared(&valid).map(str::to_owned);
            // The rest of the line at which the text stops being valid UTF-8.
            let rest = bytes[error.valid_up_to()..].split(|&byte| byte == b'\n').next().unwrap_or_default();
            let start = valid.len();
            let shown = valid + &String::from_utf8_lossy(rest);
            let span = Span::new(&Source::new(name, shown), start..start + 1);
            let declared = encoding.map_or(String::new(), |encoding| format!("; its declared encoding is {encoding}"));
            Err(Diagnostic::error(format!("{name} is neither UTF-8 nor UTF-16{declared}"))
                .at(&span, "invalid character")
                .help("save the profile as UTF-8"))
        }
    }
}

/// Returns the declared encoding: `<?xml version="1.0" encoding="…"?>`.
fn declared(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (declaration, _) = text.strip_prefix("<?xml")?.split_once("?>")?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start_matches(is_white).strip_prefix('=')?.trim_start_matches(is_white);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<Profile>é</Profile>";

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf_16_is_detected_by_its_mark_or_first_character() {
        let marked = format!("\u{feff}{TEXT}");
        for (text, marked) in [(TEXT, marked.as_str())] {
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                assert_eq!(decode(&utf16(text, bytes), "p").as_deref(), Ok(text));
                assert_eq!(decode(&utf16(marked, bytes), "p").as_deref(), Ok(text));
            }
        }
        let mut cut = utf16(TEXT, u16::to_le_bytes);
        cut.pop();
        assert!(decode(&cut, "p").is_err());
    }

    #[test]
    fn utf_8_has_a_mark_or_none() {
        assert_eq!(decode("<Profile>é</Profile>".as_bytes(), "p").as_deref(), Ok("<Profile>é</Profile>"));
        assert_eq!(decode("\u{feff}<Profile/>".as_bytes(), "p").as_deref(), Ok("\u{feff}<Profile/>"));
        let declared = |text: &str| text.replace("utf-16", "windows-1252");
        assert_eq!(decode(TEXT.as_bytes(), "p").as_deref(), Ok(TEXT));
        assert!(decode(declared(TEXT).as_bytes(), "p").is_err(), "other characters are meant");
        assert!(decode(declared(TEXT).replace('é', "e").as_bytes(), "p").is_ok(), "the same in both");
    }

    #[test]
    fn other_encodings_are_reported_with_their_position() {
        let bytes = b"<?xml version='1.0' encoding='windows-1252'?>\n<Path>\xe9t\xe9</Path>\n";
        let error = decode(bytes, "p.xml").expect_err("not UTF-8").to_string();
        assert!(error.contains("its declared encoding is windows-1252") && error.contains("p.xml:2:7"), "{error}");
    }
}
