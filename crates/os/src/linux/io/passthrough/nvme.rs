//! NVMe commands of operations.

use std::io;
use std::ptr::null_mut;

use random::Tausworthe32;

use super::command::*;
use super::namespace::{self, Namespace};
use super::placement::{Identifiers, Placement};
use super::request::{DataBuffer, Request};
use crate::file::File;
use crate::io::{CommandSeeds, CommandStatus, Kind, Op, PassthroughProblem};
use ::io::{Nvme as NvmeConfig, NvmeWrite, NvmeWriteShare};

/// `NVME_URING_CMD_IO` and `NVME_URING_CMD_IO_VEC` of `linux/nvme_ioctl.h`.
pub(super) const PLAIN: u32 = 0xc048_4e80;
pub(super) const VECTORED: u32 = 0xc048_4e81;
/// Bytes of a range of dataset management.
pub(super) const RANGE_BYTES: usize = RANGE_LENGTH as usize;
const RANGE_LENGTH: u32 = 16;
/// Most blocks of a command.
const BLOCKS_MAX: u64 = 1 << 16;

/// A namespace and its placement identifiers.
struct Attached {
    namespace: Namespace,
    identifiers: Identifiers,
}

/// Makes the commands of operations, and checks what they return.
pub(super) struct Nvme {
    config: NvmeConfig,
    is_vectored: bool,
    attached: Vec<Option<Attached>>,
    placement: Option<Placement>,
    command_of_writes: Tausworthe32,
    /// Reads compare the data.
    pub(super) compares: bool,
    memory: Memory,
}

/// Memory that the device reads and writes, beside the data. One piece per slot.
struct Memory {
    vectors: Vec<libc::iovec>,
    /// The ranges of a trim, for each slot.
    ranges: Vec<u8>,
    /// `metadata_bytes` per slot.
    metadata: Vec<u8>,
}

impl Nvme {
    pub(super) fn new(config: &NvmeConfig, seeds: CommandSeeds, slots: usize, files: u32, is_vectored: bool) -> Self {
        Nvme {
            is_vectored,
            attached: (0..files).map(|_| None).collect(),
            placement: config.placement.as_ref().map(|placement| Placement::new(placement, seeds.placement)),
            command_of_writes: Tausworthe32::new(low_half(seeds.write)),
            compares: false,
            memory: Memory {
                vectors: vec![libc::iovec { iov_base: null_mut(), iov_len: 0 }; slots],
                ranges: vec![0; slots * config.trim_ranges.max(1) as usize * RANGE_BYTES],
                metadata: vec![0; slots * config.metadata_bytes as usize],
            },
            config: config.clone(),
        }
    }

    /// Reads the format of a namespace.
    pub(super) fn attach(&mut self, index: u32, file: &File) -> Result<(), PassthroughProblem> {
        let namespace = namespace::read(file, &self.config)?;
        let ids = match &self.config.placement {
            Some(placement) => namespace::placement_ids(file, namespace.id, placement)?,
            None => Vec::new(),
        };
        self.attach_as(index, namespace, ids);
        Ok(())
    }

    pub(super) fn attach_as(&mut self, index: u32, namespace: Namespace, ids: Vec<u16>) {
        self.attached[index as usize] = Some(Attached { namespace, identifiers: Identifiers::new(ids) });
    }

    /// Keeps the memory of the slots until the process ends, for operations that never complete.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.memory.metadata));
        std::mem::forget(std::mem::take(&mut self.memory.ranges));
        std::mem::forget(std::mem::take(&mut self.memory.vectors));
    }

    /// Returns the command of an operation with its data in `data`.
    ///
    /// # Errors
    /// Returns the errno of an operation that has no command.
    pub(super) fn request(&mut self, op: &Op, data: DataBuffer) -> Result<Request, i32> {
        let attached = self.attached.get_mut(op.file as usize).and_then(Option::as_mut).ok_or(libc::EBADF)?;
        let namespace = attached.namespace;
        let command = match op.kind {
            Kind::Fsync | Kind::Fdatasync => NvmeCommand::new(FLUSH, namespace.id),
            Kind::SyncFileRange => return Err(libc::EOPNOTSUPP),
            Kind::Trim => self.memory.trim(&namespace, op, self.config.trim_ranges, data)?,
            Kind::Read => {
                let fua = if self.config.read_fua { FUA } else { 0 };
                let opcode = if self.compares { COMPARE } else { READ };
                return self.transfer(op, &namespace, opcode, [fua, 0], data);
            }
            Kind::Write => {
                let share = choose_command(&self.config.writes, &mut self.command_of_writes);
                let mut flags = if share.fua { FUA } else { 0 };
                if share.deallocates {
                    flags |= DEALLOCATE;
                }
                let mut specifier = 0;
                if let Some(placement) = &mut self.placement {
                    flags |= placement.directive() << 20;
                    specifier = u32::from(placement.choose(&mut attached.identifiers, op.offset)) << 16;
                }
                return self.transfer(op, &namespace, opcode(share.command), [flags, specifier], data);
            }
        };
        Ok(Request::new(PLAIN, &command))
    }

    /// Returns the command of a read or a write. `flags` are bits of the dwords 12 and 13.
    fn transfer(
        &mut self,
        op: &Op,
        namespace: &Namespace,
        opcode: u8,
        flags: [u32; 2],
        mut data: DataBuffer,
    ) -> Result<Request, i32> {
        let (first, blocks) = blocks_of(namespace, op)?;
        let Some(blocks) = u32::try_from(blocks).ok().filter(|&blocks| u64::from(blocks) <= BLOCKS_MAX) else {
            return Err(libc::EINVAL);
        };
        let mut command = NvmeCommand::new(opcode, namespace.id);
        command.set_start(first);
        command.dword12 = (blocks - 1) | flags[0];
        command.dword13 = flags[1];
        if opcode != WRITE_UNCORRECTABLE {
            self.protect(&mut command, namespace, first);
        }
        if !matches!(opcode, READ | WRITE | COMPARE) {
            return Ok(Request::new(PLAIN, &command));
        }
        let metadata = self.memory.metadata_of(op.slot, self.config.metadata_bytes);
        let metadata_bytes =
            if namespace.is_extended { 0 } else { blocks as usize * namespace.metadata_bytes as usize };
        let Some(metadata) = metadata.get_mut(..metadata_bytes) else { return Err(libc::EINVAL) };
        if metadata_bytes > 0 {
            (command.metadata, command.metadata_bytes) =
                (metadata.as_mut_ptr() as u64, u32::try_from(metadata_bytes).map_err(|_| libc::EINVAL)?);
        }
        if let (Some(layout), WRITE | COMPARE, false) =
            (&namespace.protection, opcode, self.config.protection.by_device)
        {
            layout.generate(&self.config.protection, first, data.bytes_mut(), metadata);
        }
        if !self.is_vectored {
            (command.data, command.data_bytes) = (data.address(), op.len);
            return Ok(Request::with_data(PLAIN, &command));
        }
        let vector = &mut self.memory.vectors[op.slot as usize];
        *vector = libc::iovec { iov_base: data.address() as *mut _, iov_len: op.len as usize };
        (command.data, command.data_bytes) = (std::ptr::from_ref(vector) as u64, 1);
        Ok(Request::with_data(VECTORED, &command))
    }

    /// Sets the fields of protection information.
    fn protect(&self, command: &mut NvmeCommand, namespace: &Namespace, first_block: u64) {
        let (Some(layout), config) = (&namespace.protection, &self.config.protection) else { return };
        let flags = [
            (config.by_device, PRACT),
            (config.checks_guard, CHECK_GUARD),
            (config.checks_application_tag, CHECK_APPLICATION_TAG),
            (config.checks_reference_tag, CHECK_REFERENCE_TAG),
        ];
        command.dword12 |= flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum::<u32>();
        if config.checks_application_tag {
            command.dword15 = u32::from(config.application_tag_mask) << 16 | u32::from(config.application_tag);
        }
        if config.checks_reference_tag && layout.has_reference_tag() {
            command.dword14 = low_half(first_block);
            command.dword3 = layout.upper_reference_tag(first_block);
        }
    }

    /// Checks the protection information of a completed read.
    ///
    /// # Errors
    /// Returns the check that failed.
    pub(super) fn check_read(&mut self, op: &Op, data: DataBuffer) -> Result<(), CommandStatus> {
        let config = &self.config.protection;
        let attached = self.attached.get(op.file as usize).and_then(Option::as_ref);
        let Some(attached) = attached.filter(|_| op.kind == Kind::Read && !config.by_device && !self.compares) else {
            return Ok(());
        };
        let namespace = attached.namespace;
        let Some(layout) = &namespace.protection else { return Ok(()) };
        let Ok((first, _)) = blocks_of(&namespace, op) else { return Ok(()) };
        let metadata = self.memory.metadata_of(op.slot, self.config.metadata_bytes);
        layout.check(config, first, data.bytes(), metadata)
    }
}

impl Memory {
    fn metadata_of(&mut self, slot: u32, bytes_each: u32) -> &mut [u8] {
        let each = bytes_each as usize;
        &mut self.metadata[slot as usize * each..][..each]
    }

    /// Returns a command that deallocates the blocks.
    fn trim(&mut self, namespace: &Namespace, op: &Op, ranges_each: u32, data: DataBuffer) -> Result<NvmeCommand, i32> {
        let bytes_each = ranges_each.max(1) as usize * RANGE_BYTES;
        let places = &mut self.ranges[op.slot as usize * bytes_each..][..bytes_each];
        let one = [(op.offset, u64::from(op.len))];
        let several = data.bytes().chunks_exact(RANGE_BYTES).map(|pair| (number(&pair[..8]), number(&pair[8..])));
        let ranges = one.into_iter().filter(|_| ranges_each <= 1).chain(several.filter(|(_, length)| *length > 0));
        let mut count = 0u32;
        for ((start, length), place) in ranges.zip(places.chunks_exact_mut(RANGE_BYTES)) {
            let (first, blocks) = blocks_in(namespace, start, length)?;
            let blocks = u32::try_from(blocks).map_err(|_| libc::EINVAL)?;
            place[4..8].copy_from_slice(&blocks.to_le_bytes());
            place[8..].copy_from_slice(&first.to_le_bytes());
            count += 1;
        }
        let mut command = NvmeCommand::new(DATASET_MANAGEMENT, namespace.id);
        command.dword10 = count.checked_sub(1).ok_or(libc::EINVAL)?;
        command.dword11 = ATTRIBUTE_DEALLOCATE;
        (command.data, command.data_bytes) = (places.as_mut_ptr() as u64, count * RANGE_LENGTH);
        Ok(command)
    }
}

/// Returns the first block and the number of blocks of an operation.
fn blocks_of(namespace: &Namespace, op: &Op) -> Result<(u64, u64), i32> {
    blocks_in(namespace, op.offset, u64::from(op.len))
}

fn blocks_in(namespace: &Namespace, start: u64, length: u64) -> Result<(u64, u64), i32> {
    let unit = u64::from(namespace.unit_bytes());
    if unit == 0 || length == 0 || !length.is_multiple_of(unit) || !start.is_multiple_of(unit) {
        return Err(libc::EINVAL);
    }
    Ok((start / unit, length / unit))
}

/// Returns the lower 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the upper bits are dropped on purpose")]
pub(super) fn low_half(number: u64) -> u32 {
    number as u32
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|at| bytes[at]))
}

fn opcode(write: NvmeWrite) -> u8 {
    match write {
        NvmeWrite::Write => WRITE,
        NvmeWrite::Uncorrectable => WRITE_UNCORRECTABLE,
        NvmeWrite::Zeroes => WRITE_ZEROES,
        NvmeWrite::Verify => VERIFY,
    }
}

/// Returns the command of the next write.
fn choose_command(shares: &[NvmeWriteShare], random: &mut Tausworthe32) -> NvmeWriteShare {
    const PLAIN_WRITE: NvmeWriteShare =
        NvmeWriteShare { command: NvmeWrite::Write, percent: 100, fua: false, deallocates: false };
    let [first, second @ ..] = shares else { return PLAIN_WRITE };
    if second.is_empty() {
        return *first;
    }
    let drawn = random.between(0, 99);
    let mut below = 0;
    let chosen = shares.iter().find(|share| {
        below += share.percent;
        drawn < below
    });
    // Percentages are rounded down: the last command has the rest.
    *chosen.or(shares.last()).unwrap_or(first)
}

/// Returns the error of attaching a file.
pub(super) fn attach_error(problem: PassthroughProblem) -> io::Error {
    match problem {
        PassthroughProblem::Open(error)
        | PassthroughProblem::NotANamespace(error)
        | PassthroughProblem::Identify(error)
        | PassthroughProblem::NoPlacement(error)
        | PassthroughProblem::NotADisk(error) => error,
        PassthroughProblem::NotACharacterDevice
        | PassthroughProblem::StorageTag
        | PassthroughProblem::PlacementIndex { .. } => io::Error::from_raw_os_error(libc::EINVAL),
    }
}
