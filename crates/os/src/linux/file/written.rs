//! Unwritten ranges of a file. Reads of them do not reach the device and measure nothing.

use std::io;
use std::ops::Range;
use std::path::Path;

use rustix::fs::{self, SeekFrom};
use rustix::io::Errno;

use super::{File, check};
use crate::file::{Kind, OpenOptions, Written};

/// `FS_IOC_FIEMAP` of `linux/fs.h`.
pub(super) const FS_IOC_FIEMAP: libc::Ioctl = 0xc020_660b_u32 as libc::Ioctl;
/// Dirty pages are written first, so that they count as written.
const FIEMAP_FLAG_SYNC: u32 = 1;
const FIEMAP_EXTENT_LAST: u32 = 1;
const FIEMAP_EXTENT_UNWRITTEN: u32 = 0x800;
/// Extents per request, and maximum per file: more would take too long.
const EXTENTS_ROOM: u32 = 512;
const EXTENTS_AT_ONCE: usize = EXTENTS_ROOM as usize;
const EXTENTS_MAX: usize = 1 << 20;
/// Maximum depth of loop devices on loop devices.
const LOOPS_MAX: u32 = 8;

/// Returns the unwritten bytes of a range of a file or block device. Bytes beyond the end of a file do not count.
/// Writes dirty pages first.
///
/// # Errors
/// Returns the error of the system call.
pub fn written(path: &Path, range: Range<u64>) -> io::Result<Written> {
    written_at_depth(path, range, 0)
}

fn written_at_depth(path: &Path, range: Range<u64>, depth: u32) -> io::Result<Written> {
    let file = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(path)?;
    let Some(size) = file.size()? else { return Ok(Written::Unknown) };
    let range = range.start.min(size)..range.end.min(size);
    match file.kind() {
        Kind::Regular => of_file(&file, range),
        Kind::Block => of_device(&file, size, range, depth),
        Kind::Char | Kind::Pipe | Kind::Directory | Kind::Socket => Ok(Written::Unknown),
    }
}

/// Gaps between the extents, which are added in ascending order.
struct Gaps {
    reached: u64,
    bytes: u64,
    first: Option<Range<u64>>,
}

impl Gaps {
    fn new(start: u64) -> Self {
        Gaps { reached: start, bytes: 0, first: None }
    }

    /// Adds a hole up to `to`.
    fn hole(&mut self, to: u64) {
        if to <= self.reached {
            return;
        }
        self.bytes += to - self.reached;
        match &mut self.first {
            Some(first) if first.end == self.reached => first.end = to,
            Some(_) => {}
            None => self.first = Some(self.reached..to),
        }
        self.reached = to;
    }

    fn data(&mut self, to: u64) {
        self.reached = self.reached.max(to);
    }

    fn done(self) -> Written {
        Written::Known { bytes_unwritten: self.bytes, first: self.first }
    }
}

fn of_file(file: &File, range: Range<u64>) -> io::Result<Written> {
    match by_extents(file, &range) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::EINVAL)) => {}
        found => return found.map(Gaps::done),
    }
    let gaps = by_seeking(file, &range)?;
    // A file system without holes reports none for every file.
    if gaps.bytes == 0 && !reports_holes(file)? {
        return Ok(Written::Unknown);
    }
    Ok(gaps.done())
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub logical: u64,
    pub physical: u64,
    pub length: u64,
    reserved: [u64; 2],
    pub flags: u32,
    reserved_too: [u32; 3],
}

/// `struct fiemap` of `linux/fiemap.h` with space for the extents.
#[repr(C)]
pub(super) struct Extents {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
    list: [Extent; EXTENTS_AT_ONCE],
}

impl Extents {
    /// Returns a request for the extents of a range.
    pub(super) fn request(start: u64, length: u64, flags: u32) -> Box<Extents> {
        let none = Extent { logical: 0, physical: 0, length: 0, reserved: [0; 2], flags: 0, reserved_too: [0; 3] };
        let (room, list) = (EXTENTS_ROOM, [none; EXTENTS_AT_ONCE]);
        Box::new(Extents { start, length, flags, mapped: 0, room, reserved: 0, list })
    }

    /// Returns the extents of the answer.
    pub(super) fn found(&self) -> &[Extent] {
        &self.list[..(self.mapped as usize).min(EXTENTS_AT_ONCE)]
    }
}

/// Reads the extents. They distinguish preallocated from written blocks, independent of the page cache.
fn by_extents(file: &File, range: &Range<u64>) -> io::Result<Gaps> {
    let mut gaps = Gaps::new(range.start);
    let mut flags = FIEMAP_FLAG_SYNC;
    let mut seen = 0;
    while gaps.reached < range.end && seen < EXTENTS_MAX {
        let mut extents = Extents::request(gaps.reached, range.end - gaps.reached, flags);
        // SAFETY: the kernel reads the header and fills at most the number of extents in it.
        check(unsafe { libc::ioctl(file.raw(), FS_IOC_FIEMAP, &raw mut *extents) })?;
        flags = 0;
        let mapped = extents.found();
        let before = gaps.reached;
        for extent in mapped {
            let end = extent.logical.saturating_add(extent.length).min(range.end);
            gaps.hole(extent.logical.min(range.end));
            match extent.flags & FIEMAP_EXTENT_UNWRITTEN {
                0 => gaps.data(end),
                _ => gaps.hole(end),
            }
        }
        seen += mapped.len();
        if mapped.last().is_none_or(|extent| extent.flags & FIEMAP_EXTENT_LAST != 0) {
            gaps.hole(range.end);
        } else if gaps.reached == before {
            break;
        }
    }
    Ok(gaps)
}

/// Seeks from hole to hole. The descriptor's position has no other user.
fn by_seeking(file: &File, range: &Range<u64>) -> io::Result<Gaps> {
    let seek = |to: SeekFrom| match fs::seek(&file.fd, to) {
        Err(Errno::NXIO) => Ok(None),
        found => found.map(Some),
    };
    let mut gaps = Gaps::new(range.start);
    for _ in 0..EXTENTS_MAX {
        if gaps.reached >= range.end {
            break;
        }
        // No more data: a hole up to the end.
        let data = seek(SeekFrom::Data(gaps.reached))?.unwrap_or(range.end);
        gaps.hole(data.min(range.end));
        if gaps.reached < range.end {
            gaps.data(seek(SeekFrom::Hole(gaps.reached))?.unwrap_or(range.end).min(range.end));
        }
    }
    Ok(gaps)
}

/// Returns whether the file system has a `SEEK_HOLE` of its own. Only file systems without extents reach this.
fn reports_holes(file: &File) -> io::Result<bool> {
    const TMPFS: u64 = 0x0102_1994;
    const ZFS: u64 = 0x2fc1_2fc1;
    const BCACHEFS: u64 = 0xca45_1a4e;
    const CEPH: u64 = 0x00c3_6400;
    Ok([TMPFS, ZFS, BCACHEFS, CEPH].contains(&file.file_system_magic()?))
}

/// Block devices report nothing in general. zram reports how much it stores, and a loop device has a backing file.
fn of_device(file: &File, size: u64, range: Range<u64>, depth: u32) -> io::Result<Written> {
    let number = fs::fstat(&file.fd)?.st_rdev;
    let folder = format!("/sys/dev/block/{}:{}", libc::major(number), libc::minor(number));
    let attribute = |name: &str| std::fs::read_to_string(Path::new(&folder).join(name)).ok();
    // Data in the page cache is not counted by the device yet.
    file.fsync()?;
    if let Some(held) = attribute("mm_stat").and_then(|text| text.split_ascii_whitespace().next()?.parse::<u64>().ok())
    {
        // Everything that the device stores can lie in the range.
        let bytes_unwritten = (range.end - range.start).saturating_sub(held);
        let first = (held == 0 && !range.is_empty()).then_some(range);
        return Ok(Written::Known { bytes_unwritten, first });
    }
    let Some(backing) = attribute("loop/backing_file").filter(|_| depth < LOOPS_MAX) else {
        return Ok(Written::Unknown);
    };
    let skip: u64 = attribute("loop/offset").and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let backing_range = range.start.saturating_add(skip)..range.end.min(size).saturating_add(skip);
    // The path can be removed, or belong to another mount namespace.
    match written_at_depth(Path::new(backing.trim_end_matches('\n')), backing_range, depth + 1) {
        Ok(Written::Known { bytes_unwritten, first }) => {
            let first = first.map(|first| first.start - skip..first.end - skip);
            Ok(Written::Known { bytes_unwritten, first })
        }
        _ => Ok(Written::Unknown),
    }
}
