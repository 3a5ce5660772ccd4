//! Times in which the process did not run: it was stopped (SIGSTOP, a debugger, a frozen cgroup), the virtual machine was
//! paused, or the system was suspended.
//!
//! A thread that only waits wakes up at short intervals. If it is late and did not wait for a CPU, nothing of the process
//! ran. A slow disk cannot delay it, as it makes no I/O.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use os::clock::kernel_clock;
use os::process::thread_usage;
use record::{Interruption, InterruptionCause};

const INTERVAL: Duration = Duration::from_millis(100);
/// A shorter delay is not reported: page faults and firmware can cause it.
const SHORTEST_NS: u64 = 500_000_000;
/// Numbers of the kernel's clocks.
const CLOCK_MONOTONIC: i32 = 1;
const CLOCK_BOOTTIME: i32 = 7;
const STACK_BYTES: usize = 64 * 1024;

/// Watches the process until [`InterruptionWatch::end`].
pub struct InterruptionWatch {
    stop: Sender<()>,
    thread: JoinHandle<Vec<Interruption>>,
}

impl InterruptionWatch {
    /// Starts the thread. `None` if there is no thread to be had: the run goes on without it.
    pub fn start() -> Option<Self> {
        let (stop, stopped) = channel();
        let thread = Builder::new().name("interruptions".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn(move || watch(&stopped)).ok()?;
        Some(InterruptionWatch { stop, thread })
    }

    /// Returns the interruptions since the start.
    pub fn end(self) -> Vec<Interruption> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

/// Readings at one moment, in ns.
#[derive(Clone, Copy, Default)]
struct Moment {
    monotonic_ns: u64,
    /// As the monotonic clock, and goes on while the system is suspended.
    boot_ns: u64,
    /// Time in which this thread waited for a CPU; `None` if the kernel does not report it.
    run_delay_ns: Option<u64>,
}

impl Moment {
    fn now() -> Self {
        let clock = |id| kernel_clock(id).unwrap_or_default();
        let run_delay_ns = thread_usage().run_delay_ns;
        Moment { monotonic_ns: clock(CLOCK_MONOTONIC), boot_ns: clock(CLOCK_BOOTTIME), run_delay_ns }
    }
}

fn watch(stop: &Receiver<()>) -> Vec<Interruption> {
    let start = Moment::now();
    let (mut found, mut before) = (Vec::new(), start);
    loop {
        let waited = stop.recv_timeout(INTERVAL);
        let now = Moment::now();
        found.extend(interruption(start, before, now));
        before = now;
        if waited != Err(RecvTimeoutError::Timeout) {
            return found;
        }
    }
}

/// Returns the interruption of a wait of at most [`INTERVAL`].
fn interruption(start: Moment, before: Moment, now: Moment) -> Option<Interruption> {
    let awake_ns = now.monotonic_ns.saturating_sub(before.monotonic_ns);
    let suspended_ns = now.boot_ns.saturating_sub(before.boot_ns).saturating_sub(awake_ns);
    let late_ns = awake_ns.saturating_sub(crate::number::ns_of(INTERVAL));
    let waited_ns = now.run_delay_ns?.saturating_sub(before.run_delay_ns?);
    let (length_ns, cause) = match () {
        () if suspended_ns >= SHORTEST_NS => (suspended_ns, InterruptionCause::Suspended),
        () if late_ns >= SHORTEST_NS && waited_ns < late_ns / 2 => (late_ns, InterruptionCause::Stopped),
        () => return None,
    };
    let from_ns = before.monotonic_ns.saturating_sub(start.monotonic_ns);
    Some(Interruption { from_ns, length_ns, cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// After a wait that took `awake_ms` by the monotonic clock and `boot_ms` by that of the boot time, `waiting_ms` of it
    /// for a CPU. The wait starts 2 s after the start.
    fn after(awake_ms: u64, boot_ms: u64, waiting_ms: u64) -> Option<Interruption> {
        let moment =
            |monotonic_ns, boot_ns, run_delay_ns| Moment { monotonic_ns, boot_ns, run_delay_ns: Some(run_delay_ns) };
        let before = moment(12_000 * MS, 15_000 * MS, 7 * MS);
        let now = moment((12_000 + awake_ms) * MS, (15_000 + boot_ms) * MS, (7 + waiting_ms) * MS);
        interruption(moment(10_000 * MS, 13_000 * MS, 0), before, now)
    }

    #[test]
    fn a_thread_that_is_late_without_waiting_for_a_cpu_was_stopped() {
        let stopped = |length_ms: u64| Interruption {
            from_ns: 2000 * MS,
            length_ns: length_ms * MS,
            cause: InterruptionCause::Stopped,
        };
        assert_eq!(after(1600, 1600, 3), Some(stopped(1500)));
        assert_eq!(after(1600, 1600, 1400), None, "the CPUs were busy");
        assert_eq!(after(550, 550, 0), None, "too short");
    }

    #[test]
    fn time_that_only_the_boot_clock_counts_is_a_suspension() {
        let suspended = Interruption { from_ns: 2000 * MS, length_ns: 3900 * MS, cause: InterruptionCause::Suspended };
        assert_eq!(after(100, 4000, 0), Some(suspended));
    }
}
