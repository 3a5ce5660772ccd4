//! `io_uring_cmd`: NVMe and SCSI commands through a ring with entries of 128 bytes and completions of 32 bytes.

mod capacity;
mod command;
pub(crate) mod health;
mod namespace;
mod nvme;
mod placement;
mod protection;
mod request;
mod scsi;
pub(crate) mod setup;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::ptr::null_mut;
use std::time::Duration;

use io_uring::types::Fd;
use io_uring::{cqueue, opcode, squeue};

use self::nvme::Nvme;
use self::request::{DataBuffer, Request};
use self::scsi::Scsi;
use super::files::Files;
use super::ring::{self, Ring, RingEngine};
use super::run::of_negated;
use crate::file::{File, Kind as FileKind, OpenOptions, StatCall, stat};
use crate::io::{Backend, BackendConfig, BackendError, CommandStatus, Completion, IoResult, Kind, Op, misuse};
use crate::io::{PassthroughConfig, PassthroughDevice, PassthroughProblem};
use crate::memory::Slots;
use ::io::DeviceCommands;

pub(crate) struct Passthrough {
    /// The first field, so that it is dropped before the memory that its commands use.
    ring: Ring<squeue::Entry128, cqueue::Entry32>,
    slots: Slots,
    files: Files,
    commands: Commands,
    /// Operations in flight by slot, with the address of their data.
    in_flight: Vec<Option<(Op, *mut u8)>>,
    /// Operations that have no command.
    done: Vec<Completion>,
    /// Number of slots per registered buffer. 0 without registered buffers.
    slots_per_piece: usize,
    registered_files: bool,
    force_async: u32,
    since_async: u32,
    /// Bytes of the ranges of a trim in its slot. 0 if each trim has one range.
    ranges_bytes: usize,
}

/// The command set.
enum Commands {
    Nvme(Box<Nvme>),
    Scsi(Scsi),
}

impl Passthrough {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let count = slots.count();
        let PassthroughConfig { commands, seeds } = commands_of(config)?;
        let ranges_bytes = match commands {
            DeviceCommands::Nvme(nvme) if nvme.trim_ranges > 1 => nvme.trim_ranges as usize * nvme::RANGE_BYTES,
            _ => 0,
        };
        let commands = match commands {
            DeviceCommands::Nvme(nvme) => {
                Commands::Nvme(Box::new(Nvme::new(nvme, *seeds, count, config.files, !config.nonvectored)))
            }
            DeviceCommands::Bsg(scsi) => Commands::Scsi(Scsi::new(scsi, count, config.files)),
        };
        if ranges_bytes > slots.bytes_each() {
            return Err(BackendError::new(config.engine, "the buffers are too small for the ranges of trims"));
        }
        let mut backend = Passthrough {
            ring: Ring::create(config)?,
            files: Files::new(config.files),
            commands,
            in_flight: vec![None; count],
            slots,
            done: Vec::with_capacity(count),
            slots_per_piece: 0,
            registered_files: false,
            force_async: config.force_async,
            since_async: 0,
            ranges_bytes,
        };
        backend.registered_files =
            ring::set_up_optional(config.registerfiles, || ring::register_file_table(&backend.ring.queues, config))?;
        // Linux before 6.1 rejects commands with registered buffers, and has no query for them: only on request.
        if config.fixedbufs == Some(true) {
            backend.slots_per_piece = backend.ring.register_buffers(config, &backend.slots)?;
        }
        Ok(backend)
    }

    /// Returns the submission queue entry of a command.
    fn entry(&mut self, op: &Op, fd: i32, request: &Request) -> squeue::Entry128 {
        let mut flags = squeue::Flags::empty();
        if self.force_async > 0 {
            self.since_async += 1;
            if self.since_async >= self.force_async {
                self.since_async = 0;
                flags |= squeue::Flags::ASYNC;
            }
        }
        let piece = (op.slot as usize).checked_div(self.slots_per_piece);
        let piece = piece.filter(|_| request.moves_data).and_then(|piece| u16::try_from(piece).ok());
        let entry = if self.registered_files {
            flags |= squeue::Flags::FIXED_FILE;
            opcode::UringCmd80::new(Fd(ring::fixed_file(op.file)), request.code)
        } else {
            opcode::UringCmd80::new(Fd(fd), request.code)
        };
        entry.cmd(request.bytes).buf_index(piece).build().flags(flags).user_data(u64::from(op.slot))
    }

    /// Pushes one operation to the submission queue. Returns false if the queue is full.
    fn enqueue(&mut self, op: &Op) -> io::Result<bool> {
        let fd = self.files.raw(op.file)?;
        if self.ring.queues.submission().is_full() {
            return Ok(false);
        }
        let start = self.slots.start(op)?;
        let request = match &mut self.commands {
            Commands::Nvme(nvme) if op.kind == Kind::Trim => {
                // SAFETY: the slot is lent to the operation, and `open` checked that it has these bytes.
                let ranges = unsafe { DataBuffer::new(start, self.ranges_bytes) };
                nvme.request(op, ranges)
            }
            Commands::Nvme(nvme) => nvme.request(op, data_of(op, start)),
            Commands::Scsi(scsi) => scsi.request(op, data_of(op, start)),
        };
        let request = match request {
            Ok(request) => request,
            Err(errno) => {
                self.done.push(Completion { slot: op.slot, result: Err(errno) });
                return Ok(true);
            }
        };
        self.in_flight[op.slot as usize] = Some((*op, start));
        let entry = self.entry(op, fd, &request);
        // SAFETY: the data is lent to this operation until its completion and outlives the ring. The command's memory
        // is in tables that are never resized, and that are leaked if an operation is in flight at the end.
        let pushed = unsafe { self.ring.queues.submission().push(&entry) };
        Ok(pushed.is_ok())
    }
}

/// Returns the result of a completed operation. `result` is a negated errno, or the status of an NVMe device.
fn result_of(commands: &mut Commands, op: &Op, start: *mut u8, result: i32, extra: u64) -> IoResult {
    let status = of_negated(i64::from(result))?;
    let outcome = match commands {
        // A status of the device. It has 15 bits.
        Commands::Nvme(_) if status > 0 => Err(CommandStatus::Device(u16::try_from(status).unwrap_or(u16::MAX))),
        Commands::Nvme(nvme) => nvme.check_read(op, data_of(op, start)),
        Commands::Scsi(scsi) => match scsi.status(op, extra) {
            0 => Ok(()),
            status => Err(CommandStatus::Device(status)),
        },
    };
    match outcome {
        Ok(()) => op.whole(),
        Err(status) => Err(status.errno()),
    }
}

fn data_of(op: &Op, start: *mut u8) -> DataBuffer {
    let (start, bytes) = if op.kind.moves_data() { (start, op.len as usize) } else { (null_mut(), 0) };
    // SAFETY: the slot's bytes from `start` on are lent to the operation. The device does not use them before its
    // submission, nor after its completion.
    unsafe { DataBuffer::new(start, bytes) }
}

impl RingEngine for Passthrough {
    type Submission = squeue::Entry128;
    type Completion = cqueue::Entry32;

    fn ring(&mut self) -> &mut Ring<squeue::Entry128, cqueue::Entry32> {
        &mut self.ring
    }

    fn in_flight(&self) -> usize {
        self.slots.in_flight()
    }

    fn take(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        let mut completions = self.ring.queues.completion();
        let mut taken = 0;
        while taken < max {
            let Some(entry) = completions.next() else { break };
            let slot = ring::slot_of(entry.user_data());
            let Some((op, start)) = self.in_flight[slot as usize].take() else { continue };
            let result = result_of(&mut self.commands, &op, start, entry.result(), entry.big_cqe()[0]);
            self.slots.finish(slot);
            out.push(Completion { slot, result });
            taken += 1;
        }
        taken
    }

    fn take_done(&mut self, max: usize, out: &mut Vec<Completion>) {
        self.slots.finish_all(&mut self.done, max, out);
    }
}

impl Backend for Passthrough {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        if index as usize >= self.files.len() {
            return Err(misuse("file index beyond the table"));
        }
        match &mut self.commands {
            Commands::Nvme(nvme) => nvme.attach(index, file).map_err(nvme::attach_error)?,
            Commands::Scsi(scsi) => scsi.block_bytes[index as usize] = capacity::read(file)?.block_bytes,
        }
        let fd = self.files.attach(index, file)?;
        if self.registered_files {
            self.ring.queues.submitter().register_files_update(index, &[fd])?;
        }
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.ring.flush_to_kernel_thread()?;
        self.files.detach(index)?;
        if self.registered_files {
            self.ring.queues.submitter().register_files_update(index, &[-1])?;
        }
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        let mut taken = 0;
        for op in ops {
            match self.enqueue(op) {
                Ok(true) => taken += 1,
                Ok(false) => break,
                Err(_) if taken > 0 => break,
                Err(error) => return Err(error),
            }
        }
        self.ring.submit()?;
        Ok(taken)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        ring::reap(self, min, max, timeout, out)
    }

    fn compare_reads(&mut self, compares: bool) {
        if let Commands::Nvme(nvme) = &mut self.commands {
            nvme.compares = compares;
        }
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

impl Drop for Passthrough {
    fn drop(&mut self) {
        if self.slots.in_flight() == 0 {
            return;
        }
        match &mut self.commands {
            Commands::Nvme(nvme) => nvme.leak(),
            Commands::Scsi(scsi) => scsi.leak(),
        }
    }
}

fn commands_of(config: &BackendConfig) -> Result<&PassthroughConfig, BackendError> {
    config.passthrough.as_deref().ok_or_else(|| BackendError::new(config.engine, "the commands are missing"))
}

/// Creates such a ring and closes it.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    commands_of(config)?;
    let ring = ring::set_up::<squeue::Entry128, cqueue::Entry32>(config)?;
    if config.registerfiles == Some(true) {
        ring::register_file_table(&ring, config)?;
    }
    Ok(())
}

/// Returns the size and format of a device for the io_uring_cmd engine. Nothing is changed.
///
/// # Errors
/// The device does not accept the commands.
pub fn examine_device(path: &Path, commands: &DeviceCommands) -> Result<PassthroughDevice, PassthroughProblem> {
    let status = stat(path, StatCall::Stat).map_err(PassthroughProblem::Open)?;
    if status.kind != FileKind::Char {
        return Err(PassthroughProblem::NotACharacterDevice);
    }
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    let file = options.open(path).map_err(PassthroughProblem::Open)?;
    match commands {
        DeviceCommands::Nvme(nvme) => {
            let namespace = namespace::read(&file, nvme)?;
            if let Some(placement) = &nvme.placement {
                namespace::placement_ids(&file, namespace.id, placement)?;
            }
            Ok(namespace.device())
        }
        DeviceCommands::Bsg(_) => {
            let capacity = capacity::read(&file).map_err(PassthroughProblem::NotADisk)?;
            let bytes = capacity.block_bytes;
            Ok(PassthroughDevice {
                bytes: capacity.blocks.saturating_mul(u64::from(bytes)),
                unit_bytes: bytes,
                block_bytes: bytes,
                separate_metadata_bytes: 0,
                protection_in_data: false,
            })
        }
    }
}
