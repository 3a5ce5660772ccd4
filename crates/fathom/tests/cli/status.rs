//! SIGUSR1 asks a run how it goes: a report of what was measured so far is printed, and the run goes on.

use std::time::Duration;

use crate::stage::{Outcome, Scratch, fathom, listens, outcome, patiently, signal};

/// How much had been read by the report that was asked for, and by the one at the end.
fn reads(ended: &Outcome) -> Vec<u64> {
    let totals = ended.stdout.lines().filter_map(|line| line.trim().strip_prefix("issued rwts: total="));
    totals.map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn a_signal_brings_a_report_while_the_run_goes_on() {
    let scratch = Scratch::new("status");
    let asked = |times| {
        let line = format!("--name=n --ioengine=null --size=1g --rate_iops=1000 --time_based --runtime={times}");
        let child = fathom(scratch.path(), &line).spawn().unwrap();
        listens(&child, "USR1");
        std::thread::sleep(Duration::from_millis(400) * times);
        signal(&child, "USR1");
        outcome(child)
    };
    let goes_on = |ended: &Outcome| matches!(reads(ended)[..], [sofar, all] if 0 < sofar && sofar < all);
    let ended = patiently(asked, goes_on);
    assert!(goes_on(ended.ended_with(0)), "{:?} in {}", reads(&ended), ended.stdout);
}
