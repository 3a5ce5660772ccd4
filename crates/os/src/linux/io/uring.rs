//! `io_uring`: submissions and completions through rings shared with the kernel.
//!
//! One `io_uring_enter` submits a batch. Completions in the ring are reaped without a system call. The ring belongs to
//! one thread, and its task work runs when that thread enters the kernel.

use std::io;
use std::time::Duration;

use io_uring::types::{Fd, FsyncFlags};
use io_uring::{cqueue, opcode, squeue};

use super::files::Files;
use super::ring::{self, Ring, RingEngine};
use super::run::run_here;
use crate::file::File;
use crate::io::{Backend, BackendConfig, BackendError};
use crate::io::{Completion, IoResult, Kind, Op};
use crate::memory::Slots;

/// Discard command: `_IO(0x12, 0)`, since Linux 6.12.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;

pub(crate) struct Uring {
    /// The first field, so that it is dropped before the memory that its operations use.
    ring: Ring<squeue::Entry, cqueue::Entry>,
    slots: Slots,
    files: Files,
    commands: Commands,
    trims_in_flight: usize,
    /// Results of operations that ran on this thread.
    done: Vec<Completion>,
    /// Kernel worker threads run the I/O of an attached file.
    uses_kernel_workers: bool,
}

/// How operations become commands of the ring.
struct Commands {
    /// One per slot, for READV and WRITEV.
    vectors: Vec<libc::iovec>,
    /// Trims in flight by slot. One that the kernel rejects runs again on this thread.
    trims: Vec<Option<Op>>,
    trims_in_ring: bool,
    /// The ring has only reads and writes (IOPOLL).
    polled: bool,
    /// Number of slots per registered buffer. 0 without registered buffers.
    slots_per_piece: usize,
    registered_files: bool,
    nonvectored: bool,
    force_async: u32,
    since_async: u32,
    read_flags: i32,
    write_flags: i32,
    sync_file_range: u32,
}

impl Uring {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let ring = Ring::create(config)?;
        let supported = ring::supported(&ring.queues);
        let has = |code: u8| supported.as_ref().is_some_and(|probe| probe.is_supported(code));
        let (read_flags, write_flags) = config.rw_flags();
        let count = slots.count();
        let mut commands = Commands {
            vectors: vec![libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; count],
            trims: vec![None; count],
            trims_in_ring: has(opcode::UringCmd16::CODE),
            polled: ring.polled,
            slots_per_piece: 0,
            registered_files: false,
            nonvectored: config.nonvectored && has(opcode::Read::CODE) && has(opcode::Write::CODE),
            force_async: config.force_async,
            since_async: 0,
            read_flags,
            write_flags,
            sync_file_range: config.sync_file_range,
        };
        commands.registered_files =
            ring::set_up_optional(config.registerfiles, || ring::register_file_table(&ring.queues, config))?;
        ring::set_up_optional(config.fixedbufs, || {
            commands.slots_per_piece = ring.register_buffers(config, &slots)?;
            Ok(())
        })?;
        Ok(Uring {
            ring,
            files: Files::new(config.files),
            commands,
            trims_in_flight: 0,
            slots,
            done: Vec::new(),
            uses_kernel_workers: false,
        })
    }

    fn run_here(&mut self, op: &Op, fd: i32) {
        let result = run_here(op, fd, &self.files, self.commands.sync_file_range);
        self.done.push(Completion { slot: op.slot, result });
    }

    /// Runs an operation that the ring has no command for.
    #[cold]
    fn start_here(&mut self, op: &Op) -> io::Result<()> {
        let fd = self.files.raw(op.file)?;
        self.slots.start(op)?;
        self.run_here(op, fd);
        Ok(())
    }

    /// Pushes operations to the submission queue, up to the first that the ring has no command for. Returns how many.
    fn enqueue(&mut self, ops: &[Op]) -> io::Result<usize> {
        // The kernel sees the entries when the queue is dropped.
        let mut queue = self.ring.queues.submission();
        for (nth, op) in ops.iter().enumerate() {
            if queue.is_full() || self.commands.runs_here(op, &self.files) {
                return Ok(nth);
            }
            let started = self.files.raw(op.file).and_then(|fd| Ok((fd, self.slots.start(op)?)));
            let (fd, data) = match started {
                Ok(started) => started,
                Err(_) if nth > 0 => return Ok(nth),
                Err(error) => return Err(error),
            };
            self.trims_in_flight += usize::from(op.kind == Kind::Trim);
            let entry = self.commands.entry(op, fd, data);
            // SAFETY: the data is lent to this operation until its completion and outlives the ring. Its vector is in a table that
            // is never resized. The queue is not full.
            let pushed = unsafe { queue.push(&entry) };
            debug_assert!(pushed.is_ok(), "the queue is not full");
        }
        Ok(ops.len())
    }

    /// Reaps completions, some of which can be trims that the ring refuses.
    #[cold]
    fn take_with_trims(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        let mut taken = 0;
        let mut refused: Vec<Op> = Vec::new();
        let mut completions = self.ring.queues.completion();
        while taken < max {
            let Some(entry) = completions.next() else { break };
            let completion = completion_of(&entry);
            if self.trims_in_flight > 0
                && let Some(op) = self.commands.trims[completion.slot as usize].take()
            {
                self.trims_in_flight -= 1;
                // EBUSY: the range has written pages that are not on the device yet.
                let is_unsupported = is_unsupported(completion.result);
                // Neither kernel nor device supports discards through the ring. From now on they run on this thread.
                self.commands.trims_in_ring &= !is_unsupported;
                if is_unsupported || completion.result == Err(libc::EBUSY) {
                    refused.push(op);
                    continue;
                }
            }
            self.slots.finish(completion.slot);
            out.push(completion);
            taken += 1;
        }
        drop(completions);
        for op in refused {
            match self.files.raw(op.file) {
                Ok(fd) => self.run_here(&op, fd),
                Err(_) => self.done.push(Completion { slot: op.slot, result: Err(libc::EBADF) }),
            }
        }
        taken
    }
}

impl Commands {
    /// Returns the submission queue entry of an operation with its data at `data`.
    #[inline]
    fn entry(&mut self, op: &Op, fd: i32, data: *mut u8) -> squeue::Entry {
        let (file, mut flags) = if self.registered_files {
            (Fd(ring::fixed_file(op.file)), squeue::Flags::FIXED_FILE)
        } else {
            (Fd(fd), squeue::Flags::empty())
        };
        if self.force_async > 0 {
            self.since_async += 1;
            if self.since_async >= self.force_async {
                self.since_async = 0;
                flags |= squeue::Flags::ASYNC;
            }
        }
        let entry = match op.kind {
            Kind::Read | Kind::Write => self.transfer(op, file, data),
            Kind::Fsync => opcode::Fsync::new(file).build(),
            Kind::Fdatasync => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
            Kind::SyncFileRange => {
                opcode::SyncFileRange::new(file, op.len).offset(op.offset).flags(self.sync_file_range).build()
            }
            Kind::Trim => {
                self.trims[op.slot as usize] = Some(*op);
                // The length is in the third address field, the first half of the command's bytes.
                let mut command = [0; 16];
                command[..8].copy_from_slice(&u64::from(op.len).to_ne_bytes());
                opcode::UringCmd16::new(file, BLOCK_URING_CMD_DISCARD).cmd(command).addr(Some(op.offset)).build()
            }
        };
        entry.flags(flags).user_data(u64::from(op.slot))
    }

    #[inline]
    fn transfer(&mut self, op: &Op, file: Fd, data: *mut u8) -> squeue::Entry {
        let flags = if op.kind == Kind::Read { self.read_flags } else { self.write_flags };
        let at = op.slot as usize;
        // Each command has its own type. They share only these four arguments.
        macro_rules! build {
            ($command:expr) => {
                $command.offset(op.offset).ioprio(op.ioprio).rw_flags(flags).build()
            };
        }
        if let Some(piece) = at.checked_div(self.slots_per_piece) {
            let piece = u16::try_from(piece).unwrap_or(u16::MAX);
            return match op.kind {
                Kind::Read => build!(opcode::ReadFixed::new(file, data, op.len, piece)),
                _ => build!(opcode::WriteFixed::new(file, data, op.len, piece)),
            };
        }
        if self.nonvectored {
            return match op.kind {
                Kind::Read => build!(opcode::Read::new(file, data, op.len)),
                _ => build!(opcode::Write::new(file, data, op.len)),
            };
        }
        let vector = &mut self.vectors[at];
        *vector = libc::iovec { iov_base: data.cast(), iov_len: op.len as usize };
        match op.kind {
            Kind::Read => build!(opcode::Readv::new(file, vector, 1)),
            _ => build!(opcode::Writev::new(file, vector, 1)),
        }
    }

    /// Returns true if the ring has no command for the operation. A polled ring (IOPOLL) has only reads and writes.
    #[inline]
    fn runs_here(&self, op: &Op, files: &Files) -> bool {
        match op.kind {
            Kind::Read | Kind::Write => false,
            Kind::Trim => self.polled || !self.trims_in_ring || !files.is_block_device(op.file),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => self.polled,
        }
    }
}

impl RingEngine for Uring {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;

    #[inline]
    fn ring(&mut self) -> &mut Ring<squeue::Entry, cqueue::Entry> {
        &mut self.ring
    }

    #[inline]
    fn in_flight(&self) -> usize {
        self.slots.in_flight()
    }

    fn take(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        if self.trims_in_flight > 0 {
            return self.take_with_trims(max, out);
        }
        let before = out.len();
        for entry in self.ring.queues.completion().take(max) {
            let completion = completion_of(&entry);
            self.slots.finish(completion.slot);
            out.push(completion);
        }
        out.len() - before
    }

    #[inline]
    fn take_done(&mut self, max: usize, out: &mut Vec<Completion>) {
        self.slots.finish_all(&mut self.done, max, out);
    }
}

impl Backend for Uring {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        let fd = self.files.attach(index, file)?;
        self.uses_kernel_workers |= !self.ring.kernel_thread && !self.ring.polled && !file.supports_nowait();
        if self.commands.registered_files {
            self.ring.queues.submitter().register_files_update(index, &[fd])?;
        }
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.ring.flush_to_kernel_thread()?;
        self.files.detach(index)?;
        if self.commands.registered_files {
            self.ring.queues.submitter().register_files_update(index, &[-1])?;
        }
        Ok(())
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        let mut taken = self.enqueue(ops)?;
        while let Some(op) = ops.get(taken).filter(|op| self.commands.runs_here(op, &self.files)) {
            match self.start_here(op) {
                Ok(()) => taken += 1,
                Err(_) if taken > 0 => break,
                Err(error) => return Err(error),
            }
            match self.enqueue(&ops[taken..]) {
                Ok(more) => taken += more,
                Err(_) => break,
            }
        }
        self.ring.submit()?;
        Ok(taken)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        ring::reap(self, min, max, timeout, out)
    }

    fn runs_on_kernel_workers(&self) -> bool {
        self.uses_kernel_workers
    }

    fn runs_in_submit(&self, op: &Op) -> bool {
        self.commands.runs_here(op, &self.files)
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

#[inline]
fn completion_of(entry: &cqueue::Entry) -> Completion {
    let result = entry.result();
    let result = u32::try_from(result).map_err(|_| result.saturating_neg());
    Completion { slot: ring::slot_of(entry.user_data()), result }
}

/// Returns whether the result means that kernel or device do not support discards through the ring.
fn is_unsupported(result: IoResult) -> bool {
    matches!(result, Err(libc::EOPNOTSUPP | libc::EINVAL | libc::ENOTTY | libc::ENOSYS))
}

/// Creates such a ring and closes it.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    let ring = ring::set_up::<squeue::Entry, cqueue::Entry>(config)?;
    if config.registerfiles == Some(true) {
        ring::register_file_table(&ring, config)?;
    }
    Ok(())
}
