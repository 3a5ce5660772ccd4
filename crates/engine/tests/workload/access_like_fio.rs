//! The generator produces fio's I/Os: each job of a table runs in fio, which logs every I/O, and in ours.
//!
//! Requires `fio` in the path. fathom follows fio 3.42. `captured` has all cases without fio.

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Scratch, skipped};

use crate::cases::{CASES, Case};
use crate::job::{Action, Setup};

#[test]
fn same_job_has_fios_sequence() {
    let Some(fio) = Fio::find() else { return };
    all_alike(&fio, CASES.iter().filter(|case| !(case.is_new && fio.is_old)).collect());
}

fn all_alike(fio: &Fio, cases: Vec<&Case>) {
    // fio mostly sleeps, at its start and during the job: many processes run in parallel.
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some((number, case)) = claim(&next, &cases) {
                    if let Err(difference) = fio.compare(number, case) {
                        let failure = format!("{}\n    {difference}", case.options);
                        failures.lock().expect("no test thread panics while it holds the list").push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("all test threads have ended");
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn claim<'a>(next: &AtomicUsize, cases: &[&'a Case]) -> Option<(usize, &'a Case)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    cases.get(number).map(|case| (number, *case))
}

/// Without it fio calibrates its CPU clock at each start. This takes longer than most jobs.
const CLOCK: &str = "--clocksource=clock_gettime";

pub struct Fio {
    pub is_old: bool,
    scratch: Scratch,
}

impl Fio {
    /// Returns fio. Marks the test as skipped if it is not in the path.
    pub fn find() -> Option<Self> {
        let found = Fio::version();
        if found.is_none() {
            skipped("no fio to compare with");
        }
        found
    }

    fn version() -> Option<Self> {
        let output = Command::new("fio").arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.trim().strip_prefix("fio-")?;
        let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
        let is_old = (numbers.next()?, numbers.next()?) < (3, 36);
        Some(Fio { is_old, scratch: Scratch::new("access") })
    }

    fn compare(&self, number: usize, case: &Case) -> Result<(), String> {
        let theirs = self.run(number, case)?;
        let ours = sequence(case, theirs.len())?;
        let different = (0..theirs.len().max(ours.len())).find(|&at| theirs.get(at) != ours.get(at));
        match different {
            None if theirs.is_empty() => Err("fio did no I/O at all".to_owned()),
            None => Ok(()),
            Some(at) => Err(format!(
                "I/O {at} of {} (ours: {}): fio {:?}, ours {:?}",
                theirs.len(),
                ours.len(),
                &theirs[at.min(theirs.len())..(at + 3).min(theirs.len())],
                &ours[at.min(ours.len())..(at + 3).min(ours.len())]
            )),
        }
    }

    /// Returns fio's I/Os from its log.
    pub fn run(&self, number: usize, case: &Case) -> Result<Vec<Action>, String> {
        let log = self.scratch.file(&format!("{number}.log"));
        let mut command = harness::in_own_group("fio");
        command.current_dir(self.scratch.path());
        command.args(case.before.split_whitespace().map(|option| format!("--{option}")));
        command.args(["--name=job", "--ioengine=null", CLOCK]);
        if !case.options.contains("filename=") {
            command.arg("--filename=one");
        }
        command.args(case.options.split_whitespace().map(|option| format!("--{option}")));
        command.arg(format!("--write_iolog={}", log.display()));
        let output = harness::run_fio(&mut command).map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let text = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
        let mut actions: Vec<Action> = text.lines().filter_map(Action::from_log).collect();
        // An I/O that is rejected because the queue is full is logged again at the next attempt.
        if case.options.contains("iodepth=") {
            actions.dedup();
        }
        // A job that ends by time can end with an I/O out of order.
        if case.options.contains("time_based") {
            actions.truncate(actions.len().saturating_sub(2));
        }
        Ok(actions)
    }
}

/// Returns our I/Os of a case of which fio did `count` I/Os. A job without an end stops there.
pub fn sequence(case: &Case, count: usize) -> Result<Vec<Action>, String> {
    let setup = Setup::parse(case.options, 1 + case.before.matches("name=").count() as u32)?;
    setup.sequence(if setup.is_endless() { count } else { count + 10 })
}
