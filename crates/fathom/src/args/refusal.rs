//! Why arguments are refused.

use std::fmt::{self, Display};

use clap::error::ErrorKind;
use units::diagnostic::Diagnostic;

/// Why the arguments are not a request.
#[derive(Debug)]
pub enum Refusal {
    /// Also the requests for help and for the version.
    Arguments(clap::Error),
    /// A combination of arguments that no single argument's parser can refuse.
    Combination { command: &'static str, kind: ErrorKind, message: String },
    /// A value with a grammar of its own, and the place of the error in it.
    Value(Diagnostic),
}

impl Refusal {
    pub fn new(command: &'static str, kind: ErrorKind, message: impl Display) -> Self {
        Refusal::Combination { command, kind, message: message.to_string() }
    }
}

impl From<clap::Error> for Refusal {
    fn from(error: clap::Error) -> Self {
        Refusal::Arguments(error)
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        Refusal::Value(diagnostic)
    }
}

impl Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Arguments(error) => error.fmt(to),
            Refusal::Combination { message, .. } => write!(to, "error: {message}"),
            Refusal::Value(diagnostic) => diagnostic.fmt(to),
        }
    }
}
