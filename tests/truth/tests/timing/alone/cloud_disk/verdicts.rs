//! `fathom assess` with the suite of that page on both volumes: PASS at the limits, FAIL on a slower machine,
//! INVALID if the page cache answers, INCONCLUSIVE if a test ended early or was stopped.

use std::process::Command;
use std::time::Duration;

use harness::{Outcome, command, outcome, signal, skipped, wait_until, with_realtime_priority};
use serde_json::Value;

use super::machine::{Machine, READ_BYTES, READ_IOPS, WRITE_BYTES, WRITE_IOPS};

const EXPECTED: &str = "--expect azure:Standard_D2ds_v4 --format json --no-history";

fn assess(machine: &Machine, suite: &str, words: &str) -> Command {
    let [nocache, readcache] = [&machine.nocache, &machine.readcache].map(|volume| &volume.device.device);
    let targets = format!("nocache={nocache} readcache={readcache} --overwrite {nocache} --overwrite {readcache}");
    let line = format!("{targets} --yes --suite {suite} {words} {EXPECTED}");
    let mut command = with_realtime_priority(command(machine.scratch.path(), "assess", &line));
    command.env("XDG_STATE_HOME", machine.scratch.file("state"));
    command
}

fn run(machine: &Machine, suite: &str, words: &str) -> Outcome {
    outcome(machine.start(&assess(machine, suite, words)))
}

/// Writes the suite with queue depths and a rate as small as the limits, and with another option for all jobs.
fn suite(machine: &Machine, option: &str) -> &'static str {
    let mut suite = include_str!("../../../../../../data/suites/azure.toml").to_owned();
    for (theirs, ours) in [
        ("direct = 1", option),
        ("iodepth = 256", "iodepth = 64"),
        ("iodepth = 128", "iodepth = 32"),
        ("rate_iops = 3200", "rate_iops = 800"),
    ] {
        assert!(suite.contains(theirs), "{theirs}");
        suite = suite.replace(theirs, ours);
    }
    std::fs::write(machine.scratch.file("suite.toml"), suite).unwrap();
    "suite.toml"
}

/// Runs a suite. The verdict must be the expected one, unless the assessment finds that the figures vary too much for a
/// verdict, as on a busy machine: the test is skipped then. The verdicts on exact figures are tested in `judge`.
fn decided(machine: &Machine, suite: &str, words: &str, verdict: &str) -> Option<(Outcome, Value)> {
    let outcome = run(machine, suite, words);
    let assessment = outcome.json();
    let (found, why) = (assessment["verdict"].as_str().unwrap(), assessment["message"].as_str().unwrap());
    println!("{found}: {why}");
    if found == "INCONCLUSIVE" {
        skipped(&format!("too busy for a verdict: {why}"));
        return None;
    }
    assert_eq!(found, verdict, "{why}");
    Some((outcome, assessment))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn steps(assessment: &Value) -> Vec<String> {
    let step =
        |step: &Value| ["step", "target", "outcome"].map(|name| step[name].as_str().unwrap().to_owned()).join(" ");
    list(&assessment["preparation"]).map(step).collect()
}

#[test]
#[ignore = "needs an idle machine: run by cargo xtask ci"]
fn at_the_limits_each_volume_passes_by_its_own() {
    let Some(machine) = Machine::with_devices("cloud-pass").map(Machine::with_bandwidths) else { return };
    // zram stores nothing for zeroes, so that their size does not matter.
    let suite = suite(&machine, "direct = 1\nzero_buffers = 1");
    let Some((outcome, assessment)) = decided(&machine, suite, "--size 64M --runtime 6", "PASS") else { return };
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let steps = steps(&assessment);
    let [nocache, readcache] = [&machine.nocache, &machine.readcache].map(|volume| &volume.device.device);
    assert_eq!(steps[..2], [format!("fill nocache={nocache} done"), format!("fill readcache={readcache} done")]);
    assert!(
        steps[2].starts_with(&format!("warm readcache={readcache} ")) && !steps[2].ends_with("failed"),
        "{steps:?}"
    );
    let judgements = list(&assessment["tests"]).flat_map(|test| list(&test["judgements"]));
    let judgements: Vec<_> = judgements
        .map(|one| {
            let value = one["threshold"]["value"].as_f64().unwrap();
            (one["metric"].as_str().unwrap(), value, one["verdict"].as_str().unwrap())
        })
        .collect();
    let (writes, reads) = (("write.iops", f64::from(WRITE_IOPS), "PASS"), ("read.iops", f64::from(READ_IOPS), "PASS"));
    let read_bytes = ("read.bw", f64::from(READ_BYTES), "PASS");
    let write_bytes = ("write.bw", f64::from(WRITE_BYTES), "PASS");
    assert_eq!(judgements, [writes, reads, reads, writes, read_bytes, write_bytes]);
    let devices = list(&assessment["volumes"]).map(|volume| volume["target"]["devices"][0]["name"].clone());
    let expected = [&machine.nocache, &machine.readcache].map(|volume| volume.device.path());
    let expected = expected.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    assert_eq!(devices.collect::<Vec<_>>(), expected);
}

#[test]
#[ignore = "needs an idle machine: run by cargo xtask ci"]
fn a_throttle_below_the_limit_fails() {
    const LIMIT: u32 = 2200;
    let Some(mut machine) = Machine::with_devices("cloud-fail") else { return };
    machine.limit_writes(LIMIT).unwrap();
    let suite = suite(&machine, "direct = 1");
    let words = "--test max-write-iops --size 64M --runtime 6";
    let Some((outcome, assessment)) = decided(&machine, suite, words, "FAIL") else { return };
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let measured = assessment["tests"][0]["judgements"][0]["measured"].as_f64().unwrap();
    // The first burst comes at once, and the end waits for I/Os in flight.
    assert!(measured < 1.15 * f64::from(LIMIT), "{measured}");
    let threshold = &assessment["tests"][0]["judgements"][0]["threshold"];
    assert_eq!(threshold["value"].as_f64(), Some(f64::from(WRITE_IOPS)));
    assert_eq!(threshold["basis"]["limit"]["of"], "Standard_D2ds_v4 uncached");
}

#[test]
#[ignore = "needs an idle machine: run by cargo xtask ci"]
fn reads_through_the_page_cache_are_invalid() {
    let Some(machine) = Machine::with_devices("cloud-invalid") else { return };
    // With `invalidate` each pass over the files starts without cached pages and reads from the disk.
    let suite = suite(&machine, "direct = 0\ninvalidate = 0");
    let outcome = run(&machine, suite, "--test max-read-iops --size 64M --runtime 2");
    let assessment = outcome.json();
    println!("{}: {}", assessment["verdict"], assessment["message"]);
    assert_eq!((outcome.code, assessment["verdict"].as_str()), (Some(4), Some("INVALID")), "{}", outcome.stderr);
    assert_eq!(assessment["cause"]["data"]["cause"]["data"]["kind"], "page-cache", "{}", assessment["cause"]);
}

#[test]
#[ignore = "needs an idle machine: run by cargo xtask ci"]
fn what_ends_early_or_is_stopped_decides_nothing() {
    let Some(machine) = Machine::with_devices("cloud-inconclusive") else { return };
    // Without time_based the jobs end when their files are read once.
    let short = run(&machine, "azure", "--test max-read-iops --literal --size 64M");
    let assessment = short.json();
    println!("{}: {}", assessment["verdict"], assessment["message"]);
    assert_eq!((short.code, assessment["verdict"].as_str()), (Some(3), Some("INCONCLUSIVE")), "{}", short.stderr);

    let child = machine.start(&assess(&machine, "azure", "--test max-write-iops --size 64M --runtime 60"));
    let before = machine.nocache.device.writes();
    wait_until("a test writes", || machine.nocache.device.writes() > before + 1000);
    std::thread::sleep(Duration::from_secs(2));
    signal(&child, "INT");
    let stopped = outcome(child);
    let assessment = stopped.json();
    println!("{}: {}", assessment["verdict"], assessment["message"]);
    assert_eq!((stopped.code, assessment["verdict"].as_str()), (Some(130), Some("INCONCLUSIVE")), "{}", stopped.stderr);
    assert_eq!(assessment["cause"]["kind"], "stopped", "{}", assessment["cause"]);
}
