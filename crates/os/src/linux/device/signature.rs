//! On-disk signatures: LVM, MD, ZFS, btrfs, bcache, encrypted containers.
//!
//! A device with a signature can carry data although nothing uses it now.

use std::io;

/// Reads at an offset of the device. Returns fewer bytes at its end.
pub(super) trait ReadAt {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for crate::file::File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        crate::file::File::read_at(self, bytes, offset)
    }
}

/// A range of a device, such as a partition.
pub(super) struct Part<'a, R> {
    pub(super) of: &'a R,
    pub(super) start: u64,
    pub(super) bytes: u64,
}

impl<R: ReadAt> Part<'_, R> {
    /// Reads exactly `N` bytes. Returns `None` if the range is shorter.
    fn read_exactly<const N: usize>(&self, offset: u64) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        Ok(self.fill(&mut bytes, offset)?.then_some(bytes))
    }

    /// Fills the buffer. Returns false if the range is shorter.
    fn fill(&self, bytes: &mut [u8], offset: u64) -> io::Result<bool> {
        if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > self.bytes) {
            return Ok(false);
        }
        let mut read = 0;
        while read < bytes.len() {
            match self.of.read_at(&mut bytes[read..], self.start + offset + read as u64)? {
                0 => return Ok(false),
                more => read += more,
            }
        }
        Ok(true)
    }

    fn has(&self, offset: u64, magic: &[u8; 8]) -> io::Result<bool> {
        Ok(self.read_exactly::<8>(offset)?.is_some_and(|found| found == *magic))
    }
}

/// Magic number of MD superblocks.
const MD_MAGIC: [u8; 4] = 0xa92b_4efc_u32.to_le_bytes();
const MD_MAGIC_BIG_ENDIAN: [u8; 4] = 0xa92b_4efc_u32.to_be_bytes();
/// Magic number of ZFS uberblocks.
const ZFS_MAGIC: u64 = 0x00ba_b10c;
const BCACHE_MAGIC: [u8; 16] =
    [0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81];

/// Returns true for an image of EROFS (`fs/erofs/erofs_fs.h` of the kernel).
pub(super) fn is_erofs(file: &impl ReadAt) -> io::Result<bool> {
    const MAGIC: [u8; 4] = 0xe0f5_e1e2_u32.to_le_bytes();
    const OFFSET: u64 = 1024;
    let start = Part { of: file, start: 0, bytes: OFFSET + 4 };
    Ok(start.read_exactly(OFFSET)?.is_some_and(|magic| magic == MAGIC))
}

/// Returns the membership that the signature shows.
pub(super) fn find<R: ReadAt>(part: &Part<'_, R>) -> io::Result<Option<&'static str>> {
    if is_lvm(part)? {
        return Ok(Some("LVM physical volume"));
    }
    if is_md(part)? {
        return Ok(Some("member of an MD array"));
    }
    if part.has(0x1_0040, b"_BHRfS_M")? {
        return Ok(Some("member of a btrfs file system"));
    }
    if is_zfs(part)? {
        return Ok(Some("member of a ZFS pool"));
    }
    if part.read_exactly::<16>(4096 + 24)? == Some(BCACHE_MAGIC) {
        return Ok(Some("bcache device"));
    }
    if part.read_exactly::<6>(0)? == Some(*b"LUKS\xba\xbe") {
        return Ok(Some("encrypted container (LUKS, device-mapper)"));
    }
    Ok(None)
}

/// The label is in one of the first four sectors.
fn is_lvm<R: ReadAt>(part: &Part<'_, R>) -> io::Result<bool> {
    for sector in 0..4 {
        if let Some(label) = part.read_exactly::<32>(sector * 512)?
            && label.starts_with(b"LABELONE")
            && label[24..].starts_with(b"LVM2 001")
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Version 1.1 is at the start, 1.2 at 4 KiB, 1.0 and 0.90 near the end.
fn is_md<R: ReadAt>(part: &Part<'_, R>) -> io::Result<bool> {
    let near_end = part.bytes.checked_sub(8192).map(|place| place / 4096 * 4096);
    let before_end = (part.bytes / 65536 * 65536).checked_sub(65536);
    for (place, is_old) in [(Some(0), false), (Some(4096), false), (near_end, false), (before_end, true)] {
        let Some(found) = place.map(|place| part.read_exactly::<8>(place)).transpose()?.flatten() else { continue };
        // The major version follows: 1, or 0 for the old format, in either byte order.
        let version = if is_old { 0u32 } else { 1 };
        let is_little = found[..4] == MD_MAGIC && found[4..] == version.to_le_bytes();
        let is_big = is_old && found[..4] == MD_MAGIC_BIG_ENDIAN && found[4..] == version.to_be_bytes();
        if is_little || is_big {
            return Ok(true);
        }
    }
    Ok(false)
}

/// ZFS has four labels of 256 KiB, two at the start and two at the end. The second half of each is an array of
/// uberblocks, one per 1 KiB, or per 4 or 8 KiB on devices with large sectors.
fn is_zfs<R: ReadAt>(part: &Part<'_, R>) -> io::Result<bool> {
    const LABEL: u64 = 256 << 10;
    let end = part.bytes / LABEL * LABEL;
    let labels = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    // Not on the stack: that of a worker is small.
    let mut array = vec![0; 128 << 10];
    for label in labels.into_iter().flatten() {
        if !part.fill(&mut array, label + (128 << 10))? {
            continue;
        }
        let is_uberblock = |block: &[u8]| {
            let magic: [u8; 8] = [block[0], block[1], block[2], block[3], block[4], block[5], block[6], block[7]];
            u64::from_le_bytes(magic) == ZFS_MAGIC || u64::from_be_bytes(magic) == ZFS_MAGIC
        };
        if array.chunks_exact(1024).any(is_uberblock) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ReadAt for Vec<u8> {
        fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
            let rest = self.get(offset as usize..).unwrap_or_default();
            // Short reads must be continued.
            let count = bytes.len().min(rest.len()).min(100);
            bytes[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }
    }

    const DISK: usize = 4 << 20;

    fn found(device: &Vec<u8>) -> Option<&'static str> {
        find(&Part { of: device, start: 0, bytes: device.len() as u64 }).unwrap()
    }

    fn device(parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut device = vec![0; DISK];
        for (at, bytes) in parts {
            device[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        device
    }

    #[test]
    fn signatures_are_found_at_their_offsets() {
        let md = [&MD_MAGIC[..], &1u32.to_le_bytes()].concat();
        let old_md = [&MD_MAGIC[..], &[0; 4]].concat();
        assert_eq!(found(&device(&[(512, b"LABELONE"), (536, b"LVM2 001")])), Some("LVM physical volume"));
        for place in [0, 4096, DISK - 8192] {
            assert_eq!(found(&device(&[(place, &md)])), Some("member of an MD array"), "at {place}");
        }
        assert_eq!(found(&device(&[(DISK - 65536, &old_md)])), Some("member of an MD array"));
        assert_eq!(found(&device(&[(0x10040, b"_BHRfS_M")])), Some("member of a btrfs file system"));
        for place in [(128 << 10) + 4096, DISK - (128 << 10)] {
            let uberblock = ZFS_MAGIC.to_be_bytes();
            assert_eq!(found(&device(&[(place, &uberblock)])), Some("member of a ZFS pool"), "at {place}");
        }
        assert_eq!(found(&device(&[(4120, &BCACHE_MAGIC)])), Some("bcache device"));
        assert_eq!(found(&device(&[(0, b"LUKS\xba\xbe")])), Some("encrypted container (LUKS, device-mapper)"));
    }

    #[test]
    #[cfg_attr(miri, ignore = "it takes minutes")]
    fn zeroes_noise_and_tiny_devices_have_no_signature() {
        assert_eq!(found(&vec![0; DISK]), None);
        let mut noise = 1u32;
        let noisy = (0..DISK).map(|_| {
            noise ^= noise << 13;
            noise ^= noise >> 17;
            noise ^= noise << 5;
            noise as u8
        });
        assert_eq!(found(&noisy.collect()), None);
        for bytes in [0, 1, 511, 4096, 9000, 70_000] {
            assert_eq!(found(&vec![0; bytes]), None, "{bytes} bytes");
        }
    }

    #[test]
    fn signature_of_a_partition_is_searched_within_it() {
        let device = device(&[((1 << 20) + 0x10040, b"_BHRfS_M")]);
        let part = |start, bytes| find(&Part { of: &device, start, bytes }).unwrap();
        assert!(part(1 << 20, 1 << 20).is_some());
        assert!(part(2 << 20, 1 << 20).is_none());
        assert!(part(1 << 20, 0x10040).is_none());
    }
}
