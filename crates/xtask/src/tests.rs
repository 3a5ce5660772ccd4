//! Runs all tests, each in a process of its own. No test is run again after it failed.
//!
//! Tests of a binary or module called `timing` run after the others, one for each CPU at once. Those of a module called
//! `alone` run last, one after another. A test is skipped if its output has a line that begins with `SKIPPED`, or if it
//! has the attribute `ignore`. A skipped test is no passed test. Lines that begin with `RETRIED` are listed: the test started
//! another program once more.

pub mod build;
pub mod one;
mod summary;

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use build::{Needs, Test};
use one::{Ended, Outcome, run_one};
use summary::{Ran, Summary};

/// Time for all tests that depend on timing, on an idle machine with two CPUs. A slower machine needs about the same time,
/// as these tests mostly wait.
const TIMING_BUDGET: Duration = Duration::from_secs(150);
/// Tests at once for each CPU: most of them wait for runs.
const TESTS_PER_CPU: usize = 3;

/// Builds and runs all tests with the environment `variables`, and prints a summary. `checks` run at the same time as the
/// tests that depend on timing, because these mostly wait.
///
/// # Errors
///
/// The tests do not build, one of them failed, or the checks did.
pub fn run(
    variables: Vec<(&'static str, PathBuf)>,
    checks: impl FnOnce() -> Result<(), String> + Send,
) -> Result<(), String> {
    let start = Instant::now();
    let mut built = build::build(crate::root()?, &[])?;
    built.variables.extend(variables);
    eprintln!("xtask: building the tests took {} s", start.elapsed().as_secs());
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut ran = Vec::new();
    let mut run_those = |needs, threads, what: &str| {
        let tests: Vec<Test> = built.tests.iter().filter(|test| test.needs() == needs).cloned().collect();
        eprintln!("xtask: {} tests {what}, {threads} at once", tests.len());
        let start = Instant::now();
        ran.extend(run_at_once(&tests, threads, &built));
        start.elapsed()
    };
    let others = run_those(Needs::Nothing, TESTS_PER_CPU * cpus, "that do not depend on timing");
    eprintln!("xtask: they took {} s", others.as_secs());
    let (timing, checked) = std::thread::scope(|scope| {
        let checked = scope.spawn(checks);
        let timing = run_those(Needs::IdleCpu, cpus, "that depend on timing");
        (timing, checked.join().unwrap_or_else(|_| Err("the checks panicked".to_owned())))
    });
    let timing = timing + run_those(Needs::IdleMachine, 1, "that need an idle machine");
    let over = if timing > TIMING_BUDGET { ": shorten them, or test on the virtual clock" } else { "" };
    eprintln!("xtask: they took {} s of a budget of {} s{over}", timing.as_secs(), TIMING_BUDGET.as_secs());
    let summary = Summary::of(&ran);
    eprint!("{summary}");
    checked?;
    summary.check(is_complete_machine())
}

/// Returns true if the tests have what they need: root, zram and loop devices, FUSE, control groups that limit I/O, and the
/// programs that `.ci/run` installs.
fn is_complete_machine() -> bool {
    let is_installed = |program: &str| {
        std::env::var_os("PATH")
            .is_some_and(|paths| std::env::split_paths(&paths).any(|path| path.join(program).exists()))
    };
    // Only root may open it.
    let may_use_devices = std::fs::File::open("/sys/class/zram-control/hot_add").is_ok();
    let exists = |path: &str| std::path::Path::new(path).exists();
    let has_kernel = ["/dev/fuse", "/dev/loop-control", "/sys/fs/cgroup/blkio"].into_iter().all(exists);
    may_use_devices && has_kernel && ["fio", "strace", "mkfs.xfs", "mkfs.ext4"].into_iter().all(is_installed)
}

/// Runs tests with some threads, in the order given, and prints the output of each failed test.
fn run_at_once(tests: &[Test], threads: usize, built: &build::Built) -> Vec<Ran> {
    let (left, ran) = (Mutex::new(tests.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().ok()?.next();
    let work = || {
        while let Some(test) = next() {
            let start = Instant::now();
            let Ended { outcome, retried } = run_one(test, built, None);
            let ran_one = Ran { name: test.to_string(), took: start.elapsed(), outcome, retried };
            if let Outcome::Failed(output) = &ran_one.outcome {
                eprintln!("xtask: FAILED {}:\n{output}", ran_one.name);
            }
            if let Ok(mut ran) = ran.lock() {
                ran.push(ran_one);
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    ran.into_inner().unwrap_or_default()
}
