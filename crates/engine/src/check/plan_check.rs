//! Checks of a whole plan.

use super::{engine, memory, outputs, reach, readonly, scheduler, streams, target_access};
use crate::direct_io::check_alignment;
use crate::donor;
use os::platform::Platform;
use plan::Plan;
use record::RunError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use targets::Lease;

/// Checks a plan until `stop` is set, and leases its targets. A plan may have millions of files.
///
/// # Errors
/// All reasons not to run the plan.
pub fn check(plan: &Plan, lease: &Lease, stop: &AtomicBool, platform: Platform) -> Result<(), Vec<RunError>> {
    let mut faults = Faults::default();
    let mut probed = Vec::new();
    let mut safety = lease.safety();
    faults.take(lease.targets.compare_all());
    outputs::hold_folders(plan, lease.outputs(), stop);
    for worker in &plan.workers {
        if let Some(job) = worker.job().filter(|_| plan.readonly) {
            faults.take(readonly::check(job));
        }
        faults.take(engine::check(worker, platform, &mut probed));
        let Some(job) = worker.job() else {
            streams::check(worker, &mut safety, &mut |outcome| faults.take(outcome));
            continue;
        };
        // What a job does to its targets is undefined without a valid engine and size.
        let paths = match reach::targets(job) {
            Ok(paths) => paths,
            Err(fault) => {
                faults.take(Err(fault));
                continue;
            }
        };
        for path in paths.iter().take_while(|_| !stop.load(Relaxed)) {
            faults.take(reach::check(plan, job, path));
            faults.take(check_alignment(job, path));
            faults.take(engine::check_polling(worker, path));
            faults.take(target_access::check(&mut safety, job, path));
            faults.take(scheduler::check(job, path));
        }
        faults.take(target_access::check_buffer_file(&mut safety, worker));
        if let Some(path) = donor::path(worker) {
            faults.take(target_access::check(&mut safety, job, path));
        }
    }
    faults.take(streams::check_memory(plan));
    if faults.found.is_empty() {
        faults.take(memory::check(plan, stop));
    }
    if faults.found.is_empty() { Ok(()) } else { Err(faults.found) }
}

/// Errors of a plan. Each is kept once, since the clones of a job have the same.
#[derive(Default)]
struct Faults {
    found: Vec<RunError>,
}

impl Faults {
    fn take(&mut self, outcome: Result<(), RunError>) {
        if let Err(fault) = outcome
            && !self.found.contains(&fault)
        {
            self.found.push(fault);
        }
    }
}
