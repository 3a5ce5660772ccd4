//! Runs the checks on a thread of their own. They read devices, and a device that does not answer must not keep a run
//! from ending.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use os::clock::Source;
use os::errno;
use os::platform::Platform;
use plan::Plan;
use record::{CheckError, RunError};
use targets::Lease;

use super::plan_check::check;

/// Longest wait between two looks at the stop flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Checks a plan and leases its targets. Gives up `patience` after a stop.
///
/// # Errors
/// The reasons not to run the plan. Nothing was changed.
pub fn check_aside(
    plan: &Arc<Plan>,
    lease: &Arc<Lease>,
    stop: &'static AtomicBool,
    patience: Duration,
    platform: Platform,
) -> Result<(), Vec<RunError>> {
    let clock = platform.clock(Source::Monotonic);
    let (sender, outcome) = platform.channel();
    let (shared, leased) = (Arc::clone(plan), Arc::clone(lease));
    let thread = std::thread::Builder::new().name("fathom-check".into());
    if platform.spawn(thread, move || drop(sender.send(check(&shared, &leased, stop, platform)))).is_err() {
        // Without a thread there will be no run. The coordinator reports that.
        return check(plan, lease, stop, platform);
    }
    let mut give_up_ns = None;
    loop {
        match outcome.recv_timeout(POLL_INTERVAL) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(vec![RunError::new(errno::EIO, CheckError::Ended)]);
            }
            Err(RecvTimeoutError::Timeout) if !stop.load(Relaxed) => {}
            Err(RecvTimeoutError::Timeout) => {
                let now_ns = clock.now();
                if now_ns >= *give_up_ns.get_or_insert(now_ns + crate::number::ns_of(patience)) {
                    let kind = CheckError::Stuck { targets: targets(plan) };
                    return Err(vec![RunError::new(errno::EIO, kind)]);
                }
            }
        }
    }
}

/// Returns the targets of the first workers.
fn targets(plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = plan.workers.iter().take(8).flat_map(plan::Worker::paths).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}
