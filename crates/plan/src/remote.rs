//! Targets on another machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// The server of an engine whose targets are on another machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remote {
    /// Files on an NFS server.
    Nfs {
        /// Server and directory, in the form of libnfs.
        url: String,
    },
    Http(Http),
    /// A disk of an NBD server.
    Nbd {
        uri: String,
    },
    /// LUNs of iSCSI targets. The paths of the targets are their URLs.
    Iscsi {
        /// Name of this machine.
        initiator: String,
    },
    Rbd(Rbd),
    /// Objects of a Ceph pool.
    Rados {
        pool: CephPool,
        /// Objects are created before the first I/O.
        touches: bool,
    },
}

/// Objects of a WebDAV, S3 or Swift server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Http {
    pub server: HttpServer,
    pub tls: Tls,
    /// Name of the server, with its port.
    pub host: String,
    pub user: Option<String>,
    pub password: Option<Secret>,
    /// 1 prints the requests, 2 their data too.
    pub verbosity: u32,
    /// Each target is one object. Otherwise each block is one.
    pub has_one_object: bool,
}

/// Whether the connection is encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    Off,
    On,
    /// The certificate of the server is not verified.
    Insecure,
}

/// Kind of a server of objects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HttpServer {
    WebDav,
    S3(S3),
    Swift { token: Secret },
}

/// Credentials and options of an S3 server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct S3 {
    pub key: Secret,
    pub key_id: String,
    pub security_token: Option<Secret>,
    pub region: String,
    pub storage_class: String,
    /// Key for encryption by the server.
    pub customer_key: Option<Secret>,
    pub customer_algorithm: String,
}

/// A pool of a Ceph cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CephPool {
    pub name: String,
    pub cluster: Option<String>,
    pub client: Option<String>,
    /// Path of the configuration. `None` searches the usual places.
    pub configuration: Option<String>,
    /// Spins while it waits for completions.
    pub spins: bool,
}

/// An image of a Ceph pool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Rbd {
    pub pool: CephPool,
    pub image: String,
    /// `luks1` or `luks2`.
    pub encryption_format: Option<String>,
    pub encryption_passphrase: Option<Secret>,
}

/// A password or key. Saved plans do not contain it.
#[derive(Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct Secret(pub String);

/// Text in place of a secret.
pub const MASK: &str = "***";

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Remote {
    /// Returns fio's `ioengine` value.
    pub fn engine_name(&self) -> &'static str {
        match self {
            Remote::Nfs { .. } => "nfs",
            Remote::Http(_) => "http",
            Remote::Nbd { .. } => "nbd",
            Remote::Iscsi { .. } => "libiscsi",
            Remote::Rbd(_) => "rbd",
            Remote::Rados { .. } => "rados",
        }
    }

    /// Returns true if several I/Os can be in flight.
    pub fn is_asynchronous(&self) -> bool {
        !matches!(self, Remote::Http(_))
    }
}
