//! Bytes of NVMe commands, and operations through a ring.
//!
//! The expected bytes are derived from the NVM command set specification (fields of the command dwords) and from
//! `struct nvme_uring_cmd`: opcode 0, namespace 4, dwords 2 and 3 at 8, metadata 16, data 24, lengths 32 and 36, dwords
//! 10 to 15 from 40 on. The null device accepts every command and completes it with status 0.

use std::path::Path;
use std::time::Duration;

use super::namespace::Namespace;
use super::nvme::{Nvme, PLAIN, VECTORED};
use super::protection::{Guard, ProtectionLayout, ProtectionType};
use super::request::{DataBuffer, Request};
use super::{Commands, Passthrough, data_of, result_of};
use crate::file::OpenOptions;
use crate::io::*;
use crate::linux::io::tests::{SECOND, run};
use crate::memory::{Buffers, MemorySpec};
use ::io::{
    DataPlacement, DeviceCommands, Nvme as NvmeConfig, NvmeProtection, NvmeWrite, NvmeWriteShare, PlacementKind,
    PlacementSelect,
};

const NAMESPACE: Namespace =
    Namespace { id: 7, blocks: 1 << 20, block_bytes: 512, metadata_bytes: 0, is_extended: false, protection: None };
const DATA: u64 = 0x1122_3344_5566_7000;

const SEEDS: CommandSeeds = CommandSeeds { write: 1, placement: 0 };

fn config() -> NvmeConfig {
    NvmeConfig {
        read_fua: false,
        writes: vec![share(NvmeWrite::Write, 100)],
        metadata_bytes: 0,
        trim_ranges: 1,
        protection: NvmeProtection { by_device: true, ..NvmeProtection::default() },
        placement: None,
        compares: false,
    }
}

fn share(command: NvmeWrite, percent: u32) -> NvmeWriteShare {
    NvmeWriteShare { command, percent, fua: false, deallocates: false }
}

fn op(kind: Kind, first_block: u64, blocks: u32) -> Op {
    Op { kind, ioprio: 0, file: 0, slot: 0, len: 512 * blocks, skip: 0, offset: 512 * first_block }
}

fn nvme(config: &NvmeConfig, namespace: Namespace) -> Nvme {
    let mut nvme = Nvme::new(config, SEEDS, 2, 1, false);
    nvme.attach_as(0, namespace, vec![5, 6]);
    nvme
}

/// Returns the request of an operation whose data is never touched.
fn request(nvme: &mut Nvme, op: &Op) -> Request {
    if op.kind == Kind::Trim {
        return nvme.request(op, data_of(op, std::ptr::null_mut())).expect("it has a command");
    }
    // SAFETY: these commands make no protection information, so that nothing reads or writes the data.
    let data = unsafe { DataBuffer::new(DATA as *mut u8, op.len as usize) };
    nvme.request(op, data).expect("it has a command")
}

fn dword(request: &Request, at: usize) -> u32 {
    u32::from_ne_bytes(std::array::from_fn(|nth| request.bytes[at + nth]))
}

fn address(request: &Request, at: usize) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|nth| request.bytes[at + nth]))
}

/// Returns command dword `number`.
fn command_dword(request: &Request, number: usize) -> u32 {
    dword(request, 4 * number)
}

#[test]
fn read_and_write_have_blocks_and_data() {
    let mut nvme = nvme(&config(), NAMESPACE);
    let read = request(&mut nvme, &op(Kind::Read, 0x1_0203_0405, 8));
    #[rustfmt::skip]
    let expected: [u8; 80] = [
        0x02, 0, 0, 0,  7, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0,  0x00, 0x70, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
        0, 0, 0, 0,  0x00, 0x10, 0, 0,  0x05, 0x04, 0x03, 0x02,  0x01, 0, 0, 0,
        0x07, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,
        0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,
    ];
    assert_eq!((read.bytes, read.code, read.moves_data), (expected, PLAIN, true));
    let write = request(&mut nvme, &op(Kind::Write, 0x1_0203_0405, 8));
    assert_eq!(write.bytes[0], 0x01);
    assert_eq!(write.bytes[1..], expected[1..]);
}

#[test]
fn flush_has_only_the_namespace() {
    let mut nvme = nvme(&config(), NAMESPACE);
    for kind in [Kind::Fsync, Kind::Fdatasync] {
        let flush = request(&mut nvme, &op(kind, 9, 8));
        let mut expected = [0; 80];
        expected[4] = 7;
        assert_eq!((flush.bytes, flush.moves_data), (expected, false));
    }
}

#[test]
fn trim_is_dataset_management_with_one_range() {
    let mut nvme = nvme(&config(), NAMESPACE);
    let trim = request(&mut nvme, &op(Kind::Trim, 0x1_0203_0405, 0x1_0000));
    assert_eq!((trim.bytes[0], trim.moves_data), (0x09, false));
    assert_eq!((command_dword(&trim, 10), command_dword(&trim, 11)), (0, 4), "one range, attribute deallocate");
    assert_eq!(dword(&trim, 36), 16);
    // SAFETY: the address is that of the range of slot 0, which lives as long as `nvme`.
    let range = unsafe { *(address(&trim, 24) as *const [u8; 16]) };
    assert_eq!(range, [0, 0, 0, 0, 0, 0, 1, 0, 5, 4, 3, 2, 1, 0, 0, 0]);
}

#[test]
fn trim_of_several_ranges_takes_them_from_the_buffer() {
    let mut nvme = nvme(&NvmeConfig { trim_ranges: 4, ..config() }, NAMESPACE);
    let mut buffer: Vec<u8> = [512 * 5u64, 512, 512 * 0x1_0000_0001, 1024, 0, 0, 0, 0]
        .iter()
        .flat_map(|number| number.to_ne_bytes())
        .collect();
    // SAFETY: the data is this vector, which nothing else uses meanwhile.
    let data = unsafe { DataBuffer::new(buffer.as_mut_ptr(), 64) };
    let trim = nvme.request(&op(Kind::Trim, 5, 3), data).expect("it has a command");
    assert_eq!((command_dword(&trim, 10), command_dword(&trim, 11), dword(&trim, 36)), (1, 4, 32));
    // SAFETY: the address is that of the ranges of slot 0, which live as long as `nvme`.
    let ranges = unsafe { *(address(&trim, 24) as *const [u8; 32]) };
    assert_eq!(ranges[..16], [0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(ranges[16..], [0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    buffer.fill(0);
    assert_eq!(nvme.request(&op(Kind::Trim, 5, 3), data), Err(libc::EINVAL), "no range is used");
}

#[test]
fn reads_that_compare_have_the_opcode_and_the_data() {
    let mut nvme = nvme(&NvmeConfig { read_fua: true, ..config() }, NAMESPACE);
    nvme.compares = true;
    let compare = request(&mut nvme, &op(Kind::Read, 9, 8));
    assert_eq!((compare.bytes[0], compare.moves_data), (0x05, true));
    assert_eq!((address(&compare, 24), dword(&compare, 36)), (DATA, 4096));
    assert_eq!((command_dword(&compare, 10), command_dword(&compare, 12)), (9, 0x4000_0007));
    assert_eq!(request(&mut nvme, &op(Kind::Write, 9, 8)).bytes[0], 0x01);
}

#[test]
fn commands_of_writes_without_data_have_no_buffer() {
    for (command, opcode) in [(NvmeWrite::Uncorrectable, 4), (NvmeWrite::Zeroes, 8), (NvmeWrite::Verify, 12)] {
        let mut nvme = nvme(&NvmeConfig { writes: vec![share(command, 100)], ..config() }, NAMESPACE);
        let write = request(&mut nvme, &op(Kind::Write, 3, 4));
        assert_eq!((write.bytes[0], write.code, write.moves_data), (opcode, PLAIN, false));
        assert_eq!((address(&write, 24), dword(&write, 36)), (0, 0));
        assert_eq!((command_dword(&write, 10), command_dword(&write, 12)), (3, 3));
    }
}

#[test]
fn fua_and_deallocate_are_bits_30_and_25() {
    let share = NvmeWriteShare { fua: true, deallocates: true, ..share(NvmeWrite::Zeroes, 100) };
    let mut nvme = nvme(&NvmeConfig { read_fua: true, writes: vec![share], ..config() }, NAMESPACE);
    assert_eq!(command_dword(&request(&mut nvme, &op(Kind::Read, 0, 1)), 12), 0x4000_0000);
    assert_eq!(command_dword(&request(&mut nvme, &op(Kind::Write, 0, 1)), 12), 0x4200_0000);
}

#[test]
fn shares_of_commands_follow_their_percentages() {
    let writes = vec![share(NvmeWrite::Write, 60), share(NvmeWrite::Zeroes, 30), share(NvmeWrite::Verify, 9)];
    let mut nvme = nvme(&NvmeConfig { writes, ..config() }, NAMESPACE);
    let mut counts = [0; 16];
    for _ in 0..10_000 {
        counts[usize::from(request(&mut nvme, &op(Kind::Write, 0, 1)).bytes[0])] += 1;
    }
    // The last command has the percent that is missing.
    for (opcode, expected) in [(1, 6000), (8, 3000), (12, 1000)] {
        let count: i32 = counts[opcode];
        assert!((count - expected).abs() < 250, "opcode {opcode}: {count}");
    }
}

#[test]
fn placement_is_in_dwords_12_and_13_of_writes() {
    for (kind, directive) in [(PlacementKind::Flexible, 2), (PlacementKind::Streams, 1)] {
        let placement = DataPlacement { kind, select: PlacementSelect::RoundRobin, ids: Vec::new() };
        let mut nvme = nvme(&NvmeConfig { placement: Some(placement), ..config() }, NAMESPACE);
        for id in [5, 6, 5] {
            let write = request(&mut nvme, &op(Kind::Write, 0, 8));
            assert_eq!((command_dword(&write, 12), command_dword(&write, 13)), (directive << 20 | 7, id << 16));
        }
        let read = request(&mut nvme, &op(Kind::Read, 0, 8));
        assert_eq!((command_dword(&read, 12), command_dword(&read, 13)), (7, 0));
    }
}

fn protected(guard: Guard, metadata_bytes: u32) -> Namespace {
    let protection = ProtectionLayout {
        kind: ProtectionType::One,
        guard,
        is_first: false,
        block_bytes: 512,
        metadata_bytes: metadata_bytes as usize,
        is_extended: false,
    };
    Namespace { metadata_bytes, protection: Some(protection), ..NAMESPACE }
}

const CHECKS: NvmeProtection = NvmeProtection {
    by_device: true,
    checks_guard: true,
    checks_application_tag: true,
    checks_reference_tag: true,
    application_tag: 0x1234,
    application_tag_mask: 0x00ff,
};

#[test]
fn protection_that_the_device_makes_is_in_the_dwords() {
    let config = NvmeConfig { protection: CHECKS, ..config() };
    let read = request(&mut nvme(&config, protected(Guard::Bits16, 0)), &op(Kind::Read, 0x1_0203_0405, 2));
    // PRACT and the three checks.
    assert_eq!(command_dword(&read, 12), 0x3c00_0001);
    assert_eq!((command_dword(&read, 14), command_dword(&read, 15)), (0x0203_0405, 0x00ff_1234));
    assert_eq!((dword(&read, 12), address(&read, 16), dword(&read, 32)), (0, 0, 0));
    // The reference tag of 48 bits continues in dword 3.
    let wide = request(&mut nvme(&config, protected(Guard::Bits64, 0)), &op(Kind::Read, 0x1_0203_0405, 2));
    assert_eq!((command_dword(&wide, 14), dword(&wide, 12)), (0x0203_0405, 1));
    // Without protection in the format, the fields stay 0.
    let plain = request(&mut nvme(&config, NAMESPACE), &op(Kind::Read, 4, 2));
    assert_eq!((command_dword(&plain, 12), command_dword(&plain, 14), command_dword(&plain, 15)), (1, 0, 0));
}

#[test]
fn protection_that_the_host_makes_is_in_the_metadata() {
    let protection = NvmeProtection { by_device: false, ..CHECKS };
    let config = NvmeConfig { protection, metadata_bytes: 64, ..config() };
    let mut nvme = nvme(&config, protected(Guard::Bits16, 8));
    let mut bytes = vec![0xff; 1024];
    let write = op(Kind::Write, 9, 2);
    // SAFETY: the data is this vector, which nothing else uses meanwhile.
    let data = || unsafe { DataBuffer::new(bytes.as_mut_ptr(), 1024) };
    let mut data = data;
    let request = nvme.request(&write, data()).expect("it has a command");
    assert_eq!(command_dword(&request, 12), 0x1c00_0001);
    assert_eq!(dword(&request, 32), 16);
    // SAFETY: the address is that of the metadata of slot 0, which lives as long as `nvme`.
    let metadata = unsafe { *(address(&request, 16) as *const [u8; 16]) };
    assert_eq!((&metadata[2..8], &metadata[10..]), (&[0x12, 0x34, 0, 0, 0, 9][..], &[0x12, 0x34, 0, 0, 0, 10][..]));
    let mut commands = Commands::Nvme(Box::new(nvme));
    let read = op(Kind::Read, 9, 2);
    assert_eq!(result_of(&mut commands, &read, bytes.as_mut_ptr(), 0, 0), Ok(1024));
    bytes[700] = 0;
    let wrong = result_of(&mut commands, &read, bytes.as_mut_ptr(), 0, 0);
    assert_eq!(wrong.map_err(CommandStatus::of), Err(Some(CommandStatus::Host(0x282))));
}

#[test]
fn unaligned_and_oversized_operations_have_no_command() {
    let mut nvme = nvme(&config(), Namespace { block_bytes: 4096, ..NAMESPACE });
    for bad in [op(Kind::Read, 1, 8), op(Kind::Write, 8, 7), op(Kind::Trim, 1, 8), op(Kind::Read, 0, 0x8_0008)] {
        let none = nvme.request(&bad, data_of(&bad, std::ptr::dangling_mut()));
        assert_eq!(none, Err(libc::EINVAL), "{bad:?}");
    }
    let range = op(Kind::SyncFileRange, 0, 8);
    assert_eq!(nvme.request(&range, data_of(&range, std::ptr::null_mut())), Err(libc::EOPNOTSUPP));
    let too_small = NvmeConfig { metadata_bytes: 8, ..config() };
    let mut nvme = super::tests::nvme(&too_small, Namespace { metadata_bytes: 8, ..NAMESPACE });
    let two_blocks = op(Kind::Read, 0, 2);
    assert_eq!(nvme.request(&two_blocks, data_of(&two_blocks, std::ptr::dangling_mut())), Err(libc::EINVAL));
}

#[test]
fn vectored_commands_point_to_a_vector() {
    let mut nvme = Nvme::new(&config(), SEEDS, 1, 1, true);
    nvme.attach_as(0, NAMESPACE, Vec::new());
    let read = request(&mut nvme, &op(Kind::Read, 0, 8));
    assert_eq!((read.code, dword(&read, 36)), (VECTORED, 1));
    // SAFETY: the address is that of the vector of slot 0, which lives as long as `nvme`.
    let vector = unsafe { *(address(&read, 24) as *const libc::iovec) };
    assert_eq!((vector.iov_base as u64, vector.iov_len), (DATA, 4096));
    assert_eq!(request(&mut nvme, &op(Kind::Fsync, 0, 8)).code, PLAIN);
}

#[test]
fn status_of_the_device_is_no_errno() {
    let mut commands = Commands::Nvme(Box::new(nvme(&config(), NAMESPACE)));
    let write = op(Kind::Write, 0, 1);
    let result = result_of(&mut commands, &write, std::ptr::dangling_mut(), 0x4281, 0);
    assert_eq!(result.map_err(CommandStatus::of), Err(Some(CommandStatus::Device(0x4281))));
    let errno = result_of(&mut commands, &write, std::ptr::dangling_mut(), -libc::EOPNOTSUPP, 0);
    assert_eq!((errno, errno.map_err(CommandStatus::of)), (Err(libc::EOPNOTSUPP), Err(None)));
}

/// Returns a backend whose file 0 is the null device, as a namespace.
fn on_the_null_device(change: impl FnOnce(&mut BackendConfig)) -> Option<(Passthrough, Buffers)> {
    let mut engine = BackendConfig::new(EngineKind::IoUringCmd, 4, 1);
    engine.passthrough = Some(Box::new(PassthroughConfig { commands: DeviceCommands::Nvme(config()), seeds: SEEDS }));
    change(&mut engine);
    let buffers = Buffers::new(4, 4096, &MemorySpec::default()).unwrap();
    let mut backend = match Passthrough::open(&engine, buffers.slots()) {
        Ok(backend) => backend,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return None;
        }
    };
    let options = OpenOptions { read: true, write: true, ..OpenOptions::new() };
    let null = options.open(Path::new(crate::file::NULL_DEVICE)).unwrap();
    assert!(backend.attach(0, &null).is_err(), "it is no namespace");
    let Commands::Nvme(nvme) = &mut backend.commands else { unreachable!() };
    nvme.attach_as(0, NAMESPACE, Vec::new());
    backend.files.attach(0, &null).unwrap();
    if backend.registered_files {
        let fd = backend.files.raw(0).unwrap();
        backend.ring.queues.submitter().register_files_update(0, &[fd]).unwrap();
    }
    Some((backend, buffers))
}

#[test]
fn operations_complete_through_a_ring_of_wide_entries() {
    let settings: [fn(&mut BackendConfig); 4] = [
        |_| {},
        |config| config.registerfiles = Some(false),
        |config| (config.nonvectored, config.force_async) = (false, 3),
        |config| config.sqthread_poll = true,
    ];
    for change in settings {
        let Some((mut backend, _buffers)) = on_the_null_device(change) else { return };
        let slot = |kind, slot| Op { slot, ..op(kind, u64::from(slot) * 8, 8) };
        for _ in 0..3 {
            let ops = [slot(Kind::Read, 0), slot(Kind::Write, 1), slot(Kind::Trim, 2), slot(Kind::Fsync, 3)];
            let results: Vec<IoResult> = run(&mut backend, &ops).iter().map(|done| done.result).collect();
            if results[0] == Err(libc::EOPNOTSUPP) {
                eprintln!("SKIPPED: the null device of this kernel takes no commands");
                return;
            }
            assert_eq!(results, [Ok(4096), Ok(4096), Ok(0), Ok(0)]);
        }
        let unaligned = Op { len: 100, ..slot(Kind::Read, 0) };
        assert_eq!(run(&mut backend, &[unaligned])[0].result, Err(libc::EINVAL));
        let mut out = Vec::new();
        backend.reap(1, 1, SECOND, &mut out).unwrap();
        assert!(out.is_empty() && backend.detach(0).is_ok());
        backend.reap(0, 1, Duration::ZERO, &mut out).unwrap();
    }
}
