//! All backends on files: data, errors as results, timeouts.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::file::{File, OpenOptions};
use crate::io::*;
use crate::memory::{Buffers, MemorySpec};
use crate::platform::Platform;
use ::io::{Flush, Mapping};

pub(super) const BLOCK: usize = 4096;
pub(super) const SECOND: Duration = Duration::from_secs(1);
/// A longer wait counts as a hang.
const HANGS: Duration = Duration::from_secs(240);
/// Timeout of a reap that ends by a completion.
const LONG: Duration = Duration::from_secs(600);

/// A file of one test, removed on drop.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new(name: &str, blocks: usize) -> Self {
        let folder = std::env::var_os("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = folder.join(format!("fathom-os-{}-{name}", std::process::id()));
        let content: Vec<u8> = (0..blocks).flat_map(|block| vec![block as u8 + 1; BLOCK]).collect();
        std::fs::write(&path, content).unwrap();
        Scratch(path)
    }

    pub(super) fn open(&self, direct: bool) -> File {
        let options = OpenOptions { read: true, write: true, direct, ..OpenOptions::new() };
        options.open(&self.0).or_else(|_| OpenOptions { direct: false, ..options }.open(&self.0)).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).unwrap();
    }
}

pub(super) fn buffers(count: u32) -> Buffers {
    Buffers::new(count, BLOCK, &MemorySpec::default()).unwrap()
}

pub(super) fn op(kind: Kind, slot: u32, block: u64) -> Op {
    Op { kind, ioprio: 0, file: 0, slot, len: BLOCK as u32, skip: 0, offset: block * BLOCK as u64 }
}

/// Submits and reaps all operations.
pub(super) fn run(backend: &mut dyn Backend, ops: &[Op]) -> Vec<Completion> {
    let mut out = Vec::new();
    let mut taken = 0;
    let start = Instant::now();
    while out.len() < ops.len() {
        assert!(start.elapsed() < HANGS, "{} of {}", out.len(), ops.len());
        if taken < ops.len() {
            taken += backend.submit(&ops[taken..]).unwrap();
        }
        backend.reap(1, ops.len(), SECOND, &mut out).unwrap();
    }
    out.sort_by_key(|completion| completion.slot);
    out
}

/// Returns every engine that moves data, in each configuration.
fn configurations(depth: u32) -> Vec<(String, BackendConfig)> {
    let engines = [
        EngineKind::IoUring,
        EngineKind::Libaio,
        EngineKind::Sync,
        EngineKind::Psync,
        EngineKind::Vsync,
        EngineKind::Pvsync,
        EngineKind::Pvsync2,
        EngineKind::Posixaio,
        EngineKind::Mmap,
    ];
    let mut all: Vec<_> =
        engines.iter().map(|engine| (engine.to_string(), BackendConfig::new(*engine, depth, 2))).collect();
    let mut also = |name: &str, engine, change: fn(&mut BackendConfig)| {
        let mut config = BackendConfig::new(engine, depth, 2);
        change(&mut config);
        all.push((name.to_string(), config));
    };
    also("io_uring vectored", EngineKind::IoUring, |config| config.nonvectored = false);
    also("io_uring fixedbufs", EngineKind::IoUring, |config| config.fixedbufs = Some(true));
    also("io_uring registerfiles", EngineKind::IoUring, |config| config.registerfiles = Some(true));
    also("io_uring sqthread_poll", EngineKind::IoUring, |config| {
        config.sqthread_poll = true;
        config.sqthread_poll_cpu = Some(0);
    });
    also("io_uring force_async", EngineKind::IoUring, |config| config.force_async = 3);
    also("io_uring, nothing registered", EngineKind::IoUring, |config| {
        (config.fixedbufs, config.registerfiles) = (Some(false), Some(false));
    });
    also("libaio without the mapped ring", EngineKind::Libaio, |config| config.userspace_reap = false);
    also("mmap that drops", EngineKind::Mmap, |config| config.mmap_drop = true);
    also("io_uring that may map", EngineKind::IoUring, |config| config.maps_too = true);
    also("psync that may map", EngineKind::Psync, |config| config.maps_too = true);
    also("libaio vectored", EngineKind::Libaio, |config| config.libaio_vectored = true);
    all
}

pub(super) fn each_configuration(depth: u32, mut test: impl FnMut(&str, &BackendConfig)) {
    for (name, config) in configurations(depth) {
        match Platform::MACHINE.probe(&config) {
            Ok(()) => test(&name, &config),
            Err(error) => eprintln!("SKIPPED {name}: {error}"),
        }
    }
}

#[test]
fn reads_return_each_block_of_the_file() {
    each_configuration(8, |name, config| {
        for direct in [false, true] {
            let scratch = Scratch::new("reads", 8);
            let mut buffers = buffers(8);
            let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
            backend.attach(1, &scratch.open(direct)).unwrap();
            let ops: Vec<_> = (0..8).map(|at| Op { file: 1, ..op(Kind::Read, at, u64::from(7 - at)) }).collect();
            for completion in run(&mut *backend, &ops) {
                assert_eq!(completion.result, Ok(BLOCK as u32), "{name}");
                let expected = 8 - completion.slot as u8;
                assert!(buffers.slot_mut(completion.slot).iter().all(|byte| *byte == expected), "{name}");
            }
            backend.detach(1).unwrap();
        }
    });
}

#[test]
fn writes_store_each_block_at_its_offset() {
    each_configuration(8, |name, config| {
        for direct in [false, true] {
            let scratch = Scratch::new("writes", 8);
            let mut buffers = buffers(8);
            let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
            backend.attach(0, &scratch.open(direct)).unwrap();
            for slot in 0..8 {
                buffers.fill(slot, |bytes| bytes.fill(0xa0 + slot as u8));
            }
            let mut ops: Vec<_> = (0..8).map(|at| op(Kind::Write, at, u64::from(at))).collect();
            ops.swap(2, 5);
            run(&mut *backend, &ops).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK as u32), "{name}"));
            for kind in [Kind::Fsync, Kind::Fdatasync, Kind::SyncFileRange] {
                assert_eq!(run(&mut *backend, &[op(kind, 3, 0)])[0].result, Ok(0), "{name} {kind:?}");
            }
            let content = std::fs::read(&scratch.0).unwrap();
            assert!(
                (0..8).all(|at| content[at * BLOCK..][..BLOCK].iter().all(|byte| *byte == 0xa0 + at as u8)),
                "{name}"
            );
        }
    });
}

#[test]
fn the_rest_of_a_short_transfer_uses_the_rest_of_the_buffer() {
    each_configuration(2, |name, config| {
        let scratch = Scratch::new("short", 2);
        let mut buffers = buffers(2);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &scratch.open(false)).unwrap();
        let late = Op { offset: 2 * BLOCK as u64 - 1000, ..op(Kind::Read, 0, 0) };
        assert_eq!(run(&mut *backend, &[late])[0].result, Ok(1000), "{name}: a read across the end is short");
        let beyond = Op { offset: 64 * BLOCK as u64, ..late };
        assert_eq!(run(&mut *backend, &[beyond])[0].result, Ok(0), "{name}: a read beyond the end");
        buffers.fill(1, |bytes| bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at / 512) as u8));
        let rest = Op { skip: 1024, len: 512, ..op(Kind::Write, 1, 0) };
        assert_eq!(run(&mut *backend, &[rest])[0].result, Ok(512), "{name}");
        let content = std::fs::read(&scratch.0).unwrap();
        assert!(content[..512].iter().all(|byte| *byte == 2) && content[512] == 1, "{name}");
    });
}

#[test]
fn errors_of_the_kernel_are_results() {
    each_configuration(4, |name, config| {
        let scratch = Scratch::new("errors", 4);
        let buffers = buffers(4);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        let read_only = OpenOptions { read: true, ..OpenOptions::new() }.open(&scratch.0).unwrap();
        backend.attach(0, &read_only).unwrap();
        let ops = [op(Kind::Read, 0, 0), op(Kind::Write, 1, 0), op(Kind::Read, 2, 1), op(Kind::Trim, 3, 1)];
        let results: Vec<_> = run(&mut *backend, &ops).iter().map(|completion| completion.result).collect();
        assert_eq!(results, [Ok(BLOCK as u32), Err(libc::EBADF), Ok(BLOCK as u32), Err(libc::EBADF)], "{name}");
        let full = OpenOptions { read: true, write: true, ..OpenOptions::new() }.open(Path::new("/dev/full")).unwrap();
        backend.attach(0, &full).unwrap();
        let expected = match config.engine {
            // The kernel's AIO does not support this device, also not for buffered I/O.
            EngineKind::Libaio => Err(libc::EINVAL),
            EngineKind::Mmap => Err(libc::ENODEV),
            _ => Err(libc::ENOSPC),
        };
        assert_eq!(run(&mut *backend, &[op(Kind::Write, 0, 0)])[0].result, expected, "{name}");
    });
}

#[test]
fn trims_of_a_file_leave_a_hole() {
    each_configuration(4, |name, config| {
        let scratch = Scratch::new("trims", 4);
        let buffers = buffers(4);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &scratch.open(false)).unwrap();
        let ops = [op(Kind::Read, 0, 0), op(Kind::Trim, 1, 1), op(Kind::Read, 2, 2), op(Kind::Trim, 3, 3)];
        let results: Vec<_> = run(&mut *backend, &ops).iter().map(|completion| completion.result).collect();
        assert_eq!(results, [Ok(BLOCK as u32), Ok(0), Ok(BLOCK as u32), Ok(0)], "{name}");
        let content = std::fs::read(&scratch.0).unwrap();
        let firsts: Vec<_> = content.chunks(BLOCK).map(|block| block[0]).collect();
        assert_eq!(firsts, [1, 0, 3, 0], "{name}");
    });
}

#[test]
fn misuse_of_slots_and_files_is_rejected() {
    for (name, config) in configurations(2) {
        if Platform::MACHINE.probe(&config).is_err() {
            continue;
        }
        let scratch = Scratch::new("misuse", 2);
        let buffers = buffers(2);
        let mut backend = Platform::MACHINE.open_backend(&config, &buffers).unwrap();
        backend.attach(0, &scratch.open(false)).unwrap();
        assert!(backend.submit(&[op(Kind::Read, 2, 0)]).is_err(), "{name}: no such slot");
        assert!(backend.submit(&[Op { skip: 1, ..op(Kind::Read, 0, 0) }]).is_err(), "{name}: beyond the slot");
        let good_then_bad = [op(Kind::Read, 1, 0), op(Kind::Read, 2, 0)];
        assert_eq!(backend.submit(&good_then_bad).unwrap(), 1, "{name}: the good ones are taken");
        backend.reap(1, 2, SECOND, &mut Vec::new()).unwrap();
        assert!(backend.attach(9, &scratch.open(false)).is_err(), "{name}: beyond the table");
        assert!(backend.submit(&[Op { file: 1, ..op(Kind::Read, 0, 0) }]).is_err(), "{name}: not attached");
        assert_eq!(backend.submit(&[op(Kind::Read, 0, 0)]).unwrap(), 1, "{name}");
        assert!(buffers.in_flight(0), "{name}");
        assert!(backend.submit(&[op(Kind::Read, 0, 0)]).is_err(), "{name}: slot in flight");
        let mut out = Vec::new();
        backend.reap(1, 1, SECOND, &mut out).unwrap();
        assert_eq!(out, [Completion { slot: 0, result: Ok(BLOCK as u32) }], "{name}");
        assert!(!buffers.in_flight(0), "{name}");
    }
}

#[test]
fn lent_slot_rejects_operations() {
    let mut buffers = buffers(1);
    let scratch = Scratch::new("lent", 2);
    let mut backend = Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Psync, 1, 1), &buffers).unwrap();
    backend.attach(0, &scratch.open(false)).unwrap();
    let mut bytes = buffers.slot_mut(0);
    assert!(backend.submit(&[op(Kind::Read, 0, 0)]).is_err());
    bytes[0] = 1;
    drop(bytes);
    assert_eq!(backend.submit(&[op(Kind::Read, 0, 0)]).unwrap(), 1);
}

/// A pipe without a writer: reads from it stay in flight.
fn silent_pipe(name: &str) -> (Scratch, File) {
    let scratch = Scratch::new(name, 0);
    std::fs::remove_file(&scratch.0).unwrap();
    let path = std::ffi::CString::new(scratch.0.to_str().unwrap()).unwrap();
    // SAFETY: the path is a C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    let file = OpenOptions { read: true, write: true, ..OpenOptions::new() }.open(&scratch.0).unwrap();
    (scratch, file)
}

#[test]
fn reap_times_out_and_the_buffers_outlive_an_operation_in_flight() {
    each_configuration(2, |name, config| {
        // The kernel's AIO runs reads of a pipe on the caller's thread.
        if config.engine != EngineKind::IoUring {
            return;
        }
        let (_scratch, pipe) = silent_pipe("stuck");
        let buffers = buffers(2);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &pipe).unwrap();
        assert_eq!(backend.submit(&[op(Kind::Read, 0, 0)]).unwrap(), 1, "{name}");
        let mut out = Vec::new();
        let start = Instant::now();
        backend.reap(1, 2, Duration::from_millis(30), &mut out).unwrap();
        let waited = start.elapsed();
        assert!(out.is_empty(), "{name}");
        assert!(waited >= Duration::from_millis(29) && waited < HANGS, "{name}: {waited:?}");
        drop(backend);
        assert!(buffers.in_flight(0), "{name}");
    });
}

#[test]
fn reap_waits_at_most_for_operations_in_flight_and_returns_at_most_max() {
    each_configuration(4, |name, config| {
        let scratch = Scratch::new("waits", 4);
        let buffers = buffers(4);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &scratch.open(true)).unwrap();
        let mut out = Vec::new();
        let start = Instant::now();
        backend.reap(1, 4, LONG, &mut out).unwrap();
        let ops: Vec<_> = (0..4).map(|at| op(Kind::Read, at, u64::from(at))).collect();
        assert_eq!(backend.submit(&ops).unwrap(), 4, "{name}");
        backend.reap(3, 3, LONG, &mut out).unwrap();
        assert_eq!(out.len(), 3, "{name}");
        backend.reap(4, 4, LONG, &mut out).unwrap();
        assert_eq!(out.len(), 4, "{name}");
        assert!(start.elapsed() < HANGS, "{name}");
    });
}

#[test]
fn reap_without_waiting_returns_completions() {
    each_configuration(4, |name, config| {
        let scratch = Scratch::new("peek", 4);
        let buffers = buffers(4);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &scratch.open(true)).unwrap();
        assert_eq!(backend.submit(&[op(Kind::Read, 0, 0)]).unwrap(), 1);
        let mut out = Vec::new();
        let start = Instant::now();
        while out.is_empty() {
            assert!(start.elapsed() < HANGS, "{name}");
            backend.reap(0, 4, Duration::ZERO, &mut out).unwrap();
        }
    });
}

#[test]
fn batches_above_the_maximum_complete_once_per_operation() {
    each_configuration(700, |name, config| {
        let scratch = Scratch::new("many", 2);
        let buffers = buffers(700);
        let mut backend = Platform::MACHINE.open_backend(config, &buffers).unwrap();
        backend.attach(0, &scratch.open(false)).unwrap();
        for _ in 0..3 {
            let ops: Vec<_> = (0..700).map(|at| op(Kind::Read, at, u64::from(at % 2))).collect();
            let done = run(&mut *backend, &ops);
            assert!(
                done.iter().enumerate().all(|(at, done)| done.slot == at as u32 && done.result == Ok(BLOCK as u32)),
                "{name}"
            );
        }
    });
}

#[test]
fn null_completes_at_once() {
    let buffers = buffers(32);
    let mut backend = Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Null, 32, 1), &buffers).unwrap();
    let ops: Vec<_> = (0..32).map(|at| op(Kind::Write, at, 0)).collect();
    assert_eq!(run(&mut *backend, &ops).len(), 32);
}

#[test]
fn truncated_mapped_file_is_an_error_and_not_a_crash() {
    let scratch = Scratch::new("cut", 8);
    let buffers = buffers(8);
    let mut backend = Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Mmap, 8, 1), &buffers).unwrap();
    let file = scratch.open(false);
    backend.attach(0, &file).unwrap();
    assert_eq!(run(&mut *backend, &[op(Kind::Read, 0, 7)])[0].result, Ok(BLOCK as u32));
    file.set_size(2 * BLOCK as u64).unwrap();
    assert_eq!(run(&mut *backend, &[op(Kind::Read, 0, 5)])[0].result, Err(libc::EIO));
    assert_eq!(run(&mut *backend, &[op(Kind::Read, 0, 1)])[0].result, Ok(BLOCK as u32));
    file.set_size(8 * BLOCK as u64).unwrap();
    assert_eq!(run(&mut *backend, &[op(Kind::Write, 0, 5)])[0].result, Ok(BLOCK as u32));
    assert_eq!(run(&mut *backend, &[op(Kind::Write, 0, 8)])[0].result, Err(libc::ENOSPC));
}

/// All flags of a mapped file.
fn mappings() -> Vec<Mapping> {
    let flushes = [None, Some(Flush::View), Some(Flush::CacheLines), Some(Flush::CacheLinesNoDrain)];
    let both = |flush| [false, true].map(|write_through| Mapping { write_through, flush });
    flushes.into_iter().flat_map(both).collect()
}

#[test]
fn mapped_files_are_copied_exactly_with_every_flush() {
    for mapping in mappings() {
        let scratch = Scratch::new("mapped", 4);
        let mut buffers = buffers(2);
        let mut backend =
            Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Mmap, 2, 1), &buffers).unwrap();
        backend.map(0, &scratch.open(false), mapping).unwrap();
        buffers.fill(0, |bytes| bytes.fill(0xab));
        // Start, end and buffer offset are not aligned to cache lines.
        let odd = Op { skip: 3, len: 1001, offset: 4090, ..op(Kind::Write, 0, 0) };
        assert_eq!(run(&mut *backend, &[odd])[0].result, Ok(1001), "{mapping:?}");
        let content = std::fs::read(&scratch.0).unwrap();
        assert!(content[4090..][..1001].iter().all(|byte| *byte == 0xab), "{mapping:?}");
        assert_eq!((content[4089], content[4090 + 1001]), (1, 2), "{mapping:?}");
        assert_eq!(run(&mut *backend, &[op(Kind::Read, 1, 0)])[0].result, Ok(BLOCK as u32));
        assert_eq!(&*buffers.slot_mut(1), &content[..BLOCK], "{mapping:?}");
        scratch.open(false).set_size(BLOCK as u64).unwrap();
        assert_eq!(run(&mut *backend, &[op(Kind::Write, 0, 3)])[0].result, Err(libc::EIO), "{mapping:?}: cut short");
    }
}

#[test]
fn mapped_and_other_files_are_used_side_by_side() {
    for engine in [EngineKind::IoUring, EngineKind::Libaio, EngineKind::Psync] {
        let config = BackendConfig { maps_too: true, ..BackendConfig::new(engine, 8, 3) };
        if let Err(error) = Platform::MACHINE.probe(&config) {
            eprintln!("SKIPPED {engine}: {error}");
            continue;
        }
        let files = [Scratch::new("side-a", 8), Scratch::new("side-b", 8)];
        let mut buffers = buffers(8);
        let mut backend = Platform::MACHINE.open_backend(&config, &buffers).unwrap();
        let view = Mapping { flush: Some(Flush::View), ..Mapping::default() };
        backend.attach(0, &files[0].open(true)).unwrap();
        backend.map(1, &files[1].open(false), view).unwrap();
        // Files swap between mapped and attached.
        for round in 0..2u8 {
            for slot in 0..8 {
                buffers.fill(slot, |bytes| bytes.fill(0x40 + 16 * round + slot as u8));
            }
            let ops: Vec<_> = (0..8).map(|at| Op { file: at / 2 % 2, ..op(Kind::Write, at, u64::from(at)) }).collect();
            run(&mut *backend, &ops).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK as u32), "{engine}"));
            for (at, op) in ops.iter().enumerate() {
                let on = if round == 0 { op.file } else { 1 - op.file };
                let content = std::fs::read(&files[on as usize].0).unwrap();
                let block = &content[op.offset as usize..][..BLOCK];
                assert!(block.iter().all(|byte| *byte == 0x40 + 16 * round + at as u8), "{engine} {op:?}");
            }
            backend.map(0, &files[1].open(false), view).unwrap();
            backend.attach(1, &files[0].open(true)).unwrap();
        }
        assert!(backend.detach(2).is_err() && backend.map(3, &files[1].open(false), view).is_err(), "{engine}");
        backend.detach(0).unwrap();
        assert!(backend.submit(&[op(Kind::Read, 0, 0)]).is_err(), "{engine}");
    }
}

#[test]
fn backends_without_mapping_return_an_error() {
    let scratch = Scratch::new("unmapped", 1);
    let buffers = buffers(1);
    let mut backend = Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Psync, 1, 1), &buffers).unwrap();
    assert!(backend.map(0, &scratch.open(false), Mapping::default()).is_err());
}

#[test]
fn falloc_reserves_extends_and_punches() {
    let scratch = Scratch::new("falloc", 1);
    let buffers = buffers(1);
    let mut backend = Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Falloc, 1, 1), &buffers).unwrap();
    let file = scratch.open(false);
    backend.attach(0, &file).unwrap();
    let mut done = |kind, block| run(backend.as_mut(), &[op(kind, 0, block)])[0].result;
    assert_eq!(done(Kind::Read, 7), Ok(BLOCK as u32));
    assert_eq!(file.size().unwrap(), Some(BLOCK as u64));
    assert_eq!(done(Kind::Write, 7), Ok(BLOCK as u32));
    assert_eq!(file.size().unwrap(), Some(8 * BLOCK as u64));
    assert_eq!(done(Kind::Trim, 0), Ok(0));
    assert_eq!(std::fs::read(&scratch.0).unwrap(), vec![0; 8 * BLOCK]);
    assert_eq!(done(Kind::Fsync, 0), Ok(0));
}

#[test]
fn ftruncate_truncates_at_the_offset_and_supports_only_writes() {
    let scratch = Scratch::new("ftruncate", 4);
    let buffers = buffers(1);
    let mut backend =
        Platform::MACHINE.open_backend(&BackendConfig::new(EngineKind::Ftruncate, 1, 1), &buffers).unwrap();
    let file = scratch.open(false);
    backend.attach(0, &file).unwrap();
    let mut done = |kind, block| run(backend.as_mut(), &[op(kind, 0, block)])[0].result;
    assert_eq!(done(Kind::Write, 2), Ok(BLOCK as u32));
    assert_eq!(file.size().unwrap(), Some(2 * BLOCK as u64));
    assert_eq!(done(Kind::Read, 0), Err(libc::EINVAL));
    assert_eq!(done(Kind::Trim, 0), Err(libc::EINVAL));
    assert_eq!(done(Kind::Fsync, 0), Ok(0));
}
