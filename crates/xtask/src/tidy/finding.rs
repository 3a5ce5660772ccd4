//! Findings of the rules.

/// One violation of a rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// File, relative to the workspace.
    pub path: String,
    /// Line from 1. 0 means the whole file.
    pub line: usize,
    /// The violation and its correction.
    pub text: String,
}

impl Finding {
    pub fn new(path: &str, line: usize, text: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, text: text.into() }
    }

    /// `file:line: text`
    pub fn line(&self) -> String {
        match self.line {
            0 => format!("{}: {}", self.path, self.text),
            line => format!("{}:{line}: {}", self.path, self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_shown_with_its_place() {
        assert_eq!(Finding::new("a.rs", 3, "bad").line(), "a.rs:3: bad");
        assert_eq!(Finding::new("a.rs", 0, "bad").line(), "a.rs: bad");
    }
}
