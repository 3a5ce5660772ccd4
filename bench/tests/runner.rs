//! Runs `fathom-bench` with the real fio. The tests are skipped without fio.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use harness::{Scratch, skipped};
use serde_json::Value;

fn runner(scratch: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom-bench"));
    command.args(args.split_whitespace()).arg("--dir").arg(scratch).stdin(Stdio::null());
    command
}

fn has_fio() -> bool {
    let has = Command::new("fio").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has {
        skipped("no fio in $PATH");
    }
    has
}

#[test]
fn a_short_run_prints_a_table_writes_json_and_removes_its_files() {
    if !has_fio() {
        return;
    }
    let scratch = Scratch::new("short");
    let [json, svg] = ["results.json", "results.svg"].map(|name| scratch.file(name));
    let args =
        format!("null startup --pairs 2 --seconds 0.3 --markdown --json {} --svg {}", json.display(), svg.display());
    let output = runner(scratch.path(), &args).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("goal: IOPS at least 10 × fio's: inconclusive, fewer than 5 pairs"), "{text}");
    assert!(text.contains("| `null` |"), "{text}");

    let results: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(results["schema"], "fathom.bench/2");
    assert_eq!(results["workloads"].as_array().unwrap().len(), 2, "{results:#}");
    let null = &results["workloads"][0];
    let runs = null["runs"].as_array().unwrap();
    let programs: Vec<&str> = runs.iter().map(|run| run["program"].as_str().unwrap()).collect();
    assert_eq!(programs, ["fathom", "fio", "fio", "fathom"]);
    for run in runs {
        let number = |key: &str| run[key].as_f64().unwrap_or_else(|| panic!("{key}: {run:#}"));
        assert!(number("wall_s") >= 0.3 && number("cpu_s") > 0.0, "{run:#}");
        // The measured time of a job is at least its runtime, and at most the time of the process.
        let possible = 0.99 * number("ios") / number("wall_s")..=1.01 * number("ios") / 0.3;
        assert!(possible.contains(&number("iops")), "{run:#}");
    }
    // On a busy machine, a run can end before its memory is sampled.
    let memory: Vec<f64> = runs.iter().filter_map(|run| run["memory_bytes"].as_f64()).collect();
    assert!(!memory.is_empty() && memory.iter().all(|bytes| *bytes > 500_000.0), "{runs:#?}");
    assert_eq!(results["workloads"][1]["runs"][0]["ios"], 1000);
    assert!(std::fs::read_to_string(svg).unwrap().contains(">null: IOPS at least 10 × fio's</text>"));
    assert_eq!(scratch.names(), ["results.json", "results.svg"]);
}

#[test]
fn the_depth_at_the_disk_is_measured_beside_a_writer() {
    if !has_fio() {
        return;
    }
    let scratch = Scratch::new("depth");
    let json = scratch.file("results.json");
    let args = format!("depth-writer-libaio-8 --pairs 1 --seconds 1.5 --json {}", json.display());
    let output = runner(scratch.path(), &args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let results: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    if let Some(reason) = results["skipped"][0]["reason"].as_str() {
        return skipped(reason);
    }
    let runs = results["workloads"][0]["runs"].as_array().unwrap();
    let programs: Vec<&str> = runs.iter().map(|run| run["program"].as_str().unwrap()).collect();
    assert_eq!(programs, ["fathom", "fio"]);
    for run in runs {
        assert!(run["p99_ns"].as_f64().is_some_and(|p99| p99 > 1e3), "{run:#}");
        // A job that gets little CPU time has few of its 8 I/Os at the disk.
        assert!(run["reads_in_flight"].as_f64().is_some_and(|reads| reads > 0.0), "{run:#}");
    }
    assert_eq!(scratch.names(), ["results.json"]);
}

#[test]
fn a_signal_ends_the_run_and_removes_the_ram_device() {
    if !has_fio() {
        return;
    }
    let scratch = Scratch::new("signal");
    let runner = runner(scratch.path(), "device-randread-64 --seconds 600");
    let mut runner = { runner }.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    // The child has the device path in its environment.
    let device = loop {
        if let Some(device) = device_of_child(runner.id()) {
            break device;
        }
        if start.elapsed() > Duration::from_secs(100) || runner.try_wait().unwrap().is_some() {
            drop(runner.kill());
            return skipped("no RAM device");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(Path::new(&device).exists());
    assert!(Command::new("kill").arg("-INT").arg(runner.id().to_string()).status().unwrap().success());
    let output = runner.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"), "{output:?}");
    assert!(!Path::new(&device).exists(), "{device} was not removed");
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());
}

/// Returns `TARGET` from the environment of a child of the process.
fn device_of_child(parent: u32) -> Option<String> {
    let is_child = |folder: &Path| {
        let stat = std::fs::read_to_string(folder.join("stat")).unwrap_or_default();
        let of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        of == Some(parent)
    };
    let folders = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let child = folders.filter(|folder| is_child(folder)).find_map(|folder| std::fs::read(folder.join("environ")).ok());
    let variables = String::from_utf8_lossy(&child?).into_owned();
    variables.split('\0').find_map(|variable| variable.strip_prefix("TARGET=")).map(String::from)
}
