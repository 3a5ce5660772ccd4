//! One run on many hosts, started by a launcher of MPI programs.
//!
//! Each host has an agent, which is connected to the other agents by a [`Link`], and a worker, a child process of the agent.
//! The worker measures, and never loads MPI. The agent of rank 0 leads ([`root`]).
//!
//! It must not load MPI into a process that measures, and knows no dialect. Start with `root.rs`, then `member.rs`.

// Other systems have no engine: there, this crate is empty.
#![cfg(any(target_os = "linux", windows))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod clock;
mod division;
mod hello;
mod host;
mod job;
mod launch;
mod link;
mod member;
mod merge;
mod message;
mod process;
mod root;

pub use clock::monotonic_ns;
pub use division::{HOST_MARK, HOST_VARIABLE, IndivisibleError, Place, Sharing, divide};
pub use hello::Hello;
pub use host::Host;
pub use job::{Job, Work};
pub use launch::{Family, HostSlots, HostsError, Launch};
pub use link::{Link, LinkError, MpiLink, ThreadLink, is_launched, threads};
pub use member::{Member, Worker, serve};
pub use merge::{MergeError, merge};
pub use message::{HostRun, Order, Progress, ProgressOptions, Report, of_line, to_line};
pub use process::{StartedWorker, WorkerProcess};
pub use root::{
    Answer, Disconnection, FleetError, OnHostLost, Outcome, Question, Request, Root, RunDisplay, Texts, release,
};
