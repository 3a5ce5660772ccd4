//! The body of a worker's thread.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use os::platform::Platform;
use plan::{Engine, Job, Load, Plan};
use record::Started;
use targets::Lease;

use super::context::Context;
use super::events::EventSender;
use super::gate::{Gate, Ticket};
use super::{burn, job, program, streams};
use crate::live::{Live, State};
use crate::logs::Logs;
use crate::shared::Shared;
use crate::target::LaidOut;

/// Stack of a worker's thread. It has few frames and no recursion.
pub const STACK_BYTES: usize = 256 * 1024;

/// Input of a worker's thread.
pub struct Assignment {
    pub platform: Platform,
    pub plan: Arc<Plan>,
    pub lease: Arc<Lease>,
    pub index: usize,
    pub live: Arc<Live>,
    /// The targets, if they were laid out before the phase.
    pub laid_out: Option<LaidOut>,
    pub logs: Logs,
    pub events: EventSender,
    /// Opens when all workers of the phase are ready.
    pub gate: Arc<Gate>,
    /// Data that the workers of the phase share.
    pub shared: Arc<Shared>,
    /// Report each step of the I/Os.
    pub traces_ios: bool,
    /// Report the slowest I/Os while it is true.
    pub keeps_slow_ios: Option<Arc<AtomicBool>>,
}

/// Runs a worker. It sends an `Ended` event, unless it panics.
pub fn run(assignment: Assignment) {
    let Assignment { platform, plan, lease, index, live, laid_out, logs, events, gate, shared, .. } = assignment;
    let Assignment { traces_ios, keeps_slow_ios, .. } = assignment;
    let worker = &plan.workers[index];
    let (flows, control_groups, ranges, locks) = (&live.flows, &live.control_groups, &live.ranges, &live.locks);
    let (plan, lease, live) = (&*plan, &*lease, &live.workers[index]);
    let context = Context {
        plan,
        lease,
        worker,
        platform,
        live,
        events: &events,
        flows,
        control_groups,
        ranges,
        locks,
        traces_ios,
        keeps_slow_ios: keeps_slow_ios.as_ref(),
    };
    live.set_state(State::Initialising);
    events.started(started(context));
    let mut ticket = Ticket::new(gate);
    let ended = match &worker.load {
        Load::Threads(planned) => streams::run(context, planned, &shared, &mut || {
            live.set_state(State::Ready);
            ticket.wait_for_all(live.stop.flag())
        }),
        Load::Job(load) => {
            let mut wait_at_gate = || {
                live.set_state(State::Ready);
                ticket.wait(live.stop.flag())
            };
            match worker.engine {
                Engine::Cpu { load_percent, chunk_us, sorts, .. } => {
                    burn::run(context, (load_percent, chunk_us, sorts), &mut wait_at_gate)
                }
                Engine::Exec(ref exec) => program::run(context, exec, &mut wait_at_gate),
                _ => job::run(context, Job { worker, load }, laid_out, logs, &mut wait_at_gate),
            }
        }
    };
    drop(ticket);
    live.set_state(State::Ended);
    events.ended(ended);
}

fn started(context: Context) -> Started {
    let clock = context.clock();
    // The settings of the thread report a clock that the kernel does not have.
    let start_clock = context.worker.process.start_clock;
    let clock_ms = start_clock.and_then(|id| clock.kernel_clock(id).ok()).map(|ns| ns / 1_000_000);
    Started { tid: os::process::thread_id(), unix_ms: clock.unix_us() / 1000, clock_ms }
}
