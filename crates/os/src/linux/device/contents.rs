//! File systems and partition tables on a disk of another machine. Whether another machine uses them is not known here.

use std::io;

use super::signature::{self, Part, ReadAt};

/// A magic number at an offset, with what it shows.
const MAGIC: [(u64, &[u8], &str); 16] = [
    (0x438, b"\x53\xef", "an ext file system"),
    (0, b"XFSB", "an XFS file system"),
    (0x400, b"\x10\x20\xf5\xf2", "an F2FS file system"),
    (3, b"NTFS    ", "an NTFS file system"),
    (3, b"EXFAT   ", "an exFAT file system"),
    (0x200, b"EFI PART", "a partition table (GPT)"),
    (0x1000, b"EFI PART", "a partition table (GPT)"),
    (0x1fe, b"\x55\xaa", "a partition table or a boot sector"),
    (4086, b"SWAPSPACE2", "swap space"),
    (65526, b"SWAPSPACE2", "swap space"),
    (0x1_0000, b"\x01\x16\x19\x70", "a GFS2 file system"),
    (0x2000, b"OCFSV2", "an OCFS2 file system"),
    (0x10_0000, b"\x0d\xd0\x01\xc0", "a VMFS file system"),
    (0, b"bluestore block device", "a Ceph OSD"),
    (0, b"hsqs", "a SquashFS file system"),
    (0x8001, b"CD001", "an ISO 9660 file system"),
];

/// A disk of another machine.
pub trait RemoteDisk {
    /// Fills the buffer from `offset` on.
    ///
    /// # Errors
    /// The server reports an error, or the connection is lost.
    fn read_exactly(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;

    /// Returns the size.
    fn bytes(&self) -> u64;
}

/// The disk in units of 4 KiB, which each server can read.
struct Aligned<'a, D>(&'a D);

const UNIT: u64 = 4096;

impl<D: RemoteDisk> ReadAt for Aligned<'_, D> {
    #[expect(clippy::cast_possible_truncation, reason = "the lengths are those of `bytes` and two units")]
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let (start, end) = (offset / UNIT * UNIT, (offset + bytes.len() as u64).next_multiple_of(UNIT));
        let end = end.min(self.0.bytes());
        if offset >= end {
            return Ok(0);
        }
        let mut units = vec![0; (end - start) as usize];
        self.0.read_exactly(&mut units, start)?;
        let found = &units[(offset - start) as usize..];
        let count = found.len().min(bytes.len());
        bytes[..count].copy_from_slice(&found[..count]);
        Ok(count)
    }
}

/// Returns what is on the disk. `None` if nothing is recognized.
///
/// # Errors
/// The disk cannot be read.
pub fn contents(disk: &impl RemoteDisk) -> io::Result<Option<&'static str>> {
    let aligned = Aligned(disk);
    for (offset, magic, what) in MAGIC {
        let mut found = vec![0; magic.len()];
        if aligned.read_at(&mut found, offset)? == magic.len() && found == magic {
            return Ok(Some(what));
        }
    }
    signature::find(&Part { of: &aligned, start: 0, bytes: disk.bytes() })
}
