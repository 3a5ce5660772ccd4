//! Memory of the buffers, by the values of fio's `mem`.

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
