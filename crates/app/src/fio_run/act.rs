//! The hours of `--profile=act`: the share of slow I/Os in each, and the end of a test that fails.

use std::time::Duration;

use ::fio::parse::settings::Profile;
use ::fio::render::{ACT_SLICE_S, ActCounts, act_table};
use record::Record;

/// Length of a slice.
pub const SLICE: Duration = Duration::from_secs(ACT_SLICE_S);

pub struct Act {
    slices: u64,
    ended: Vec<ActCounts>,
    /// The counts at the end of the last slice.
    counted: ActCounts,
    /// Time since the start of the run.
    elapsed: Duration,
    pub has_failed: bool,
}

impl Act {
    /// `None` without the profile, and if the profile prepares devices.
    pub fn of_profile(profile: Option<Profile>) -> Option<Self> {
        match profile {
            Some(Profile::Act { slices }) if slices > 0 => {
                let (ended, counted) = (Vec::new(), ActCounts::default());
                Some(Act { slices, ended, counted, elapsed: Duration::ZERO, has_failed: false })
            }
            _ => None,
        }
    }

    /// Notes the time since the start of the run.
    pub fn tick(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
    }

    /// Returns true if a slice is over and another one follows.
    pub fn is_due(&self) -> bool {
        let over = self.elapsed.as_secs() / ACT_SLICE_S;
        over > self.ended.len() as u64 && over < self.slices
    }

    /// Ends a slice. Returns its line if it has too many slow I/Os.
    pub fn next_slice(&mut self, record: &Record) -> Option<String> {
        let line = self.end_slice(record).failure();
        self.has_failed |= line.is_some();
        line
    }

    fn end_slice(&mut self, record: &Record) -> ActCounts {
        let counts = ActCounts::of_workers(&record.workers);
        let slice = counts.since(&self.counted);
        self.counted = counts;
        self.ended.push(slice);
        slice
    }

    /// Returns the table of all slices at the end of the run.
    pub fn finish(&mut self, record: &Record) -> String {
        self.end_slice(record);
        self.ended.resize(self.ended.len().max(self.slices as usize), ActCounts::default());
        act_table(&self.ended)
    }
}
