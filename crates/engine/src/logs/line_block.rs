//! Lines of a log that can be replayed, on their way to the writer.

use std::sync::mpsc::SyncSender;

use targets::GuardedFile;

use super::error::LogError;

/// A block of lines.
pub struct LineBlock {
    pub file: GuardedFile,
    pub path: String,
    pub lines: Vec<u8>,
    /// Returns the memory to the worker.
    pub back: SyncSender<Vec<u8>>,
}

impl LineBlock {
    /// Appends the lines to the file, and returns the memory to the worker.
    ///
    /// # Errors
    /// The file cannot be opened or written.
    pub fn write(mut self) -> Result<(), LogError> {
        let written = self.file.append(&self.lines);
        self.lines.clear();
        // The worker may have ended.
        drop(self.back.try_send(self.lines));
        written.map_err(|error| LogError::of_output(&self.path, error))
    }
}
