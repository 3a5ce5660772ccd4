//! Waits for conditions. They work at any speed of the machine.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::priority::raise_priority;
use crate::{Outcome, Zram, outcome};

/// A longer wait or run counts as a hang. Runs that must end by a signal or an error would otherwise take 600 s.
pub const HANGS: Duration = Duration::from_secs(240);

/// Waits until `is_so` returns true.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < HANGS, "{what}: not true after {HANGS:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the process handles a signal: an earlier signal would kill it.
pub fn wait_for_signal_handler(child: &Child, name: &str) {
    // Others, such as STOP, cannot be handled.
    let Some(bit) = signal_bit(name) else { return };
    wait_until(&format!("listening to SIG{name}"), || signals(child, "SigCgt:") & bit != 0 || has_ended(child));
}

/// Waits until a thread of the process has taken a signal. Until then the kernel drops a second one of its kind.
fn wait_for_delivery(child: &Child, name: &str) {
    let Some(bit) = signal_bit(name) else { return };
    wait_until(&format!("SIG{name} is delivered"), || signals(child, "ShdPnd:") & bit == 0 || has_ended(child));
}

/// Returns the bit of a signal that can be handled.
fn signal_bit(name: &str) -> Option<u64> {
    let number = ["HUP", "INT", "USR1", "TERM"].iter().position(|known| *known == name);
    number.map(|at| 1 << ([1, 2, 10, 15][at] - 1))
}

/// Returns a set of signals in `/proc/PID/status`.
fn signals(child: &Child, set: &str) -> u64 {
    status(child, set).and_then(|set| u64::from_str_radix(&set, 16).ok()).unwrap_or(0)
}

/// Waits until the process has a file open.
pub fn wait_for_open_file(child: &Child, path: &Path) {
    let path = path.canonicalize().unwrap();
    wait_until(&format!("{} is open", path.display()), || {
        let Ok(open) = std::fs::read_dir(format!("/proc/{}/fd", child.id())) else { return true };
        // A process that has ended has no files open.
        has_ended(child) || open.flatten().any(|open| std::fs::read_link(open.path()).is_ok_and(|open| open == path))
    });
}

/// Waits until the threads of a run, except the first, have slept `sleeps` times, and 150 ms more. 10 ms of CPU time count as
/// a sleep. A worker that waits sleeps ten times per second, another one for each I/O or not at all. Therefore the run has
/// done I/O by then, on a machine of any speed, and the times in its report are above 100 ms.
pub fn wait_for_work(child: &Child, sleeps: u64) {
    wait_until("the threads of a run work", || has_ended(child) || slept(child) >= sleeps);
    std::thread::sleep(Duration::from_millis(150));
}

/// Name of the engine's thread that watches for interruptions. It sleeps whether the run works or not.
const WATCH_THREAD: &str = "interruptions";

/// Returns the sleeps of the threads that work or control the work, with their CPU time: all except the first and the watch.
fn slept(child: &Child) -> u64 {
    let first = child.id().to_string();
    let is_watch = |thread: &PathBuf| {
        std::fs::read_to_string(thread.join("comm")).is_ok_and(|name| name.trim_end() == WATCH_THREAD)
    };
    let is_first = |thread: &PathBuf| thread.file_name().is_some_and(|id| id == first.as_str());
    let threads = threads(child).into_iter().filter(|thread| !is_first(thread) && !is_watch(thread));
    let of_thread = |thread: PathBuf| {
        let sleeps: u64 = line(&thread.join("status"), "voluntary_ctxt_switches:")?.parse().ok()?;
        let times = std::fs::read_to_string(thread.join("schedstat")).ok()?;
        let cpu_ns: u64 = times.split_whitespace().next()?.parse().ok()?;
        Some(sleeps + cpu_ns / 10_000_000)
    };
    threads.filter_map(of_thread).sum()
}

/// Waits until a thread of the process is blocked in the kernel and cannot be interrupted.
pub fn wait_for_blocked_thread(child: &Child) {
    let is_blocked =
        |thread: &PathBuf| line(&thread.join("status"), "State:").is_some_and(|state| state.starts_with('D'));
    // I/O that makes progress blocks for a moment.
    let mut times = 0;
    wait_until("a thread is blocked", || {
        times = if threads(child).iter().any(is_blocked) { times + 1 } else { 0 };
        times == 20 || has_ended(child)
    });
}

/// Looks at a device, 5 ms apart or more, after which it is silent. A machine that is too busy for the run's I/Os delays the looks, too.
const SILENT_LOOKS: u32 = 100;

/// Waits until a device completes no I/Os.
pub fn wait_for_silence(device: &Zram) {
    let (mut last, mut silent) = (device.ios(), 0);
    wait_until("the device is silent", || {
        let ios = device.ios();
        silent = if ios == last { silent + 1 } else { 0 };
        last = ios;
        silent == SILENT_LOOKS
    });
}

/// Returns the folders of the threads of a process.
fn threads(child: &Child) -> Vec<PathBuf> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{}/task", child.id())) else { return Vec::new() };
    threads.flatten().map(|thread| thread.path()).collect()
}

/// Returns true if the main thread of the process has ended. Other threads can still be stuck in the kernel.
pub fn has_ended(child: &Child) -> bool {
    status(child, "State:").is_none_or(|state| state.starts_with('Z'))
}

/// Returns a line of `/proc/PID/status`.
fn status(child: &Child, begin: &str) -> Option<String> {
    line(Path::new(&format!("/proc/{}/status", child.id())), begin)
}

/// Returns the rest of the line that begins with a text.
fn line(file: &Path, begin: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(text.lines().find_map(|line| line.strip_prefix(begin))?.trim().to_owned())
}

/// Sends a signal as soon as the process handles it.
pub fn signal(child: &Child, name: &str) {
    wait_for_signal_handler(child, name);
    // A worker that gets no CPU for a second after the signal would be reported as stuck.
    if ["HUP", "INT", "TERM"].contains(&name) {
        raise_priority(child);
    }
    drop(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).output());
}

/// Sends the signals, at least 100 ms apart, as soon as the process handles the first.
pub fn interrupted(child: Child, signals: &[&str]) -> Outcome {
    for (nth, name) in signals.iter().enumerate() {
        if nth > 0 {
            wait_for_delivery(&child, signals[nth - 1]);
            std::thread::sleep(Duration::from_millis(100));
        }
        signal(&child, name);
    }
    outcome(child)
}
