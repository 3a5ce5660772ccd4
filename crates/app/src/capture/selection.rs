//! The threads of a process or control group whose I/Os are captured.

use std::collections::HashMap;
use std::io;

use ::capture::{Fork, Owner};
use os::block_trace::{Submitters, is_of_kernel, process_of};

/// Readings for which a thread that a control group does not have any more counts as its own: its last I/Os are read later.
const READINGS_KEPT: u64 = 3;

/// The known threads.
pub struct Selection {
    submitters: Submitters,
    threads: HashMap<u32, Known>,
    readings: u64,
}

struct Known {
    owner: Owner,
    /// The last reading that had it.
    reading: u64,
}

impl Selection {
    /// Call this after the trace has started: it has the threads that start later.
    ///
    /// # Errors
    /// The threads cannot be read.
    pub fn new(submitters: Submitters) -> io::Result<Selection> {
        let mut selection = Selection { submitters, threads: HashMap::new(), readings: 0 };
        selection.read_threads()?;
        Ok(selection)
    }

    /// Call this before each read of the trace: processes can be moved into a control group, and out of it.
    ///
    /// # Errors
    /// The threads cannot be read.
    pub fn update(&mut self) -> io::Result<()> {
        if self.is_group() {
            self.read_threads()?;
            let (readings, is_own) = (self.readings, |known: &Known| known.owner == Owner::Selected);
            self.threads.retain(|_, known| !is_own(known) || known.reading + READINGS_KEPT > readings);
        }
        Ok(())
    }

    fn read_threads(&mut self) -> io::Result<()> {
        self.readings += 1;
        for thread in self.submitters.threads()? {
            self.threads.insert(thread, Known { owner: Owner::Selected, reading: self.readings });
        }
        Ok(())
    }

    fn is_group(&self) -> bool {
        self.submitters.folder().is_some()
    }

    /// Adds a thread that was started. The number may be one of an ended thread.
    pub fn fork(&mut self, fork: &Fork) {
        let is_own = |known: &Known| known.owner == Owner::Selected;
        if self.threads.get(&fork.parent).is_some_and(is_own) {
            self.threads.insert(fork.child, Known { owner: Owner::Selected, reading: self.readings });
            return;
        }
        // A process outside of a group can start one in it: the list was read after its start.
        let is_listed = |known: &Known| is_own(known) && known.reading == self.readings;
        if !(self.is_group() && self.threads.get(&fork.child).is_some_and(is_listed)) {
            self.threads.remove(&fork.child);
        }
    }

    /// Returns who submits the I/Os of a thread.
    pub fn owner(&mut self, thread: Option<u32>) -> Owner {
        let Some(thread) = thread else { return Owner::Program };
        if let Some(known) = self.threads.get(&thread) {
            return known.owner;
        }
        let is_own = |process: u32| self.threads.get(&process).is_some_and(|known| known.owner == Owner::Selected);
        let owner = match process_of(thread) {
            // Threads of io_uring start without the event of a fork.
            Some(process) if is_own(process) => Owner::Selected,
            _ if is_of_kernel(thread) => Owner::Kernel,
            _ => Owner::Program,
        };
        self.threads.insert(thread, Known { owner, reading: self.readings });
        owner
    }

    /// Returns true if the process has ended, or the control group was removed.
    ///
    /// # Errors
    /// That cannot be read.
    pub fn has_ended(&self) -> io::Result<bool> {
        self.submitters.has_ended()
    }
}
