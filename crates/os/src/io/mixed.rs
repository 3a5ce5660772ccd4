//! Two backends as one, for workers with mapped and other files. The copies run synchronously, the other operations in
//! the kernel.

use std::io;
use std::time::Duration;

use super::backend::{Backend, misuse};
use super::execute::Executing;
use super::op::{Completion, Op};
use crate::file::File;
use crate::system::io::mmap::Mmap;
use ::io::Mapping;

/// The backend to which a file is attached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Unattached,
    Kernel,
    Mapped,
}

pub(super) struct Mixed {
    /// Runs operations on attached files. Both backends share the slots of the buffers.
    kernel: Box<dyn Backend>,
    /// Runs operations on mapped files.
    mapped: Executing<Mmap>,
    /// By file index.
    owners: Vec<Owner>,
}

impl Mixed {
    pub(super) fn new(kernel: Box<dyn Backend>, mapped: Executing<Mmap>, files: u32) -> Self {
        Mixed { kernel, mapped, owners: vec![Owner::Unattached; files as usize] }
    }

    fn owner(&self, index: u32) -> Owner {
        self.owners.get(index as usize).copied().unwrap_or(Owner::Unattached)
    }

    /// Moves file `index` from its current owner to `next`.
    fn change_owner(&mut self, index: u32, next: Owner) -> io::Result<()> {
        let Some(owner) = self.owners.get_mut(index as usize) else {
            return Err(misuse("file index beyond the table"));
        };
        match std::mem::replace(owner, next) {
            Owner::Unattached => Ok(()),
            Owner::Kernel => self.kernel.detach(index),
            Owner::Mapped => self.mapped.detach(index),
        }
    }
}

impl Backend for Mixed {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.change_owner(index, Owner::Kernel)?;
        self.kernel.attach(index, file)
    }

    fn map(&mut self, index: u32, file: &File, mapping: Mapping) -> io::Result<()> {
        self.change_owner(index, Owner::Mapped)?;
        self.mapped.map(index, file, mapping)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        if self.owner(index) == Owner::Unattached {
            return Err(misuse("no such file attached"));
        }
        self.change_owner(index, Owner::Unattached)
    }

    /// Submits one operation on a mapped file, so that each is timed by itself, or all operations before the next such.
    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        match ops.iter().position(|op| self.owner(op.file) == Owner::Mapped) {
            Some(0) => self.mapped.submit(&ops[..1]),
            Some(first) => self.kernel.submit(&ops[..first]),
            None => self.kernel.submit(ops),
        }
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let before = out.len();
        self.mapped.reap(0, max, Duration::ZERO, out)?;
        let copied = out.len() - before;
        if copied < max {
            self.kernel.reap(min.saturating_sub(copied), max - copied, timeout, out)?;
        }
        Ok(())
    }

    fn runs_on_kernel_workers(&self) -> bool {
        self.kernel.runs_on_kernel_workers()
    }

    fn runs_in_submit(&self, op: &Op) -> bool {
        self.kernel.runs_in_submit(op)
    }

    fn is_synchronous(&self) -> bool {
        self.kernel.is_synchronous()
    }
}
