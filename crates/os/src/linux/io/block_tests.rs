//! Backends on block devices of the tests: trims, ends of devices, polling, alignment, and a random comparison with a
//! model.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::tests::{BLOCK, SECOND, Scratch, buffers, each_configuration, op, run};
use crate::file::{File, OpenOptions};
use crate::io::*;
use crate::platform::Platform;

pub(crate) const DEVICE_BLOCKS: u64 = 256;
const CONTROL: &str = "/sys/class/zram-control";

/// A zram device of one test, removed on drop.
pub(crate) struct Zram {
    number: String,
}

impl Zram {
    pub(crate) fn new() -> Option<Self> {
        // A device is made by reading a file. A second reader would make a second device.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Ok(number) = std::fs::read_to_string(Path::new(CONTROL).join("hot_add")) else {
            eprintln!("SKIPPED: cannot create a zram device");
            return None;
        };
        let zram = Zram { number: number.trim().to_string() };
        let size = (DEVICE_BLOCKS * BLOCK as u64).to_string();
        std::fs::write(format!("/sys/block/zram{}/disksize", zram.number), size).unwrap();
        Some(zram)
    }

    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }

    pub(crate) fn open(&self) -> File {
        OpenOptions { read: true, write: true, direct: true, ..OpenOptions::new() }.open(&self.path()).unwrap()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let removed = (0..48_000).any(|_| {
            // An abandoned operation or a device probe can hold it open for a while.
            std::thread::sleep(std::time::Duration::from_millis(5));
            std::fs::write(Path::new(CONTROL).join("hot_remove"), &self.number).is_ok()
        });
        assert!(removed || std::thread::panicking(), "zram{} is left behind", self.number);
    }
}

#[test]
fn trims_of_a_device_clear_exactly_their_blocks() {
    each_configuration(4, |name, config| {
        let Some(zram) = Zram::new() else { return };
        let mut buffers = buffers(4);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &zram.open()).unwrap();
        for slot in 0..4 {
            buffers.fill(slot, |bytes| bytes.fill(0x50 + slot as u8));
        }
        let writes: Vec<_> = (0..4).map(|at| op(Kind::Write, at, u64::from(at))).collect();
        run(&mut *backend, &writes).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK as u32), "{name}"));
        // A ring learns from the first trim that its kernel has no discard command.
        for _ in 0..2 {
            let trims = [op(Kind::Trim, 0, 1), op(Kind::Trim, 1, 3)];
            run(&mut *backend, &trims).iter().for_each(|done| assert_eq!(done.result, Ok(0), "{name}"));
        }
        // A separate descriptor, as the mapping can still hold the page.
        let check = zram.open();
        let mut found = buffers;
        for block in 0..4u64 {
            let bytes = &mut found.slot_mut(0);
            assert_eq!(check.read_at(bytes, block * BLOCK as u64).unwrap(), BLOCK, "{name}");
            let expected = if block % 2 == 1 { 0 } else { 0x50 + block as u8 };
            assert!(bytes.iter().all(|byte| *byte == expected), "{name}: block {block}");
        }
    });
}

#[test]
fn io_beyond_the_end_of_a_device() {
    each_configuration(4, |name, config| {
        let Some(zram) = Zram::new() else { return };
        let buffers = buffers(4);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        let file = zram.open();
        assert_eq!(file.size().unwrap(), Some(DEVICE_BLOCKS * BLOCK as u64));
        backend.attach(0, &file).unwrap();
        let ops = [
            op(Kind::Read, 0, DEVICE_BLOCKS - 1),
            op(Kind::Read, 1, DEVICE_BLOCKS),
            op(Kind::Write, 2, DEVICE_BLOCKS),
            op(Kind::Trim, 3, DEVICE_BLOCKS),
        ];
        let results: Vec<_> = run(&mut *backend, &ops).iter().map(|done| done.result).collect();
        assert_eq!(results, [Ok(BLOCK as u32), Ok(0), Err(libc::ENOSPC), Err(libc::EINVAL)], "{name}");
    });
}

#[test]
fn misaligned_direct_io_is_an_error() {
    each_configuration(1, |name, config| {
        let Some(zram) = Zram::new() else { return };
        let buffers = buffers(1);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &zram.open()).unwrap();
        let crooked = Op { len: 100, offset: 3, ..op(Kind::Read, 0, 0) };
        // A mapping needs no alignment.
        let expected = if config.engine == EngineKind::Mmap { Ok(100) } else { Err(libc::EINVAL) };
        assert_eq!(run(&mut *backend, &[crooked])[0].result, expected, "{name}");
    });
}

#[test]
fn polled_ring_works_on_a_device_without_polling() {
    for engine in [EngineKind::IoUring, EngineKind::Pvsync2] {
        let config = BackendConfig { hipri: true, ..BackendConfig::new(engine, 2, 1) };
        if let Err(error) = Platform::MACHINE.probe(&config) {
            eprintln!("SKIPPED: {error}");
            continue;
        }
        let Some(zram) = Zram::new() else { return };
        let buffers = buffers(2);
        let mut backend = Platform::MACHINE.open_backend(&config, &buffers).unwrap();
        backend.attach(0, &zram.open()).unwrap();
        let ops = [op(Kind::Read, 0, 0), op(Kind::Write, 1, 1)];
        for done in run(&mut *backend, &ops) {
            assert!([Ok(BLOCK as u32), Err(libc::EOPNOTSUPP)].contains(&done.result), "{engine}: {done:?}");
        }
        for kind in [Kind::Fsync, Kind::Trim] {
            assert_eq!(run(&mut *backend, &[op(kind, 0, 0)])[0].result, Ok(0), "{engine} {kind:?}");
        }
    }
}

/// A random generator for which every seed is fine.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn random_batches_match_a_model() {
    const BLOCKS: u64 = 32;
    each_configuration(8, |name, config| {
        for (seed, direct) in [(1, false), (2, true), (3, true)] {
            let mut chance = RandomNumbers(seed * 0x9e37_79b9);
            let scratch = Scratch::new("model", BLOCKS as usize);
            let mut model: Vec<u8> = (1..=BLOCKS as u8).collect();
            let mut buffers = buffers(8);
            let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
            backend.attach(0, &scratch.open(direct)).unwrap();
            for round in 0..100u64 {
                // The blocks of a batch are distinct, since its operations complete in any order.
                let start = chance.below(BLOCKS);
                let count = 1 + chance.below(8);
                let mut batch = Vec::new();
                for at in 0..count {
                    let block = (start + at * 5) % BLOCKS;
                    // Syncs and trims are rare, as they wait for the disk.
                    let kind = match chance.below(16) {
                        0 => Kind::Fdatasync,
                        1 | 2 => Kind::Trim,
                        other if other % 2 == 0 => Kind::Write,
                        _ => Kind::Read,
                    };
                    let value = (round * 8 + at) as u8 | 1;
                    buffers.fill(at as u32, |bytes| bytes.fill(value));
                    batch.push((op(kind, at as u32, block), value));
                }
                let ops: Vec<_> = batch.iter().map(|(op, _)| *op).collect();
                let done = run(&mut *backend, &ops);
                for ((op, value), done) in batch.iter().zip(done) {
                    let block = (op.offset / BLOCK as u64) as usize;
                    let moved = if op.kind.moves_data() { Ok(BLOCK as u32) } else { Ok(0) };
                    assert_eq!(done.result, moved, "{name} seed {seed} round {round}: {op:?}");
                    match op.kind {
                        Kind::Write => model[block] = *value,
                        Kind::Trim => model[block] = 0,
                        Kind::Read => {
                            let bytes = buffers.slot_mut(op.slot);
                            assert!(bytes.iter().all(|byte| *byte == model[block]), "{name} seed {seed} round {round}");
                        }
                        Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => {}
                    }
                }
            }
            assert!(backend.submit(&[op(Kind::Fsync, 0, 0)]).is_ok());
            backend.reap(1, 1, SECOND, &mut Vec::new()).unwrap();
            let content = std::fs::read(&scratch.0).unwrap();
            let firsts: Vec<_> = content.chunks(BLOCK).map(|block| block[0]).collect();
            assert_eq!(firsts, model, "{name} seed {seed}");
        }
    });
}
