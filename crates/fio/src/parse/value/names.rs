//! Lists of files and directories, as in `filename=` and `directory=`.

/// Names are separated by colons; `\:` is a colon in a name.
pub fn split(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&':') => names.last_mut().into_iter().for_each(|name| name.push(':')),
            ':' => {
                names.push(String::new());
                continue;
            }
            _ => {
                names.last_mut().into_iter().for_each(|name| name.push(letter));
                continue;
            }
        }
        letters.next();
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn colons_separate_names_unless_escaped() {
        assert_eq!(split("/dev/a:/dev/b"), ["/dev/a", "/dev/b"]);
        assert_eq!(split(r"/dev/dsk/foo@3,0\:c"), ["/dev/dsk/foo@3,0:c"]);
        assert_eq!(split("a::b:"), ["a", "b"]);
        assert_eq!(split(r"C\x:y"), [r"C\x", "y"]);
    }
}
