//! `fathom knee`: the limit of a device whose limit is known.

use std::path::Path;
use std::process::Command;

use crate::stage::{Scratch, Throttle, Zram, command, with_realtime_priority};
use serde_json::Value;

fn knee(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "knee", arguments);
    command.env("LC_ALL", "C.UTF-8");
    command
}

/// What the kernel lets through is the rate that is found, with no help from the bound: a queue that only grows is too
/// much, whatever percentile it has come to by the end of a run.
#[test]
fn the_limit_of_a_throttled_device_is_found_within_5_percent() {
    const LIMIT: u64 = 3000;
    let Some(disk) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&disk) else {
        crate::stage::skipped("no control group that holds I/O back");
        return;
    };
    let scratch = Scratch::new("knee-throttle");
    throttle.ios_per_s(LIMIT);
    let line = format!("{} --p99 50ms --runtime 1500ms --ramp 300ms --format json --report out.html", disk.device);
    // A search is many runs: longer than what else is watched here.
    for nth in 0..3 {
        let child = with_realtime_priority(knee(scratch.path(), &line)).spawn().unwrap();
        throttle.add_process(child.id());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
        eprintln!("{told}");
        if !document["found"]["load_generator"].is_null() {
            // So busy a machine shows nothing of the device, and says so.
            assert_eq!(output.status.code(), Some(3));
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert_eq!(document["found"]["settled"], true);
        let found = document["found"]["sustained_iops"].as_f64().unwrap();
        let is_near = (found / LIMIT as f64 - 1.0).abs() < 0.05;
        if !is_near && nth < 2 {
            continue;
        }
        assert!(is_near, "{found} of {LIMIT}:\n{told}");
        let notes = document["findings"].to_string();
        assert!(notes.contains("measure each step for 5 s (--runtime)"), "{notes}");
        let said = document["sentence"].as_str().unwrap();
        assert!(
            said.starts_with("sustains ") && said.ends_with("random 4 KiB reads/s with p99 at most 50 ms"),
            "{said}"
        );
        // There it begins with a capital.
        let page = std::fs::read_to_string(scratch.file("out.html")).unwrap();
        for word in [
            "Response time by load",
            "IOPS offered",
            "bound of response.p99",
            "sustained: ",
            said.trim_start_matches('s'),
        ] {
            assert!(page.contains(word), "{word}");
        }
        return;
    }
    crate::stage::skipped("this machine was too busy to find the limit of a device, three times");
}
