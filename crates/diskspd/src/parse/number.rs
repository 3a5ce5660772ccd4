//! Numbers as DiskSpd reads them: counts without care for what follows, sizes with care.

use units::diagnostic::Diagnostic;

use super::words::Switch;

/// A count in the manner of C's `atoi`.
pub struct Count {
    pub value: i32,
    /// What was ignored, if anything was.
    pub warning: Option<Diagnostic>,
}

/// Blanks and a sign may stand in front, anything behind; without a digit it is 0. A number too large for DiskSpd's
/// own integers is refused: what it would become there is an accident.
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
            let message = format!("-{} with a number that is too large", switch.letter);
            return Err(switch.error_from(start, message, "at most 2147483647"));
        }
    };
    let ignored = &text[end..];
    let warning = (!ignored.is_empty()).then(|| {
        let message = format!("`{}` is taken for -{}{}{value}", switch.word, switch.letter, &switch.value[..start]);
        Diagnostic::warning(message).at(&switch.value_span(start + end..switch.value.len()), "this is ignored")
    });
    Ok(Count { value, warning })
}

/// Digits and at most one unit. `block` is what the unit B means.
pub fn size(switch: &Switch, start: usize, end: usize, block: u32) -> Result<u64, Diagnostic> {
    let text = &switch.value[start..end];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let error = |from: usize, message: &str, label: &str| {
        let span = switch.value_span(start + from..end);
        Err(Diagnostic::error(format!("-{}: {message}", switch.letter)).at(&span, label))
    };
    let example = "a size is digits with one of K M G T B or none behind them, such as 512, 4K or 2B";
    let unit = &text[digits..];
    if digits == 0 {
        return error(0, "a size without digits", "expected a digit here").map_err(|error| error.help(example));
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
            let (at, what) = if known { (1, "something behind the unit of a size") } else { (0, "no unit of a size") };
            return error(digits + at, what, "not expected").map_err(|error| error.help(example));
        }
    };
    let bytes = text[..digits].parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    match bytes {
        Some(bytes) => Ok(bytes),
        None => error(0, "a size beyond 64 bits", "too large"),
    }
}

/// The whole value as a size.
pub fn whole_size(switch: &Switch, block: u32) -> Result<u64, Diagnostic> {
    if switch.value.is_empty() {
        return Err(switch.missing("a size, such as 64K"));
    }
    size(switch, 0, switch.value.len(), block)
}
