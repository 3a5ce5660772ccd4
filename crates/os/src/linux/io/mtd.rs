//! `mtd`: reads and writes of raw flash, and trims that erase.

use std::io;

use super::files::{Files, RawFile};
use super::run::outcome;
use super::sync::transfer_at;
use crate::file::File;
use crate::io::Execute;
use crate::io::{BackendConfig, IoResult, Kind, Op};
use crate::linux::device;
use crate::linux::number::signed;

/// `MEMERASE64` and `MEMGETBADBLOCK` of `mtd-abi.h`.
const ERASE: libc::Ioctl = libc::_IOW::<EraseRange>('M' as u32, 20);
const IS_BAD: libc::Ioctl = libc::_IOW::<i64>('M' as u32, 11);

/// `struct erase_info_user64` of `mtd-abi.h`.
#[repr(C)]
struct EraseRange {
    start: u64,
    bytes: u64,
}

pub(crate) struct Mtd {
    erase_bytes: Vec<u64>,
    skips_bad: bool,
}

impl Mtd {
    pub(crate) fn new(config: &BackendConfig) -> Self {
        Mtd { erase_bytes: vec![0; config.files as usize], skips_bad: config.skips_bad_blocks }
    }

    /// Runs the part of an operation that lies in one erase block.
    fn run_piece(&self, piece: &Op, fd: i32, data: *mut u8) -> Result<(), i32> {
        if self.skips_bad && is_bad(fd, piece.offset - piece.offset % self.erase_bytes[piece.file as usize])? {
            return Err(libc::EIO);
        }
        if piece.kind == Kind::Trim {
            let range = EraseRange { start: piece.offset, bytes: u64::from(piece.len) };
            // SAFETY: the request reads the structure.
            return outcome(i64::from(unsafe { libc::ioctl(fd, ERASE, &raw const range) })).map(drop);
        }
        let mut done = 0;
        while done < piece.len {
            let rest = Op { offset: piece.offset + u64::from(done), len: piece.len - done, ..*piece };
            // SAFETY: `done` bytes of the piece are behind `data`.
            match transfer_at(&rest, fd, unsafe { data.add(done as usize) }) {
                Ok(0) => return Err(libc::EIO),
                Ok(moved) => done += moved,
                Err(libc::EINTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }
}

impl Execute for Mtd {
    fn prepare(&mut self, index: u32, file: &File, _: RawFile) -> io::Result<()> {
        let flash = device::flash_of(file)?.ok_or_else(|| io::Error::other("it is not raw flash"))?;
        self.erase_bytes[index as usize] = flash.erase_bytes.max(1);
        Ok(())
    }

    #[expect(clippy::cast_possible_truncation, reason = "a piece lies in its operation, whose length has 32 bits")]
    fn execute(&mut self, op: &Op, fd: i32, data: *mut u8, _: &Files) -> IoResult {
        let erase_bytes = self.erase_bytes[op.file as usize];
        match op.kind {
            Kind::Read | Kind::Write => {}
            Kind::Trim if is_aligned(op, erase_bytes) => {}
            Kind::Trim => return Err(libc::EINVAL),
            // The device has no cache.
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => return Ok(0),
        }
        let mut result = op.whole();
        for piece in pieces(op, erase_bytes) {
            // SAFETY: `Slots::start` has lent the `len` bytes at `data` to this operation, and the piece lies in them.
            let data = unsafe { data.add((piece.offset - op.offset) as usize) };
            // After an error in one erase block, the other erase blocks of the operation are still accessed.
            if let Err(errno) = self.run_piece(&piece, fd, data) {
                result = Err(errno);
            }
        }
        result
    }
}

/// Returns whether the erase block at `start` is marked as bad. Flash without such marks has none.
fn is_bad(fd: i32, start: u64) -> Result<bool, i32> {
    let start = signed(start);
    // SAFETY: the request reads the number.
    match outcome(i64::from(unsafe { libc::ioctl(fd, IS_BAD, &raw const start) })) {
        Err(libc::EOPNOTSUPP) => Ok(false),
        answer => answer.map(|answer| answer > 0),
    }
}

fn is_aligned(op: &Op, erase_bytes: u64) -> bool {
    op.offset.is_multiple_of(erase_bytes) && u64::from(op.len).is_multiple_of(erase_bytes)
}

/// Divides an operation at the borders of erase blocks.
#[expect(clippy::cast_possible_truncation, reason = "a piece lies in its operation, whose length has 32 bits")]
fn pieces(op: &Op, erase_bytes: u64) -> impl Iterator<Item = Op> {
    let end = op.offset + u64::from(op.len);
    let starts = op.offset / erase_bytes..end.div_ceil(erase_bytes);
    let op = *op;
    starts.map(move |block| {
        let offset = (block * erase_bytes).max(op.offset);
        let len = ((block + 1) * erase_bytes).min(end) - offset;
        Op { offset, len: len as u32, skip: op.skip + (offset - op.offset), ..op }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::OpenOptions;
    use crate::io::{EngineKind, executing};
    use crate::linux::io::tests::{BLOCK, Scratch, buffers, op, run};

    /// Flash with a regular file in its place, which accepts reads and writes, and no requests.
    struct OnFile(Mtd);

    impl Execute for OnFile {
        fn execute(&mut self, op: &Op, fd: i32, data: *mut u8, files: &Files) -> IoResult {
            self.0.execute(op, fd, data, files)
        }
    }

    #[test]
    fn operations_are_divided_at_the_borders_of_erase_blocks() {
        let divided = |offset, len| {
            let op = Op { offset, len, skip: 5, ..op(Kind::Read, 0, 0) };
            pieces(&op, 1000).map(|piece| (piece.offset, piece.len, piece.skip)).collect::<Vec<_>>()
        };
        assert_eq!(divided(0, 1000), [(0, 1000, 5)]);
        assert_eq!(divided(1500, 200), [(1500, 200, 5)]);
        assert_eq!(divided(999, 1002), [(999, 1, 5), (1000, 1000, 6), (2000, 1, 1006)]);
    }

    fn on_file(name: &str, skips_bad_blocks: bool, ops: &[Op]) -> (Vec<IoResult>, Vec<u8>) {
        let scratch = Scratch::new(name, 4);
        let config = BackendConfig { skips_bad_blocks, ..BackendConfig::new(EngineKind::Mtd, 8, 1) };
        let mut buffers = buffers(8);
        buffers.fill(1, |bytes| bytes.fill(b'w'));
        let flash = OnFile(Mtd { erase_bytes: vec![1024], ..Mtd::new(&config) });
        let mut backend = executing(flash, &config, buffers.slots());
        let file = OpenOptions { read: true, write: true, ..OpenOptions::new() }.open(&scratch.0).unwrap();
        backend.attach(0, &file).unwrap();
        let results = run(backend.as_mut(), ops).into_iter().map(|done| done.result).collect();
        let mut content = std::fs::read(&scratch.0).unwrap();
        content.extend_from_slice(&buffers.slot_mut(0));
        (results, content)
    }

    /// A file does not know the requests of flash. qemu does not pass them on.
    fn is_unknown_request(result: IoResult) -> bool {
        [Err(libc::ENOTTY), Err(libc::ENOSYS)].contains(&result)
    }

    #[test]
    fn data_is_moved_at_its_offset() {
        let write = Op { offset: 1500, len: 3000, ..op(Kind::Write, 1, 0) };
        let sync = op(Kind::Fsync, 2, 0);
        let (results, content) = on_file("mtd-data", false, &[op(Kind::Read, 0, 2), write, sync]);
        assert_eq!(results, [Ok(BLOCK as u32), Ok(3000), Ok(0)]);
        assert!(content[1500..4500].iter().all(|byte| *byte == b'w'));
        assert_eq!((content[1499], content[4500]), (1, 2));
        assert!(content[4 * BLOCK..].iter().all(|byte| *byte == 3), "the read");
    }

    #[test]
    fn a_trim_erases_whole_erase_blocks_only() {
        let trims = [(0, 1024), (0, 1000), (512, 1024)];
        let trim = |slot: u32, (offset, len)| Op { offset, len, ..op(Kind::Trim, slot, 0) };
        let ops: Vec<Op> = (0..).zip(trims).map(|(slot, trim_of)| trim(slot, trim_of)).collect();
        let (results, content) = on_file("mtd-trim", false, &ops);
        assert!(is_unknown_request(results[0]), "{results:?}");
        assert_eq!(results[1..], [Err(libc::EINVAL); 2]);
        assert_eq!(content[0], 1);
    }

    #[test]
    fn a_block_whose_marks_cannot_be_read_is_not_accessed() {
        let (results, content) = on_file("mtd-bad", true, &[op(Kind::Read, 0, 0), op(Kind::Write, 1, 1)]);
        assert!(results.iter().all(|result| is_unknown_request(*result)), "{results:?}");
        assert_eq!((content[BLOCK], content[4 * BLOCK]), (2, 0));
    }
}
