//! `fathom knee`: the limit of a device whose limit is known.

use std::path::Path;
use std::process::Command;

use crate::stage::{Scratch, Throttle, Zram, command, outcome, skipped, with_realtime_priority};

fn knee(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "knee", arguments);
    command.env("LC_ALL", "C.UTF-8");
    command
}

/// The closed loop of the same search is the reference. The search is exact on a simulated device, in the tests of `study`.
#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn the_sustained_rate_of_a_throttled_device_is_near_that_of_a_closed_loop() {
    let Some(disk) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&disk) else {
        skipped("no control group that holds I/O back");
        return;
    };
    let scratch = Scratch::new("knee-throttle");
    // Reads of blocks that were never written would make the search INVALID.
    std::fs::write(&disk.device, vec![b'x'; 64 << 20]).unwrap();
    throttle.ios_per_s(3000);
    let line = format!("{} --p99 500ms --runtime 300ms --ramp 200ms --format json --report out.html", disk.device);
    let command = with_realtime_priority(knee(scratch.path(), &line));
    let output = outcome(throttle.confine(&command).spawn().unwrap());
    let document = output.json();
    if !document["found"]["load_generator"].is_null() {
        output.ended_with(3);
        skipped(&format!("too busy for the limit of a device: {}", document["sentence"]));
        return;
    }
    let found = document["found"]["sustained_iops"].as_f64().unwrap();
    let closed = document["found"]["closed_loop"]["iops"].as_f64().unwrap();
    // The throttle permits the I/Os of 100 ms at once: a third of a step, in each of both.
    assert!((0.5..2.0).contains(&(found / closed)), "{found} of {closed}:\n{}", output.stderr);
    let notes = document["findings"].to_string();
    assert!(notes.contains("measure each step for 50 s (--runtime)"), "{notes}");
    let sentence = document["sentence"].as_str().unwrap();
    let end = "random 4 KiB reads/s with p99 at most 500 ms";
    assert!(sentence.starts_with("sustains ") && sentence.contains(end), "{sentence}");
    // The page begins it with a capital letter.
    let page = std::fs::read_to_string(scratch.file("out.html")).unwrap();
    let rest = sentence.trim_start_matches('s');
    for part in ["Response time by load", "IOPS offered", " at most 500 ms", "sustained: ", rest] {
        assert!(page.contains(part), "{part}");
    }
}
