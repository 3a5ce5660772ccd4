//! Verdicts of `fathom assess` on what is asked with --expect, --require and --for.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod stage;

use std::path::Path;
use std::time::Instant;

use stage::{Outcome, Scratch, command, outcome};

fn run(directory: &Path, arguments: &str) -> Outcome {
    let mut command = command(directory, "assess", arguments);
    command.env("XDG_STATE_HOME", directory.join("state")).env("XDG_CONFIG_HOME", directory.join("config"));
    outcome(command.spawn().unwrap(), Instant::now())
}

#[test]
fn what_is_needed_decides_the_verdict_and_the_exit_code() {
    let scratch = Scratch::new("verdict-require");
    let line = "--short --size 32M --runtime 3 --test read-iops --test fsync --format json";
    let good = run(scratch.path(), &format!("{line} --require read.iops>=1,fsync.p99<100s"));
    let assessment = good.json();
    if good.stdout.contains("no-direct-io") {
        eprintln!("SKIPPED: temporary files lie where there is no direct I/O: every verdict is INVALID");
        good.ended_with(4);
        return;
    }
    good.ended_with(0);
    let judgements: Vec<&str> = assessment["tests"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|test| test["judgements"].as_array().unwrap())
        .map(|judgement| judgement["metric"].as_str().unwrap())
        .collect();
    assert!(judgements.contains(&"read.iops") && judgements.contains(&"fsync.p99"), "{judgements:?}");
    assert_eq!(assessment["expectations"][0]["limits"][0]["value"], 1.0);

    let bad = run(scratch.path(), &format!("{line} --require read.iops>=1000M"));
    bad.ended_with(1);
    let cause = bad.json()["cause"].as_str().unwrap().to_owned();
    assert!(cause.contains("of the 1,000,000,000 IOPS that are required at least"), "{cause}");

    let unmeasured = run(scratch.path(), "--short --size 32M --test read-iops --format json --require fsync.p99<=10ms");
    unmeasured.ended_with(3);
    assert!(unmeasured.json()["cause"].as_str().unwrap().contains("fsync.p99<=10ms"));
}

#[test]
fn words_that_make_no_sense_are_refused_before_anything_runs() {
    let scratch = Scratch::new("verdict-words");
    let refused = |words: &str, expected: &str| {
        let outcome = run(scratch.path(), &format!("--short {words}"));
        outcome.ended_with(2).complained_of(expected);
    };
    refused("--expect azure:P33", "did you mean P3");
    refused("--expect aws:gp2", "gp2 needs size");
    refused("--require read.iosp>=5", "there is no metric");
    refused("--require missing.toml", "missing.toml");
    refused("--for ectd", "did you mean etcd?");
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
}
