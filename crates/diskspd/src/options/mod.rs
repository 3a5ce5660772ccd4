//! Table of DiskSpd's options: grammar, meaning, version.
//!
//! The usage text and the documentation page are generated from it. A test compares it with the parser.

mod table;
mod usage;

use strum::VariantArray;

pub use table::OPTIONS;
pub use usage::{markdown, usage};

/// All forms of an option letter.
pub struct Opt {
    pub letter: char,
    pub subject: Subject,
    /// Allowed together with `-X`.
    pub allowed_with_profile: bool,
    pub forms: &'static [Form],
}

/// A form of an option.
pub struct Form {
    /// Grammar, with values in angle brackets.
    pub grammar: &'static str,
    pub meaning: &'static str,
    pub since: Since,
}

/// Origin of a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    V2_2,
    V2_3,
    /// An addition of fathom.
    Fathom,
}

/// Sections of the usage text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, VariantArray)]
pub enum Subject {
    Targets,
    Access,
    Load,
    Caching,
    Content,
    Time,
    Cpus,
    Results,
    Profile,
    Events,
    Windows,
}

impl Subject {
    pub const ALL: &'static [Subject] = Subject::VARIANTS;

    pub fn heading(self) -> &'static str {
        match self {
            Subject::Targets => "Range of the targets",
            Subject::Access => "Access pattern",
            Subject::Load => "Load",
            Subject::Caching => "Caching",
            Subject::Content => "Written data",
            Subject::Time => "Time",
            Subject::Cpus => "CPUs",
            Subject::Results => "Results",
            Subject::Profile => "Profiles",
            Subject::Events => "Events",
            Subject::Windows => "Windows only: rejected, or without effect and with a warning",
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
    fn letters_are_unique_and_start_their_forms() {
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
        for &subject in Subject::ALL {
            assert!(OPTIONS.iter().any(|option| option.subject == subject), "{subject:?}");
        }
    }
}
