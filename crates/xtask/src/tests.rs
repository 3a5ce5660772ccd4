//! Runs all tests, each in a process of its own: most of them side by side, those that depend on timing one after
//! another. No test is run again after it failed.
//!
//! A test depends on timing if its binary or a module of its path is called `timing`. A test is skipped if its output
//! has a line that begins with `SKIPPED`, or if it has the attribute `ignore`. A skipped test is no passed test.

mod build;
mod one;
mod summary;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use build::Test;
use one::{Outcome, run_one};
use summary::{Ran, Summary};

/// Time for all tests that depend on timing, on an idle machine. They take as long on a slower one: they mostly wait.
const TIMING_BUDGET: Duration = Duration::from_secs(180);
/// Tests at once for each CPU: most of them wait for runs.
const TESTS_PER_CPU: usize = 3;

/// Builds and runs all tests and prints a summary.
///
/// # Errors
///
/// The tests do not build, or one of them failed.
pub fn run() -> Result<(), String> {
    let built = build::build()?;
    let (serial, parallel): (Vec<Test>, Vec<Test>) = built.tests.iter().cloned().partition(Test::depends_on_timing);
    let threads = TESTS_PER_CPU * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    eprintln!("xtask: {} tests, {threads} at once", parallel.len());
    let mut ran = run_at_once(&parallel, threads, &built);
    eprintln!("xtask: {} tests that depend on timing, one after another", serial.len());
    let start = Instant::now();
    ran.extend(run_at_once(&serial, 1, &built));
    let timing = start.elapsed();
    let over = if timing > TIMING_BUDGET { ": shorten them, or test on the virtual clock" } else { "" };
    eprintln!("xtask: they took {} s of a budget of {} s{over}", timing.as_secs(), TIMING_BUDGET.as_secs());
    let summary = Summary::of(&ran);
    eprint!("{summary}");
    if summary.failed.is_empty() { Ok(()) } else { Err(format!("tests: {} failed", summary.failed.len())) }
}

/// Runs tests with some threads, in the order given, and prints the output of those that fail.
fn run_at_once(tests: &[Test], threads: usize, built: &build::Built) -> Vec<Ran> {
    let (left, ran) = (Mutex::new(tests.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().ok()?.next();
    let work = || {
        while let Some(test) = next() {
            let start = Instant::now();
            let outcome = run_one(test, built);
            let ran_one = Ran { name: test.to_string(), took: start.elapsed(), outcome };
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
