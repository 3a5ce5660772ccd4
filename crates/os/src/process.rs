//! Process and threads: resource usage, priorities, ids, terminal.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::Duration;

pub use crate::system::process::{
    LockedMemory, RealtimePriority, home_folder, raise_open_file_limit, random_bytes, set_io_priority, set_nice,
    set_thread_group, set_thread_user, set_timer_slack, shell, terminate, thread_id, thread_usage,
};

/// Interval of polling a child process.
const CHILD_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Time of a child process between the request to end and its kill.
const CHILD_GRACE: Duration = Duration::from_secs(2);

/// Resource usage of a thread or process since its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Time in ns in which the thread was runnable and waited for a CPU. `None` if the kernel does not report it.
    pub run_delay_ns: Option<u64>,
}

impl Usage {
    /// Returns the usage since `earlier`.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            voluntary_switches: self.voluntary_switches.saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self.involuntary_switches.saturating_sub(earlier.involuntary_switches),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
            run_delay_ns: self.run_delay_ns.zip(earlier.run_delay_ns).map(|(now, then)| now.saturating_sub(then)),
        }
    }
}

/// Ends a child process: requests its end, waits up to `grace`, and kills it if it still runs. After a stop the rest of the
/// wait takes at most `grace_after_stop`.
///
/// # Errors
/// Returns the error of the system call if the child cannot be waited for.
pub fn end(
    child: &mut Child,
    grace: Duration,
    grace_after_stop: Duration,
    is_stopped: impl Fn() -> bool,
) -> io::Result<()> {
    if child.try_wait()?.is_some() {
        return Ok(());
    }
    terminate(child)?;
    if !ends_within(child, grace, || if is_stopped() { grace_after_stop } else { Duration::MAX })? {
        child.kill()?;
        child.wait()?;
    }
    Ok(())
}

/// Waits for a child process. Returns false if it still runs after `time`. `left_max` limits the time that is left.
fn ends_within(child: &mut Child, time: Duration, left_max: impl Fn() -> Duration) -> io::Result<bool> {
    let mut left = time;
    while child.try_wait()?.is_none() {
        left = left.min(left_max());
        if left.is_zero() {
            return Ok(false);
        }
        let pause = left.min(CHILD_POLL_INTERVAL);
        std::thread::sleep(pause);
        left -= pause;
    }
    Ok(true)
}

/// Waits up to `patience` for a child process, then ends it.
///
/// # Errors
/// Returns the error of the system call if the child cannot be waited for.
pub fn end_after(child: &mut Child, patience: Duration) -> io::Result<()> {
    if ends_within(child, patience, || Duration::MAX)? {
        return Ok(());
    }
    end(child, CHILD_GRACE, CHILD_GRACE, || false)
}

/// Waits for a child process and returns its exit status.
///
/// Returns `None` if the child still runs `grace` after `is_stopped` first returned true. The child then keeps running.
///
/// # Errors
/// Returns the error of the system call if the child cannot be waited for.
pub fn wait(mut child: Child, grace: Duration, is_stopped: impl Fn() -> bool) -> io::Result<Option<ExitStatus>> {
    let mut left = grace;
    while !left.is_zero() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(CHILD_POLL_INTERVAL);
        if is_stopped() {
            left = left.saturating_sub(CHILD_POLL_INTERVAL);
        }
    }
    Ok(None)
}
