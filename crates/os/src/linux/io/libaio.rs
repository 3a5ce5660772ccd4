//! `libaio`: the kernel's native AIO, through its system calls.
//!
//! The address of the context is that of a ring in this process. If its layout is the known one, completions are reaped
//! from it without a system call. System calls are then only made to submit and to wait.

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::files::Files;
use super::run::{errno, of_negated, run_here};
use crate::file::File;
use crate::io::{Backend, BackendError};
use crate::io::{BackendConfig, EngineKind};
use crate::io::{Completion, Kind, Op};
use crate::linux::number::{signed, timespec};
use crate::memory::Slots;

const CMD_PREAD: u16 = 0;
const CMD_PWRITE: u16 = 1;
const CMD_FSYNC: u16 = 2;
const CMD_FDSYNC: u16 = 3;
const CMD_PREADV: u16 = 7;
const CMD_PWRITEV: u16 = 8;
/// `aio_reqprio` has a priority.
const FLAG_IOPRIO: u32 = 1 << 1;
/// Magic number of the ring layout below.
const RING_MAGIC: u32 = 0xa10a_10a1;
/// Maximum operations per `io_submit`. Larger batches are split.
const BATCH_MAX: usize = 256;

#[repr(C)]
struct Event {
    data: u64,
    iocb: u64,
    result: i64,
    result2: i64,
}

/// Control block of an operation: `struct iocb` of linux/aio_abi.h. The libc crate does not have it for musl.
#[repr(C)]
#[derive(Clone, Default)]
struct ControlBlock {
    data: u64,
    #[cfg(target_endian = "little")]
    key: u32,
    rw_flags: i32,
    #[cfg(target_endian = "big")]
    key: u32,
    opcode: u16,
    priority: i16,
    fd: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    result_fd: u32,
}

const _: () = assert!(size_of::<ControlBlock>() == 64);

/// Header of the mapped ring. The events follow it.
#[repr(C)]
struct Ring {
    id: u32,
    events: u32,
    head: AtomicU32,
    tail: AtomicU32,
    magic: u32,
    compat: u32,
    incompat: u32,
    header_bytes: u32,
}

pub(crate) struct Libaio {
    context: usize,
    slots: Slots,
    files: Files,
    /// One control block per slot.
    iocbs: Vec<ControlBlock>,
    vectors: Vec<libc::iovec>,
    /// Results of operations that ran on this thread.
    done: Vec<Completion>,
    events: Vec<Event>,
    mapped: bool,
    vectored: bool,
    read_flags: i32,
    write_flags: i32,
    sync_file_range: u32,
}

impl Libaio {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let context = setup(config.depth)?;
        let count = slots.count();
        let (read_flags, write_flags) = config.rw_flags();
        let mut backend = Libaio {
            context,
            files: Files::new(config.files),
            iocbs: vec![ControlBlock::default(); count],
            vectors: vec![libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 }; count],
            slots,
            done: Vec::new(),
            events: Vec::with_capacity(BATCH_MAX),
            mapped: false,
            vectored: config.libaio_vectored,
            read_flags,
            write_flags,
            sync_file_range: config.sync_file_range,
        };
        backend.mapped = config.userspace_reap && backend.ring().is_some();
        Ok(backend)
    }

    /// Returns the mapped ring if its layout is known.
    fn ring(&self) -> Option<&Ring> {
        // SAFETY: the context is the address of the ring, which is at least one page and stays mapped until
        // `io_destroy`. The kernel changes only head and tail, which are atomics here.
        let ring = unsafe { &*(self.context as *const Ring) };
        let known = ring.magic == RING_MAGIC
            && ring.incompat == 0
            && ring.header_bytes as usize == size_of::<Ring>()
            && ring.events > 0;
        known.then_some(ring)
    }

    /// Reaps at most `max` events from the mapped ring.
    fn reap_mapped(&mut self, max: usize, out: &mut Vec<Completion>) -> usize {
        // SAFETY: see `ring`, which checked the layout before `mapped` was set.
        let ring = unsafe { &*(self.context as *const Ring) };
        // The kernel writes the tail after the events. Only this thread moves the head.
        let tail = ring.tail.load(Ordering::Acquire);
        let mut head = ring.head.load(Ordering::Relaxed);
        let mut taken = 0;
        while head != tail && taken < max {
            // SAFETY: head is below the number of events, which follow the header. The kernel does not write this event
            // until head has passed it.
            let event = unsafe { &*(ptr::from_ref(ring).add(1).cast::<Event>().add(head as usize)) };
            let slot = slot_of(event.data);
            out.push(Completion { slot, result: of_negated(event.result) });
            self.slots.finish(slot);
            head = if head + 1 >= ring.events { 0 } else { head + 1 };
            taken += 1;
        }
        if taken > 0 {
            ring.head.store(head, Ordering::Release);
        }
        taken
    }

    /// Reaps with a system call that waits for `min` events.
    fn reap_waiting(
        &mut self,
        min: usize,
        max: usize,
        timeout: Duration,
        out: &mut Vec<Completion>,
    ) -> io::Result<usize> {
        let max = max.min(self.events.capacity());
        let mut limit = timespec(timeout);
        self.events.clear();
        // SAFETY: the vector has space for `max` events, and the timeout outlives the call.
        let taken = unsafe {
            libc::syscall(libc::SYS_io_getevents, self.context, min.min(max), max, self.events.as_mut_ptr(), &mut limit)
        };
        let Ok(taken) = usize::try_from(taken) else {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::Interrupted { Ok(0) } else { Err(error) };
        };
        // SAFETY: the kernel has initialized this number of events.
        unsafe { self.events.set_len(taken) };
        for event in &self.events {
            let slot = slot_of(event.data);
            out.push(Completion { slot, result: of_negated(event.result) });
            self.slots.finish(slot);
        }
        Ok(taken)
    }

    /// Fills the control block of the slot.
    fn prepare(&mut self, op: &Op, fd: i32, data: *mut u8) {
        let at = op.slot as usize;
        let (address, length) = if self.vectored && op.kind.moves_data() {
            self.vectors[at] = libc::iovec { iov_base: data.cast(), iov_len: op.len as usize };
            (&raw const self.vectors[at] as u64, 1)
        } else {
            (data as u64, u64::from(op.len))
        };
        let (opcode, flags) = match (op.kind, self.vectored) {
            (Kind::Read, false) => (CMD_PREAD, self.read_flags),
            (Kind::Read, true) => (CMD_PREADV, self.read_flags),
            (Kind::Write, false) => (CMD_PWRITE, self.write_flags),
            (Kind::Write, true) => (CMD_PWRITEV, self.write_flags),
            (Kind::Fdatasync, _) => (CMD_FDSYNC, 0),
            _ => (CMD_FSYNC, 0),
        };
        let moves = op.kind.moves_data();
        let block = &mut self.iocbs[at];
        block.data = u64::from(op.slot);
        block.fd = fd.cast_unsigned();
        block.opcode = opcode;
        block.rw_flags = flags;
        block.buffer = if moves { address } else { 0 };
        block.bytes = if moves { length } else { 0 };
        block.offset = if moves { signed(op.offset) } else { 0 };
        block.priority = op.ioprio.cast_signed();
        block.flags = if op.ioprio != 0 { FLAG_IOPRIO } else { 0 };
    }

    /// Submits at most [`BATCH_MAX`] operations that the kernel runs asynchronously. Returns how many were accepted.
    fn submit_part(&mut self, ops: &[Op]) -> io::Result<usize> {
        let mut blocks: [*mut ControlBlock; BATCH_MAX] = [ptr::null_mut(); BATCH_MAX];
        let mut prepared = 0;
        let mut broken = None;
        for op in ops {
            let started = self.files.raw(op.file).and_then(|fd| Ok((fd, self.slots.start(op)?)));
            match started {
                Ok((fd, data)) => self.prepare(op, fd, data),
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
            blocks[prepared] = &raw mut self.iocbs[op.slot as usize];
            prepared += 1;
        }
        if let (0, Some(error)) = (prepared, broken) {
            return Err(error);
        }
        let taken = self.submit_blocks(&mut blocks[..prepared], ops);
        // Operations that the kernel did not accept are not in flight.
        for op in &ops[taken..prepared] {
            self.slots.finish(op.slot);
        }
        Ok(taken)
    }

    /// Submits the blocks. Returns how many the kernel accepted, or rejected with a result.
    fn submit_blocks(&mut self, blocks: &mut [*mut ControlBlock], ops: &[Op]) -> usize {
        let mut taken = 0;
        while taken < blocks.len() {
            let rest = &mut blocks[taken..];
            // SAFETY: each pointer is to a filled control block of a slot in flight. The vector of blocks is never
            // resized, and the kernel reads the blocks within the call.
            let returned = unsafe { libc::syscall(libc::SYS_io_submit, self.context, rest.len(), rest.as_mut_ptr()) };
            if let Ok(accepted @ 1..) = usize::try_from(returned) {
                taken += accepted;
                continue;
            }
            match if returned == 0 { libc::EAGAIN } else { errno() } {
                libc::EINTR => {}
                libc::EAGAIN => break,
                // No memory. Completions of operations in flight will free some.
                libc::ENOMEM if taken > 0 || self.slots.in_flight() > rest.len() => break,
                // The kernel rejects this operation: the errno is its result.
                refused => {
                    self.done.push(Completion { slot: ops[taken].slot, result: Err(refused) });
                    taken += 1;
                }
            }
        }
        taken
    }
}

/// Returns the slot in the data of an event, where `prepare` has put it.
#[expect(clippy::cast_possible_truncation, reason = "the data of a control block is a slot")]
fn slot_of(data: u64) -> u32 {
    data as u32
}

/// Returns true if the kernel's AIO has no command for the operation. It then runs on this thread, as in fio.
fn runs_here(kind: Kind) -> bool {
    matches!(kind, Kind::Trim | Kind::SyncFileRange)
}

impl Backend for Libaio {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        self.files.attach(index, file).map(drop)
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        self.files.detach(index)
    }

    fn runs_in_submit(&self, op: &Op) -> bool {
        runs_here(op.kind)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        let mut taken = 0;
        while taken < ops.len() {
            let rest = &ops[taken..];
            if runs_here(rest[0].kind) {
                let fd = self.files.raw(rest[0].file)?;
                self.slots.start(&rest[0])?;
                let result = run_here(&rest[0], fd, &self.files, self.sync_file_range);
                self.done.push(Completion { slot: rest[0].slot, result });
                taken += 1;
                continue;
            }
            let part = rest.iter().take(BATCH_MAX).take_while(|op| !runs_here(op.kind)).count();
            match self.submit_part(&rest[..part]) {
                Ok(count) => {
                    taken += count;
                    if count < part {
                        break;
                    }
                }
                Err(_) if taken > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let before = out.len();
        self.slots.finish_all(&mut self.done, max, out);
        let mut got = out.len() - before;
        if self.mapped {
            got += self.reap_mapped(max - got, out);
        } else if got < max && self.slots.in_flight() > 0 {
            got += self.reap_waiting(0, max - got, Duration::ZERO, out)?;
        }
        let min = min.min(max);
        if got >= min || self.slots.in_flight() == 0 {
            return Ok(());
        }
        let start = Instant::now();
        let mut left = timeout;
        while got < min && self.slots.in_flight() > 0 && !left.is_zero() {
            let wanted = (min - got).min(self.slots.in_flight());
            got += self.reap_waiting(wanted, max - got, left, out)?;
            if got < min {
                left = timeout.saturating_sub(start.elapsed());
            }
        }
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

impl Drop for Libaio {
    fn drop(&mut self) {
        // `io_destroy` waits for operations in flight, and one that never completes would block this thread. The kernel
        // destroys the context when the process ends.
        if self.slots.in_flight() == self.done.len() {
            // SAFETY: the context belongs to this backend and is not used again.
            unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
        } else {
            std::mem::forget(std::mem::take(&mut self.iocbs));
            std::mem::forget(std::mem::take(&mut self.vectors));
        }
    }
}

fn setup(depth: u32) -> Result<usize, BackendError> {
    let mut context: usize = 0;
    // SAFETY: the kernel writes the context's address into `context`.
    let returned = unsafe { libc::syscall(libc::SYS_io_setup, i64::from(depth), &mut context) };
    if returned == 0 {
        return Ok(context);
    }
    let error = io::Error::last_os_error();
    let what = match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel is built without AIO".to_string(),
        Some(libc::EAGAIN) => {
            format!("depth {depth} exceeds the system's limit on AIO operations (see /proc/sys/fs/aio-max-nr)")
        }
        _ => format!("cannot create an AIO context of depth {depth}"),
    };
    Err(BackendError::caused(EngineKind::Libaio, what, error))
}

/// Creates a context of the configured depth and destroys it.
pub(crate) fn probe(config: &BackendConfig) -> Result<(), BackendError> {
    let context = setup(config.depth)?;
    // SAFETY: the context is new and unused.
    unsafe { libc::syscall(libc::SYS_io_destroy, context) };
    Ok(())
}
