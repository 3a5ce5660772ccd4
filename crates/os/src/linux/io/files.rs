//! File table of a backend.

use std::io;
pub(crate) use std::os::fd::RawFd as RawFile;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use crate::file::{File, Kind};
use crate::io::misuse;

/// Descriptors of the attached files, by index. They stay open while attached.
pub(crate) struct Files {
    /// Raw descriptors for the hot path. -1 if no file is attached.
    raw: Vec<i32>,
    held: Vec<Option<(Arc<OwnedFd>, Kind)>>,
}

impl Files {
    pub(crate) fn new(count: u32) -> Self {
        Files { raw: vec![-1; count as usize], held: (0..count).map(|_| None).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.raw.len()
    }

    pub(crate) fn attach(&mut self, index: u32, file: &File) -> io::Result<RawFile> {
        let at = index as usize;
        if at >= self.raw.len() {
            return Err(misuse("file index beyond the table"));
        }
        let fd = file.descriptor();
        self.raw[at] = fd.as_raw_fd();
        self.held[at] = Some((fd, file.kind()));
        Ok(self.raw[at])
    }

    pub(crate) fn detach(&mut self, index: u32) -> io::Result<()> {
        let at = index as usize;
        if self.raw.get(at).is_none_or(|raw| *raw < 0) {
            return Err(misuse("no such file attached"));
        }
        self.raw[at] = -1;
        self.held[at] = None;
        Ok(())
    }

    /// Returns the descriptor of file `index`.
    #[inline]
    pub(crate) fn raw(&self, index: u32) -> io::Result<RawFile> {
        match self.raw.get(index as usize) {
            Some(&fd) if fd >= 0 => Ok(fd),
            _ => Err(misuse("operation on a file that is not attached")),
        }
    }

    pub(crate) fn is_block_device(&self, index: u32) -> bool {
        matches!(self.held.get(index as usize), Some(Some((_, Kind::Block))))
    }
}
