//! `rbd`: an image of a Ceph pool, by librbd. Its threads report completions.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::ptr::{null, null_mut};
use std::time::Duration;

use super::ceph::{self, IoContext, Pool};
use super::disk::disk;
use super::request::{Request, Requests};
use super::service::{Service, text};
use ::io::Rbd as RbdImage;
use os::device::RemoteDisk;
use os::io::of_negated;
use os::io::{BackendConfig, BackendError, EngineKind, RemoteConfig, RemoteTarget};
use os::io::{IoResult, Kind, Op};
use os::library::{Functions, functions};

/// Values of `rbd_encryption_format_t`.
const LUKS1: c_int = 0;
const LUKS2: c_int = 1;
/// Clients that are listed.
const WATCHERS: usize = 16;

pub(super) enum Image {}
pub(super) enum Completion {}
type Callback = unsafe extern "C" fn(*mut Completion, *mut c_void);

/// `rbd_image_watcher_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Watcher {
    address: *const c_char,
    client: i64,
    cookie: u64,
}

/// `rbd_encryption_luks1_format_options_t`, and the same of LUKS 2.
#[repr(C)]
pub(super) struct Encryption {
    algorithm: c_int,
    passphrase: *const c_char,
    passphrase_bytes: usize,
}

functions! {
    pub(super) struct Api;
    rbd_open: fn(*mut IoContext, *const c_char, *mut *mut Image, *const c_char) -> c_int;
    rbd_open_read_only: fn(*mut IoContext, *const c_char, *mut *mut Image, *const c_char) -> c_int;
    rbd_close: fn(*mut Image) -> c_int;
    rbd_get_size: fn(*mut Image, *mut u64) -> c_int;
    rbd_read: fn(*mut Image, u64, usize, *mut u8) -> isize;
    rbd_flush: fn(*mut Image) -> c_int;
    rbd_encryption_load: fn(*mut Image, c_int, *const Encryption, usize) -> c_int;
    rbd_watchers_list: fn(*mut Image, *mut Watcher, *mut usize) -> c_int;
    rbd_watchers_list_cleanup: fn(*mut Watcher, usize);
    rbd_aio_create_completion: fn(*mut c_void, Callback, *mut *mut Completion) -> c_int;
    rbd_aio_get_return_value: fn(*mut Completion) -> isize;
    rbd_aio_release: fn(*mut Completion);
    rbd_aio_read: fn(*mut Image, u64, usize, *mut c_void, *mut Completion) -> c_int;
    rbd_aio_write: fn(*mut Image, u64, usize, *const c_void, *mut Completion) -> c_int;
    rbd_aio_discard: fn(*mut Image, u64, u64, *mut Completion) -> c_int;
    rbd_aio_flush: fn(*mut Image, *mut Completion) -> c_int;
}

pub(super) static API: Functions<Api> = Functions::new(&["librbd.so.1"], "librbd1", Api::find);

/// An open image.
pub(crate) struct Rbd {
    api: &'static Api,
    image: *mut Image,
    bytes: u64,
    spins: bool,
    /// Closed after the image.
    _pool: Pool,
}

impl Rbd {
    /// Connects to the cluster and opens the image.
    pub(crate) fn connect(
        config: &BackendConfig,
        remote: &RemoteConfig,
        image: &RbdImage,
        is_read_only: bool,
    ) -> Result<Self, BackendError> {
        let engine = config.engine;
        let api = API.of(engine)?;
        // Direct I/O bypasses the cache of the client, as in fio.
        let settings: &[(&str, &str)] = if remote.direct { &[("rbd_cache", "false")] } else { &[] };
        let pool = Pool::connect(engine, &image.pool, settings)?;
        let name = text(engine, &image.image)?;
        let open = if is_read_only { api.rbd_open_read_only } else { api.rbd_open };
        let mut opened = null_mut();
        // SAFETY: the pool is open, and the text ends with a zero byte.
        let result = unsafe { open(pool.io, name.as_ptr(), &raw mut opened, null()) };
        ceph::check(engine, result, || format!("cannot open the image {}/{}", image.pool.name, image.image))?;
        let mut rbd = Rbd { api, image: opened, bytes: 0, spins: image.pool.spins, _pool: pool };
        if !remote.direct && !is_read_only {
            // The cache writes through until the first flush.
            // SAFETY: the image is open.
            unsafe { (api.rbd_flush)(rbd.image) };
        }
        if let (Some(format), Some(passphrase)) = (&image.encryption_format, &image.encryption_passphrase) {
            rbd.decrypt(engine, format, &passphrase.0)?;
        }
        // SAFETY: the image is open, and the pointer is to a live value.
        let sized = unsafe { (api.rbd_get_size)(rbd.image, &raw mut rbd.bytes) };
        ceph::check(engine, sized, || "cannot read the size of the image".to_owned())?;
        Ok(rbd)
    }

    fn decrypt(&self, engine: EngineKind, format: &str, passphrase: &str) -> Result<(), BackendError> {
        let format = if format == "luks1" { LUKS1 } else { LUKS2 };
        let options =
            Encryption { algorithm: 0, passphrase: passphrase.as_ptr().cast(), passphrase_bytes: passphrase.len() };
        // SAFETY: the image is open, and the passphrase has this length.
        let loaded =
            unsafe { (self.api.rbd_encryption_load)(self.image, format, &raw const options, size_of::<Encryption>()) };
        ceph::check(engine, loaded, || "cannot load the encryption of the image".to_owned())
    }

    /// Returns the size of the image, its contents and its clients.
    pub(crate) fn examine(&self, config: &BackendConfig, writes: bool) -> Result<RemoteTarget, BackendError> {
        let clients = if writes { self.watchers(config.engine)? } else { Vec::new() };
        disk(config, self, writes, clients)
    }

    /// Returns the clients outside this process that have the image open for writing.
    fn watchers(&self, engine: EngineKind) -> Result<Vec<String>, BackendError> {
        let mut watchers = [Watcher { address: null(), client: 0, cookie: 0 }; WATCHERS];
        let mut count = WATCHERS;
        // SAFETY: the image is open, and the list has `count` entries.
        let listed = unsafe { (self.api.rbd_watchers_list)(self.image, watchers.as_mut_ptr(), &raw mut count) };
        ceph::check(engine, listed, || "the clients of the image cannot be read".to_owned())?;
        let own = ceph::clients();
        let found =
            watchers[..count.min(WATCHERS)].iter().filter(|watcher| !own.contains(&watcher.client.cast_unsigned()));
        // SAFETY: the library returned texts that end with a zero byte.
        let address = |watcher: &Watcher| unsafe { CStr::from_ptr(watcher.address) }.to_string_lossy().into_owned();
        let found = found.map(|watcher| format!("client {} at {}", watcher.client, address(watcher))).collect();
        // SAFETY: the library filled this list.
        unsafe { (self.api.rbd_watchers_list_cleanup)(watchers.as_mut_ptr(), count) };
        Ok(found)
    }

    fn send(&self, op: &Op, request: &Request, completion: *mut Completion) -> c_int {
        let (api, image) = (self.api, self.image);
        let (data, len) = (request.data().cast::<c_void>(), op.len as usize);
        // SAFETY: the image is open. The request and its data stay until the completion is reaped.
        unsafe {
            match op.kind {
                Kind::Read => (api.rbd_aio_read)(image, op.offset, len, data, completion),
                Kind::Write => (api.rbd_aio_write)(image, op.offset, len, data, completion),
                Kind::Trim => (api.rbd_aio_discard)(image, op.offset, len as u64, completion),
                Kind::Fsync | Kind::Fdatasync => (api.rbd_aio_flush)(image, completion),
                Kind::SyncFileRange => -libc::EOPNOTSUPP,
            }
        }
    }
}

impl RemoteDisk for Rbd {
    fn read_exactly(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        // SAFETY: the image is open, and the buffer has this length.
        let read = unsafe { (self.api.rbd_read)(self.image, offset, bytes.len(), bytes.as_mut_ptr()) };
        match usize::try_from(read) {
            Ok(count) if count == bytes.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(_) => Err(io::Error::from_raw_os_error(of_negated(read as i64).err().unwrap_or(libc::EIO))),
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Ends an operation, on a thread of the library.
unsafe extern "C" fn on_done(completion: *mut Completion, request: *mut c_void) {
    let Ok(api) = API.of(EngineKind::Rbd) else { return };
    // SAFETY: the argument is the request of the slot, which exists until the operation has completed.
    let request = unsafe { &*request.cast::<Request>() };
    // SAFETY: the operation has completed, and its completion is not used again.
    let result = unsafe {
        let result = (api.rbd_aio_get_return_value)(completion);
        (api.rbd_aio_release)(completion);
        result
    };
    request.complete_whole(result as i64);
}

impl Service for Rbd {
    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult> {
        let (api, request) = (self.api, requests.of(op));
        let mut completion = null_mut();
        // SAFETY: the pointer is to a live value.
        let made = unsafe { (api.rbd_aio_create_completion)(request.as_pointer(), on_done, &raw mut completion) };
        if made < 0 {
            return Some(of_negated(i64::from(made)));
        }
        let sent = self.send(op, request, completion);
        if sent < 0 {
            // SAFETY: the library has no operation with this completion.
            unsafe { (api.rbd_aio_release)(completion) };
            return Some(of_negated(i64::from(sent)));
        }
        None
    }

    fn progress(&mut self, requests: &Requests, timeout: Duration) -> io::Result<()> {
        requests.wait(timeout, self.spins);
        Ok(())
    }
}

impl Drop for Rbd {
    fn drop(&mut self) {
        // SAFETY: the image is not used again. The pool is closed after it.
        unsafe { (self.api.rbd_close)(self.image) };
    }
}
