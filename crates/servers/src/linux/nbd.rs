//! `nbd`: a disk of an NBD server, by libnbd.
//!
//! The library runs on the worker's thread: [`Service::progress`] waits for its socket.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::io;
use std::time::Duration;

use super::disk::disk;
use super::request::{Request, Requests};
use super::service::{Service, text};
use os::device::RemoteDisk;
use os::io::{BackendConfig, BackendError, RemoteTarget};
use os::io::{IoResult, Kind, Op};
use os::library::{Functions, functions};
use os::wait::wait_for_events;

/// Bits of `nbd_aio_get_direction`.
const DIRECTION_READ: c_uint = 1;
const DIRECTION_WRITE: c_uint = 2;

pub(super) enum Handle {}

/// `nbd_completion_callback`.
#[repr(C)]
pub(super) struct Callback {
    callback: unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
    argument: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
}

functions! {
    pub(super) struct Api;
    nbd_create: fn() -> *mut Handle;
    nbd_close: fn(*mut Handle);
    nbd_get_error: fn() -> *const c_char;
    nbd_get_errno: fn() -> c_int;
    nbd_connect_uri: fn(*mut Handle, *const c_char) -> c_int;
    nbd_get_size: fn(*mut Handle) -> i64;
    nbd_is_read_only: fn(*mut Handle) -> c_int;
    nbd_pread: fn(*mut Handle, *mut c_void, usize, u64, u32) -> c_int;
    nbd_aio_pread: fn(*mut Handle, *mut c_void, usize, u64, Callback, u32) -> i64;
    nbd_aio_pwrite: fn(*mut Handle, *const c_void, usize, u64, Callback, u32) -> i64;
    nbd_aio_trim: fn(*mut Handle, u64, u64, Callback, u32) -> i64;
    nbd_aio_flush: fn(*mut Handle, Callback, u32) -> i64;
    nbd_aio_get_fd: fn(*mut Handle) -> c_int;
    nbd_aio_get_direction: fn(*mut Handle) -> c_uint;
    nbd_aio_notify_read: fn(*mut Handle) -> c_int;
    nbd_aio_notify_write: fn(*mut Handle) -> c_int;
}

pub(super) static API: Functions<Api> = Functions::new(&["libnbd.so.0"], "libnbd0", Api::find);

/// A connection to an export.
pub(crate) struct Nbd {
    api: &'static Api,
    handle: *mut Handle,
}

impl Nbd {
    /// Connects to the server of the URI.
    pub(crate) fn connect(config: &BackendConfig, uri: &str) -> Result<Self, BackendError> {
        let engine = config.engine;
        let api = API.of(engine)?;
        let address = text(engine, uri)?;
        // SAFETY: no arguments.
        let handle = unsafe { (api.nbd_create)() };
        if handle.is_null() {
            return Err(BackendError::new(engine, "libnbd has no memory for a connection"));
        }
        let nbd = Nbd { api, handle };
        // SAFETY: the handle is valid, and the text ends with a zero byte.
        if unsafe { (api.nbd_connect_uri)(handle, address.as_ptr()) } < 0 {
            let (why, errno) = nbd.error();
            let what = format!("cannot connect to {uri}: {why}");
            return Err(BackendError::caused(engine, what, io::Error::from_raw_os_error(errno)));
        }
        Ok(nbd)
    }

    /// Returns the size and the contents of the disk.
    pub(crate) fn examine(&self, config: &BackendConfig, writes: bool) -> Result<RemoteTarget, BackendError> {
        // SAFETY: the handle is connected.
        if writes && unsafe { (self.api.nbd_is_read_only)(self.handle) } > 0 {
            let error = io::Error::from_raw_os_error(libc::EROFS);
            return Err(BackendError::caused(config.engine, "the export is read-only", error));
        }
        disk(config, self, writes, Vec::new())
    }

    /// Returns the description and the errno of the last error of this thread.
    fn error(&self) -> (String, c_int) {
        // SAFETY: the library returns a text that ends with a zero byte, or null.
        unsafe {
            let text = (self.api.nbd_get_error)();
            let errno = match (self.api.nbd_get_errno)() {
                0 => libc::EIO,
                errno => errno,
            };
            let text = if text.is_null() { CString::default() } else { CStr::from_ptr(text).to_owned() };
            (text.to_string_lossy().into_owned(), errno)
        }
    }
}

impl RemoteDisk for Nbd {
    fn read_exactly(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        // SAFETY: the handle is connected, and the buffer has this length.
        let read = unsafe { (self.api.nbd_pread)(self.handle, bytes.as_mut_ptr().cast(), bytes.len(), offset, 0) };
        if read < 0 { Err(io::Error::from_raw_os_error(self.error().1)) } else { Ok(()) }
    }

    fn bytes(&self) -> u64 {
        // SAFETY: the handle is connected.
        unsafe { (self.api.nbd_get_size)(self.handle) }.try_into().unwrap_or(0)
    }
}

/// Ends an operation. Returns 1, so that the library forgets it.
unsafe extern "C" fn on_done(request: *mut c_void, error: *mut c_int) -> c_int {
    // SAFETY: the argument is the request of the slot, which exists until the operation has completed. The library has
    // the errno at `error`.
    let (request, errno) = unsafe { (&*request.cast::<Request>(), *error) };
    request.complete(if errno == 0 { Ok(request.bytes_moved()) } else { Err(errno) });
    1
}

impl Service for Nbd {
    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult> {
        let request = requests.of(op);
        let (data, len) = (request.data().cast::<c_void>(), op.len as usize);
        let callback = Callback { callback: on_done, argument: request.as_pointer(), free: None };
        let (api, handle) = (self.api, self.handle);
        // SAFETY: the handle is connected. The request and its data stay until the completion is reaped.
        let started = unsafe {
            match op.kind {
                Kind::Read => (api.nbd_aio_pread)(handle, data, len, op.offset, callback, 0),
                Kind::Write => (api.nbd_aio_pwrite)(handle, data, len, op.offset, callback, 0),
                Kind::Trim => (api.nbd_aio_trim)(handle, u64::from(op.len), op.offset, callback, 0),
                Kind::Fsync | Kind::Fdatasync => (api.nbd_aio_flush)(handle, callback, 0),
                Kind::SyncFileRange => return Some(Err(libc::EOPNOTSUPP)),
            }
        };
        (started < 0).then(|| Err(self.error().1))
    }

    fn progress(&mut self, _: &Requests, timeout: Duration) -> io::Result<()> {
        let (api, handle) = (self.api, self.handle);
        // SAFETY: the handle is connected.
        let (fd, direction) = unsafe { ((api.nbd_aio_get_fd)(handle), (api.nbd_aio_get_direction)(handle)) };
        let mut wanted = 0;
        if direction & DIRECTION_READ != 0 {
            wanted |= libc::POLLIN;
        }
        if direction & DIRECTION_WRITE != 0 {
            wanted |= libc::POLLOUT;
        }
        let events = wait_for_events(fd, wanted, timeout)?;
        let can_read = events & (libc::POLLIN | libc::POLLHUP | libc::POLLERR) != 0;
        // SAFETY: the handle is connected, and the socket has the event.
        let notified = unsafe {
            match () {
                () if can_read && direction & DIRECTION_READ != 0 => (api.nbd_aio_notify_read)(handle),
                () if events != 0 => (api.nbd_aio_notify_write)(handle),
                () => 0,
            }
        };
        if notified < 0 {
            return Err(io::Error::other(format!("the connection to the NBD server is lost: {}", self.error().0)));
        }
        Ok(())
    }
}

impl Drop for Nbd {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again.
        unsafe { (self.api.nbd_close)(self.handle) };
    }
}
