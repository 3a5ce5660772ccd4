//! Lists of names of jobs and targets.

use units::markup::one_line;

/// Names shown of a longer list.
const NAMES_SHOWN: usize = 3;

/// Lists names: all of a few, else the first and the number of the others.
pub(super) fn names(names: &[String]) -> String {
    match names {
        [first, rest @ ..] if names.len() > NAMES_SHOWN => format!("{} and {} more", quoted(first), rest.len()),
        all => all.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "),
    }
}

/// Escapes the control characters of a sentence. It can have texts of a saved run.
pub(super) fn line(text: impl AsRef<str>) -> String {
    one_line(text.as_ref()).into_owned()
}

/// Puts quotes around a name that could be read as several, or as the end of a label.
pub(super) fn quoted(name: &str) -> String {
    let name = one_line(name);
    if name.contains([',', ':', '"']) { format!("{name:?}") } else { name.into_owned() }
}
