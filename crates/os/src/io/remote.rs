//! Engines whose targets are on another machine. Their libraries are loaded at run time.

/// Targets on another machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemoteConfig {
    pub server: RemoteServer,
    /// Name of each target on the server.
    pub names: Vec<String>,
    /// The job changes its targets.
    pub writes: bool,
    /// Missing targets may be created.
    pub creates: bool,
}

/// The server, with the options of its engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RemoteServer {
    /// A directory of an NFS server.
    Nfs {
        /// In the form of libnfs: `nfs://SERVER/PATH?ARGUMENT=VALUE`.
        url: String,
    },
    Http(HttpConfig),
    /// A disk of an NBD server. All targets are this disk.
    Nbd {
        uri: String,
    },
    /// LUNs of iSCSI targets. Their names are URLs in the form of libiscsi.
    Iscsi {
        /// Name of this machine.
        initiator: String,
        /// URLs of the targets whose names are not their URLs, by the index of the target.
        urls: Vec<Option<String>>,
    },
    /// An image of a Ceph pool. All targets are this image.
    Rbd(RbdImage),
    /// Objects of a Ceph pool.
    Rados {
        pool: CephPool,
        /// Objects are created before the first I/O.
        touches: bool,
    },
}

/// A server of objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpConfig {
    pub server: HttpServer,
    pub tls: Tls,
    /// Name of the server, with a port if it is not that of the scheme.
    pub host: String,
    pub user: Option<String>,
    pub password: Option<String>,
    /// 1 prints the requests to the standard error, 2 their data too.
    pub verbosity: u32,
    /// Each target is one object and an I/O a range of it. Otherwise each block is an object.
    pub has_one_object: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tls {
    Off,
    On,
    /// The certificate of the server is not verified.
    Insecure,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HttpServer {
    WebDav,
    S3(S3Config),
    Swift { token: String },
}

/// Credentials and options of an S3 server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct S3Config {
    pub key: String,
    pub key_id: String,
    pub security_token: Option<String>,
    pub region: String,
    pub storage_class: String,
    /// Key for encryption by the server.
    pub customer_key: Option<String>,
    pub customer_algorithm: String,
}

/// A pool of a Ceph cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CephPool {
    pub name: String,
    pub cluster: Option<String>,
    pub client: Option<String>,
    /// Path of the configuration. `None` searches the usual places.
    pub configuration: Option<String>,
    /// Spins instead of sleeping while it waits for completions.
    pub spins: bool,
}

/// An image of a Ceph pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RbdImage {
    pub pool: CephPool,
    pub name: String,
    /// Format (`luks1` or `luks2`) and passphrase.
    pub encryption: Option<(String, String)>,
    /// Bypasses the cache of the client.
    pub direct: bool,
}

/// What a server reports of a target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RemoteTarget {
    /// Size, if the server determines it.
    pub bytes: Option<u64>,
    /// What is on the disk, for jobs that write. Another machine may use it.
    pub contents: Option<&'static str>,
    /// Other clients that use the disk, for jobs that write.
    pub clients: Vec<String>,
}
