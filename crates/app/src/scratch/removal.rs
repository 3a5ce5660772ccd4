//! Progress of the removal of large files on a terminal.

use std::io::IsTerminal;
use std::path::Path;

use os::file::Folder;
use units::format;

use crate::output::write_stderr_raw;

/// The removal of smaller files takes less than a second on most disks.
const LARGE_BYTES: u64 = 4 << 30;
/// Bytes that are freed between two lines of progress.
const STEP_BYTES: u64 = 1 << 30;
/// Moves the cursor to the start of the line, and erases the line.
const ERASE_LINE: &str = "\r\x1b[K";

/// Frees a large file step by step and shows the progress. Without a terminal it does nothing: the removal of the file
/// frees it at once. After an error the removal reports it.
pub fn shorten(folder: &Folder, name: &Path) {
    let Ok(all_bytes) = folder.bytes_of(name) else { return };
    if all_bytes < LARGE_BYTES || !std::io::stderr().is_terminal() {
        return;
    }
    for bytes in steps(all_bytes) {
        if folder.shorten(name, bytes).is_err() {
            break;
        }
        let (left, all) = (format::size(bytes), format::size(all_bytes));
        write_stderr_raw(&format!("{ERASE_LINE}removing the test files: {left} of {all} left"));
    }
    write_stderr_raw(ERASE_LINE);
}

/// Returns the lengths of a file on the way to 0.
fn steps(all_bytes: u64) -> impl Iterator<Item = u64> {
    let length = move |step: u64| all_bytes.saturating_sub(step * STEP_BYTES);
    (1..=all_bytes.div_ceil(STEP_BYTES)).map(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_freed_in_steps_of_a_gibibyte() {
        let gib = |lengths: Vec<u64>| lengths.iter().map(|bytes| bytes / STEP_BYTES).collect::<Vec<_>>();
        assert_eq!(gib(steps(4 << 30).collect()), [3, 2, 1, 0]);
        assert_eq!(steps((1 << 30) + 1).collect::<Vec<_>>(), [1, 0]);
    }
}
