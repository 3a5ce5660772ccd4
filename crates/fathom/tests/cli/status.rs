//! SIGUSR1 prints a report of the figures so far, and the run continues.

use std::fs::{self, File};

use crate::stage::{Scratch, fathom, interrupted, signal, wait_for_work, wait_until};

/// Returns the reads in each report.
fn reads(reports: &str) -> Vec<u64> {
    let totals = reports.lines().filter_map(|line| line.trim().strip_prefix("issued rwts: total="));
    totals.map(|line| line.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn status_signal_prints_a_report_during_the_run() {
    let scratch = Scratch::new("status");
    let line = "--name=n --ioengine=null --size=1g --rate_iops=1000 --time_based --runtime=600";
    let reports = scratch.file("reports");
    let child = fathom(scratch.path(), line).stdout(File::create(&reports).unwrap()).spawn().unwrap();
    wait_for_work(&child, 100);
    signal(&child, "USR1");
    let printed = || reads(&fs::read_to_string(&reports).unwrap());
    wait_until("the requested report", || printed().len() == 1);
    wait_for_work(&child, 100);
    interrupted(child, &["INT"]).ended_with(128);
    assert!(matches!(printed()[..], [sofar, all] if 0 < sofar && sofar < all), "{:?}", printed());
}
