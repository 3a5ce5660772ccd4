//! The backend of all engines of servers.
//!
//! [`Remote`] is this backend. A [`Service`] starts one operation in its library. The library reports the
//! completion to the [`Request`] of the slot, on the worker's thread or on a thread of its own.

mod ceph;
mod curl;
mod disk;
mod http;
mod iscsi;
mod nbd;
mod nfs;
mod rados;
mod rbd;
mod request;
mod s3;
mod service;

use std::io;
use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use self::http::Http;
use self::iscsi::Iscsi;
use self::nbd::Nbd;
use self::nfs::Nfs;
use self::rados::Rados;
use self::rbd::Rbd;
use self::request::Requests;
use self::service::Service;
use ::io::Remote as Server;
use os::file::File;
use os::io::start_in_order;
use os::io::{Backend, BackendConfig, BackendError, EngineKind, Engines, Kernel, RemoteConfig, RemoteTarget};
use os::io::{Completion, Op, misuse};
use os::memory::Slots;

/// The backend of a service. Operations in flight at its end are abandoned: the library keeps its memory.
struct Remote<S> {
    service: ManuallyDrop<S>,
    requests: ManuallyDrop<Requests>,
    slots: Slots,
    is_attached: Vec<bool>,
    done: Vec<Completion>,
}

/// The engines of servers and of the kernel.
pub(crate) struct AllEngines;

impl Engines for AllEngines {
    fn probe(&self, config: &BackendConfig) -> Result<(), BackendError> {
        match &config.remote {
            Some(remote) => probe(config.engine, &remote.server),
            None => Kernel.probe(config),
        }
    }

    fn open(&'static self, config: &BackendConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
        match &config.remote {
            Some(remote) => open(config, remote, slots),
            None => Kernel.open(config, slots),
        }
    }
}

/// Opens the backend of a server.
fn open(config: &BackendConfig, remote: &RemoteConfig, slots: Slots) -> Result<Box<dyn Backend>, BackendError> {
    Ok(match &remote.server {
        Server::Nfs { url } => Remote::boxed(Nfs::connect(config, remote, url)?, config, slots),
        Server::Http(http) => Remote::boxed(Http::open(config, remote, http)?, config, slots),
        Server::Nbd { uri } => Remote::boxed(Nbd::connect(config, uri)?, config, slots),
        Server::Iscsi { initiator, urls } => {
            Remote::boxed(Iscsi::connect(config, remote, initiator, urls)?, config, slots)
        }
        Server::Rbd(image) => Remote::boxed(Rbd::connect(config, remote, image, false)?, config, slots),
        Server::Rados { pool, touches } => {
            let rados = Rados::connect(config, remote, pool)?;
            let touches = *touches && remote.writes && remote.creates;
            Remote::boxed(if touches { rados.touch()? } else { rados }, config, slots)
        }
    })
}

/// Loads the library of the engine.
fn probe(engine: EngineKind, server: &Server) -> Result<(), BackendError> {
    match server {
        Server::Nfs { .. } => nfs::API.of(engine).map(drop),
        Server::Http(_) => curl::API.of(engine).map(drop),
        Server::Nbd { .. } => nbd::API.of(engine).map(drop),
        Server::Iscsi { .. } => iscsi::API.of(engine).map(drop),
        Server::Rbd(_) => ceph::API.of(engine).and_then(|_| rbd::API.of(engine)).map(drop),
        Server::Rados { .. } => ceph::API.of(engine).map(drop),
    }
}

/// Returns what the server reports of the targets.
pub(crate) fn examine(config: &BackendConfig, remote: &RemoteConfig) -> Result<Vec<RemoteTarget>, BackendError> {
    // All targets of these servers are the same disk.
    let of_all = |target: RemoteTarget| vec![target; remote.names.len()];
    match &remote.server {
        Server::Nfs { url } => Nfs::connect(config, remote, url)?.examine(config.engine),
        Server::Http(http) => Http::open(config, remote, http)?.examine(config),
        Server::Nbd { uri } => Nbd::connect(config, uri)?.examine(config, remote.writes).map(of_all),
        Server::Iscsi { initiator, urls } => {
            Iscsi::connect(config, remote, initiator, urls)?.examine(config, remote.writes)
        }
        Server::Rbd(image) => Rbd::connect(config, remote, image, true)?.examine(config, remote.writes).map(of_all),
        Server::Rados { pool, .. } => Rados::connect(config, remote, pool).map(|rados| rados.examine()),
    }
}

impl<S: Service + 'static> Remote<S> {
    fn boxed(service: S, config: &BackendConfig, slots: Slots) -> Box<dyn Backend> {
        Box::new(Remote {
            service: ManuallyDrop::new(service),
            requests: ManuallyDrop::new(Requests::new(slots.count())),
            slots,
            is_attached: vec![false; config.files as usize],
            done: Vec::with_capacity(config.depth as usize),
        })
    }

    fn start(&mut self, op: &Op) -> io::Result<()> {
        if !self.is_attached.get(op.file as usize).is_some_and(|attached| *attached) {
            return Err(misuse("operation on a file that is not attached"));
        }
        let data = self.slots.start(op)?;
        self.requests.begin(op, data);
        if let Some(result) = self.service.start(op, &self.requests) {
            self.done.push(Completion { slot: op.slot, result });
        }
        Ok(())
    }
}

impl<S: Service + 'static> Backend for Remote<S> {
    fn attach(&mut self, index: u32, _: &File) -> io::Result<()> {
        let at = index as usize;
        if at >= self.is_attached.len() {
            return Err(misuse("file index beyond the table"));
        }
        if !self.is_attached[at] {
            self.service.attach(at)?;
            self.is_attached[at] = true;
        }
        Ok(())
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        let at = index as usize;
        if !self.is_attached.get_mut(at).is_some_and(std::mem::take) {
            return Err(misuse("no such file attached"));
        }
        self.service.detach(at)
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        start_in_order(ops, |op| self.start(op))
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let min = min.min(max).min(self.slots.in_flight());
        let mut left = timeout;
        let mut started = None;
        // Completions on a thread of the library need no progress here.
        self.requests.take(&mut self.done);
        if self.done.len() < self.slots.in_flight() {
            self.service.progress(&self.requests, Duration::ZERO)?;
            self.requests.take(&mut self.done);
        }
        while self.done.len() < min && !left.is_zero() {
            let start = *started.get_or_insert_with(Instant::now);
            self.service.progress(&self.requests, left)?;
            self.requests.take(&mut self.done);
            left = timeout.saturating_sub(start.elapsed());
        }
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        self.service.is_synchronous()
    }
}

impl<S> Drop for Remote<S> {
    fn drop(&mut self) {
        self.requests.take(&mut self.done);
        if self.done.len() < self.slots.in_flight() {
            return;
        }
        // SAFETY: neither is used again. No operation of the library has a pointer to a request.
        unsafe {
            ManuallyDrop::drop(&mut self.service);
            ManuallyDrop::drop(&mut self.requests);
        }
    }
}
