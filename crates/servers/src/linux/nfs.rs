//! `nfs`: files on an NFS server, by libnfs.
//!
//! The library runs on the worker's thread: [`Service::progress`] waits for its socket.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::ptr::null_mut;
use std::time::Duration;

use super::request::{Request, Requests};
use super::service::{Service, text};
use os::io::of_negated;
use os::io::{BackendConfig, BackendError, EngineKind, RemoteConfig, RemoteTarget};
use os::io::{IoResult, Kind, Op};
use os::library::{Functions, functions};
use os::wait::{events_of, wait_for_events};

/// Index of the file name whose functions have the buffer of a transfer before its length.
const VERSION_2: usize = 0;

/// `struct nfs_url`.
#[repr(C)]
pub(super) struct Url {
    server: *const c_char,
    path: *const c_char,
    file: *const c_char,
}

/// `struct nfs_stat_64`, with space for later fields.
#[repr(C)]
#[derive(Default)]
pub(super) struct Status {
    device: u64,
    inode: u64,
    mode: u64,
    rest: [u64; 29],
}

pub(super) enum Context {}
pub(super) enum Handle {}
type Callback = unsafe extern "C" fn(c_int, *mut Context, *mut c_void, *mut c_void);

functions! {
    pub(super) struct Api;
    nfs_init_context: fn() -> *mut Context;
    nfs_destroy_context: fn(*mut Context);
    nfs_get_error: fn(*mut Context) -> *const c_char;
    nfs_parse_url_full: fn(*mut Context, *const c_char) -> *mut Url;
    nfs_destroy_url: fn(*mut Url);
    nfs_mount: fn(*mut Context, *const c_char, *const c_char) -> c_int;
    nfs_umount: fn(*mut Context) -> c_int;
    nfs_stat64: fn(*mut Context, *const c_char, *mut Status) -> c_int;
    nfs_open: fn(*mut Context, *const c_char, c_int, *mut *mut Handle) -> c_int;
    nfs_close: fn(*mut Context, *mut Handle) -> c_int;
    nfs_get_fd: fn(*mut Context) -> c_int;
    nfs_which_events: fn(*mut Context) -> c_int;
    nfs_service: fn(*mut Context, c_int) -> c_int;
    nfs_fsync_async: fn(*mut Context, *mut Handle, Callback, *mut c_void) -> c_int;
    nfs_pread_async: fn(*mut Context, *mut Handle, u64, u64, Callback, *mut c_void) -> c_int;
    nfs_pwrite_async: fn(*mut Context, *mut Handle, u64, u64, *const c_void, Callback, *mut c_void) -> c_int;
}

/// Type of `nfs_pread_async` and `nfs_pwrite_async` from version 6 on.
type TransferAsync =
    unsafe extern "C" fn(*mut Context, *mut Handle, *mut c_void, usize, u64, Callback, *mut c_void) -> c_int;

/// A mounted directory.
pub(crate) struct Nfs {
    api: &'static Api,
    has_version_2: bool,
    context: *mut Context,
    is_mounted: bool,
    files: Vec<*mut Handle>,
    names: Vec<CString>,
    flags: c_int,
    creates: bool,
}

/// The functions of the library, and the index of its file name.
pub(super) static API: Functions<(Api, usize)> =
    Functions::new(&["libnfs.so.16", "libnfs.so.14", "libnfs.so.13"], "libnfs13 (or libnfs14, libnfs16)", |found| {
        Ok((Api::find(found)?, found.file))
    });

impl Nfs {
    /// Mounts the directory of the URL.
    pub(crate) fn connect(config: &BackendConfig, remote: &RemoteConfig, url: &str) -> Result<Self, BackendError> {
        let engine = config.engine;
        let (api, file) = API.of(engine)?;
        let names = remote.names.iter().map(|name| text(engine, name)).collect::<Result<Vec<_>, _>>()?;
        let flags = if remote.writes { libc::O_RDWR } else { libc::O_RDONLY };
        let creates = remote.writes && remote.creates;
        // SAFETY: no arguments.
        let context = unsafe { (api.nfs_init_context)() };
        if context.is_null() {
            return Err(BackendError::new(engine, "libnfs has no memory for a connection"));
        }
        let files = vec![null_mut(); names.len()];
        let has_version_2 = *file == VERSION_2;
        let mut nfs = Nfs { api, has_version_2, context, is_mounted: false, files, names, flags, creates };
        let failed = |nfs: &Nfs, errno: c_int, what: String| {
            let what = format!("{what}: {}", nfs.error());
            BackendError::caused(engine, what, io::Error::from_raw_os_error(errno))
        };
        let address = text(engine, url)?;
        // SAFETY: the context is valid, and the text ends with a zero byte.
        let parsed = unsafe { (api.nfs_parse_url_full)(context, address.as_ptr()) };
        if parsed.is_null() {
            return Err(failed(&nfs, libc::EINVAL, format!("nfs_url={url} is not an NFS URL")));
        }
        // SAFETY: the library returned the URL, with three texts that end with a zero byte.
        let [server, path, file] =
            unsafe { [(*parsed).server, (*parsed).path, (*parsed).file].map(|text| CStr::from_ptr(text).to_owned()) };
        let directory = CString::new([path.to_bytes(), file.to_bytes()].concat()).unwrap_or_default();
        // SAFETY: the context and the texts are valid.
        let mounted = unsafe {
            (api.nfs_destroy_url)(parsed);
            (api.nfs_mount)(context, server.as_ptr(), directory.as_ptr())
        };
        if mounted != 0 {
            let (server, directory) = (server.to_string_lossy(), directory.to_string_lossy());
            return Err(failed(&nfs, -mounted, format!("cannot mount {directory} of {server}")));
        }
        nfs.is_mounted = true;
        Ok(nfs)
    }

    /// Checks that the targets that exist are files. The job determines their size, as in fio.
    pub(crate) fn examine(self, engine: EngineKind) -> Result<Vec<RemoteTarget>, BackendError> {
        for name in &self.names {
            let mut status = Status::default();
            // SAFETY: the context, the text and the status are valid.
            let result = unsafe { (self.api.nfs_stat64)(self.context, name.as_ptr(), &raw mut status) };
            let is_file = status.mode & u64::from(libc::S_IFMT) == u64::from(libc::S_IFREG);
            if result == 0 && !is_file {
                let what = format!("{} on the server is not a file", name.to_string_lossy());
                return Err(BackendError::new(engine, what));
            }
        }
        Ok(self.names.iter().map(|_| RemoteTarget::default()).collect())
    }

    /// Returns the library's description of the last error.
    fn error(&self) -> String {
        // SAFETY: the context is valid, and the library returns a text that ends with a zero byte, or null.
        unsafe {
            let text = (self.api.nfs_get_error)(self.context);
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        }
    }

    fn open(&self, name: &CStr, flags: c_int) -> io::Result<*mut Handle> {
        let mut file = null_mut();
        // SAFETY: the context and the text are valid.
        let opened = unsafe { (self.api.nfs_open)(self.context, name.as_ptr(), flags, &raw mut file) };
        outcome(opened).map(|()| file)
    }

    /// # Safety
    /// The library keeps `request` and its data until it calls back.
    unsafe fn queue(&self, op: &Op, request: &Request) -> c_int {
        let (context, file) = (self.context, self.files[op.file as usize]);
        let (data, len) = (request.data().cast(), u64::from(op.len));
        let argument = request.as_pointer();
        // SAFETY: the context and the file are open, and the slot has `len` bytes. The functions have this type in
        // version 2.
        unsafe {
            match op.kind {
                Kind::Read if self.has_version_2 => {
                    let read = std::mem::transmute::<*const (), TransferAsync>(self.api.nfs_pread_async as *const ());
                    read(context, file, data, op.len as usize, op.offset, on_read_in_place, argument)
                }
                Kind::Write if self.has_version_2 => {
                    let write = std::mem::transmute::<*const (), TransferAsync>(self.api.nfs_pwrite_async as *const ());
                    write(context, file, data, op.len as usize, op.offset, on_done, argument)
                }
                Kind::Read => (self.api.nfs_pread_async)(context, file, op.offset, len, on_read, argument),
                Kind::Write => (self.api.nfs_pwrite_async)(context, file, op.offset, len, data, on_done, argument),
                Kind::Fsync | Kind::Fdatasync => (self.api.nfs_fsync_async)(context, file, on_done, argument),
                Kind::Trim | Kind::SyncFileRange => -libc::EOPNOTSUPP,
            }
        }
    }
}

fn outcome(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(-result)) }
}

/// Ends a read: the data is in a buffer of the library.
unsafe extern "C" fn on_read(result: c_int, _: *mut Context, data: *mut c_void, request: *mut c_void) {
    // SAFETY: the argument is the request of the slot, which exists until the operation has completed.
    let request = unsafe { &*request.cast::<Request>() };
    let bytes = usize::try_from(result).unwrap_or(0).min(request.len() as usize);
    if bytes > 0 {
        // SAFETY: the library has `result` bytes at `data`, and the slot has `len`.
        unsafe { request.data().copy_from_nonoverlapping(data.cast(), bytes) };
    }
    request.complete(of_negated(i64::from(result)));
}

/// Ends a read into the slot.
unsafe extern "C" fn on_read_in_place(result: c_int, _: *mut Context, _: *mut c_void, request: *mut c_void) {
    // SAFETY: as for `on_read`.
    unsafe { &*request.cast::<Request>() }.complete(of_negated(i64::from(result)));
}

/// Ends a write or a sync.
unsafe extern "C" fn on_done(result: c_int, _: *mut Context, _: *mut c_void, request: *mut c_void) {
    // SAFETY: as for `on_read`.
    unsafe { &*request.cast::<Request>() }.complete(of_negated(i64::from(result)));
}

impl Service for Nfs {
    fn attach(&mut self, index: usize) -> io::Result<()> {
        let name = self.names.get(index).ok_or(io::ErrorKind::NotFound)?;
        // With NFS 4, the library cannot open a file that exists with `O_CREAT`.
        self.files[index] = match self.open(name, self.flags) {
            Err(error) if self.creates && error.kind() == io::ErrorKind::NotFound => {
                self.open(name, self.flags | libc::O_CREAT)?
            }
            opened => opened?,
        };
        Ok(())
    }

    fn detach(&mut self, index: usize) -> io::Result<()> {
        let file = std::mem::replace(&mut self.files[index], null_mut());
        // SAFETY: the file is open and is not used again.
        let closed = unsafe { (self.api.nfs_close)(self.context, file) };
        outcome(closed)
    }

    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult> {
        // SAFETY: the request and its data stay until the completion is reaped.
        let queued = unsafe { self.queue(op, requests.of(op)) };
        match queued {
            0 => None,
            // The library names no errno for a request that it cannot send.
            -1 => Some(Err(libc::EIO)),
            errno => Some(of_negated(i64::from(errno))),
        }
    }

    fn progress(&mut self, _: &Requests, timeout: Duration) -> io::Result<()> {
        // SAFETY: the context is valid.
        let (fd, wanted) = unsafe { ((self.api.nfs_get_fd)(self.context), (self.api.nfs_which_events)(self.context)) };
        let events = wait_for_events(fd, events_of(wanted), timeout)?;
        // SAFETY: as above.
        if unsafe { (self.api.nfs_service)(self.context, c_int::from(events)) } < 0 {
            return Err(io::Error::other(format!("the connection to the NFS server is lost: {}", self.error())));
        }
        Ok(())
    }
}

impl Drop for Nfs {
    fn drop(&mut self) {
        // SAFETY: the context is valid and is not used again.
        unsafe {
            if self.is_mounted {
                (self.api.nfs_umount)(self.context);
            }
            (self.api.nfs_destroy_context)(self.context);
        }
    }
}
