//! Memory of the buffers.

use std::io;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::ptr;

use super::{MemoryMap, Watch};
use crate::file::{Folder, Kind};
use crate::memory::{MappedFile, MemoryKind, MemorySpec};

/// How the memory is freed.
enum Origin {
    Mapping(#[expect(dead_code, reason = "unmapped on drop")] MemoryMap),
    SharedSegment,
}

/// A zeroed memory range that starts at a page.
pub(crate) struct Region {
    start: *mut u8,
    bytes: usize,
    /// Offset of the first slot.
    skip: usize,
    origin: Origin,
    /// Of a mapped file.
    watch: Option<Watch>,
    /// Folder and name of a file that was created for this region.
    made: Option<(Folder, PathBuf)>,
}

// SAFETY: the region owns its memory. `Buffers` and `Slots` control the access.
unsafe impl Send for Region {}
// SAFETY: a shared reference gives only addresses.
unsafe impl Sync for Region {}

impl Region {
    pub(crate) fn new(bytes: usize, spec: &MemorySpec) -> io::Result<Self> {
        let huge = matches!(spec.kind, MemoryKind::ShmHuge | MemoryKind::MmapHuge);
        let unit = if huge { spec.hugepage_size.max(page_size()) } else { page_size() };
        let total = spec.total_bytes(bytes, unit)?;
        let mut region = match spec.kind {
            MemoryKind::Shm | MemoryKind::ShmHuge => shared_segment(total, huge),
            MemoryKind::Malloc => MemoryMap::anonymous(total, 0).map(mapping),
            MemoryKind::Mmap | MemoryKind::MmapShared | MemoryKind::MmapHuge => match &spec.file {
                Some(mapped) => file_mapping(total, spec.kind, mapped),
                None => MemoryMap::anonymous(total, if huge { libc::MAP_HUGETLB } else { 0 }).map(mapping),
            },
        }
        .and_then(|region| if huge && spec.file.is_none() { region.populated() } else { Ok(region) })
        .map_err(|error| if huge { huge_page_error(error, total) } else { error })?;
        region.skip = spec.align;
        Ok(region)
    }

    /// Takes all pages. If a control group or the allowed memory nodes have too few huge pages, this is an error, and a later
    /// access raises SIGBUS. Kernels before 5.14 do not have the call.
    fn populated(self) -> io::Result<Self> {
        // SAFETY: the range is the mapping of this region.
        if unsafe { libc::madvise(self.start.cast(), self.bytes, libc::MADV_POPULATE_WRITE) } == 0 {
            return Ok(self);
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() == Some(libc::EINVAL) { Ok(self) } else { Err(error) }
    }

    /// Returns the address of the first slot.
    pub(crate) fn base(&self) -> *mut u8 {
        // SAFETY: the mapping is `skip` bytes longer than the requested size.
        unsafe { self.start.add(self.skip) }
    }

    /// Returns true if a page of a mapped file was missing when it was accessed.
    #[inline]
    pub(crate) fn has_lost_pages(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::has_lost_pages)
    }

    pub(crate) fn lock(&self) -> io::Result<()> {
        // SAFETY: the range is the mapping of this region.
        match unsafe { libc::mlock(self.start.cast(), self.bytes) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.watch = None;
        if let Origin::SharedSegment = self.origin {
            // SAFETY: the address came from `shmat`.
            unsafe { libc::shmdt(self.start.cast()) };
        }
        if let Some((folder, name)) = &self.made {
            // A failure cannot be reported in `drop`.
            let _ = folder.unlink(name);
        }
    }
}

fn mapping(map: MemoryMap) -> Region {
    let (start, bytes) = (map.start, map.bytes);
    Region { start, bytes, skip: 0, origin: Origin::Mapping(map), watch: None, made: None }
}

fn file_mapping(bytes: usize, kind: MemoryKind, mapped: &MappedFile) -> io::Result<Region> {
    let MappedFile { file, created } = mapped;
    if file.size()?.is_some_and(|size| size < bytes as u64) && file.kind() == Kind::Regular {
        file.set_size(bytes as u64)?;
    }
    let sharing = if kind == MemoryKind::Mmap { libc::MAP_PRIVATE } else { libc::MAP_SHARED };
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    match MemoryMap::new(bytes, protection, sharing, file.descriptor().as_raw_fd(), 0) {
        Ok(map) => {
            let mut region = mapping(map);
            region.made.clone_from(created);
            // SAFETY: the region owns the mapping and the watch.
            region.watch = Some(unsafe { Watch::new(region.start, bytes) }.map_err(io::Error::from_raw_os_error)?);
            Ok(region)
        }
        Err(error) => {
            if let Some((folder, name)) = created {
                folder.unlink(name)?;
            }
            Err(error)
        }
    }
}

fn shared_segment(bytes: usize, huge: bool) -> io::Result<Region> {
    let flags = libc::IPC_CREAT | 0o600 | if huge { libc::SHM_HUGETLB } else { 0 };
    // SAFETY: no pointers.
    let id = unsafe { libc::shmget(libc::IPC_PRIVATE, bytes, flags) };
    if id < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: attaches the new segment at an address of the kernel's choice.
    let start = unsafe { libc::shmat(id, ptr::null(), 0) };
    let attached = if start as isize == -1 { Err(io::Error::last_os_error()) } else { Ok(start) };
    // SAFETY: IPC_RMID takes no buffer. The segment is removed on its last detach, however the process ends.
    unsafe { libc::shmctl(id, libc::IPC_RMID, ptr::null_mut()) };
    let start = attached?;
    Ok(Region { start: start.cast(), bytes, skip: 0, origin: Origin::SharedSegment, watch: None, made: None })
}

fn huge_page_error(error: io::Error, bytes: usize) -> io::Error {
    let text = format!(
        "no huge pages for {bytes} bytes of I/O buffers (see /proc/sys/vm/nr_hugepages): {error}",
        error = crate::errno::reason(&error)
    );
    io::Error::new(error.kind(), text)
}

/// Returns the kernel's page size in bytes.
pub fn page_size() -> usize {
    // SAFETY: no pointers.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}
