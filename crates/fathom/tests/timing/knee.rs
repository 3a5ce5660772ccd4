//! `fathom knee`: the limit of a device whose limit is known, and what it leaves alone.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::stage::{self, Outcome, Scratch, Throttle, Zram, command, first, outcome, patiently};
use serde_json::Value;

fn knee(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "knee", arguments);
    command.env("LC_ALL", "C.UTF-8");
    command
}

fn run(directory: &Path, arguments: &str) -> Outcome {
    outcome(knee(directory, arguments).spawn().unwrap())
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
        let child = first(knee(scratch.path(), &line)).spawn().unwrap();
        throttle.take_in(child.id());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
        eprintln!("{told}");
        if !document["found"]["generator"].is_null() {
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
        let notes = document["notes"].to_string();
        assert!(notes.contains("measure for 5 s (--runtime)"), "{notes}");
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

#[test]
fn a_directory_gets_a_file_that_is_gone_afterwards() {
    let scratch = Scratch::new("knee-directory");
    let told = run(
        scratch.path(),
        ". --closed --size 8M --iodepth 4 --runtime 100ms --ramp 0 --p99 100s --output out.txt --report out.md",
    );
    told.ended_with(0).complained_of("iodepth 4: ").complained_of("report: out.md");
    let mut names = scratch.names();
    names.sort_unstable();
    assert_eq!(names, ["out.md", "out.txt"]);
    assert!(std::fs::read_to_string(scratch.file("out.md")).unwrap().contains("| depths | iodepth=4 read |"));
    let text = std::fs::read_to_string(scratch.file("out.txt")).unwrap();
    assert!(text.contains("IOPS over iodepth") && text.contains("p99 at most 100 s up to iodepth 4"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_a_file_holds_is_only_read_without_consent_and_other_targets_are_refused() {
    let scratch = Scratch::new("knee-consent");
    scratch.filled("data", 1 << 20);
    let before = std::fs::read(scratch.file("data")).unwrap();
    let refused = |line: &str, what: &str| {
        run(scratch.path(), &format!("data --runtime 100ms {line}")).ended_with(2).complained_of(what);
        assert_eq!(scratch.names(), ["data"]);
    };
    refused("--rw randwrite", "add --overwrite data");
    refused("--rw rw", "add --overwrite data");
    refused("--rw randwrite --overwrite other", "isn't the target");
    refused("--filename=other", "--filename has a fixed value");
    refused("--closed --ioengine psync", "has no queue");
    refused("--iodepht=3", "'--iodepth'");
    assert_eq!(std::fs::read(scratch.file("data")).unwrap(), before);
}

#[test]
fn ctrl_c_ends_in_a_report_of_what_was_measured() {
    let scratch = Scratch::new("knee-stopped");
    let once = |times| {
        let child = knee(scratch.path(), ". --size 8M --runtime 300ms --ramp 0 --poisson").spawn().unwrap();
        stage::interrupted(child, Duration::from_millis(1500) * times, &["INT"])
    };
    let told = patiently(once, |told| told.stdout.contains("so far: "));
    told.ended_with(130);
    let last = told.stdout.split_once("stopped early").unwrap_or_else(|| panic!("{}", told.stdout)).1;
    assert!(last.contains("so far: "), "{}", told.stdout);
    assert!(told.stdout.contains("Poisson arrivals") && scratch.names().is_empty(), "{}", told.stdout);
}
