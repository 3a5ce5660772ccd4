//! What a run may touch: which targets it may change, and which files it may write beside them.
//!
//! A name is decided about once, at the check of a run. After each open, the descriptor is compared with what was found then,
//! before the first change. What cannot be determined counts as in use. This crate must not measure: it gets paths, and what a
//! job does to them.
//!
//! Start with [`Lease`], which lasts from the check to the end of a run. [`Safety`] is the policy for targets in use,
//! [`HeldTargets`] opens and removes targets, and [`OutputGuard`] opens all other files that the program writes.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// Systems without an engine have outputs and no targets.
#![cfg_attr(not(any(target_os = "linux", windows)), allow(dead_code))]

pub mod fault;
mod folders;
#[cfg(any(target_os = "linux", windows))]
mod held_targets;
mod in_use;
#[cfg(any(target_os = "linux", windows))]
mod lease;
mod lock;
mod outputs;
#[cfg(any(target_os = "linux", windows))]
mod safety;
#[cfg(any(target_os = "linux", windows))]
mod watch;

#[cfg(any(target_os = "linux", windows))]
pub use held_targets::{HeldTargets, OpenError};
pub use in_use::{InUse, TargetUses};
#[cfg(any(target_os = "linux", windows))]
pub use lease::Lease;
pub use outputs::{
    Existing, GuardedFile, NamedBy, OutputError, OutputFolders, OutputGuard, OutputPlace, make_folder, resolve,
};
#[cfg(any(target_os = "linux", windows))]
pub use safety::{Safety, TargetAccess};
#[cfg(any(target_os = "linux", windows))]
pub use watch::TargetWatch;
