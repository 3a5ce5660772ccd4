//! Reports of a run on many hosts, for both dialects.

use ::fleet::Job;
use record::Record;

use crate::command_error::CommandError;

/// The reports that a command line requests.
pub trait Reports {
    /// Prints and saves the reports. Returns false if one of them could not be written.
    fn write(&mut self, record: &Record) -> bool;
    /// Findings are printed.
    fn shows_findings(&self) -> bool;
    /// The run is saved in the history.
    fn keeps_history(&self) -> bool;
}

/// The reports of a command line, and the job for the hosts.
pub type Opened = (Box<dyn Reports>, Job);

/// Rejects options that a run on many hosts does not support.
///
/// # Errors
/// One of them is given.
pub fn reject(given: &[(bool, &str)]) -> Result<(), CommandError> {
    match given.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(format!("{option} is not supported on many hosts").into()),
        None => Ok(()),
    }
}
