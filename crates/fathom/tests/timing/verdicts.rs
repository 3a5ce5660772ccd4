//! Verdicts of `fathom assess` on what is asked with --expect, --require and --for.

use std::path::Path;
use std::process::Command;

use crate::stage::{Outcome, Scratch, Throttle, Zram, command, outcome, patiently};

fn assess(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "assess", arguments);
    command.env("XDG_STATE_HOME", directory.join("state")).env("XDG_CONFIG_HOME", directory.join("config"));
    command
}

/// A disk in memory that is held back: nothing but the test uses it, whatever else the machine does.
struct Held {
    throttle: Throttle,
    disk: Zram,
    scratch: Scratch,
}

impl Held {
    fn new(test: &str) -> Option<Self> {
        let disk = Zram::new(96)?;
        let Some(throttle) = Throttle::new(&disk) else {
            crate::stage::skipped("no control group that holds I/O back");
            return None;
        };
        Some(Held { throttle, disk, scratch: Scratch::new(test) })
    }

    fn assess(&self, words: &str) -> Outcome {
        let device = &self.disk.device;
        let line = format!("{device} --overwrite {device} --format json {words}");
        let mut run = self.throttle.confine(&assess(self.scratch.path(), &line));
        outcome(run.spawn().unwrap())
    }
}

#[test]
fn what_is_needed_decides_the_verdict_and_the_exit_code() {
    let Some(held) = Held::new("verdict-require") else { return };
    held.throttle.ios_per_s(3200);
    let line = "--short --size 32M --runtime 3 --test read-iops --test fsync";
    // Where a busy machine leaves it open, it is tried again; what is decided must be right at once.
    let decided =
        |words: &str| patiently(|_| held.assess(&format!("{line} --require {words}")), |held| held.code != Some(3));
    let good = decided("read.iops>=1,fsync.p99<100s");
    good.ended_with(0);
    let assessment = good.json();
    let judgements: Vec<&str> = assessment["tests"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|test| test["judgements"].as_array().unwrap())
        .map(|judgement| judgement["metric"].as_str().unwrap())
        .collect();
    assert!(judgements.contains(&"read.iops") && judgements.contains(&"fsync.p99"), "{judgements:?}");
    assert_eq!(assessment["expectations"][0]["limits"][0]["value"], 1.0);

    let bad = decided("read.iops>=1000M");
    bad.ended_with(1);
    let message = bad.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("of the required 1,000,000,000 IOPS"), "{message}");

    let unmeasured = held.assess("--short --size 32M --test read-iops --require fsync.p99<=10ms");
    unmeasured.ended_with(3);
    assert_eq!(unmeasured.json()["cause"]["data"]["rules"][0], "fsync.p99<=10ms");
}

/// A VM's limit of 3,200 IOPS, which any machine can do, kept and not kept.
#[test]
fn a_disk_at_its_limit_passes_and_one_that_is_held_below_fails() {
    let Some(held) = Held::new("verdict-limit") else { return };
    let line = "--test write-iops --size 64M --runtime 5 --expect azure:P30x3+Standard_D2ds_v4/uncached";
    let held_at = |iops: u64| {
        held.throttle.ios_per_s(iops);
        let outcome = patiently(|_| held.assess(line), |outcome| outcome.code != Some(3));
        let judgement = outcome.json()["tests"][0]["judgements"][0].clone();
        eprintln!("{}", judgement["message"]);
        let value = judgement["threshold"]["value"].as_f64();
        assert_eq!((judgement["metric"].as_str(), value), (Some("write.iops"), Some(3200.0)));
        (outcome, judgement)
    };
    held_at(3200).0.ended_with(0);
    let (failed, judgement) = held_at(2200);
    failed.ended_with(1);
    assert_eq!(judgement["threshold"]["basis"]["limit"]["of"], "Standard_D2ds_v4 uncached");
    assert_eq!(judgement["reason"]["kind"], "not-enough", "{judgement}");
}
