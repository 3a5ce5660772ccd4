//! A worker that only burns CPU time.

use std::sync::atomic::Ordering::Relaxed;

use record::{Ended, WorkerStats};

use super::accounting::usage_since;
use super::context::Context;
use super::no_io;
use crate::cpu_burn::CpuBurn;
use crate::live::State;

/// Runs the worker until its time is over or it is stopped. `burn` has the load in percent, the length of a chunk in µs
/// and whether it sorts.
pub fn run(context: Context, burn: (u32, u64, bool), wait_at_gate: &mut dyn FnMut() -> Option<u64>) -> Ended {
    let (load_percent, chunk_us, sorts) = burn;
    no_io::run(context, wait_at_gate, || {
        burn_until_end(context, CpuBurn::new(load_percent, chunk_us, sorts, context.clock()))
    })
}

fn burn_until_end(context: Context, mut burner: CpuBurn) -> Ended {
    let Context { worker, live, .. } = context;
    let clock = context.clock();
    live.set_state(State::Running);
    let start_ns = clock.now();
    live.began_ns.store(start_ns, Relaxed);
    let end_ns = no_io::end_ns(worker, start_ns);
    let used_before = os::process::thread_usage();
    let mut stats = Box::<WorkerStats>::default();
    while !context.is_stopped() && end_ns.is_none_or(|end_ns| clock.now() < end_ns) {
        let chunk_ns = clock.now();
        let rest = burner.burn(live.stop.flag());
        no_io::count_step(&mut stats, clock.now() - chunk_ns);
        let rested_ns = clock.now().saturating_add(crate::number::ns_of(rest));
        context.sleep_until(clock, end_ns.map_or(rested_ns, |end_ns| rested_ns.min(end_ns)));
    }
    let elapsed_ns = clock.now() - start_ns;
    let usage = usage_since(&used_before);
    (stats.usage, stats.runtime_ns, stats.elapsed_ns) = (usage, elapsed_ns, elapsed_ns);
    Ended { stats, error: None, nonfatal_errors: 0, first_nonfatal_errno: 0 }
}
