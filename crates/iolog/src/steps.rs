//! A log as it is replayed: without what is skipped, with offsets and times as requested.

use std::io::BufRead;

use plan::{Ddir, ReplayRules};

use super::entry::{Action, Entry};
use super::error::{Ignored, LogError};
use super::reader::Reader;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub action: Action,
    /// Index of the file in [`Steps::files`].
    pub file: u32,
    pub offset: u64,
    pub bytes: u32,
    /// Time since the entry before this one.
    pub delay_ns: u64,
}

#[derive(Debug)]
pub struct Steps<R> {
    reader: Reader<R>,
    rules: ReplayRules,
    /// Time of the last entry; 0 before the first.
    last_ns: u64,
}

impl<R: BufRead> Steps<R> {
    /// Opens a log. `redirects`: all I/Os go to one target, whatever files the log names.
    ///
    /// # Errors
    /// The input cannot be read, or is not a log.
    pub fn new(input: R, rules: &ReplayRules, redirects: bool) -> Result<Self, LogError> {
        Ok(Steps { reader: Reader::new(input, redirects)?, rules: *rules, last_ns: 0 })
    }

    /// Returns the next step. `None` at the end.
    ///
    /// # Errors
    /// The input cannot be read, or is not a trace from some record on.
    #[expect(clippy::should_implement_trait, reason = "an iterator of results would hide the end of a log that fails")]
    pub fn next(&mut self) -> Result<Option<Step>, LogError> {
        while let Some(found) = self.reader.next()? {
            // As in fio the delay of an entry that is not replayed is lost.
            let delay_ns = found.time_ns.map_or(0, |time_ns| self.delay_ns(time_ns));
            let Some(entry) = found.entry.filter(|entry| !self.is_skipped(entry.action)) else { continue };
            return Ok(Some(self.step(entry, delay_ns)));
        }
        Ok(None)
    }

    /// Returns the names of the files so far: paths, or `MAJOR:MINOR` of devices.
    pub fn files(&self) -> &[String] {
        self.reader.files.names()
    }

    /// Returns true if the files are named by device numbers.
    pub fn is_of_devices(&self) -> bool {
        self.reader.is_of_devices()
    }

    pub fn ignored(&self) -> Ignored {
        self.reader.ignored
    }

    /// Returns the depth of the recorded queue so far. `None` if the format does not have it.
    pub fn depth(&self) -> Option<u32> {
        self.reader.depth()
    }

    /// Returns the time since the last entry. As in fio entries before the first time above 0 have none.
    fn delay_ns(&mut self, time_ns: u64) -> u64 {
        let last_ns = std::mem::replace(&mut self.last_ns, time_ns);
        if last_ns == 0 || self.rules.no_stall {
            return 0;
        }
        let delay_ns = time_ns.saturating_sub(last_ns);
        match self.rules.time_scale_percent {
            100 => delay_ns,
            percent => (delay_ns as f64 * 100.0 / f64::from(percent.max(1))) as u64,
        }
    }

    fn is_skipped(&self, action: Action) -> bool {
        let skip = &self.rules.skip;
        match action {
            Action::Io(Ddir::Read) => skip.reads,
            Action::Io(Ddir::Write) => skip.writes,
            Action::Io(Ddir::Trim) => skip.trims,
            Action::Fsync => skip.syncs,
            Action::Wait => self.rules.no_stall,
            Action::Fdatasync | Action::Add | Action::Open | Action::Close => false,
        }
    }

    fn step(&self, entry: Entry, delay_ns: u64) -> Step {
        let Entry { action, file, mut offset, mut bytes } = entry;
        let align = u64::from(self.rules.align_bytes.max(1));
        if matches!(action, Action::Io(_)) {
            offset /= u64::from(self.rules.offset_divisor.max(1));
            offset -= offset % align;
            if self.is_of_devices() {
                bytes = u64::from(bytes).next_multiple_of(align).min(u64::from(u32::MAX)) as u32;
            }
        }
        Step { action, file, offset, bytes, delay_ns }
    }
}
