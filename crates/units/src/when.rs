//! When to print something: always, never, or on a terminal.

/// When to print something.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum When {
    Always,
    Never,
    /// If the output is a terminal.
    #[default]
    Auto,
}

impl When {
    /// The values, as they are written on command lines.
    pub const EXPECTED: &str = "always, never or auto";

    /// Parses `always`, `never` or `auto`.
    pub fn parse(text: &str) -> Option<When> {
        match text {
            "always" => Some(When::Always),
            "never" => Some(When::Never),
            "auto" => Some(When::Auto),
            _ => None,
        }
    }

    /// Returns whether to print. `is_terminal` is called for `Auto` only.
    pub fn applies(self, is_terminal: impl FnOnce() -> bool) -> bool {
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_auto_depends_on_the_terminal() {
        let parsed = ["always", "never", "auto", "Always", ""].map(When::parse);
        assert_eq!(parsed, [Some(When::Always), Some(When::Never), Some(When::Auto), None, None]);
        let applies = |when: When| [false, true].map(|is_terminal| when.applies(|| is_terminal));
        assert_eq!([When::Always, When::Never, When::Auto].map(applies), [[true; 2], [false; 2], [false, true]]);
    }
}
