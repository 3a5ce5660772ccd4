//! Verdicts of `fathom assess` with --expect and --require.

use std::path::Path;
use std::process::Command;

use crate::stage::{Outcome, Scratch, Throttle, Zram, command, outcome, skipped};

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

    fn assess(&self, args: &str) -> Outcome {
        let device = &self.disk.device;
        let line = format!("{device} --overwrite {device} --format json {args}");
        let mut run = self.throttle.confine(&assess(self.scratch.path(), &line));
        outcome(run.spawn().unwrap())
    }

    /// Returns an assessment with a verdict. On a busy machine the figures can vary too much for one: the test is skipped
    /// then. The verdicts on exact figures are tested in `judge`.
    fn decided(&self, args: &str) -> Option<Outcome> {
        let outcome = self.assess(args);
        if outcome.code != Some(3) {
            return Some(outcome);
        }
        skipped(&format!("too busy for a verdict: {}", outcome.json()["message"]));
        None
    }
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn requirements_decide_the_verdict_and_the_exit_code() {
    let Some(held) = Held::new("verdict-require") else { return };
    held.throttle.ios_per_s(3200);
    let line = "--short --size 32M --runtime 6 --test read-iops --test fsync";
    let decided = |rules: &str| held.decided(&format!("{line} --require {rules}"));
    let Some(good) = decided("read.iops>=1,fsync.p99<100s") else { return };
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

    let Some(bad) = decided("read.iops>=1000M") else { return };
    bad.ended_with(1);
    let message = bad.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("of the required 1,000,000,000 IOPS"), "{message}");

    let unmeasured = held.assess("--short --size 32M --test read-iops --require fsync.p99<=10ms");
    unmeasured.ended_with(3);
    assert_eq!(unmeasured.json()["cause"]["data"]["rules"][0], "fsync.p99<=10ms");
}

/// A VM's limit of 3,200 IOPS, which any machine can do, kept and not kept.
#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_disk_at_its_limit_passes_and_one_that_is_held_below_fails() {
    let Some(held) = Held::new("verdict-limit") else { return };
    let line = "--test write-iops --size 64M --runtime 6 --expect azure:P30x3+Standard_D2ds_v4/uncached";
    let held_at = |iops: u64| {
        held.throttle.ios_per_s(iops);
        let outcome = held.decided(line)?;
        let judgement = outcome.json()["tests"][0]["judgements"][0].clone();
        eprintln!("{}", judgement["message"]);
        let value = judgement["threshold"]["value"].as_f64();
        assert_eq!((judgement["metric"].as_str(), value), (Some("write.iops"), Some(3200.0)));
        Some((outcome, judgement))
    };
    let Some((passed, _)) = held_at(3200) else { return };
    passed.ended_with(0);
    let Some((failed, judgement)) = held_at(2200) else { return };
    failed.ended_with(1);
    assert_eq!(judgement["threshold"]["basis"]["limit"]["of"], "Standard_D2ds_v4 uncached");
    assert_eq!(judgement["reason"]["kind"], "not-enough", "{judgement}");
}
