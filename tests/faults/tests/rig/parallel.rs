//! Runs cases in parallel: most of their time is the start and the end of processes.

use std::sync::Mutex;

use crate::failures::Failures;

const THREADS: usize = 4;

/// Calls `run` with each case and the failures of all cases.
pub fn run_all<C: Sync>(cases: &[C], run: impl Fn(&C, &Mutex<Failures>) + Sync) {
    let (next, failures) = (Mutex::new(cases.iter()), Mutex::new(Failures::default()));
    let work = || {
        loop {
            let Some(case) = next.lock().unwrap().next() else { return };
            run(case, &failures);
        }
    };
    std::thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
}
