//! A pool of a Ceph cluster, by librados.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::service::text;
use ::io::CephPool;
use os::io::{BackendError, EngineKind};
use os::library::{Functions, functions};

pub(crate) enum Cluster {}
pub(crate) enum IoContext {}
pub(crate) enum Completion {}
pub(crate) enum WriteOp {}
pub(crate) type Callback = unsafe extern "C" fn(*mut Completion, *mut c_void);

functions! {
    pub(crate) struct Api;
    rados_create: fn(*mut *mut Cluster, *const c_char) -> c_int;
    rados_create2: fn(*mut *mut Cluster, *const c_char, *const c_char, u64) -> c_int;
    rados_conf_read_file: fn(*mut Cluster, *const c_char) -> c_int;
    rados_conf_set: fn(*mut Cluster, *const c_char, *const c_char) -> c_int;
    rados_connect: fn(*mut Cluster) -> c_int;
    rados_shutdown: fn(*mut Cluster);
    rados_get_instance_id: fn(*mut Cluster) -> u64;
    rados_ioctx_create: fn(*mut Cluster, *const c_char, *mut *mut IoContext) -> c_int;
    rados_ioctx_destroy: fn(*mut IoContext);
    rados_write: fn(*mut IoContext, *const c_char, *const c_char, usize, u64) -> c_int;
    rados_aio_create_completion: fn(*mut c_void, Option<Callback>, Option<Callback>, *mut *mut Completion) -> c_int;
    rados_aio_get_return_value: fn(*mut Completion) -> c_int;
    rados_aio_release: fn(*mut Completion);
    rados_aio_read: fn(*mut IoContext, *const c_char, *mut Completion, *mut c_void, usize, u64) -> c_int;
    rados_aio_write: fn(*mut IoContext, *const c_char, *mut Completion, *const c_void, usize, u64) -> c_int;
    rados_create_write_op: fn() -> *mut WriteOp;
    rados_release_write_op: fn(*mut WriteOp);
    rados_write_op_zero: fn(*mut WriteOp, u64, u64);
    rados_aio_write_op_operate: fn(*mut WriteOp, *mut IoContext, *mut Completion, *const c_char, *mut i64, c_int) -> c_int;
}

pub(crate) static API: Functions<Api> = Functions::new(&["librados.so.2"], "librados2", Api::find);

/// Returns the numbers of the clients of this process that have a pool open.
pub(crate) fn clients() -> MutexGuard<'static, BTreeSet<u64>> {
    static CLIENTS: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());
    CLIENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection to a pool.
pub(crate) struct Pool {
    pub(crate) api: &'static Api,
    cluster: *mut Cluster,
    pub(crate) io: *mut IoContext,
}

/// Returns the result of a call of the library as an error.
pub(crate) fn check(engine: EngineKind, result: c_int, what: impl FnOnce() -> String) -> Result<(), BackendError> {
    if result >= 0 {
        return Ok(());
    }
    Err(BackendError::caused(engine, what(), io::Error::from_raw_os_error(-result)))
}

impl Pool {
    /// Connects to the cluster and opens the pool. `settings` are set before the connection.
    pub(crate) fn connect(
        engine: EngineKind,
        pool: &CephPool,
        settings: &[(&str, &str)],
    ) -> Result<Self, BackendError> {
        let api = API.of(engine)?;
        let optional = |value: &Option<String>| value.as_deref().map(|value| text(engine, value)).transpose();
        let address = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
        let (cluster_name, configuration) = (optional(&pool.cluster)?, optional(&pool.configuration)?);
        let mut cluster = null_mut();
        let created = match &cluster_name {
            // With the name of a cluster, that of the client has its type.
            Some(name) => {
                let full = pool.client.as_ref().map(|client| match client.contains('.') {
                    true => client.clone(),
                    false => format!("client.{client}"),
                });
                let client = optional(&full)?;
                // SAFETY: the texts end with a zero byte.
                unsafe { (api.rados_create2)(&raw mut cluster, name.as_ptr(), address(&client), 0) }
            }
            None => {
                let client = optional(&pool.client)?;
                // SAFETY: as above.
                unsafe { (api.rados_create)(&raw mut cluster, address(&client)) }
            }
        };
        check(engine, created, || "librados cannot create a client".to_owned())?;
        let mut opened = Pool { api, cluster, io: null_mut() };
        // SAFETY: the cluster is valid, and the texts end with a zero byte.
        let read = unsafe { (api.rados_conf_read_file)(cluster, address(&configuration)) };
        let file = pool.configuration.as_deref().unwrap_or("ceph.conf");
        check(engine, read, || format!("cannot read the configuration {file}"))?;
        for (name, value) in settings {
            let (key, value) = (text(engine, name)?, text(engine, value)?);
            // SAFETY: as above.
            let set = unsafe { (api.rados_conf_set)(cluster, key.as_ptr(), value.as_ptr()) };
            check(engine, set, || format!("cannot set {name}"))?;
        }
        // SAFETY: as above.
        let connected = unsafe { (api.rados_connect)(cluster) };
        check(engine, connected, || format!("cannot connect to the monitors of {file}"))?;
        let name = text(engine, &pool.name)?;
        // SAFETY: as above.
        let found = unsafe { (api.rados_ioctx_create)(cluster, name.as_ptr(), &raw mut opened.io) };
        check(engine, found, || format!("cannot open the pool {}", pool.name))?;
        clients().insert(opened.client_id());
        Ok(opened)
    }

    /// Returns the number of this client in the cluster.
    fn client_id(&self) -> u64 {
        // SAFETY: the cluster is connected.
        unsafe { (self.api.rados_get_instance_id)(self.cluster) }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        clients().remove(&self.client_id());
        // SAFETY: neither is used again.
        unsafe {
            if !self.io.is_null() {
                (self.api.rados_ioctx_destroy)(self.io);
            }
            (self.api.rados_shutdown)(self.cluster);
        }
    }
}
