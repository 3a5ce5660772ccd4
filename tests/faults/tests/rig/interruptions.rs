//! Signals at random times.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use fastrand::Rng;
use faults::Sandbox;
use faults::cases::interruptions::{COMMANDS, Ends, Interrupted, SIGNALS, Signal};
use harness::{MIB, Outcome};

/// Runs of each command without `FATHOM_FAULT_RUNS`.
const RUNS: usize = 3;
/// Runs in the history before the first command. Some commands delete one.
const OLD_RUNS: usize = 40;
/// Remove what a killed run left: in `folder`, and beside each output.
const NEXT_RUNS: [&str; 7] = [
    "assess folder --short --size 8M --runtime 1 --test read-latency --no-history --report saved/report.html",
    "assess f --short --runtime 1 --test read-latency --no-history --save saved/assessment",
    "sweep bs=4k,8k --no-history --save saved fio --name=a --filename=f --rw=read --number_ios=1",
    "run --repeat 2 --no-history --save saved fio --name=a --filename=f --rw=read --number_ios=1",
    "show record --report saved/record.html",
    "export last --format csv --output saved/runs.csv",
    "fio --name=a --filename=f --rw=read --number_ios=1 --record=saved/record",
];

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new("interruptions");
    sandbox.scratch.filled("f", MIB);
    for folder in ["folder", "saved"] {
        std::fs::create_dir(sandbox.scratch.file(folder)).unwrap();
    }
    let saved = "fio --name=a --filename=f --rw=read --size=64k --record=record";
    sandbox.outcome(sandbox.spawn(saved)).assert_success();
    let old_runs = format!("history add{}", " record".repeat(OLD_RUNS));
    sandbox.outcome(sandbox.spawn(&old_runs)).assert_success();
    sandbox
}

/// Starts a command, sends signals, and returns what is wrong.
fn interrupt(sandbox: &Sandbox, case: &Interrupted, signals: &[Signal], rng: &mut Rng) -> Vec<String> {
    let mut child = sandbox.spawn_with_default_hangup(case.command);
    for signal in signals {
        std::thread::sleep(Duration::from_micros(rng.u64(0..=case.latest_ms * 1000)));
        if is_ignored_at_start(*signal) {
            harness::wait_for_signal_handler(&child, &format!("{signal:?}").to_uppercase());
        }
        drop(Command::new("kill").arg(format!("-{}", signal.number())).arg(child.id().to_string()).output());
    }
    let mut status = None;
    harness::wait_until(case.command, || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    let status = status.unwrap();
    let ended = sandbox.output(status.code());
    let mut problems = Vec::new();
    // A signal that arrives before the handlers are installed ends the process, too.
    let killed_by = status.signal().filter(|by| signals.iter().any(|signal| signal.number() == *by));
    let expected = match case.ends {
        Ends::With(code) => signals.iter().map(|_| code).collect(),
        Ends::WithSignalCode => signals.iter().map(|signal| 128 + signal.number()).collect(),
        Ends::AtOnce => Vec::new(),
    };
    let is_expected =
        killed_by.is_some() || ended.code.is_some_and(|code| code == case.done || expected.contains(&code));
    if !is_expected {
        problems.push(format!("it ended with {status}"));
    }
    if ended.stderr.contains("panicked") {
        problems.push("a panic".to_owned());
    }
    // Others print nothing if a file has the result.
    if killed_by.is_none() && case.ends != Ends::AtOnce {
        problems.extend(faults::report_problem(case.command, &ended));
    }
    wait_for_locks(child.id());
    problems.extend(left_behind(sandbox, signals));
    if problems.is_empty() { problems } else { with_output(problems, &ended) }
}

/// Waits until no lock of a process is left. The kernel ends the I/O of a killed process later than the process, and its files
/// remain open and locked until then: another run takes them for those of an active run.
fn wait_for_locks(process: u32) {
    // The number of the lock, its kind and mode in three columns, and the process.
    let is_of_process = |line: &str| line.split_whitespace().nth(4) == Some(process.to_string().as_str());
    harness::wait_until("the locks of the run are released", || {
        !std::fs::read_to_string("/proc/locks").unwrap().lines().any(is_of_process)
    });
}

/// Returns whether commands start with the signal ignored, as in a shell's background jobs. It is lost until they handle it.
fn is_ignored_at_start(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 << (signal.number() - 1) != 0
}

fn with_output(mut problems: Vec<String>, ended: &Outcome) -> Vec<String> {
    problems.push(format!("standard output:\n{}\nstandard error:\n{}", ended.stdout, ended.stderr));
    problems
}

/// Returns what remains of a run. After SIGKILL another run may remove it.
fn left_behind(sandbox: &Sandbox, signals: &[Signal]) -> Vec<String> {
    let remains = || {
        let mut problems = sandbox.problems();
        if std::fs::read_dir(sandbox.scratch.file("folder")).unwrap().next().is_some() {
            problems.push("the folder is not empty".to_owned());
        }
        problems
    };
    let problems = remains();
    if problems.is_empty() || !signals.contains(&Signal::Kill) {
        return problems;
    }
    for next in NEXT_RUNS {
        sandbox.outcome(sandbox.spawn(next));
    }
    remains()
}

#[test]
#[ignore = "slow: run by cargo xtask ci"]
fn signals_at_random_times_end_every_command() {
    let runs = number("FATHOM_FAULT_RUNS").map_or(RUNS * COMMANDS.len(), |runs| runs as usize);
    let seed = number("FATHOM_FAULT_SEED").unwrap_or(1);
    let mut rng = Rng::with_seed(seed);
    let sandbox = sandbox();
    let mut failures = Vec::new();
    for run in 0..runs {
        let case = &COMMANDS[run % COMMANDS.len()];
        let signals = SIGNALS[rng.usize(0..SIGNALS.len())];
        let problems = interrupt(&sandbox, case, signals, &mut rng);
        if !problems.is_empty() {
            failures.push(format!("run {run}: fathom {}: {signals:?}\n  {}", case.command, problems.join("\n  ")));
        }
    }
    assert!(failures.is_empty(), "FATHOM_FAULT_SEED={seed}: {} failed:\n\n{}", failures.len(), failures.join("\n\n"));
}
