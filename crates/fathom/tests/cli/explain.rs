//! `--explain`: causes that a test makes are named for the slow I/Os that they made, and no others.

use std::path::Path;

use serde_json::Value;

use crate::stage::{Loop, Outcome, Scratch, Zram, needs, run, skipped};

const JOB: &str = "--name=job --bs=4k --rw=randread --direct=1 --time_based --explain --record=record";

/// Runs a job and returns its record. `None`: this machine cannot trace, and the test is skipped.
fn explained(scratch: &Scratch, options: &str) -> Option<(Value, Outcome)> {
    let ended = run(scratch.path(), &format!("{JOB} {options}")).assert_success();
    let reasons = ["root only", "no tracefs", "is not mounted", "no tracepoints"];
    let cannot = |line: &&str| line.contains("are not explained") && reasons.iter().any(|reason| line.contains(reason));
    if let Some(why) = ended.stderr.lines().find(cannot) {
        skipped(why);
        return None;
    }
    Some((record(scratch.path()), ended))
}

fn record(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("record")).unwrap()).unwrap()
}

/// Returns the explanation of the reads of a record.
fn reads(record: &Value) -> &Value {
    let directions = record["explanation"]["directions"].as_array().unwrap_or_else(|| panic!("{record:#}"));
    directions.iter().find(|direction| direction["ddir"] == "read").unwrap()
}

/// Returns the share of the time of the parts that are like this.
fn share(direction: &Value, is_meant: impl Fn(&Value) -> bool) -> f64 {
    let parts = direction["parts"].as_array().unwrap().iter().filter(|part| is_meant(part));
    parts.map(|part| part["time_share"].as_f64().unwrap()).sum()
}

fn of_layer(direction: &Value, layer: &str) -> f64 {
    share(direction, |part| part["layer"] == layer)
}

#[test]
fn all_the_time_of_slow_ios_is_in_a_layer() {
    let scratch = Scratch::new("explain-layers");
    let (Some(zram), Some(device)) = (Zram::new(64), Loop::new(&scratch, 64, "")) else { return };
    for (device, engine) in [(&zram.device, "psync"), (&zram.device, "io_uring"), (&device.device, "io_uring")] {
        let options = format!("--filename={device} --ioengine={engine} --iodepth=4 --runtime=2 --rate_iops=2000");
        let Some((record, ended)) = explained(&scratch, &options) else { return };
        let reads = reads(&record);
        assert!((share(reads, |_| true) - 1.0).abs() < 1e-6, "{reads:#}");
        assert!(of_layer(reads, "not_traced") < 0.05, "{engine} {device}: {reads:#}");
        assert!(of_layer(reads, "device") > 0.0, "{engine} {device}: {reads:#}");
        assert!(ended.stderr.contains("slowest ") && ended.stderr.contains("trace of "), "{}", ended.stderr);
        assert!(!ended.stdout.contains("slowest "), "fio's report is fio's: {}", ended.stdout);
    }
}

#[test]
fn a_file_is_found_by_the_places_of_its_blocks() {
    let scratch = Scratch::new("explain-file");
    let file = scratch.filled("data", 16 << 20);
    let options = format!("--filename={} --ioengine=psync --runtime=2 --rate_iops=500", file.display());
    let Some((record, _)) = explained(&scratch, &options) else { return };
    let reads = reads(&record);
    assert!(of_layer(reads, "not_traced") < 0.05, "{reads:#}");
}

#[test]
fn a_line_says_why_nothing_is_explained_and_the_run_goes_on() {
    let Some(memory) = needs("mktemp -d /dev/shm/fathom-explain.XXXXXX") else { return };
    let scratch = Scratch::new("explain-memory");
    let ended = run(scratch.path(), &format!("{JOB} --filename={}/data --size=1m --runtime=1", memory.trim()));
    std::fs::remove_dir_all(memory.trim()).unwrap();
    let ended = ended.assert_success();
    let notes: Vec<&str> = ended.stderr.lines().filter(|line| line.contains("explained")).collect();
    assert_eq!(notes, ["note: slow I/Os are not explained: the targets are on no block device"]);
    assert!(record(scratch.path())["explanation"].is_null());
}
