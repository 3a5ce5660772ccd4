//! `libiscsi`: LUNs of iSCSI targets, by libiscsi. Each LUN has a connection.
//!
//! The library runs on the worker's thread: [`Service::progress`] waits for its sockets.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::ptr::null_mut;
use std::time::Duration;

use super::disk::disk;
use super::request::{Request, Requests};
use super::service::{Service, text};
use ::io::Secret;
use os::device::RemoteDisk;
use os::io::{BackendConfig, BackendError, EngineKind, RemoteConfig, RemoteTarget};
use os::io::{IoResult, Kind, Op};
use os::library::{Functions, functions};
use os::wait::{events_of, wait_for_any};

const SESSION_NORMAL: c_int = 2;
const HEADER_DIGEST_NONE_CRC32C: c_int = 1;
const STATUS_GOOD: c_int = 0;
const STATUS_RESERVATION_CONFLICT: c_int = 0x18;
/// Service action of `PERSISTENT RESERVE IN`.
const READ_RESERVATION: c_int = 1;
/// Bytes of its answer with a reservation.
const RESERVATION_LENGTH: u16 = 24;
const RESERVATION_BYTES: usize = RESERVATION_LENGTH as usize;

pub(super) enum Context {}

/// The first field of `struct scsi_task`.
#[repr(C)]
pub(super) struct Task {
    status: c_int,
}

/// The first fields of `struct iscsi_url`.
#[repr(C)]
pub(super) struct Url {
    portal: [c_char; 256],
    target: [c_char; 256],
    user: [c_char; 256],
    password: [c_char; 256],
    target_user: [c_char; 256],
    target_password: [c_char; 256],
    lun: c_int,
}

/// The first fields of `struct scsi_readcapacity16`.
#[repr(C)]
struct Capacity {
    last_block: u64,
    block_bytes: u32,
}

type Callback = unsafe extern "C" fn(*mut Context, c_int, *mut c_void, *mut c_void);

functions! {
    pub(super) struct Api;
    iscsi_create_context: fn(*const c_char) -> *mut Context;
    iscsi_destroy_context: fn(*mut Context) -> c_int;
    iscsi_get_error: fn(*mut Context) -> *const c_char;
    iscsi_parse_full_url: fn(*mut Context, *const c_char) -> *mut Url;
    iscsi_destroy_url: fn(*mut Url);
    iscsi_set_targetname: fn(*mut Context, *const c_char) -> c_int;
    iscsi_set_session_type: fn(*mut Context, c_int) -> c_int;
    iscsi_set_header_digest: fn(*mut Context, c_int) -> c_int;
    iscsi_set_initiator_username_pwd: fn(*mut Context, *const c_char, *const c_char) -> c_int;
    iscsi_full_connect_sync: fn(*mut Context, *const c_char, c_int) -> c_int;
    iscsi_is_logged_in: fn(*mut Context) -> c_int;
    iscsi_logout_sync: fn(*mut Context) -> c_int;
    iscsi_readcapacity16_sync: fn(*mut Context, c_int) -> *mut Task;
    iscsi_scsi_command_sync: fn(*mut Context, c_int, *mut Task, *mut c_void) -> *mut Task;
    iscsi_scsi_command_async: fn(*mut Context, c_int, *mut Task, Callback, *mut c_void, *mut c_void) -> c_int;
    iscsi_get_fd: fn(*mut Context) -> c_int;
    iscsi_which_events: fn(*mut Context) -> c_int;
    iscsi_service: fn(*mut Context, c_int) -> c_int;
    scsi_datain_unmarshall: fn(*mut Task) -> *mut c_void;
    scsi_free_scsi_task: fn(*mut Task);
    scsi_cdb_read16: fn(u64, u32, c_int, c_int, c_int, c_int, c_int, c_int) -> *mut Task;
    scsi_cdb_write16: fn(u64, u32, c_int, c_int, c_int, c_int, c_int, c_int) -> *mut Task;
    scsi_cdb_synchronizecache16: fn(u64, u32, c_int, c_int) -> *mut Task;
    scsi_cdb_persistent_reserve_in: fn(c_int, u16) -> *mut Task;
    scsi_task_add_data_in_buffer: fn(*mut Task, c_int, *mut u8) -> c_int;
    scsi_task_add_data_out_buffer: fn(*mut Task, c_int, *mut u8) -> c_int;
}

pub(super) static API: Functions<Api> =
    Functions::new(&["libiscsi.so.9", "libiscsi.so.8", "libiscsi.so.7"], "libiscsi7", Api::find);

/// A connection to a LUN.
struct Lun {
    api: &'static Api,
    context: *mut Context,
    number: c_int,
    block_bytes: u32,
    blocks: u64,
}

pub(crate) struct Iscsi {
    luns: Vec<Lun>,
    polled: Vec<libc::pollfd>,
}

impl Iscsi {
    /// Logs in to the targets. The name of a target is a URL of libiscsi, if `urls` has no other URL for it.
    pub(crate) fn connect(
        config: &BackendConfig,
        remote: &RemoteConfig,
        initiator: &str,
        urls: &[Option<Secret>],
    ) -> Result<Self, BackendError> {
        let lun = |(at, name): (usize, &String)| {
            let url = urls.get(at).and_then(Option::as_ref).map_or(name, |url| &url.0);
            Lun::connect(config.engine, initiator, (name, url))
        };
        let luns = remote.names.iter().enumerate().map(lun);
        let luns = luns.collect::<Result<Vec<_>, _>>()?;
        let polled = vec![libc::pollfd { fd: -1, events: 0, revents: 0 }; luns.len()];
        Ok(Iscsi { luns, polled })
    }

    /// Returns the sizes and the contents of the LUNs.
    pub(crate) fn examine(&self, config: &BackendConfig, writes: bool) -> Result<Vec<RemoteTarget>, BackendError> {
        let clients = |lun: &Lun| lun.reservation().filter(|_| writes).into_iter().collect();
        self.luns.iter().map(|lun| disk(config, lun, writes, clients(lun))).collect()
    }
}

impl Lun {
    /// Logs in to the target of a URL. Errors contain the name instead.
    fn connect(engine: EngineKind, initiator: &str, (name, url): (&str, &str)) -> Result<Self, BackendError> {
        let api = API.of(engine)?;
        let (initiator, address) = (text(engine, initiator)?, text(engine, url)?);
        // SAFETY: the text ends with a zero byte.
        let context = unsafe { (api.iscsi_create_context)(initiator.as_ptr()) };
        if context.is_null() {
            return Err(BackendError::new(engine, "libiscsi has no memory for a connection"));
        }
        let mut lun = Lun { api, context, number: 0, block_bytes: 0, blocks: 0 };
        let failed = |lun: &Lun, what: &str| {
            let error = lun.error().replace(url, name);
            BackendError::new(engine, format!("{what} {name}: {}", error.trim_end().replace('\n', "; ")))
        };
        // SAFETY: the context and the text are valid.
        let parsed = unsafe { (api.iscsi_parse_full_url)(context, address.as_ptr()) };
        if parsed.is_null() {
            return Err(failed(&lun, "not an iSCSI URL (iscsi://HOST[:PORT]/TARGET/LUN):"));
        }
        // SAFETY: the library returned the URL with texts that end with a zero byte. It copies them.
        let is_connected = unsafe {
            let found = &*parsed;
            lun.number = found.lun;
            let has_user = found.user[0] != 0;
            let is_connected = (api.iscsi_set_targetname)(context, found.target.as_ptr()) == 0
                && (api.iscsi_set_session_type)(context, SESSION_NORMAL) == 0
                && (api.iscsi_set_header_digest)(context, HEADER_DIGEST_NONE_CRC32C) == 0
                && (!has_user
                    || (api.iscsi_set_initiator_username_pwd)(context, found.user.as_ptr(), found.password.as_ptr())
                        == 0)
                && (api.iscsi_full_connect_sync)(context, found.portal.as_ptr(), found.lun) == 0;
            (api.iscsi_destroy_url)(parsed);
            is_connected
        };
        if !is_connected {
            return Err(failed(&lun, "cannot connect to"));
        }
        if !lun.read_capacity() {
            return Err(failed(&lun, "cannot read the capacity of"));
        }
        Ok(lun)
    }

    /// Reads the capacity. Returns false after an error.
    fn read_capacity(&mut self) -> bool {
        // SAFETY: the context is connected. The data of the task exists until the task is freed.
        unsafe {
            let task = (self.api.iscsi_readcapacity16_sync)(self.context, self.number);
            if task.is_null() {
                return false;
            }
            let is_good = (*task).status == STATUS_GOOD;
            let found = if is_good { (self.api.scsi_datain_unmarshall)(task).cast::<Capacity>() } else { null_mut() };
            if !found.is_null() {
                self.block_bytes = (*found).block_bytes;
                self.blocks = (*found).last_block + 1;
            }
            (self.api.scsi_free_scsi_task)(task);
        }
        self.block_bytes > 0
    }

    /// Runs a command that reads into `bytes`. Returns its status.
    fn read(&self, task: *mut Task, bytes: &mut [u8]) -> Option<c_int> {
        let (api, length) = (self.api, c_int::try_from(bytes.len()).ok()?);
        // SAFETY: the library made the task, and the buffer exists until the command has ended.
        unsafe {
            if task.is_null() || (api.scsi_task_add_data_in_buffer)(task, length, bytes.as_mut_ptr()) < 0 {
                return None;
            }
            let ended = (api.iscsi_scsi_command_sync)(self.context, self.number, task, null_mut());
            let status = (!ended.is_null()).then(|| (*ended).status);
            (api.scsi_free_scsi_task)(task);
            status
        }
    }

    /// Returns the persistent reservation of another client. Devices without reservations have none.
    fn reservation(&self) -> Option<String> {
        let mut answer = [0; RESERVATION_BYTES];
        // SAFETY: no pointers.
        let task = unsafe { (self.api.scsi_cdb_persistent_reserve_in)(READ_RESERVATION, RESERVATION_LENGTH) };
        let status = self.read(task, &mut answer)?;
        let length = u32::from_be_bytes([answer[4], answer[5], answer[6], answer[7]]);
        if status != STATUS_GOOD || length == 0 {
            return None;
        }
        let key = answer[8..16].iter().fold(0u64, |key, byte| key << 8 | u64::from(*byte));
        Some(format!("a persistent reservation with key {key:#x}"))
    }

    /// Returns the library's description of the last error.
    fn error(&self) -> String {
        // SAFETY: the library returns a text that ends with a zero byte, or null.
        unsafe {
            let text = (self.api.iscsi_get_error)(self.context);
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        }
    }

    /// Makes the command of an operation on the `len` bytes at `data`.
    fn command(&self, op: &Op, data: *mut u8) -> Result<*mut Task, i32> {
        let (api, bytes) = (self.api, self.block_bytes);
        if op.kind.moves_data() && (!op.offset.is_multiple_of(u64::from(bytes)) || !op.len.is_multiple_of(bytes)) {
            return Err(libc::EINVAL);
        }
        // The library's lengths are signed.
        let len = c_int::try_from(op.len).map_err(|_| libc::EINVAL)?;
        let block_bytes = c_int::try_from(bytes).map_err(|_| libc::EINVAL)?;
        let block = op.offset / u64::from(bytes);
        // SAFETY: no pointers, except the data, which exists until the completion is reaped.
        let (task, added) = unsafe {
            match op.kind {
                Kind::Read => {
                    let task = (api.scsi_cdb_read16)(block, op.len, block_bytes, 0, 0, 0, 0, 0);
                    (task, if task.is_null() { -1 } else { (api.scsi_task_add_data_in_buffer)(task, len, data) })
                }
                Kind::Write => {
                    let task = (api.scsi_cdb_write16)(block, op.len, block_bytes, 0, 0, 0, 0, 0);
                    (task, if task.is_null() { -1 } else { (api.scsi_task_add_data_out_buffer)(task, len, data) })
                }
                Kind::Fsync | Kind::Fdatasync => ((api.scsi_cdb_synchronizecache16)(0, 0, 0, 0), 0),
                Kind::Trim | Kind::SyncFileRange => return Err(libc::EOPNOTSUPP),
            }
        };
        if task.is_null() || added < 0 { Err(libc::ENOMEM) } else { Ok(task) }
    }
}

impl RemoteDisk for Lun {
    fn read_exactly(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let size = self.block_bytes as usize;
        if !offset.is_multiple_of(size as u64) || !bytes.len().is_multiple_of(size) {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        let block = offset / size as u64;
        let invalid = |_| io::Error::from_raw_os_error(libc::EINVAL);
        let (length, size) = (u32::try_from(bytes.len()).map_err(invalid)?, c_int::try_from(size).map_err(invalid)?);
        // SAFETY: no pointers.
        let task = unsafe { (self.api.scsi_cdb_read16)(block, length, size, 0, 0, 0, 0, 0) };
        match self.read(task, bytes) {
            Some(STATUS_GOOD) => Ok(()),
            _ => Err(io::Error::other(self.error())),
        }
    }

    fn bytes(&self) -> u64 {
        self.blocks.saturating_mul(u64::from(self.block_bytes))
    }
}

/// Ends an operation. The command data is its task.
unsafe extern "C" fn on_done(_: *mut Context, status: c_int, task: *mut c_void, request: *mut c_void) {
    // SAFETY: the argument is the request of the slot, which exists until the operation has completed.
    let request = unsafe { &*request.cast::<Request>() };
    if let Ok(api) = API.of(EngineKind::Libiscsi)
        && !task.is_null()
    {
        // SAFETY: the library does not use the task after this function.
        unsafe { (api.scsi_free_scsi_task)(task.cast()) };
    }
    request.complete(match status {
        STATUS_GOOD => Ok(request.bytes_moved()),
        STATUS_RESERVATION_CONFLICT => Err(libc::EBUSY),
        _ => Err(libc::EIO),
    });
}

impl Service for Iscsi {
    fn attach(&mut self, index: usize) -> io::Result<()> {
        if index < self.luns.len() { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult> {
        let (lun, request) = (&self.luns[op.file as usize], requests.of(op));
        let task = match lun.command(op, request.data()) {
            Ok(task) => task,
            Err(errno) => return Some(Err(errno)),
        };
        let argument = request.as_pointer();
        // SAFETY: the context is connected. The request and its data stay until the completion is reaped.
        let sent =
            unsafe { (lun.api.iscsi_scsi_command_async)(lun.context, lun.number, task, on_done, null_mut(), argument) };
        (sent < 0).then_some(Err(libc::EIO))
    }

    fn progress(&mut self, _: &Requests, timeout: Duration) -> io::Result<()> {
        for (polled, lun) in self.polled.iter_mut().zip(&self.luns) {
            // SAFETY: the context is connected.
            let (fd, events) =
                unsafe { ((lun.api.iscsi_get_fd)(lun.context), (lun.api.iscsi_which_events)(lun.context)) };
            *polled = libc::pollfd { fd, events: events_of(events), revents: 0 };
        }
        wait_for_any(&mut self.polled, timeout)?;
        for (polled, lun) in self.polled.iter().zip(&self.luns) {
            // SAFETY: as above.
            if unsafe { (lun.api.iscsi_service)(lun.context, c_int::from(polled.revents)) } < 0 {
                return Err(io::Error::other(format!("the connection to the iSCSI target is lost: {}", lun.error())));
            }
        }
        Ok(())
    }
}

impl Drop for Lun {
    fn drop(&mut self) {
        // SAFETY: the context is valid and is not used again.
        unsafe {
            if (self.api.iscsi_is_logged_in)(self.context) != 0 {
                (self.api.iscsi_logout_sync)(self.context);
            }
            (self.api.iscsi_destroy_context)(self.context);
        }
    }
}
