//! Runs on many hosts: the command line or the study that `fathom fleet` requests, the agent on each host, and the processes that
//! measure.

pub mod agent;
pub mod command_line;
mod diskspd_line;
mod fio_line;
mod host_targets;
mod job;
pub mod launcher;
pub mod manifest;
pub mod reports;
pub mod study;
mod targets;
pub mod view;
pub mod worker;

use std::ffi::OsString;

use ::fleet::{OnHostLost, Sharing};

/// How the hosts are reached, and what they share.
#[derive(Clone, Debug)]
pub struct FleetOptions {
    /// Launcher of MPI programs.
    pub launcher: OsString,
    /// Program that starts a command on a host.
    pub remote_shell: Option<OsString>,
    /// Network of the fleet's messages.
    pub network: Option<String>,
    pub sharing: Sharing,
    pub allows_shared_host: bool,
    pub on_host_lost: OnHostLost,
    /// Hosts report no figures during the run.
    pub is_quiet: bool,
}
