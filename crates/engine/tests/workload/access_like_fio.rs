//! The generator produces fio's I/Os: each job of a table runs in fio, which logs every I/O, and in ours.
//!
//! Requires `fio` in the path. fathom follows fio 3.42. `captured` has all cases without fio.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use harness::{Scratch, skipped};

use crate::cases::{CASES, Case};
use crate::job::{Action, Setup};

#[test]
fn same_job_has_fios_sequence() {
    let Some(fio) = Fio::find() else { return };
    all_alike(&fio, CASES.iter().filter(|case| !(case.is_new && fio.is_old)).collect());
}

fn all_alike(fio: &Fio, cases: Vec<&Case>) {
    let count = cases.len();
    let (alone, others): (Vec<&Case>, Vec<&Case>) = cases.into_iter().partition(|case| !case.before.is_empty());
    // The start of fio takes longer than most jobs.
    let runs: Vec<Vec<&Case>> =
        others.chunks(JOBS).map(<[&Case]>::to_vec).chain(alone.into_iter().map(|case| vec![case])).collect();
    let (left, failures) = (Mutex::new(runs.iter().enumerate()), Mutex::new(Vec::new()));
    let work = || {
        while let Some((number, cases)) = next(&left) {
            let found = fio.compare(number, cases);
            failures.lock().expect("no test thread panics while it holds the list").extend(found);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().expect("all test threads have ended");
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), failures.join("\n"));
}

fn next<T>(left: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    left.lock().expect("no test thread panics while it holds the list").next()
}

/// Jobs of one run of fio. Each has another number, on which its seeds depend. In `captured` all have the first.
const JOBS: usize = 12;
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

    /// Compares the jobs of one run. Returns those that differ.
    fn compare(&self, run: usize, cases: &[&Case]) -> Vec<String> {
        let actions = match self.run(run, cases) {
            Ok(actions) => actions,
            Err(failure) => return vec![failure],
        };
        let compared = (1..).zip(cases).zip(&actions).map(|((number, case), theirs)| {
            let number = number + case.jobs_before();
            Fio::compare_job(case, number, theirs)
                .map_err(|found| format!("{}, job {number}\n    {found}", case.options))
        });
        compared.filter_map(Result::err).collect()
    }

    fn compare_job(case: &Case, number: u32, theirs: &[Action]) -> Result<(), String> {
        let ours = sequence(case, number, theirs.len())?;
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

    /// Runs jobs at the same time, and returns fio's I/Os of each from its log.
    pub fn run(&self, run: usize, cases: &[&Case]) -> Result<Vec<Vec<Action>>, String> {
        let log = |at: usize| self.scratch.file(&format!("{run}.{at}.log"));
        let mut command = harness::in_own_group("fio");
        command.current_dir(self.scratch.path()).arg(CLOCK);
        for (at, case) in cases.iter().enumerate() {
            command.args(case.before.split_whitespace().map(|option| format!("--{option}")));
            command.args(["--name=job", "--ioengine=null"]);
            if !case.options.contains("filename=") {
                command.arg("--filename=one");
            }
            command.args(case.options.split_whitespace().map(|option| format!("--{option}")));
            command.arg(format!("--write_iolog={}", log(at).display()));
        }
        let output = harness::run_fio(&mut command).map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("fio: {}", String::from_utf8_lossy(&output.stderr)));
        }
        cases.iter().enumerate().map(|(at, case)| Fio::actions(case, &log(at))).collect()
    }

    fn actions(case: &Case, log: &Path) -> Result<Vec<Action>, String> {
        let text = std::fs::read_to_string(log).map_err(|error| error.to_string())?;
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

/// Returns our I/Os of a case of which fio did `count` I/Os as the job with a number. A job without an end stops there.
pub fn sequence(case: &Case, number: u32, count: usize) -> Result<Vec<Action>, String> {
    let setup = Setup::parse(case.options, number)?;
    setup.sequence(if setup.is_endless() { count } else { count + 10 })
}
