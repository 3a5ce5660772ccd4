//! Rings of `io_uring`: set-up, and the calls that the engines on a ring share.

use std::io;
use std::time::{Duration, Instant};

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, Probe, cqueue, squeue};

use super::registered_ring::RegisteredRing;
use crate::io::{BackendConfig, BackendError, Completion, EngineKind};
use crate::linux::process::locked_memory_limit;
use crate::memory::Slots;

/// Maximum size of a registered buffer in the kernel.
const FIXED_BUFFER_MAX: usize = 1 << 30;
/// Maximum size of a ring in the kernel.
const ENTRIES_MAX: u32 = 32768;
/// Maximum time to spin on a ring with SQPOLL before the wait sleeps.
const SPIN: Duration = Duration::from_micros(50);

/// A ring with entries of type `S` and completions of type `C`.
pub(super) struct Ring<S: squeue::EntryMarker, C: cqueue::EntryMarker> {
    /// The first field: it is dropped before the ring.
    registered: Option<RegisteredRing>,
    pub(super) queues: IoUring<S, C>,
    pub(super) polled: bool,
    pub(super) kernel_thread: bool,
}

/// An engine whose completions come from a ring.
pub(super) trait RingEngine {
    type Submission: squeue::EntryMarker;
    type Completion: cqueue::EntryMarker;

    fn ring(&mut self) -> &mut Ring<Self::Submission, Self::Completion>;

    /// Returns the number of slots in flight.
    fn in_flight(&self) -> usize;

    /// Reaps at most `max` completions from the ring without a system call.
    fn take(&mut self, max: usize, out: &mut Vec<Completion>) -> usize;

    /// Moves at most `max` completions of operations that ran on this thread to `out`.
    fn take_done(&mut self, max: usize, out: &mut Vec<Completion>);
}

impl<S: squeue::EntryMarker, C: cqueue::EntryMarker> Ring<S, C> {
    pub(super) fn create(config: &BackendConfig) -> Result<Self, BackendError> {
        let queues = set_up(config)?;
        let registered = RegisteredRing::new(&queues);
        Ok(Ring { registered, queues, polled: config.hipri, kernel_thread: config.sqthread_poll })
    }

    /// Registers the buffers. Returns the number of slots per registered buffer.
    pub(super) fn register_buffers(&self, config: &BackendConfig, slots: &Slots) -> Result<usize, BackendError> {
        let (pieces, slots_per_piece) = slots.pieces(FIXED_BUFFER_MAX);
        let vectors: Vec<_> =
            pieces.iter().map(|(start, bytes)| libc::iovec { iov_base: start.cast(), iov_len: *bytes }).collect();
        // SAFETY: the buffers lie in the region of the slots, which outlives the ring.
        unsafe { self.queues.submitter().register_buffers(&vectors) }.map_err(|error| {
            let what = match error.raw_os_error() {
                Some(libc::ENOMEM) => {
                    let bytes = pieces.iter().map(|piece| piece.1 as u64).sum();
                    let (needed, limit) = (units::format::size(bytes), locked_memory_limit());
                    format!("fixedbufs=1: {needed} of buffers cannot be locked in memory: {limit}")
                }
                _ => "fixedbufs=1: the kernel rejects the buffers".to_owned(),
            };
            BackendError::caused(config.engine, what, error)
        })?;
        Ok(slots_per_piece)
    }

    /// Submits the queued entries, and lets the kernel post completions.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        loop {
            return match self.call(0, None) {
                Ok(()) => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Entries that the kernel did not accept stay queued for the next call.
                Err(error) if is_busy(&error) => Ok(()),
                Err(error) => Err(error),
            };
        }
    }

    /// Submits the queued entries and waits for `want` completions for at most `limit`.
    #[inline]
    fn call(&mut self, want: usize, limit: Option<&Timespec>) -> io::Result<()> {
        let Some(registered) = &self.registered else {
            let submitter = self.queues.submitter();
            let limit = limit.map_or(SubmitArgs::new(), |limit| SubmitArgs::new().timespec(limit));
            return match want {
                0 => submitter.submit().map(drop),
                _ => submitter.submit_with_args(want, &limit).map(drop),
            };
        };
        let entries = self.queues.submission();
        let looks = self.polled || entries.taskrun() || entries.cq_overflow();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        registered.enter(number(entries.len()), number(want), looks, limit)
    }

    /// Submits the queued entries, if there are any.
    pub(super) fn submit(&mut self) -> io::Result<()> {
        if self.queues.submission().is_empty() { Ok(()) } else { self.enter() }
    }

    /// Submits all entries of a ring with SQPOLL. Its thread looks up descriptors when it reads an entry: none may be
    /// closed before.
    pub(super) fn flush_to_kernel_thread(&mut self) -> io::Result<()> {
        while self.kernel_thread && !self.queues.submission().is_empty() {
            self.enter()?;
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Waits for `want` completions for at most `left`. Returns false on timeout.
    fn wait(&mut self, want: usize, left: Duration) -> io::Result<bool> {
        if self.polled {
            self.enter()?;
            return Ok(true);
        }
        if !self.queues.params().is_feature_ext_arg() {
            // A kernel before 5.11 has no timeout of the wait: poll instead.
            self.enter()?;
            std::thread::sleep(left.min(Duration::from_micros(50)));
            return Ok(true);
        }
        let limit = Timespec::new().sec(left.as_secs()).nsec(left.subsec_nanos());
        match self.call(want, Some(&limit)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::Interrupted || is_busy(&error) => Ok(true),
            Err(error) if error.raw_os_error() == Some(libc::ETIME) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Spins for a short time on the ring of an SQPOLL thread, without a system call.
    fn spin(&mut self, want: usize, until: Instant) {
        while self.queues.completion().len() < want && Instant::now() < until {
            for _ in 0..16 {
                std::hint::spin_loop();
            }
        }
    }
}

/// Reaps completions as [`Backend::reap`](crate::io::Backend::reap) does.
#[inline]
pub(super) fn reap(
    engine: &mut impl RingEngine,
    min: usize,
    max: usize,
    timeout: Duration,
    out: &mut Vec<Completion>,
) -> io::Result<()> {
    let before = out.len();
    engine.take(max, out);
    engine.take_done(max - (out.len() - before), out);
    let min = min.min(max);
    if out.len() - before >= min && (out.len() > before || engine.in_flight() == 0) {
        return Ok(());
    }
    let ring = engine.ring();
    // Posting completions can need this thread to enter the kernel. A wait also does that.
    let only_looks = min == 0 || timeout.is_zero();
    let to_do = only_looks && (ring.queues.submission().taskrun() || !ring.queues.submission().is_empty());
    if ring.polled || to_do {
        ring.enter()?;
        engine.take(max - (out.len() - before), out);
    }
    // The clock is read only if the first wait was not enough.
    let mut since = None;
    let mut left = timeout;
    let mut spun = !engine.ring().kernel_thread;
    loop {
        engine.take_done(max - (out.len() - before), out);
        let got = out.len() - before;
        let in_flight = engine.in_flight();
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
            engine.ring().spin(want, Instant::now() + SPIN.min(left));
            spun = true;
        } else if !engine.ring().wait(want, left)? {
            engine.take(max - got, out);
            engine.take_done(max - (out.len() - before), out);
            return Ok(());
        }
        let taken = engine.take(max - got, out);
        if got + taken < min {
            since.get_or_insert_with(Instant::now);
        }
    }
}

/// Returns the slot in the user data of an entry.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the user data of each entry is a slot")]
pub(super) fn slot_of(user_data: u64) -> u32 {
    user_data as u32
}

/// Returns the index of a registered file, in the type of a descriptor. The kernel limits the table to 2^20 files or fewer.
#[inline]
pub(super) fn fixed_file(index: u32) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// Runs an optional setup. `Some(true)` requires it to succeed, `Some(false)` skips it, `None` tries it. Returns
/// whether it is set up.
pub(super) fn set_up_optional(
    requested: Option<bool>,
    do_it: impl FnOnce() -> Result<(), BackendError>,
) -> Result<bool, BackendError> {
    if requested == Some(false) {
        return Ok(false);
    }
    match do_it() {
        Err(error) if requested.is_some() => Err(error),
        Err(error) => {
            log::debug!("an automatic setting is not possible: {error:?}");
            Ok(false)
        }
        Ok(()) => Ok(true),
    }
}

/// Returns whether the error means a temporary lack of resources.
fn is_busy(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EBUSY))
}

pub(super) fn supported<S: squeue::EntryMarker, C: cqueue::EntryMarker>(ring: &IoUring<S, C>) -> Option<Probe> {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).ok()?;
    Some(probe)
}

/// Registers an empty file table.
pub(super) fn register_file_table<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    ring: &IoUring<S, C>,
    config: &BackendConfig,
) -> Result<(), BackendError> {
    let (submitter, files) = (ring.submitter(), config.files);
    submitter
        .register_files_sparse(files)
        .or_else(|_| submitter.register_files(&vec![-1; files as usize]))
        .map_err(|error| BackendError::caused(config.engine, "registerfiles=1: cannot register a file table", error))
}

/// Creates the ring with all optional features that the kernel supports.
pub(super) fn set_up<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    config: &BackendConfig,
) -> Result<IoUring<S, C>, BackendError> {
    let entries = config.depth.min(ENTRIES_MAX);
    let mut refused = None;
    // Tries the flags of the newest kernel first: NO_SQARRAY (6.6), DEFER_TASKRUN with SINGLE_ISSUER (6.1), COOP_TASKRUN (6.0,
    // 5.19), none.
    for level in 0..5 {
        let mut builder = IoUring::<S, C>::builder();
        builder.setup_clamp().dontfork();
        if level == 0 {
            builder.setup_no_sqarray();
        }
        if level <= 3 {
            builder.setup_submit_all();
        }
        if config.sqthread_poll {
            builder.setup_sqpoll(1000);
            if let Some(cpu) = config.sqthread_poll_cpu {
                builder.setup_sqpoll_cpu(cpu);
            }
        } else if level <= 1 && !config.hipri {
            builder.setup_defer_taskrun().setup_taskrun_flag();
        } else if level <= 3 {
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if level <= 2 {
            builder.setup_single_issuer();
        }
        if config.hipri {
            builder.setup_iopoll();
        }
        match builder.build(entries) {
            Ok(ring) => {
                log::debug!("ring of depth {entries}, flags: {:?}", ring.params());
                return Ok(ring);
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                log::debug!("the kernel rejects the flags of level {level}; trying those of older kernels");
                refused = Some(error);
            }
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
        Some(libc::EINVAL) if config.engine == EngineKind::IoUringCmd => {
            "the kernel rejects a ring for commands (Linux 5.19 and later have them)".to_string()
        }
        _ => format!("cannot create a ring of depth {}", config.depth),
    };
    BackendError::caused(config.engine, what, error)
}
