//! Process and threads: resource usage, priorities, ids, terminal.

use std::io::{self, Read};
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::process::{Child, Command};

use rustix::process::{self, Gid, Pid, Resource, Rlimit, Signal, Uid};
use rustix::thread;
use rustix::time::ClockId;

use crate::linux::file::{check, check_call};
use crate::linux::memory::MemoryMap;
use crate::linux::number::{ns_of_timeval, unsigned};
use crate::process::Usage;
pub use crate::unix::home_folder;

/// Returns this thread's usage since its start.
pub fn thread_usage() -> Usage {
    // Reading this clock updates the thread's CPU time: getrusage alone can be late by one tick, which matters for a short run.
    let _ = rustix::time::clock_gettime(ClockId::ThreadCPUTime);
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut found: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut found) };
    Usage {
        user_ns: ns_of_timeval(found.ru_utime),
        system_ns: ns_of_timeval(found.ru_stime),
        voluntary_switches: unsigned(found.ru_nvcsw),
        involuntary_switches: unsigned(found.ru_nivcsw),
        minor_faults: unsigned(found.ru_minflt),
        major_faults: unsigned(found.ru_majflt),
        run_delay_ns: run_delay_ns(),
    }
}

/// Returns the second of the three numbers of this thread's schedstat. A small buffer on the stack is enough.
fn run_delay_ns() -> Option<u64> {
    let mut text = [0u8; 96];
    let read = std::fs::File::open("/proc/thread-self/schedstat").ok()?.read(&mut text).ok()?;
    std::str::from_utf8(&text[..read]).ok()?.split_whitespace().nth(1)?.parse().ok()
}

/// Sets this thread's nice value.
///
/// # Errors
/// Returns the error of the system call, such as EACCES for a lower value without the permission.
pub fn set_nice(nice: i32) -> io::Result<()> {
    // On Linux the nice value belongs to the thread.
    Ok(process::setpriority_process(None, nice)?)
}

/// Real-time priority of a thread (`SCHED_FIFO`, lowest priority): the thread runs before all threads without one.
/// Threads that it starts have none. Drop restores the former policy.
pub struct RealtimePriority {
    former: libc::c_int,
    /// The priority belongs to the thread that took it.
    of_thread: PhantomData<*const ()>,
}

impl RealtimePriority {
    /// Gives this thread the priority.
    ///
    /// # Errors
    /// Returns the error of the system call, such as EPERM without the permission, or `AlreadyExists` if the thread has a
    /// real-time priority.
    pub fn take() -> io::Result<Self> {
        // SAFETY: no pointers. 0 is the calling thread. musl has no function for this call.
        let former = check_call(unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) })?;
        let has_none = [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE];
        if !has_none.contains(&(former & !libc::SCHED_RESET_ON_FORK)) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        set_policy(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, 1)?;
        Ok(RealtimePriority { former, of_thread: PhantomData })
    }
}

impl Drop for RealtimePriority {
    fn drop(&mut self) {
        // Only CAP_SYS_NICE can clear the flag. Without it the flag stays: threads that this one starts have no
        // priority.
        let _ = set_policy(self.former, 0).or_else(|_| set_policy(self.former | libc::SCHED_RESET_ON_FORK, 0));
    }
}

fn set_policy(policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    // SAFETY: the pointer is to a live integer, the only member of the kernel's `struct sched_param`. 0 is the calling thread.
    // musl has no function for this call.
    check_call(unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority) }).map(drop)
}

/// Sets the user of this thread alone, for all its permissions. It cannot be changed back.
///
/// # Errors
/// Returns the error of the system call, such as EPERM for another user without the permission.
pub fn set_thread_user(user: u32) -> io::Result<()> {
    let user = Uid::from_raw(user);
    Ok(thread::set_thread_res_uid(user, user, user)?)
}

/// Sets the group of this thread alone, for all its permissions.
///
/// # Errors
/// Returns the error of the system call, such as EPERM for another group without the permission.
pub fn set_thread_group(group: u32) -> io::Result<()> {
    let group = Gid::from_raw(group);
    Ok(thread::set_thread_res_gid(group, group, group)?)
}

/// Sets this thread's I/O priority.
///
/// # Errors
/// Returns the error of the system call, such as EPERM for the real-time class without the permission.
pub fn set_io_priority(priority: u16) -> io::Result<()> {
    const WHO_PROCESS: libc::c_int = 1;
    // SAFETY: no pointers. Id 0 is the calling thread.
    check_call(unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, libc::c_int::from(priority)) }).map(drop)
}

/// Memory locked into RAM, so that less is left for the page cache. It is freed on drop.
pub struct LockedMemory(#[expect(dead_code, reason = "unmapped on drop")] MemoryMap);

impl LockedMemory {
    /// Allocates and locks memory.
    ///
    /// # Errors
    /// Returns the error of the system call. Beyond the limit on locked memory, the text names the limit.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let memory = MemoryMap::anonymous(bytes, 0)?;
        // SAFETY: the range is the new mapping.
        check(unsafe { libc::mlock(memory.start.cast(), bytes) }).map_err(|error| {
            let (needed, limit) = (units::format::size(bytes as u64), locked_memory_limit());
            io::Error::new(error.kind(), format!("{} for {needed}: {limit}", crate::errno::reason(&error)))
        })?;
        Ok(LockedMemory(memory))
    }
}

/// Returns the limit on locked memory, with its value and how to raise it.
pub(crate) fn locked_memory_limit() -> String {
    let limit = process::getrlimit(Resource::Memlock).current;
    let value = limit.map_or_else(|| "unlimited".to_owned(), units::format::size);
    format!(
        "RLIMIT_MEMLOCK is {value} (raise it with `ulimit -l KIB`, memlock in limits.conf, or LimitMEMLOCK= of the service)"
    )
}

// SAFETY: only this value uses the memory, and it is never read or written.
unsafe impl Send for LockedMemory {}

/// Fills a slice with random bytes of the kernel.
///
/// # Errors
/// Returns the error of reading `/dev/urandom`.
pub fn random_bytes(bytes: &mut [u8]) -> io::Result<()> {
    std::fs::File::open("/dev/urandom")?.read_exact(bytes)
}

/// Returns a process that runs a command with `sh`.
pub fn shell(command: &str) -> Command {
    let mut process = Command::new("sh");
    process.arg("-c").arg(command);
    process
}

/// Sends SIGTERM to a child process that was not waited for.
///
/// # Errors
/// Returns the error of the system call.
pub fn terminate(child: &mut Child) -> io::Result<()> {
    Ok(process::kill_process(Pid::from_child(child), Signal::TERM)?)
}

/// Returns the kernel's id of this thread.
pub fn thread_id() -> u32 {
    thread::gettid().as_raw_nonzero().get().unsigned_abs()
}

/// Sets the timer slack of this thread in ns: the maximum delay of its sleeps.
///
/// # Errors
/// Returns the error of the system call.
pub fn set_timer_slack(slack_ns: u64) -> io::Result<()> {
    Ok(thread::set_current_timer_slack(NonZeroU64::new(slack_ns))?)
}

/// Raises the soft limit on open files to the hard limit and returns it.
///
/// # Errors
/// Returns the error of the system call if the limit cannot be read or set.
pub fn raise_open_file_limit() -> io::Result<u64> {
    let maximum = process::getrlimit(Resource::Nofile).maximum;
    process::setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    Ok(maximum.unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::sync::{Arc, Barrier};
    use std::time::Duration;

    use super::*;

    /// Longest time in which a thread that is busy on a busy machine gets some CPU time.
    const LONGEST: Duration = Duration::from_secs(240);

    #[test]
    fn a_busy_thread_uses_time() {
        let before = thread_usage();
        let start = std::time::Instant::now();
        // A busy machine may give this thread little CPU time.
        let mut used = Usage::default();
        while used.user_ns + used.system_ns < 5_000_000 && start.elapsed() < LONGEST {
            used = thread_usage().since(&before);
        }
        assert!(used.user_ns + used.system_ns >= 5_000_000, "{used:?}");
    }

    #[test]
    fn threads_that_share_a_cpu_wait_for_it() {
        let cpu = *crate::cpu::affinity().unwrap().first().unwrap();
        let (both, waited) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
        // Each thread spins until both have waited: how soon that is depends on the scheduler.
        let spin = move || {
            crate::cpu::set_affinity(&[cpu]).unwrap();
            both.wait();
            let (before, start) = (thread_usage(), std::time::Instant::now());
            let (mut used, mut has_waited) = (Usage::default(), false);
            while waited.load(Relaxed) < 2 && start.elapsed() < LONGEST {
                used = thread_usage().since(&before);
                if !has_waited && used.run_delay_ns.is_none_or(|waited_ns| waited_ns > 20_000_000) {
                    has_waited = true;
                    waited.fetch_add(1, Relaxed);
                }
            }
            (used, has_waited)
        };
        let used = [std::thread::spawn(spin.clone()), std::thread::spawn(spin)].map(|thread| thread.join().unwrap());
        if used.iter().any(|(used, _)| used.run_delay_ns.is_none()) {
            return eprintln!("SKIPPED: this kernel does not count how long threads wait for a CPU");
        }
        assert!(used.iter().all(|(_, has_waited)| *has_waited), "{used:?}");
    }

    #[test]
    fn a_thread_takes_a_priority_and_a_nice_value() {
        let best_effort_5 = 0x4005;
        let thread = std::thread::spawn(move || set_io_priority(best_effort_5).and_then(|()| set_nice(1)));
        thread.join().unwrap().unwrap();
    }

    #[test]
    fn a_realtime_priority_is_of_one_thread_and_ends() {
        // SAFETY: no pointers.
        let policy = || unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) } as i32;
        let former = policy();
        match RealtimePriority::take() {
            Ok(priority) => {
                assert_eq!(policy() & !libc::SCHED_RESET_ON_FORK, libc::SCHED_FIFO);
                assert_eq!(std::thread::spawn(policy).join().unwrap(), libc::SCHED_OTHER);
                assert!(RealtimePriority::take().is_err());
                drop(priority);
                assert_eq!(policy() & !libc::SCHED_RESET_ON_FORK, former);
            }
            Err(error) => eprintln!("SKIPPED: no thread may have a real-time priority here: {error}"),
        }
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
