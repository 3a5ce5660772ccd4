//! `rados`: objects of a Ceph pool, by librados. Its threads report completions.

use std::ffi::{CString, c_int, c_void};
use std::io;
use std::ptr::null_mut;
use std::time::Duration;

use super::ceph::{self, Completion, Pool};
use super::request::{Request, Requests};
use super::service::{Service, text};
use ::io::CephPool;
use os::io::of_negated;
use os::io::{BackendConfig, BackendError, EngineKind, RemoteConfig, RemoteTarget};
use os::io::{IoResult, Kind, Op};

/// The objects of a job. Each target is one.
pub(crate) struct Rados {
    pool: Pool,
    names: Vec<CString>,
    spins: bool,
}

impl Rados {
    /// Connects to the cluster and opens the pool.
    pub(crate) fn connect(
        config: &BackendConfig,
        remote: &RemoteConfig,
        pool: &CephPool,
    ) -> Result<Self, BackendError> {
        let engine = config.engine;
        let names = remote.names.iter().map(|name| text(engine, name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Rados { pool: Pool::connect(engine, pool, &[])?, names, spins: pool.spins })
    }

    /// Creates the objects that do not exist.
    pub(crate) fn touch(self) -> Result<Self, BackendError> {
        for name in &self.names {
            // SAFETY: the pool is open, and the text ends with a zero byte.
            let touched = unsafe { (self.pool.api.rados_write)(self.pool.io, name.as_ptr(), c"".as_ptr(), 0, 0) };
            let failed = || format!("cannot create the object {}", name.to_string_lossy());
            ceph::check(EngineKind::Rados, touched, failed)?;
        }
        Ok(self)
    }

    /// The job determines the sizes of its objects, as in fio.
    pub(crate) fn examine(&self) -> Vec<RemoteTarget> {
        self.names.iter().map(|_| RemoteTarget::default()).collect()
    }

    fn send(&self, op: &Op, request: &Request, completion: *mut Completion) -> c_int {
        let (api, io, name) = (self.pool.api, self.pool.io, self.names[op.file as usize].as_ptr());
        let (data, len) = (request.data().cast::<c_void>(), op.len as usize);
        // SAFETY: the pool is open. The request and its data stay until the completion is reaped.
        unsafe {
            match op.kind {
                Kind::Read => (api.rados_aio_read)(io, name, completion, data, len, op.offset),
                Kind::Write => (api.rados_aio_write)(io, name, completion, data, len, op.offset),
                Kind::Trim => {
                    let zero = (api.rados_create_write_op)();
                    if zero.is_null() {
                        return -libc::ENOMEM;
                    }
                    (api.rados_write_op_zero)(zero, op.offset, len as u64);
                    let sent = (api.rados_aio_write_op_operate)(zero, io, completion, name, null_mut(), 0);
                    (api.rados_release_write_op)(zero);
                    sent
                }
                Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => -libc::EOPNOTSUPP,
            }
        }
    }
}

/// Ends an operation, on a thread of the library.
unsafe extern "C" fn on_done(completion: *mut Completion, request: *mut c_void) {
    let Ok(api) = ceph::API.of(EngineKind::Rados) else { return };
    // SAFETY: the argument is the request of the slot, which exists until the operation has completed.
    let request = unsafe { &*request.cast::<Request>() };
    // SAFETY: the operation has completed, and its completion is not used again.
    let result = unsafe {
        let result = (api.rados_aio_get_return_value)(completion);
        (api.rados_aio_release)(completion);
        result
    };
    if request.is_read() {
        // SAFETY: the slot has `len` bytes. As in fio, what the object does not have is not an error: it reads as zeroes.
        unsafe {
            let (len, read) = (request.len() as usize, usize::try_from(result).unwrap_or(0));
            request.data().add(read.min(len)).write_bytes(0, len - read.min(len));
        }
    }
    request.complete_whole(i64::from(result));
}

impl Service for Rados {
    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult> {
        if !op.kind.moves_data() && op.kind != Kind::Trim {
            // A write is stable when it completes.
            return Some(Ok(0));
        }
        let (api, request) = (self.pool.api, requests.of(op));
        let mut completion = null_mut();
        let argument = request.as_pointer();
        // SAFETY: the pointer is to a live value.
        let made = unsafe { (api.rados_aio_create_completion)(argument, Some(on_done), None, &raw mut completion) };
        if made < 0 {
            return Some(of_negated(i64::from(made)));
        }
        let sent = self.send(op, request, completion);
        if sent < 0 {
            // SAFETY: the library has no operation with this completion.
            unsafe { (api.rados_aio_release)(completion) };
            return Some(of_negated(i64::from(sent)));
        }
        None
    }

    fn progress(&mut self, requests: &Requests, timeout: Duration) -> io::Result<()> {
        requests.wait(timeout, self.spins);
        Ok(())
    }
}
