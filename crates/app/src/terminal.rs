//! What the terminal can show.

use std::io::IsTerminal;

use report::Ink;

/// Standard output shows colours, by the rules of <https://no-color.org>.
pub fn is_coloured() -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !is_refused && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Columns of standard output; 80 if it is not a terminal.
pub fn columns() -> usize {
    console::Term::stdout().size_checked().map_or(80, |(_, columns)| usize::from(columns))
}

/// Returns the characters that the terminal shows.
pub fn ink() -> Ink {
    if writes_utf8() { Ink::Unicode } else { Ink::Ascii }
}

/// The locale of the environment is a UTF-8 one.
pub fn writes_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os).find(|name| !name.is_empty());
    let locale = locale.map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Standard error is a terminal: a person reads it.
pub fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}
