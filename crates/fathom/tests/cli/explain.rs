//! `--explain`: causes that a test makes are named for the slow I/Os that they made, and no others.

use std::path::Path;

use serde_json::{Value, json};

use crate::stage::{Loop, Outcome, Scratch, Zram, command, needs, outcome, run, skipped};

const JOB: &str = "--name=job --bs=4k --rw=randread --direct=1 --time_based --explain --record=record";

/// Runs a job and returns its record. `None`: this machine cannot trace, and the test is skipped.
fn explained(scratch: &Scratch, options: &str) -> Option<(Value, Outcome)> {
    let ended = run(scratch.path(), &format!("{JOB} {options}")).assert_success();
    if let Some(why) = why_not(&ended) {
        skipped(why);
        return None;
    }
    Some((record(scratch.path()), ended))
}

/// Returns the line which says that this machine cannot trace.
fn why_not(ended: &Outcome) -> Option<&str> {
    let reasons = ["root only", "no tracefs", "is not mounted", "no tracepoints"];
    let cannot = |line: &&str| line.contains("are not explained") && reasons.iter().any(|reason| line.contains(reason));
    ended.stderr.lines().find(cannot)
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

/// Returns an explanation of reads: this share of their time was behind I/Os of another program.
fn disturbed(share: f64) -> Value {
    let part = |cause: Value, time_share: f64| json!({ "layer": "device", "cause": cause, "time_share": time_share, "ios": 6 });
    let parts = [part(json!({ "other_program": { "program": "backup" } }), share), part(Value::Null, 1.0 - share)];
    json!({
        "trace": { "disks": ["vda"], "duration_ns": 9, "traced_ns": 9, "events": 99, "lost_events": 0, "cpu_ns": 1 },
        "directions": [{
            "ddir": "read", "all_ios": 12_000, "ios": 12, "from_ns": 12_000_000, "parts": parts, "period_s": null,
            "merged": 0, "split": 0, "samples": [],
        }],
    })
}

/// Shows a document that was saved as `name`.
fn shown(scratch: &Scratch, name: &str, document: &Value, options: &str) -> Outcome {
    std::fs::write(scratch.file(name), document.to_string()).unwrap();
    outcome(command(scratch.path(), "show", &format!("{name} {options}")).spawn().unwrap()).assert_success()
}

#[test]
fn slow_ios_behind_another_program_are_a_finding_on_the_run() {
    let scratch = Scratch::new("explain-finding");
    let job = "--name=job --bs=4k --rw=randread --size=1m --ioengine=psync --record=record";
    run(scratch.path(), job).assert_success();
    let mut record = record(scratch.path());
    for (share, is_found) in [(0.71, true), (0.4, false)] {
        record["explanation"] = disturbed(share);
        let shown = shown(&scratch, "record", &record, "");
        let has_message = shown.stderr.contains("the 12 slowest reads (from 12 ms): 71 % behind I/Os of backup");
        assert_eq!(has_message, is_found, "{share}: {}", shown.stderr);
        assert_eq!(
            shown.stderr.contains("high percentiles include these waits"),
            is_found,
            "{share}: {}",
            shown.stderr
        );
    }
}

#[test]
fn the_card_has_a_line_on_the_slowest_ios() {
    let scratch = Scratch::new("explain-card");
    let options = "new --yes --short --size 8M --runtime 1 --test read-latency --save saved.json";
    outcome(command(scratch.path(), "assess", options).spawn().unwrap()).assert_success();
    let mut saved: Value = serde_json::from_str(&std::fs::read_to_string(scratch.file("saved.json")).unwrap()).unwrap();
    saved["tests"][0]["rounds"][0]["record"]["explanation"] = disturbed(0.71);
    let card = shown(&scratch, "explained.json", &saved, "--format card").stdout.clone();
    assert!(card.contains("read-latency: time of the slowest reads: 71 % behind I/Os of backup; 29 % in"), "{card}");
    assert!(card.lines().all(|line| line.chars().count() <= 80), "{card}");
}

/// Assesses a new file, whatever the verdict is. Returns the explanation of the run.
fn assessed(scratch: &Scratch, file: &str, options: &str) -> (Value, Outcome) {
    let line = format!("{file} --yes --short --size 8M --runtime 1 --test read-latency --save saved.json {options}");
    let ended = outcome(command(scratch.path(), "assess", &line).spawn().unwrap());
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(scratch.file("saved.json")).unwrap()).unwrap();
    (saved["tests"][0]["rounds"][0]["record"]["explanation"].clone(), ended)
}

#[test]
fn assess_explains_by_itself_and_says_nothing_where_it_cannot() {
    let scratch = Scratch::new("explain-assess");
    let is_silent = |ended: &Outcome| !ended.stderr.contains("explained") && !ended.stderr.contains("slowest");
    let Some(memory) = needs("mktemp -d /dev/shm/fathom-explain.XXXXXX") else { return };
    let (in_memory, ended) = assessed(&scratch, &format!("{}/new", memory.trim()), "");
    std::fs::remove_dir_all(memory.trim()).unwrap();
    assert!(in_memory.is_null() && is_silent(&ended), "{}", ended.stderr);

    let (requested, ended) = assessed(&scratch, "requested", "--explain");
    if let Some(why) = why_not(&ended) {
        return skipped(why);
    }
    assert!(!requested.is_null() && !is_silent(&ended), "{}", ended.stderr);
    let (automatic, ended) = assessed(&scratch, "automatic", "");
    assert!(!automatic.is_null() && is_silent(&ended), "{}", ended.stderr);
    assert!(ended.stdout.contains("read-latency: time of the slowest reads: "), "{}", ended.stdout);
    let (never, ended) = assessed(&scratch, "never", "--explain=never");
    assert!(never.is_null() && is_silent(&ended), "{}", ended.stderr);
}
