//! Calls of `io_uring_enter` by the registered descriptor of a ring, which the kernel looks up without a reference.
//!
//! The numbers are those of `linux/io_uring.h`.

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, RawFd};

use io_uring::types::Timespec;
use io_uring::{EnterFlags, IoUring, cqueue, squeue};

const REGISTER_RING_FDS: u32 = 20;
const UNREGISTER_RING_FDS: u32 = 21;
/// Lets the kernel choose the index.
const ANY_INDEX: u32 = u32::MAX;

/// A descriptor that the thread registered. On other threads, its index can be that of another ring: the value cannot be sent there.
pub(super) struct RegisteredRing {
    descriptor: RawFd,
    index: u32,
    flags: EnterFlags,
    not_sent: PhantomData<*mut ()>,
}

/// `io_uring_rsrc_update`
#[repr(C)]
struct Update {
    index: u32,
    reserved: u32,
    descriptor: u64,
}

/// `io_uring_getevents_arg`
#[repr(C)]
struct WaitLimits {
    signals: u64,
    signals_bytes: u32,
    least_wait_us: u32,
    limit: *const Timespec,
}

impl RegisteredRing {
    /// Registers the descriptor of a ring that one thread uses. `None` if the kernel cannot (before Linux 5.18), or if the ring
    /// has a kernel thread, which is not entered for each batch.
    pub(super) fn new<S: squeue::EntryMarker, C: cqueue::EntryMarker>(ring: &IoUring<S, C>) -> Option<Self> {
        let params = ring.params();
        if !params.is_setup_single_issuer() || params.is_setup_sqpoll() || !params.is_feature_ext_arg() {
            return None;
        }
        // Without this flag, the kernel counts each wait as I/O wait of the CPU, which costs time.
        let no_iowait = if params.is_feature_no_iowait() { EnterFlags::NO_IOWAIT } else { EnterFlags::empty() };
        let descriptor = ring.as_raw_fd();
        let mut update = Update { index: ANY_INDEX, reserved: 0, descriptor: u64::from(descriptor.unsigned_abs()) };
        register(descriptor, REGISTER_RING_FDS, &mut update).ok()?;
        let flags = EnterFlags::REGISTERED_RING | no_iowait;
        Some(RegisteredRing { descriptor, index: update.index, flags, not_sent: PhantomData })
    }

    /// Submits `entries` and waits for `want` completions for at most `limit`. `looks`: the kernel posts completions first.
    pub(super) fn enter(&self, entries: u32, want: u32, looks: bool, limit: Option<&Timespec>) -> io::Result<()> {
        let mut flags = self.flags;
        flags.set(EnterFlags::GETEVENTS, looks || want > 0);
        flags.set(EnterFlags::EXT_ARG, limit.is_some());
        let limits = limit.map(|limit| WaitLimits { signals: 0, signals_bytes: 0, least_wait_us: 0, limit });
        let (at, bytes) = limits.as_ref().map_or((std::ptr::null(), 0), |at| (std::ptr::from_ref(at), size_of_val(at)));
        // SAFETY: the ring is open, as this value is dropped before it, and the kernel reads the limits in the call only.
        let done =
            unsafe { libc::syscall(libc::SYS_io_uring_enter, self.index, entries, want, flags.bits(), at, bytes) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Drop for RegisteredRing {
    fn drop(&mut self) {
        let mut update = Update { index: self.index, reserved: 0, descriptor: 0 };
        // If it fails, the registration ends with the thread.
        let _ = register(self.descriptor, UNREGISTER_RING_FDS, &mut update);
    }
}

fn register(descriptor: RawFd, command: u32, update: &mut Update) -> io::Result<()> {
    // SAFETY: the descriptor is that of a ring, and the kernel reads and writes one update in the call only.
    let done =
        unsafe { libc::syscall(libc::SYS_io_uring_register, descriptor, command, std::ptr::from_mut(update), 1) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
