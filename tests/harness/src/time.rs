//! Time enough on any machine: a test waits for the thing itself, and where only time brings it about, tries again with
//! more of it.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::{Outcome, outcome};

/// A wait or a run that takes longer hangs. Runs that a signal or an error must end would take 600 s.
pub const HANGS: Duration = Duration::from_secs(240);

/// Waits until it is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < HANGS, "{what}: not so after {HANGS:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// For what only time can bring about: tries with waits as long as they mostly have to be, then three and nine times as
/// long, until what comes of it is `enough`. The last one is returned in any case: the assertions say what it lacks.
pub fn patiently<T>(mut attempt: impl FnMut(u32) -> T, enough: impl Fn(&T) -> bool) -> T {
    for times in [1, 3] {
        let found = attempt(times);
        if enough(&found) {
            return found;
        }
        eprintln!("not enough: once more, with waits {} times as long", 3 * times);
    }
    attempt(9)
}

/// Waits until the program listens to a signal: earlier ones would end it.
pub fn listens(child: &Child, name: &str) {
    let number = ["HUP", "INT", "USR1", "TERM"].iter().position(|known| *known == name);
    // Others, such as STOP, nobody can listen to.
    let Some(number) = number.map(|at| [1, 2, 10, 15][at]) else { return };
    wait_until(&format!("listening to SIG{name}"), || {
        let caught = status(child, "SigCgt:").and_then(|caught| u64::from_str_radix(&caught, 16).ok());
        caught.is_some_and(|caught| caught & 1 << (number - 1) != 0) || has_ended(child)
    });
}

/// Waits until the program, or one of its threads, has a file open.
pub fn opens(child: &Child, path: &Path) {
    let path = path.canonicalize().unwrap();
    wait_until(&format!("{} is open", path.display()), || {
        let Ok(open) = std::fs::read_dir(format!("/proc/{}/fd", child.id())) else { return true };
        // One that has ended has none.
        has_ended(child) || open.flatten().any(|open| std::fs::read_link(open.path()).is_ok_and(|open| open == path))
    });
}

fn has_ended(child: &Child) -> bool {
    status(child, "State:").is_none_or(|state| state.starts_with('Z'))
}

/// A line of what the kernel says of the program.
fn status(child: &Child, begin: &str) -> Option<String> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix(begin))?.trim().to_owned())
}

/// Sends a signal as soon as it is listened to.
pub fn signal(child: &Child, name: &str) {
    listens(child, name);
    drop(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).output());
}

/// Sends the signals, 100 ms apart, when the program has listened to the first for so long.
pub fn interrupted(child: Child, after: Duration, signals: &[&str]) -> Outcome {
    listens(&child, signals[0]);
    std::thread::sleep(after);
    for (nth, name) in signals.iter().enumerate() {
        if nth > 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        signal(&child, name);
    }
    outcome(child)
}

/// For what other work on the machine may spoil as a whole, as the course of a rate: a test that holds once in three
/// times. What is wrong is so each time.
pub fn undisturbed(test: impl Fn()) {
    for _ in 0..2 {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(&test)).is_ok() {
            return;
        }
        eprintln!("spoilt: once more");
    }
    test();
}
