//! The table of DiskSpd's switches: what can be written, what it means, since which version.
//!
//! Usage text and page are made from it, and a test of the parser goes through it, so that it can't say what isn't so.

mod table;
mod usage;

pub use table::OPTIONS;
pub use usage::{markdown, usage};

/// All forms that begin with one letter.
pub struct Opt {
    pub letter: char,
    pub subject: Subject,
    /// May stand beside `-X`.
    pub beside_profile: bool,
    pub forms: &'static [Form],
}

/// One way of writing a switch.
pub struct Form {
    /// As it is typed, with its values in angle brackets.
    pub grammar: &'static str,
    pub meaning: &'static str,
    pub since: Since,
}

/// Where a form comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    V2_2,
    V2_3,
    /// fathom's own.
    Fathom,
}

/// Headings of the usage text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Targets,
    Access,
    Load,
    Caching,
    Content,
    Time,
    Processors,
    Results,
    Profile,
    Events,
    Windows,
}

impl Subject {
    pub const ALL: [Subject; 11] = [
        Subject::Targets,
        Subject::Access,
        Subject::Load,
        Subject::Caching,
        Subject::Content,
        Subject::Time,
        Subject::Processors,
        Subject::Results,
        Subject::Profile,
        Subject::Events,
        Subject::Windows,
    ];

    pub fn heading(self) -> &'static str {
        match self {
            Subject::Targets => "Which part of the targets",
            Subject::Access => "Where the I/O goes",
            Subject::Load => "How much at once, how fast",
            Subject::Caching => "Caches and how targets are opened",
            Subject::Content => "What is written",
            Subject::Time => "For how long",
            Subject::Processors => "Which processors",
            Subject::Results => "What is told",
            Subject::Profile => "Profiles",
            Subject::Events => "Starting and stopping from outside",
            Subject::Windows => "Windows only: read, then refused or reported as not available",
        }
    }
}

pub fn option(letter: char) -> Option<&'static Opt> {
    OPTIONS.iter().find(|option| option.letter == letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_given_once_and_forms_begin_with_them() {
        for (index, option) in OPTIONS.iter().enumerate() {
            assert!(OPTIONS[..index].iter().all(|other| other.letter != option.letter), "-{} twice", option.letter);
            for form in option.forms {
                assert!(form.grammar.starts_with(&format!("-{}", option.letter)), "{}", form.grammar);
                assert!(!form.meaning.ends_with('.'), "{}", form.grammar);
            }
        }
    }

    #[test]
    fn every_heading_has_an_option() {
        for subject in Subject::ALL {
            assert!(OPTIONS.iter().any(|option| option.subject == subject), "{subject:?}");
        }
    }
}
