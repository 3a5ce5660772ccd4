//! Targets on another machine.

use os::errno;
use os::io::{
    BackendConfig, CephPool, EngineKind, HttpConfig, HttpServer, RbdImage, RemoteConfig, RemoteServer, RemoteTarget,
    S3Config, Tls,
};
use plan::{Engine, Remote, Secret, Worker};
use record::{CheckError, RunError, TargetError};
use targets::fault;

/// Returns the configuration of the backend for `files` targets on `server`.
pub(crate) fn config(worker: &Worker, server: &Remote, files: u32) -> BackendConfig {
    let pattern = worker.access.pattern;
    let direct = worker.targets.open.direct;
    let (engine, server) = match server {
        Remote::Nfs { url } => (EngineKind::Nfs, RemoteServer::Nfs { url: url.clone() }),
        Remote::Http(http) => (EngineKind::Http, RemoteServer::Http(objects(http))),
        Remote::Nbd { uri } => (EngineKind::Nbd, RemoteServer::Nbd { uri: uri.clone() }),
        Remote::Iscsi { initiator, urls } => {
            let urls = urls.iter().map(text).collect();
            (EngineKind::Libiscsi, RemoteServer::Iscsi { initiator: initiator.clone(), urls })
        }
        Remote::Rbd(rbd) => (EngineKind::Rbd, RemoteServer::Rbd(image(rbd, direct))),
        Remote::Rados { pool, touches } => {
            (EngineKind::Rados, RemoteServer::Rados { pool: ceph_pool(pool), touches: *touches })
        }
    };
    let remote = RemoteConfig {
        server,
        names: worker.targets.paths.clone(),
        writes: pattern.writes || pattern.trims,
        creates: worker.targets.create.allowed,
    };
    BackendConfig { remote: Some(Box::new(remote)), ..BackendConfig::new(engine, worker.depth.iodepth, files) }
}

fn text(secret: &Option<Secret>) -> Option<String> {
    secret.as_ref().map(|secret| secret.0.clone())
}

fn objects(http: &plan::Http) -> HttpConfig {
    HttpConfig {
        server: match &http.server {
            plan::HttpServer::WebDav => HttpServer::WebDav,
            plan::HttpServer::S3(s3) => HttpServer::S3(S3Config {
                key: s3.key.0.clone(),
                key_id: s3.key_id.clone(),
                security_token: text(&s3.security_token),
                region: s3.region.clone(),
                storage_class: s3.storage_class.clone(),
                customer_key: text(&s3.customer_key),
                customer_algorithm: s3.customer_algorithm.clone(),
            }),
            plan::HttpServer::Swift { token } => HttpServer::Swift { token: token.0.clone() },
        },
        tls: match http.tls {
            plan::Tls::Off => Tls::Off,
            plan::Tls::On => Tls::On,
            plan::Tls::Insecure => Tls::Insecure,
        },
        host: http.host.clone(),
        user: http.user.clone(),
        password: text(&http.password),
        verbosity: http.verbosity,
        has_one_object: http.has_one_object,
    }
}

fn ceph_pool(pool: &plan::CephPool) -> CephPool {
    CephPool {
        name: pool.name.clone(),
        cluster: pool.cluster.clone(),
        client: pool.client.clone(),
        configuration: pool.configuration.clone(),
        spins: pool.spins,
    }
}

fn image(rbd: &plan::Rbd, direct: bool) -> RbdImage {
    let encryption = rbd.encryption_format.clone().zip(text(&rbd.encryption_passphrase));
    RbdImage { pool: ceph_pool(&rbd.pool), name: rbd.image.clone(), encryption, direct }
}

/// Refuses to change disks that other machines may use: a file system is on them, or clients are connected.
///
/// # Errors
/// There is such a sign of a use.
pub(crate) fn refuse_in_use(worker: &Worker, targets: &[RemoteTarget]) -> Result<(), RunError> {
    for (path, target) in worker.targets.paths.iter().zip(targets) {
        // The job may write to a file system that is mounted, but not to the disk of a running client.
        let contents = target.contents.filter(|_| !worker.targets.allow_mounted_write).map(str::to_owned);
        if contents.is_none() && target.clients.is_empty() {
            continue;
        }
        let kind = TargetError::RemoteInUse {
            job: worker.name.clone(),
            path: path.clone(),
            contents,
            clients: target.clients.clone(),
        };
        return Err(RunError::new(errno::EBUSY, kind));
    }
    Ok(())
}

/// Returns what the server of a worker reports of its targets. `None` if the targets are on this machine.
///
/// # Errors
/// The server cannot be reached, or no job can do I/O on a target.
pub(crate) fn examine(worker: &Worker) -> Result<Option<Vec<RemoteTarget>>, RunError> {
    let Engine::Remote(server) = &worker.engine else { return Ok(None) };
    let config = config(worker, server, crate::number::index(worker.targets.paths.len()));
    os::io::examine(&config).map(Some).map_err(|error| missing(&error))
}

/// Returns the error of an engine that this machine does not have, or whose server it cannot reach.
pub(crate) fn missing(error: &os::io::BackendError) -> RunError {
    let source = error.source.as_ref().map(fault::os_error);
    let errno = source.as_ref().map(|source| source.errno).filter(|errno| *errno != 0).unwrap_or(errno::EINVAL);
    let kind = CheckError::EngineMissing { engine: error.engine.to_string(), what: error.what.clone(), source };
    RunError::new(errno, kind)
}
