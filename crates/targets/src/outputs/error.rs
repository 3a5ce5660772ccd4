//! Why an output is not written.

use std::io;

use os::errno;
use record::OutputRefusal;

use crate::folders::is_replaced;

/// Why a file is not written.
#[derive(Debug)]
pub enum OutputError {
    Refused(OutputRefusal),
    Io(io::Error),
}

impl From<OutputRefusal> for OutputError {
    fn from(refusal: OutputRefusal) -> Self {
        OutputError::Refused(refusal)
    }
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        OutputError::Io(error)
    }
}

impl OutputError {
    pub(super) fn is(&self, number: i32) -> bool {
        matches!(self, OutputError::Io(error) if errno::of(error) == Some(number))
    }
}

/// Returns the error of a call on a held folder: a link or another folder can be where none was.
pub(super) fn of_folder(error: io::Error) -> OutputError {
    if is_replaced(&error) { OutputRefusal::Replaced.into() } else { OutputError::Io(error) }
}
