//! Rates and pauses of DiskSpd's options are those of the run.

use std::path::Path;

use crate::stage::{Scratch, diskspd, outcome, patiently};

fn run(directory: &Path, line: &str) -> String {
    outcome(diskspd(directory, line).spawn().unwrap()).well().stdout
}

/// I/Os per second over all threads.
fn ios_per_s(report: &str) -> f64 {
    let total = report.lines().find(|line| line.starts_with("total:")).unwrap();
    total.split('|').nth(3).unwrap().trim().parse().unwrap()
}

#[test]
fn a_rate_is_kept() {
    let scratch = Scratch::new("diskspd-rate");
    scratch.filled("t.dat", 1 << 20);
    for (line, expected) in [
        ("-g400i -b4K -o1", 400.0),
        ("-g400i -b4K -o32 -r", 400.0),
        ("-g200i -b4K -t2", 400.0),
        ("-g819 -b4K -o2", 199.95),
        // In 32 bits this would be no limit.
        ("-g10i -b512 -o1", 10.0),
        ("-:1 -g400i -b4K -o4", 400.0),
        ("-i10 -j50 -b4K -o1", 200.0),
        ("-i10 -j50 -b4K -t2 -o1 -r", 200.0),
    ] {
        // A busy machine makes pauses longer.
        let tried = |times: u32| {
            let found = ios_per_s(&run(scratch.path(), &format!("{line} -d{} -W0 t.dat", times + 1)));
            let kept = (found / expected - 1.0).abs() < 0.12;
            if kept { Ok(()) } else { Err(format!("{line}: {found} I/Os per s, {expected} were asked for")) }
        };
        patiently(tried, Result::is_ok).unwrap();
    }
}
