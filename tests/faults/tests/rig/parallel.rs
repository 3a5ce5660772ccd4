//! Runs cases in parallel: most of their time is the start and the end of processes.

use std::sync::Mutex;

use crate::failures::Failures;

const THREADS: usize = 4;

/// Calls `run` with each case.
pub fn work_off<C: Sync>(cases: &[C], run: impl Fn(&C) + Sync) {
    let next = Mutex::new(cases.iter());
    let work = || {
        loop {
            let Some(case) = next.lock().unwrap().next() else { return };
            run(case);
        }
    };
    std::thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
}

/// Calls `run` with each case and the failures of all cases.
pub fn run_all<C: Sync>(cases: &[C], run: impl Fn(&C, &Mutex<Failures>) + Sync) {
    let failures = Mutex::new(Failures::default());
    work_off(cases, |case| run(case, &failures));
}
