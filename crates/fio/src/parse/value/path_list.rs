//! Lists of files or directories: `filename=`, `directory=`.

/// Splits a list at its colons. `\:` is a colon within a path.
pub fn split(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if chars.next_if_eq(&':').is_some() => path.push(':'),
            ':' => paths.push(std::mem::take(&mut path)),
            char => path.push(char),
        }
    }
    paths.push(path);
    paths.retain(|path| !path.is_empty());
    paths
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn colons_separate_paths_unless_escaped() {
        assert_eq!(split("/dev/a:/dev/b"), ["/dev/a", "/dev/b"]);
        assert_eq!(split(r"/dev/dsk/foo@3,0\:c"), ["/dev/dsk/foo@3,0:c"]);
        assert_eq!(split("a::b:"), ["a", "b"]);
        assert_eq!(split(r"C\x:y"), [r"C\x", "y"]);
    }
}
