//! Reports of a run on many hosts, for both dialects.

use std::sync::Arc;

use ::fleet::Job;
use plan::Plan;
use record::Record;

use crate::command_error::CommandError;
use crate::live_views::LiveOptions;

/// The reports that a command line requests.
pub struct Reports {
    /// Prints and saves the reports. Returns false if one of them could not be written.
    pub write: Box<dyn FnOnce(&Record) -> bool>,
    /// Findings are printed.
    pub shows_findings: bool,
    /// The run is saved in the history.
    pub keeps_history: bool,
}

/// A command line for many hosts, with its files open.
pub struct Opened {
    pub reports: Reports,
    pub job: Job,
    /// The job as this machine plans it.
    pub plan: Arc<Plan>,
    pub live: LiveOptions,
}

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
