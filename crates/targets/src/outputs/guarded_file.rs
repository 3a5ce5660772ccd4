//! Files that are opened again for each part of their contents.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use os::errno;
use os::file::{Inode, Kind, OpenOptions};
use record::OutputRefusal;

use super::error::OutputError;
use super::folders::{NamedBy, OutputEntry};
use super::guard::{Existing, NEW_MODE, OutputGuard};
use crate::lock::lock;

/// A file that passed the guard.
#[derive(Clone, Debug)]
pub struct GuardedFile(Output);

#[derive(Clone, Debug)]
enum Output {
    /// It is opened again for each part of its contents.
    File { entry: OutputEntry, id: Arc<Mutex<Inode>> },
    /// A pipe or a device stays open.
    Stream(Arc<File>),
}

impl GuardedFile {
    /// Checks and creates a file.
    ///
    /// # Errors
    /// As [`OutputGuard::open`].
    pub fn create(
        path: &Path,
        existing: Existing,
        named_by: NamedBy,
        guard: &mut OutputGuard,
    ) -> Result<Self, OutputError> {
        let entry = guard.folders.find(path, named_by)?;
        let file = guard.open_entry(&entry, existing)?;
        if file.kind() != Kind::Regular {
            return Ok(GuardedFile(Output::Stream(Arc::new(file.into_std()?))));
        }
        Ok(GuardedFile(Output::File { entry, id: Arc::new(Mutex::new(file.identity())) }))
    }

    /// Appends to the file. If it was removed, this creates a new one.
    ///
    /// # Errors
    /// Another file is at the path, or the error of a call on it.
    pub fn append(&self, bytes: &[u8]) -> Result<(), OutputError> {
        let (entry, id) = match &self.0 {
            Output::File { entry, id } => (entry, id),
            Output::Stream(stream) => return Ok((&**stream).write_all(bytes)?),
        };
        let mut id = lock(id);
        let options = OpenOptions { write: true, append: true, nonblock: true, ..OpenOptions::new() };
        let file = match entry.open(&options) {
            Err(error) if error.is(errno::ENOENT) => {
                let new = entry.open(&OpenOptions { create: true, exclusive: true, mode: NEW_MODE, ..options })?;
                *id = new.identity();
                new
            }
            opened => opened?,
        };
        if file.identity() != *id {
            return Err(OutputRefusal::Replaced.into());
        }
        let mut file = file.into_std()?;
        file.write_all(bytes)?;
        Ok(os::file::close(file)?)
    }
}
