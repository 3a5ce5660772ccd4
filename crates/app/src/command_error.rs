//! Why a command of fathom's own does nothing. The error is printed once, as the last text on standard error.

use std::fmt;

use history::HistoryError;
use record::schema::SchemaError;
use report::PngError;
use study::StudyError;
use units::diagnostic::Diagnostic;
use units::diagnostics::render_first;
use units::order::OrderBy;

use crate::atomic_file::OutputError;
use crate::output::stderr_line;

/// An error of a request.
#[derive(Debug)]
pub enum CommandError {
    /// What is wrong. A line of help may follow.
    Message(String),
    /// What is wrong in a text of the user, with its positions. Warnings about the same text may be among them.
    Diagnostics(Vec<Diagnostic>),
}

impl CommandError {
    /// Names what the error is about, such as a file.
    pub fn of(self, subject: impl fmt::Display) -> CommandError {
        match self {
            CommandError::Message(message) => CommandError::Message(format!("{subject}: {message}")),
            CommandError::Diagnostics(mut list) => {
                list.iter_mut().for_each(|of| of.message = format!("{subject}: {}", of.message));
                CommandError::Diagnostics(list)
            }
        }
    }

    /// Prints the error to standard error.
    pub fn print(&self) {
        match self {
            CommandError::Message(message) => stderr_line!("error: {message}"),
            CommandError::Diagnostics(_) => stderr_line!("{self}"),
        }
    }
}

/// The text of the error. Warnings come before errors.
impl fmt::Display for CommandError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Message(message) => to.write_str(message),
            CommandError::Diagnostics(list) => {
                let mut list = list.clone();
                list.order_by_key(|diagnostic| diagnostic.level);
                to.write_str(&render_first(&list).join("\n"))
            }
        }
    }
}

impl From<String> for CommandError {
    fn from(message: String) -> CommandError {
        CommandError::Message(message)
    }
}

impl From<Diagnostic> for CommandError {
    fn from(error: Diagnostic) -> CommandError {
        CommandError::Diagnostics(vec![error])
    }
}

impl From<Vec<Diagnostic>> for CommandError {
    fn from(errors: Vec<Diagnostic>) -> CommandError {
        CommandError::Diagnostics(errors)
    }
}

macro_rules! from_errors {
    ($($error:ty),+) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> CommandError {
                CommandError::Message(error.to_string())
            }
        })+
    };
}

from_errors!(&str, OutputError, StudyError, PngError, SchemaError);

/// What to do about a damaged history.
const HELP_ON_DAMAGE: &str = "\nhelp: move history.db away (from $XDG_DATA_HOME/fathom, by default ~/.local/share/fathom): \
    fathom makes a new one. `fathom history add FILE` adds files of --save, --record and unsaved-*.json to it";

impl From<HistoryError> for CommandError {
    fn from(error: HistoryError) -> CommandError {
        CommandError::Message(format!("{error}{}", if error.is_damage() { HELP_ON_DAMAGE } else { "" }))
    }
}
