//! The data of a response.

use super::counts::{IoCounts, JobCounts};
use crate::job::Job;
use crate::view::View;

/// What a response contains.
#[derive(Default)]
pub struct Exported {
    pub version: String,
    /// Ended runs, the oldest first.
    pub ended: Vec<ExportedRun>,
    pub active: ExportedRun,
    pub view: View,
}

/// A run, by job, by target and by host.
#[derive(Clone, Default)]
pub struct ExportedRun {
    pub name: String,
    pub jobs: Vec<(Job, JobCounts)>,
    pub targets: Vec<(String, IoCounts)>,
    pub hosts: Vec<(String, IoCounts)>,
}

impl ExportedRun {
    /// Returns the number of its series, by name.
    pub fn series(&self) -> usize {
        self.jobs.len().max(self.targets.len()).max(self.hosts.len())
    }
}
