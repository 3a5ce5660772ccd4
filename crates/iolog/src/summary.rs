//! What a plan needs of a log.

use std::io::BufRead;

use plan::{Ddir, PerDdir, ReplayRules};

use super::entry::Action;
use super::error::{Ignored, LogError};
use super::steps::Steps;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The files: paths, or `MAJOR:MINOR` of devices.
    pub files: Vec<String>,
    /// The files are named by device numbers.
    pub is_of_devices: bool,
    pub steps: u64,
    pub waits: u64,
    pub syncs: u64,
    pub ios: PerDdir<u64>,
    pub bytes: u64,
    pub largest_bytes: PerDdir<u64>,
    /// Depth of the recorded queue, if the log has it.
    pub depth: Option<u32>,
    pub ignored: Ignored,
}

/// Reads a log as it will be replayed. `redirects`: all I/Os go to one target, whatever files the log names.
///
/// # Errors
/// The input cannot be read, or is not a log.
pub fn summarize(input: impl BufRead, rules: &ReplayRules, redirects: bool) -> Result<Summary, LogError> {
    let mut steps = Steps::new(input, rules, redirects)?;
    let mut summary = Summary::default();
    while let Some(step) = steps.next()? {
        summary.steps += 1;
        match step.action {
            Action::Io(ddir) => summary.add_io(ddir, step.bytes),
            Action::Fsync | Action::Fdatasync => summary.syncs += 1,
            Action::Wait => summary.waits += 1,
            Action::Add | Action::Open | Action::Close => {}
        }
    }
    summary.files = steps.files().to_vec();
    summary.is_of_devices = steps.is_of_devices();
    summary.depth = steps.depth();
    summary.ignored = steps.ignored();
    Ok(summary)
}

impl Summary {
    fn add_io(&mut self, ddir: Ddir, bytes: u32) {
        let bytes = u64::from(bytes);
        self.ios[ddir] += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.largest_bytes[ddir] = self.largest_bytes[ddir].max(bytes);
    }
}
