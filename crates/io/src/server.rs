//! Targets on another machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::secret::Secret;

/// The server of an engine whose targets are on another machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum Remote {
    /// Files on an NFS server.
    Nfs {
        /// Server and directory, in the form of libnfs.
        url: String,
    },
    /// Objects of a WebDAV, S3 or Swift server.
    Http(Http),
    /// A disk of an NBD server.
    Nbd {
        /// Server and export.
        uri: String,
    },
    /// LUNs of iSCSI targets. The paths of the targets are their URLs.
    #[strum(serialize = "libiscsi")]
    Iscsi {
        /// Name of this machine.
        initiator: String,
        /// URLs with a password, by the index of the target. The paths of these targets have `***` in place of the password.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        urls: Vec<Option<Secret>>,
    },
    /// An image of a Ceph pool.
    Rbd(Rbd),
    /// Objects of a Ceph pool.
    Rados {
        /// Pool of the objects.
        pool: CephPool,
        /// Objects are created before the first I/O.
        touches: bool,
    },
}

/// Objects of a WebDAV, S3 or Swift server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Http {
    /// Kind of the server.
    pub server: HttpServer,
    /// Whether the connection is encrypted.
    pub tls: Tls,
    /// Name of the server, with its port.
    pub host: String,
    /// Name of the user for HTTP authentication.
    pub user: Option<String>,
    /// Password of the user.
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
    Swift {
        /// Token of a session.
        token: Secret,
    },
}

/// Credentials and options of an S3 server.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct S3 {
    /// Secret key.
    pub key: Secret,
    /// Name of the key.
    pub key_id: String,
    /// Token of a session.
    pub security_token: Option<Secret>,
    /// Region of the server.
    pub region: String,
    /// Storage class of new objects.
    pub storage_class: String,
    /// Key for encryption by the server.
    pub customer_key: Option<Secret>,
    /// Algorithm for encryption by the server.
    pub customer_algorithm: String,
}

/// A pool of a Ceph cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CephPool {
    /// Name of the pool.
    pub name: String,
    /// Name of the cluster.
    pub cluster: Option<String>,
    /// Name of the client.
    pub client: Option<String>,
    /// Path of the configuration. `None` searches the usual places.
    pub configuration: Option<String>,
    /// Spins while it waits for completions.
    pub spins: bool,
}

/// An image of a Ceph pool.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Rbd {
    /// Pool of the image.
    pub pool: CephPool,
    /// Name of the image.
    pub image: String,
    /// `luks1` or `luks2`.
    pub encryption_format: Option<String>,
    /// Passphrase of the encryption.
    pub encryption_passphrase: Option<Secret>,
}

impl Remote {
    /// Returns fio's `ioengine` value.
    pub fn engine_name(&self) -> &'static str {
        self.into()
    }

    /// Returns true if several I/Os can be in flight.
    pub fn is_asynchronous(&self) -> bool {
        !matches!(self, Remote::Http(_))
    }
}
