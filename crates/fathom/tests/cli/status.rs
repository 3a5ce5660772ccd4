//! SIGUSR1 prints a report of the figures so far, and the run continues.

use std::time::Duration;

use crate::stage::{Outcome, Scratch, fathom, outcome, patiently, signal, wait_for_signal_handler};

/// Returns the reads in the requested report and in the final one.
fn reads(ended: &Outcome) -> Vec<u64> {
    let totals = ended.stdout.lines().filter_map(|line| line.trim().strip_prefix("issued rwts: total="));
    totals.map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn status_signal_prints_a_report_during_the_run() {
    let scratch = Scratch::new("status");
    let requested = |times| {
        let line = format!("--name=n --ioengine=null --size=1g --rate_iops=1000 --time_based --runtime={times}");
        let child = fathom(scratch.path(), &line).spawn().unwrap();
        wait_for_signal_handler(&child, "USR1");
        std::thread::sleep(Duration::from_millis(400) * times);
        signal(&child, "USR1");
        outcome(child)
    };
    let goes_on = |ended: &Outcome| matches!(reads(ended)[..], [sofar, all] if 0 < sofar && sofar < all);
    let ended = patiently(requested, goes_on);
    assert!(goes_on(ended.ended_with(0)), "{:?} in {}", reads(&ended), ended.stdout);
}
