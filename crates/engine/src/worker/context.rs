//! What every part of a worker's thread needs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use os::clock::Clock;
use os::platform::Platform;
use plan::{Plan, Worker};
use targets::Lease;

use super::deadlines::WAIT_MAX;
use super::events::EventSender;
use crate::control_groups::ControlGroups;
use crate::flow::Flows;
use crate::live::WorkerLive;
use crate::overlap::SharedRanges;
use crate::stop::StopKind;
use crate::target_locks::SharedLocks;

/// The worker of a thread, with its surroundings.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub plan: &'a Plan,
    pub lease: &'a Lease,
    pub worker: &'a Worker,
    pub platform: Platform,
    pub live: &'a WorkerLive,
    pub events: &'a EventSender,
    pub flows: &'a Flows,
    pub control_groups: &'a ControlGroups,
    pub ranges: &'a Arc<SharedRanges>,
    pub locks: &'a SharedLocks,
    pub traces_ios: bool,
    pub keeps_slow_ios: Option<&'a Arc<AtomicBool>>,
}

impl Context<'_> {
    /// Returns a new clock of the worker's `clocksource`. A clock is more precise the later it is made.
    pub fn clock(&self) -> Clock {
        self.platform.clock(self.worker.measure.clock)
    }

    pub fn is_stopped(&self) -> bool {
        self.live.stop.is_made()
    }

    /// Returns true if a signal interrupts the run. A worker that only ends with others is stopped and not interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.live.stop.is_at_least(StopKind::Interrupt)
    }

    /// Sleeps until `end_ns` or a stop.
    pub fn sleep_until(&self, clock: Clock, end_ns: u64) {
        while !self.is_stopped() {
            let left = Duration::from_nanos(end_ns.saturating_sub(clock.now()));
            if left.is_zero() {
                break;
            }
            clock.sleep(left.min(WAIT_MAX));
        }
    }
}
