//! `io_uring`: submissions and completions through rings shared with the kernel.
//!
//! One `io_uring_enter` submits a batch. Completions in the ring are reaped without a system call. The ring belongs to
//! one thread, and its task work runs when that thread enters the kernel.

use std::io;
use std::time::{Duration, Instant};

use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, opcode, squeue};

use super::files::Files;
use super::run::run_here;
use crate::file::File;
use crate::io::{Backend, BackendError};
use crate::io::{BackendConfig, EngineKind};
use crate::io::{Completion, Kind, Op};
use crate::linux::process::locked_memory_limit;
use crate::memory::Slots;

/// Discard command: `_IO(0x12, 0)`, since Linux 6.12.
const BLOCK_URING_CMD_DISCARD: u32 = 0x1200;
/// Maximum size of a registered buffer in the kernel.
const FIXED_BUFFER_MAX: usize = 1 << 30;
/// Maximum size of a ring in the kernel.
const ENTRIES_MAX: u32 = 32768;
/// Maximum time to spin on a ring with SQPOLL before the wait sleeps.
const SPIN: Duration = Duration::from_micros(50);

pub(crate) struct Uring {
    /// The first field, so that it is dropped before the memory that its operations use.
    ring: IoUring,
    slots: Slots,
    files: Files,
    /// One per slot, for READV and WRITEV.
    vectors: Vec<libc::iovec>,
    /// Trims in flight by slot. One that the kernel rejects runs again on this thread.
    trims: Vec<Option<Op>>,
    trims_in_flight: usize,
    /// Results of operations that ran on this thread.
    done: Vec<Completion>,
    /// Number of slots per registered buffer. 0 without registered buffers.
    slots_per_piece: usize,
    registered_files: bool,
    /// Kernel worker threads run the I/O of an attached file.
    uses_kernel_workers: bool,
    nonvectored: bool,
    polled: bool,
    kernel_thread: bool,
    trims_in_ring: bool,
    force_async: u32,
    since_async: u32,
    read_flags: i32,
    write_flags: i32,
    sync_file_range: u32,
}

impl Uring {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let ring = set_up(config)?;
        let commands = supported(&ring);
        let has = |code: u8| commands.as_ref().is_some_and(|probe| probe.is_supported(code));
        let (read_flags, write_flags) = config.rw_flags();
        let count = slots.count();
        let mut backend = Uring {
            ring,
            files: Files::new(config.files),
            vectors: vec![libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; count],
            trims: vec![None; count],
            trims_in_flight: 0,
            slots,
            done: Vec::new(),
            slots_per_piece: 0,
            registered_files: false,
            uses_kernel_workers: false,
            nonvectored: config.nonvectored && has(opcode::Read::CODE) && has(opcode::Write::CODE),
            polled: config.hipri,
            kernel_thread: config.sqthread_poll,
            trims_in_ring: has(opcode::UringCmd16::CODE),
            force_async: config.force_async,
            since_async: 0,
            read_flags,
            write_flags,
            sync_file_range: config.sync_file_range,
        };
        backend.registered_files =
            set_up_optional(config.registerfiles, || register_file_table(&backend.ring, config.files))?;
        set_up_optional(config.fixedbufs, || backend.register_buffers())?;
        Ok(backend)
    }

    fn register_buffers(&mut self) -> Result<(), BackendError> {
        let (pieces, slots_per_piece) = self.slots.pieces(FIXED_BUFFER_MAX);
        let vectors: Vec<_> =
            pieces.iter().map(|(start, bytes)| libc::iovec { iov_base: start.cast(), iov_len: *bytes }).collect();
        // SAFETY: the buffers lie in the region of `self.slots`, which outlives the ring.
        unsafe { self.ring.submitter().register_buffers(&vectors) }.map_err(|error| {
            let what = match error.raw_os_error() {
                Some(libc::ENOMEM) => {
                    let bytes = pieces.iter().map(|piece| piece.1 as u64).sum();
                    let (needed, limit) = (units::format::size(bytes), locked_memory_limit());
                    format!("fixedbufs=1: {needed} of buffers cannot be locked in memory: {limit}")
                }
                _ => "fixedbufs=1: the kernel rejects the buffers".to_owned(),
            };
            BackendError::caused(EngineKind::IoUring, what, error)
        })?;
        self.slots_per_piece = slots_per_piece;
        Ok(())
    }

    /// Returns the submission queue entry of an operation with its data at `data`.
    fn entry(&mut self, op: &Op, fd: i32, data: *mut u8) -> squeue::Entry {
        let (file, mut flags) = if self.registered_files {
            (Fd(op.file as i32), squeue::Flags::FIXED_FILE)
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
            let piece = piece as u16;
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
    fn runs_here(&self, op: &Op) -> bool {
        match op.kind {
            Kind::Read | Kind::Write => false,
            Kind::Trim => self.polled || !self.trims_in_ring || !self.files.is_block_device(op.file),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => self.polled,
        }
    }

    fn run_here(&mut self, op: &Op, fd: i32) {
        let result = run_here(op, fd, &self.files, self.sync_file_range);
        self.done.push(Completion { slot: op.slot, result });
    }

    /// Pushes one operation to the submission queue. Returns false if the queue is full.
    fn enqueue(&mut self, op: &Op) -> io::Result<bool> {
        let fd = self.files.fd(op.file)?;
        if self.runs_here(op) {
            self.slots.start(op)?;
            self.run_here(op, fd);
            return Ok(true);
        }
        if self.ring.submission().is_full() {
            return Ok(false);
        }
        let data = self.slots.start(op)?;
        if op.kind == Kind::Trim {
            self.trims_in_flight += 1;
        }
        let entry = self.entry(op, fd, data);
        // SAFETY: the data is lent to this operation until its completion and outlives the ring. Its vector is in a
        // table that is never resized.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        Ok(pushed.is_ok())
    }

    /// Reaps at most `max` completions from the ring without a system call.
    fn take(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        let mut taken = 0;
        let mut refused: Vec<Op> = Vec::new();
        let mut completions = self.ring.completion();
        while taken < max {
            let Some(entry) = completions.next() else { break };
            let completion = Completion { slot: entry.user_data() as u32, result: entry.result() };
            if self.trims_in_flight > 0
                && let Some(op) = self.trims[completion.slot as usize].take()
            {
                self.trims_in_flight -= 1;
                // EBUSY: the range has written pages that are not on the device yet.
                let is_unsupported = is_unsupported(completion.result);
                // Neither kernel nor device supports discards through the ring. From now on they run on this thread.
                self.trims_in_ring &= !is_unsupported;
                if is_unsupported || completion.result == -libc::EBUSY {
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
            match self.files.fd(op.file) {
                Ok(fd) => self.run_here(&op, fd),
                Err(_) => self.done.push(Completion { slot: op.slot, result: -libc::EBADF }),
            }
        }
        taken
    }

    /// Submits the queued entries, and lets the kernel post completions.
    fn enter(&mut self) -> io::Result<()> {
        loop {
            return match self.ring.submit() {
                Ok(_) => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Entries that the kernel did not accept stay queued for the next call.
                Err(error) if is_busy(&error) => Ok(()),
                Err(error) => Err(error),
            };
        }
    }

    /// Waits for `want` completions for at most `left`. Returns false on timeout.
    fn wait(&mut self, want: usize, left: Duration) -> io::Result<bool> {
        if self.polled {
            self.enter()?;
            return Ok(true);
        }
        if !self.ring.params().is_feature_ext_arg() {
            // A kernel before 5.11 has no timeout of the wait: poll instead.
            self.enter()?;
            std::thread::sleep(left.min(Duration::from_micros(50)));
            return Ok(true);
        }
        let limit = Timespec::new().sec(left.as_secs()).nsec(left.subsec_nanos());
        match self.ring.submitter().submit_with_args(want, &SubmitArgs::new().timespec(&limit)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::Interrupted || is_busy(&error) => Ok(true),
            Err(error) if error.raw_os_error() == Some(libc::ETIME) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Spins for a short time on the ring of an SQPOLL thread, without a system call.
    fn spin(&mut self, want: usize, until: Instant) {
        while self.ring.completion().len() < want && Instant::now() < until {
            for _ in 0..16 {
                std::hint::spin_loop();
            }
        }
    }
}

impl Backend for Uring {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file)?;
        self.uses_kernel_workers |= !self.kernel_thread && !self.polled && !file.supports_nowait();
        if self.registered_files {
            let fd = self.files.fd(index)?;
            self.ring.submitter().register_files_update(index, &[fd])?;
        }
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        // The SQPOLL thread looks up descriptors when it reads an entry: none may be closed before.
        while self.kernel_thread && !self.ring.submission().is_empty() {
            self.enter()?;
            std::thread::yield_now();
        }
        self.files.detach(index)?;
        if self.registered_files {
            self.ring.submitter().register_files_update(index, &[-1])?;
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
        if !self.ring.submission().is_empty() {
            self.enter()?;
        }
        Ok(taken)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let before = out.len();
        self.take(max, out);
        self.slots.finish_all(&mut self.done, max - (out.len() - before), out);
        let min = min.min(max);
        if out.len() - before >= min && (out.len() > before || self.slots.in_flight() == 0) {
            return Ok(());
        }
        // Posting completions can need this thread to enter the kernel. A wait also does that.
        let only_looks = min == 0 || timeout.is_zero();
        let to_do = only_looks && (self.ring.submission().taskrun() || !self.ring.submission().is_empty());
        if self.polled || to_do {
            self.enter()?;
            self.take(max - (out.len() - before), out);
        }
        // The clock is read only if the first wait was not enough.
        let mut since = None;
        let mut left = timeout;
        let mut spun = !self.kernel_thread;
        loop {
            self.slots.finish_all(&mut self.done, max - (out.len() - before), out);
            let got = out.len() - before;
            let in_flight = self.slots.in_flight();
            if got >= min || in_flight == 0 {
                return Ok(());
            }
            if let Some(since) = since {
                left = timeout.saturating_sub(Instant::elapsed(&since));
            }
            if left.is_zero() {
                return Ok(());
            }
            let want = (min - got).min(in_flight);
            if !spun {
                self.spin(want, Instant::now() + SPIN.min(left));
                spun = true;
            } else if !self.wait(want, left)? {
                self.take(max - got, out);
                self.slots.finish_all(&mut self.done, max - (out.len() - before), out);
                return Ok(());
            }
            let taken = self.take(max - got, out);
            if got + taken < min {
                since.get_or_insert_with(Instant::now);
            }
        }
    }

    fn runs_on_kernel_workers(&self) -> bool {
        self.uses_kernel_workers
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

/// Runs an optional setup. `Some(true)` requires it to succeed, `Some(false)` skips it, `None` tries it. Returns
/// whether it is set up.
fn set_up_optional(
    requested: Option<bool>,
    do_it: impl FnOnce() -> Result<(), BackendError>,
) -> Result<bool, BackendError> {
    if requested == Some(false) {
        return Ok(false);
    }
    match do_it() {
        Err(error) if requested.is_some() => Err(error),
        outcome => Ok(outcome.is_ok()),
    }
}

/// Returns whether the error means a temporary lack of resources.
fn is_busy(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EBUSY))
}

/// Returns whether the result means that kernel or device do not support discards through the ring.
fn is_unsupported(result: i32) -> bool {
    matches!(-result, libc::EOPNOTSUPP | libc::EINVAL | libc::ENOTTY | libc::ENOSYS)
}

fn supported(ring: &IoUring) -> Option<Probe> {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).ok()?;
    Some(probe)
}

/// Registers an empty file table.
fn register_file_table(ring: &IoUring, files: u32) -> Result<(), BackendError> {
    let submitter = ring.submitter();
    submitter.register_files_sparse(files).or_else(|_| submitter.register_files(&vec![-1; files as usize])).map_err(
        |error| BackendError::caused(EngineKind::IoUring, "registerfiles=1: cannot register a file table", error),
    )
}

/// Creates the ring with all optional features that the kernel supports.
fn set_up(config: &BackendConfig) -> Result<IoUring, BackendError> {
    let entries = config.depth.min(ENTRIES_MAX);
    let mut refused = None;
    // Tries the flags of the newest kernel first: DEFER_TASKRUN with SINGLE_ISSUER (6.1), COOP_TASKRUN (6.0, 5.19),
    // none.
    for level in 0..4 {
        if level == 0 && (config.hipri || config.sqthread_poll) {
            continue;
        }
        let mut builder = IoUring::builder();
        builder.setup_clamp().dontfork();
        if level <= 2 {
            builder.setup_submit_all();
        }
        if config.sqthread_poll {
            builder.setup_sqpoll(1000);
            if let Some(cpu) = config.sqthread_poll_cpu {
                builder.setup_sqpoll_cpu(cpu);
            }
        } else if level == 0 {
            builder.setup_defer_taskrun().setup_taskrun_flag();
        } else if level <= 2 {
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if level <= 1 {
            builder.setup_single_issuer();
        }
        if config.hipri {
            builder.setup_iopoll();
        }
        match builder.build(entries) {
            Ok(ring) => return Ok(ring),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refused = Some(error),
            Err(error) => return Err(explain(config, error)),
        }
    }
    Err(explain(config, refused.unwrap_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))))
}

fn explain(config: &BackendConfig, error: io::Error) -> BackendError {
    let disabled =
        || std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").is_ok_and(|text| text.trim() != "0");
    let what = match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no io_uring (Linux 5.1 and later have it)".to_string(),
        Some(libc::EPERM) if disabled() => "io_uring is disabled (kernel.io_uring_disabled)".to_string(),
        Some(libc::EPERM) if config.sqthread_poll => "sqthread_poll=1 needs more privileges on this kernel".to_string(),
        Some(libc::EPERM) => "io_uring is not permitted (a container's seccomp profile can be the cause)".to_string(),
        Some(libc::ENOMEM) => {
            let (depth, limit) = (config.depth, locked_memory_limit());
            format!("not enough memory for a ring of depth {depth} (locked memory before Linux 5.12: {limit})")
        }
        Some(libc::EINVAL) if config.sqthread_poll_cpu.is_some() => {
            "the kernel rejects the ring; check that the CPU of sqthread_poll_cpu exists".to_string()
        }
        _ => format!("cannot create a ring of depth {}", config.depth),
    };
    BackendError::caused(EngineKind::IoUring, what, error)
}

/// Creates such a ring and closes it.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    let ring = set_up(config)?;
    if config.registerfiles == Some(true) {
        register_file_table(&ring, config.files)?;
    }
    Ok(())
}
