//! Numbers as DiskSpd parses them: counts ignore trailing text, sizes do not.

use units::diagnostic::Diagnostic;

use super::arguments::Switch;

/// A count as C's `atoi` parses it.
pub struct Count {
    pub value: i32,
    /// Warning about ignored text.
    pub warning: Option<Diagnostic>,
}

/// Parses a count. Leading blanks and a sign are allowed, trailing text is ignored, and the value without digits is 0.
/// A number beyond DiskSpd's integers is an error: its value there is undefined.
pub fn count(switch: &Switch, start: usize) -> Result<Count, Diagnostic> {
    let text = &switch.value[start..];
    let number = text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    let blanks = text.len() - number.len();
    let digits_at = usize::from(number.starts_with(['+', '-']));
    let digits = number[digits_at..].bytes().take_while(u8::is_ascii_digit).count();
    let end = if digits == 0 { 0 } else { blanks + digits_at + digits };
    let value = match number[..digits_at + digits].parse::<i32>() {
        Ok(value) => value,
        Err(_) if digits == 0 => 0,
        Err(_) => {
            let message = format!("the number of -{} is too large", switch.letter);
            return Err(switch.error_from(start, message, "at most 2147483647"));
        }
    };
    let ignored = &text[end..];
    let warning = (!ignored.is_empty()).then(|| {
        let message = format!("`{}` is read as -{}{}{value}", switch.argument, switch.letter, &switch.value[..start]);
        Diagnostic::warning(message).at(&switch.value_span(start + end..switch.value.len()), "ignored")
    });
    Ok(Count { value, warning })
}

/// Parses digits and an optional unit. `block` is the size of the unit B.
pub fn size(switch: &Switch, start: usize, end: usize, block: u32) -> Result<u64, Diagnostic> {
    let text = &switch.value[start..end];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let error = |from: usize, message: &str, label: &str| {
        let span = switch.value_span(start + from..end);
        Err(Diagnostic::error(format!("-{}: {message}", switch.letter)).at(&span, label))
    };
    let example = "a size is digits with an optional unit K M G T B, such as 512, 4K or 2B";
    let unit = &text[digits..];
    if digits == 0 {
        return error(0, "the size has no digits", "expected a digit here").map_err(|error| error.help(example));
    }
    let factor = match unit {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        "T" | "t" => 1_u64 << 40,
        "B" | "b" => u64::from(block),
        _ => {
            let known = unit.starts_with(['K', 'k', 'M', 'm', 'G', 'g', 'T', 't', 'B', 'b']);
            let (at, what) = if known { (1, "text after the unit of a size") } else { (0, "unknown unit of a size") };
            return error(digits + at, what, "not expected").map_err(|error| error.help(example));
        }
    };
    let bytes = text[..digits].parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    match bytes {
        Some(bytes) => Ok(bytes),
        None => error(0, "the size exceeds 64 bits", "too large"),
    }
}

/// Parses the whole value as a size.
pub fn whole_size(switch: &Switch, block: u32) -> Result<u64, Diagnostic> {
    if switch.value.is_empty() {
        return Err(switch.missing("a size, such as 64K"));
    }
    size(switch, 0, switch.value.len(), block)
}
