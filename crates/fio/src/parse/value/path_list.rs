//! Lists of files or directories: `filename=`, `directory=`.

use units::system::System;

/// Splits a list at its colons. `\:` is a colon within a path. On Windows the colon of a drive letter separates nothing.
pub fn split(text: &str) -> Vec<String> {
    split_on(System::HERE, text)
}

fn split_on(system: System, text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.next_if_eq(&':').is_some() => path.push(':'),
            ':' if system.is_windows() && is_drive(&path, chars.peek()) => path.push(':'),
            ':' => paths.push(std::mem::take(&mut path)),
            char => path.push(char),
        }
    }
    paths.push(path);
    paths.retain(|path| !path.is_empty());
    paths
}

/// Returns whether a colon is that of a drive: it follows one letter, and a path from its root follows.
fn is_drive(before: &str, next: Option<&char>) -> bool {
    let letter = before.rsplit(['\\', '/']).next().unwrap_or(before);
    let is_start = letter == before || before.starts_with(r"\\.\");
    is_start
        && letter.len() == 1
        && letter.starts_with(|c: char| c.is_ascii_alphabetic())
        && matches!(next, Some('\\' | '/') | None)
}

#[cfg(test)]
mod tests {
    use super::{System, split, split_on};

    #[test]
    fn drive_letters_separate_nothing_on_windows() {
        let on_windows = |text: &str| split_on(System::Windows, text);
        assert_eq!(on_windows(r"C:\a:D:/b:e"), [r"C:\a", "D:/b", "e"]);
        assert_eq!(on_windows(r"C\:\a:b"), [r"C:\a", "b"]);
        assert_eq!(on_windows(r"\\.\PhysicalDrive1:\\.\E:"), [r"\\.\PhysicalDrive1", r"\\.\E:"]);
        assert_eq!(on_windows("a:b"), ["a", "b"]);
        assert_eq!(split_on(System::Linux, "C:/a"), ["C", "/a"]);
    }

    #[test]
    fn colons_separate_paths_unless_escaped() {
        assert_eq!(split("/dev/a:/dev/b"), ["/dev/a", "/dev/b"]);
        assert_eq!(split(r"/dev/dsk/foo@3,0\:c"), ["/dev/dsk/foo@3,0:c"]);
        assert_eq!(split("a::b:"), ["a", "b"]);
        assert_eq!(split(r"C\x:y"), [r"C\x", "y"]);
    }
}
