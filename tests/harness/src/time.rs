//! Waits that work at any speed of the machine: for a condition, or with longer times on each try.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::{Outcome, outcome};

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

/// Calls `attempt` with a factor for its waits of 1, 3 and 9, until its result is `enough`. Returns the last result in
/// any case, so that the caller's assertions show what is missing.
pub fn patiently<T>(mut attempt: impl FnMut(u32) -> T, enough: impl Fn(&T) -> bool) -> T {
    for times in [1, 3] {
        let found = attempt(times);
        if enough(&found) {
            return found;
        }
        eprintln!("not enough: repeated with waits of {} times the length", 3 * times);
    }
    attempt(9)
}

/// Waits until the process handles a signal: an earlier signal would kill it.
pub fn wait_for_signal_handler(child: &Child, name: &str) {
    let number = ["HUP", "INT", "USR1", "TERM"].iter().position(|known| *known == name);
    // Others, such as STOP, cannot be handled.
    let Some(number) = number.map(|at| [1, 2, 10, 15][at]) else { return };
    wait_until(&format!("listening to SIG{name}"), || {
        let caught = status(child, "SigCgt:").and_then(|caught| u64::from_str_radix(&caught, 16).ok());
        caught.is_some_and(|caught| caught & 1 << (number - 1) != 0) || has_ended(child)
    });
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

fn has_ended(child: &Child) -> bool {
    status(child, "State:").is_none_or(|state| state.starts_with('Z'))
}

/// Returns a line of `/proc/PID/status`.
fn status(child: &Child, begin: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix(begin))?.trim().to_owned())
}

/// Sends a signal as soon as the process handles it.
pub fn signal(child: &Child, name: &str) {
    wait_for_signal_handler(child, name);
    drop(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).output());
}

/// Sends the signals, 100 ms apart, at the time `after` since the process handles the first.
pub fn interrupted(child: Child, after: Duration, signals: &[&str]) -> Outcome {
    wait_for_signal_handler(&child, signals[0]);
    std::thread::sleep(after);
    for (nth, name) in signals.iter().enumerate() {
        if nth > 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        signal(&child, name);
    }
    outcome(child)
}

/// Runs a test that other load on the machine can disturb, up to three times. It passes if one run passes: a bug fails
/// each time.
pub fn undisturbed(test: impl Fn()) {
    for _ in 0..2 {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(&test)).is_ok() {
            return;
        }
        eprintln!("spoilt: once more");
    }
    test();
}
