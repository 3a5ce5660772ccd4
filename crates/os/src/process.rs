//! The process and its threads: what they used, with which priority they run, their names, the terminal.

use std::io::{self, Read};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use crate::file::check;

/// What a thread or the process has used since its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub user_ns: u64,
    pub system_ns: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Time in ns in which the thread was ready and waited for a CPU. `None` if the kernel does not count it.
    pub run_delay_ns: Option<u64>,
}

impl Usage {
    /// Returns what was used since `earlier`.
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

/// Returns what this thread has used since its start.
pub fn thread_usage() -> Usage {
    let mut brought_up_to_date = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live value. The kernel brings the thread's time up to date for this clock only;
    // getrusage alone is behind by up to a tick, which is more than all of a short run.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut brought_up_to_date) };
    Usage { run_delay_ns: run_delay_ns(), ..usage(libc::RUSAGE_THREAD) }
}

/// The second of the scheduler's three figures of this thread; they are few enough for one read into the stack.
fn run_delay_ns() -> Option<u64> {
    let mut text = [0u8; 96];
    let read = std::fs::File::open("/proc/thread-self/schedstat").ok()?.read(&mut text).ok()?;
    std::str::from_utf8(&text[..read]).ok()?.split_whitespace().nth(1)?.parse().ok()
}

fn usage(who: libc::c_int) -> Usage {
    // SAFETY: the structure is plain numbers; all zeroes is one.
    let mut found: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure; both values of `who` are always valid.
    unsafe { libc::getrusage(who, &mut found) };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    Usage {
        user_ns: ns(found.ru_utime),
        system_ns: ns(found.ru_stime),
        voluntary_switches: found.ru_nvcsw as u64,
        involuntary_switches: found.ru_nivcsw as u64,
        minor_faults: found.ru_minflt as u64,
        major_faults: found.ru_majflt as u64,
        run_delay_ns: None,
    }
}

/// Sets this thread's nice value.
///
/// # Errors
/// Returns the error of the system, such as EACCES for a lower value than now.
pub fn set_nice(nice: i32) -> io::Result<()> {
    // SAFETY: no pointers; on Linux the value belongs to the thread.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, thread_id() as libc::id_t, nice) }).map(drop)
}

/// Sets this thread's I/O priority.
///
/// # Errors
/// Returns the error of the system, such as EPERM for a real-time class without the right to it.
pub fn set_io_priority(priority: u16) -> io::Result<()> {
    const WHO_PROCESS: libc::c_int = 1;
    // SAFETY: no pointers; thread 0 is the calling one.
    check(unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, libc::c_int::from(priority)) } as i32).map(drop)
}

/// Memory that is locked into RAM, to leave less for the page cache; freed with this value.
pub struct LockedMemory {
    address: *mut libc::c_void,
    bytes: usize,
}

impl LockedMemory {
    pub fn new(bytes: usize) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping, placed by the kernel.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = LockedMemory { address, bytes };
        // SAFETY: the range is the mapping just made.
        check(unsafe { libc::mlock(address, bytes) })?;
        Ok(memory)
    }
}

impl Drop for LockedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.address, self.bytes) };
    }
}

// SAFETY: the memory belongs to this value alone and is never read or written.
unsafe impl Send for LockedMemory {}

/// Interval at which a child process is checked.
const CHILD_LOOK: Duration = Duration::from_millis(5);

/// Waits for a child process and returns its exit status.
///
/// Returns `None` if the child still runs `grace` after `is_stopped` first returned true. The child then goes on.
///
/// # Errors
/// Returns the error of the system if the child cannot be waited for.
pub fn wait(mut child: Child, grace: Duration, is_stopped: impl Fn() -> bool) -> io::Result<Option<ExitStatus>> {
    let mut left = grace;
    while !left.is_zero() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(CHILD_LOOK);
        if is_stopped() {
            left = left.saturating_sub(CHILD_LOOK);
        }
    }
    Ok(None)
}

/// Returns the kernel's id of this thread.
pub fn thread_id() -> u32 {
    // SAFETY: no arguments.
    unsafe { libc::gettid() as u32 }
}

/// Sets the timer slack of this thread: the most by which its sleeps end late, in ns.
///
/// # Errors
/// Returns the error of the system.
pub fn set_timer_slack(slack_ns: u64) -> io::Result<()> {
    // SAFETY: no pointers.
    check(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack_ns as libc::c_ulong) }).map(drop)
}

/// Returns true if standard output is a terminal.
pub fn stdout_is_terminal() -> bool {
    // SAFETY: no pointers.
    unsafe { libc::isatty(libc::STDOUT_FILENO) == 1 }
}

/// Raises the soft limit on open files to the hard limit and returns it.
///
/// # Errors
/// Returns the error of the system if the limit cannot be read or set.
pub fn raise_open_file_limit() -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) })?;
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: the kernel reads the structure.
    check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) })?;
    Ok(limit.rlim_cur)
}

/// Ignores SIGXFSZ: a write beyond the file size limit then fails with EFBIG and does not end the process.
pub fn ignore_file_size_signal() {
    // SAFETY: no handler of ours is called.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Returns true if the process has the rights of root.
pub fn is_root() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_busy_thread_uses_time() {
        let before = thread_usage();
        let start = std::time::Instant::now();
        // A busy machine may give it little of the time.
        let mut used = Usage::default();
        while used.user_ns + used.system_ns < 5_000_000 && start.elapsed() < Duration::from_secs(240) {
            used = thread_usage().since(&before);
        }
        assert!(used.user_ns + used.system_ns >= 5_000_000, "{used:?}");
    }

    #[test]
    fn threads_that_share_a_cpu_wait_for_it() {
        let cpu = *crate::cpu::affinity().unwrap().first().unwrap();
        let both = std::sync::Arc::new(std::sync::Barrier::new(2));
        let spin = move || {
            crate::cpu::set_affinity(&[cpu]).unwrap();
            both.wait();
            let (before, start) = (thread_usage(), std::time::Instant::now());
            while start.elapsed() < Duration::from_millis(100) {
                std::hint::spin_loop();
            }
            thread_usage().since(&before)
        };
        let used = [std::thread::spawn(spin.clone()), std::thread::spawn(spin)].map(|thread| thread.join().unwrap());
        for used in used {
            let Some(waited_ns) = used.run_delay_ns else {
                eprintln!("SKIPPED: this kernel does not count how long threads wait for a CPU");
                return;
            };
            assert!(waited_ns > 20_000_000, "{used:?}");
        }
    }

    #[test]
    fn a_thread_takes_a_priority_and_a_nice_value() {
        let best_effort_5 = 0x4005;
        let thread = std::thread::spawn(move || set_io_priority(best_effort_5).and_then(|()| set_nice(1)));
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn memory_is_locked_and_threads_are_numbered() {
        match LockedMemory::new(64 << 10) {
            Ok(memory) => drop(memory),
            Err(error) => eprintln!("SKIPPED: no memory may be locked here: {error}"),
        }
        assert!(thread_id() > 0);
    }
}
