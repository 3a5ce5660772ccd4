//! Lines of a log of fio, version 3.

use std::io::Write;

use super::entry::Action;
use super::text::HEADERS;

/// Returns the first line of a log.
pub fn header() -> String {
    format!("{}\n", HEADERS[1])
}

/// Appends the line of an action at a time since the start of the log.
pub fn line(lines: &mut Vec<u8>, time_us: u64, file: &str, action: Action, offset: u64, bytes: u32) {
    let name = match action {
        Action::Add => "add",
        Action::Open => "open",
        Action::Close => "close",
        Action::Io(ddir) => ddir.name(),
        Action::Fsync => "sync",
        Action::Fdatasync => "datasync",
        // Times are in each line.
        Action::Wait => return,
    };
    // A write to memory cannot fail.
    let _ = match action {
        Action::Add | Action::Open | Action::Close => writeln!(lines, "{time_us} {file} {name}"),
        _ => writeln!(lines, "{time_us} {file} {name} {offset} {bytes}"),
    };
}
