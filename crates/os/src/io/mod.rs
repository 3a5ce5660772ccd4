//! Backends: they submit operations to the kernel and return completions.
//!
//! The interface is a slice of [`Op`]s and a vector of [`Completion`]s: a dynamic call costs once per batch and not
//! once per I/O. A backend stays on one worker thread.

mod backend;
mod config;
mod execute;
pub(crate) mod mapped;
mod mixed;
mod null;
mod offload;
mod op;
mod open;
mod passthrough;
mod remote;

pub(crate) use execute::{Execute, executing};
pub(crate) use null::Null;
pub(crate) use op::move_oldest;
pub(crate) use open::{check, open_backend};

#[cfg(target_os = "linux")]
pub use crate::linux::io::run::of_negated;
pub use crate::system::io::engines::{examine_device, is_persistent};
pub use backend::{Backend, BackendError, misuse, start_in_order};
pub use config::{BackendConfig, EngineKind, NetConfig, PmemConfig};
pub use op::{Completion, IoResult, Kind, Op};
pub use open::{Engines, Kernel};
pub use passthrough::{
    CommandSeeds, CommandStatus, PLACEMENT_IDS_MAX, PassthroughConfig, PassthroughDevice, PassthroughProblem,
};
pub use remote::{RemoteConfig, RemoteTarget};
