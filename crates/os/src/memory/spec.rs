//! Memory of the buffers, by the values of fio's `mem`.

use std::io;
use std::path::PathBuf;

use crate::file::{File, Folder};

/// Kinds of memory, by fio's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryKind {
    #[default]
    Malloc,
    /// System V shared memory.
    Shm,
    /// System V shared memory of huge pages.
    ShmHuge,
    /// A private mapping, anonymous or of a file.
    Mmap,
    /// A shared mapping of a file (private and anonymous without one, as in fio).
    MmapShared,
    /// A mapping of huge pages, anonymous or of a file on hugetlbfs.
    MmapHuge,
}

/// The file of a mapping.
#[derive(Clone, Debug)]
pub struct MappedFile {
    /// Open to read and write. It is extended to the size of the buffers, and never truncated.
    pub file: File,
    /// Folder and name of a file that was created for the mapping. It is removed with the mapping.
    pub created: Option<(Folder, PathBuf)>,
}

/// Specification of the buffers' memory.
#[derive(Clone, Debug)]
pub struct MemorySpec {
    pub kind: MemoryKind,
    pub file: Option<MappedFile>,
    /// Offset of each buffer from the start of a page (fio's `iomem_align`). 0 means page-aligned buffers.
    pub align: usize,
    /// Size of a huge page, for the kinds made of them.
    pub hugepage_size: usize,
}

impl Default for MemorySpec {
    fn default() -> Self {
        MemorySpec { kind: MemoryKind::default(), file: None, align: 0, hugepage_size: 2 << 20 }
    }
}

impl MemorySpec {
    /// Returns the size of memory for `bytes` in pages of `unit` bytes.
    ///
    /// # Errors
    /// It exceeds the address space.
    pub(crate) fn total_bytes(&self, bytes: usize, unit: usize) -> io::Result<usize> {
        let total = bytes.checked_add(self.align).and_then(|total| total.checked_next_multiple_of(unit));
        total.filter(|total| *total <= isize::MAX as usize).ok_or_else(too_large)
    }
}

pub(super) fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, "the I/O buffers are larger than the address space")
}
