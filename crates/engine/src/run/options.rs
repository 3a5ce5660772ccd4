//! Options for one run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use os::platform::Platform;
use record::RunError;
use targets::Lease;

use crate::stop::StopRequest;

/// Options for one run.
pub struct RunOptions<'a> {
    /// Provides the run's clock, threads and backends.
    pub platform: Platform,
    /// The lease of the targets. Runs of one study share it.
    pub lease: Arc<Lease>,
    /// Made to end the run, for example by a signal handler.
    pub stop: &'static StopRequest,
    /// Interval of [`Observer::tick`](super::Observer::tick).
    pub tick: Duration,
    /// Interval of snapshots of all workers.
    pub snapshot_every: Option<Duration>,
    /// Workers report each step of their I/Os ([`record::Event::IoSteps`]). It makes them slower.
    pub traces_ios: bool,
    /// While it is true, workers report their slowest I/Os ([`record::Event::SlowIos`]). `None`: never.
    pub keeps_slow_ios: Option<Arc<AtomicBool>>,
    /// Called regularly. Returns true to take snapshots of all workers at once.
    pub snapshot_wanted: &'a dyn Fn() -> bool,
    /// Called once, after the checks and before anything is changed on a target. Returns false to end the run there.
    pub may_prepare: &'a dyn Fn() -> bool,
    /// Called regularly while workers wait for their start. They start once it returns true.
    pub may_start: &'a dyn Fn(Waiting) -> bool,
}

/// Workers that wait for their start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub phase: u32,
    /// All of them are ready. Others start when they are.
    pub are_ready: bool,
}

/// Why a plan is not run. Nothing was changed.
#[derive(Debug)]
pub struct Refusal(pub Vec<RunError>);
