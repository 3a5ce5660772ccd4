//! A captured load on two hosts: each replays its part, and the answer is about both.

use std::time::Duration;

use serde_json::Value;

use crate::stage::{HOSTS, Hosts, Zram, launchers, shell, wait_until};

/// I/Os of the load, of which a third are writes.
const IOS: u64 = 600;
/// Length of the load.
const LENGTH_MS: u64 = 3_000;
/// One stream of reads, of all its reads.
const STREAM_SHARE: u64 = 4;

/// Writes a trace of MSR Cambridge: writes and reads at scattered places, and a sequential stream of reads.
fn trace(hosts: &Hosts, is_stream: impl Fn(u64) -> bool) {
    let line = |nth: u64| {
        let (kind, offset) = match nth {
            _ if is_stream(nth) => ("Read", (16 << 20) + nth / STREAM_SHARE * 4096),
            _ if nth.is_multiple_of(3) => ("Write", nth * 7919 % 2000 * 8192),
            _ => ("Read", nth * 104_729 % 2000 * 8192),
        };
        // Times and latencies are in 100 ns. The last I/O takes long: a run of the load that is late by as much completes it.
        let latency = if nth + 1 == IOS { 10_000_000 } else { 5_000 };
        format!("{},h,0,{kind},{offset},4096,{latency}\n", nth * LENGTH_MS * 10_000 / IOS)
    };
    let text: String = (0..IOS).map(line).collect();
    std::fs::write(hosts.scratch.file("load.csv"), text).unwrap();
}

/// One of four I/Os is of the stream.
fn mixed(nth: u64) -> bool {
    nth % STREAM_SHARE == 1
}

/// Returns the I/Os of each host in a run, by direction.
fn ios(round: &Value) -> Vec<[u64; 2]> {
    let workers = round["record"]["workers"].as_array().unwrap();
    let of = |worker: &Value, ddir: usize| worker["stats"]["ddirs"][ddir]["ios"].as_u64().unwrap();
    workers.iter().map(|worker| [of(worker, 0), of(worker, 1)]).collect()
}

/// Asserts that no log remains on the hosts and on this machine.
fn assert_no_log(hosts: &Hosts) {
    let folders = HOSTS.map(|host| hosts.scratch.file(&format!("tmp-{host}")));
    for folder in folders.iter().filter(|folder| folder.exists()) {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.filter(|name| name.to_string_lossy().contains("like")).count(), 0, "{}", folder.display());
    }
}

/// Makes a device for a host, or for both.
fn device(hosts: &Hosts, names: &[&str]) -> Option<Zram> {
    let zram = Zram::new(64)?;
    for name in names {
        let (at, number) = (hosts.scratch.file(name), zram.number().replace(':', " "));
        shell(&format!("mknod {} b {number}", at.display())).unwrap();
    }
    Some(zram)
}

/// Asserts that the hosts replayed each I/O once, and that the answer is about both of them.
fn assert_whole(assessment: &Value) {
    let knee = &assessment["study"]["knee"];
    assert_eq!((&assessment["verdict"], &knee["like"]["ios"]), (&Value::from("PASS"), &Value::from(IOS)));
    let parts = ios(&assessment["tests"][0]["rounds"][0]);
    let sum = parts.iter().fold([0, 0], |sum, part| [sum[0] + part[0], sum[1] + part[1]]);
    let writes = (0..IOS).filter(|nth| !mixed(*nth) && nth.is_multiple_of(3)).count() as u64;
    assert_eq!(sum, [IOS - writes, writes], "{parts:?}");
    assert!(parts.len() == 2 && parts.iter().all(|part| part[0] + part[1] > IOS / 4), "{parts:?}");
    let first = &knee["result"]["points"][0]["runs"][0]["arrivals"];
    assert_eq!(first["due"], Value::from(IOS), "the search counts the I/Os of both hosts");
}

#[test]
fn two_hosts_replay_each_io_of_a_captured_load_once_on_their_own_devices() {
    let Some(hosts) = Hosts::new("fleet-like") else { return };
    let devices = HOSTS.map(|host| device(&hosts, &[&format!("disk-{host}")]));
    let [Some(a), Some(b)] = &devices else { return };
    trace(&hosts, mixed);
    for launcher in launchers() {
        let before = [a, b].map(Zram::writes);
        let line = "assess disk-%h --like load.csv --overwrite disk-%h --p99 10s --no-history --quiet --format json";
        let outcome = hosts.run_work(launcher, "a,b", "", line).assert_success();
        outcome.complained_of("note: I/Os of each host: a ");
        assert_whole(&outcome.json());
        assert!([a, b].into_iter().zip(before).all(|(disk, before)| disk.writes() > before), "{launcher}");
        assert_no_log(&hosts);
    }
}

#[test]
fn a_shared_file_gets_each_io_of_a_captured_load_once() {
    let Some(hosts) = Hosts::new("fleet-like-shared") else { return };
    trace(&hosts, mixed);
    let disk = hosts.scratch.file("disk");
    for launcher in launchers() {
        std::fs::write(&disk, vec![0; 64 << 20]).unwrap();
        let line = "assess disk --like load.csv --overwrite disk --p99 10s --no-history --quiet --format json";
        assert_whole(&hosts.run_work(launcher, "a,b", "--shared", line).assert_success().json());
        // The parts of 1 MiB with I/Os are filled, those behind them are not.
        let bytes = std::fs::read(&disk).unwrap();
        let is_written = |part: &[u8]| part.iter().any(|byte| *byte != 0);
        let written: Vec<bool> = bytes.chunks(1 << 20).map(is_written).collect();
        assert_eq!(written, [[true; 17].as_slice(), &[false; 47]].concat(), "{launcher}");
    }
}

#[test]
fn a_captured_load_goes_into_new_files_of_the_hosts_and_the_report_shows_what_each_made() {
    let Some(hosts) = Hosts::new("fleet-like-knee") else { return };
    trace(&hosts, mixed);
    for host in HOSTS {
        std::fs::create_dir(hosts.scratch.file(&format!("disk-{host}"))).unwrap();
    }
    std::fs::create_dir(hosts.scratch.file("disk")).unwrap();
    for launcher in launchers() {
        let line = "--like load.csv --p99 10s --runtime 2s --no-history --quiet --keep-free 0";
        let found = hosts.run_work(launcher, "a,b", "", &format!("knee disk-%h {line}"));
        // A busy machine submits the highest multiples late, and cannot say what the disks hold.
        let is_busy = found.stdout.contains("INCONCLUSIVE");
        found.ended_with(if is_busy { 3 } else { 0 });
        assert!(found.stdout.contains("times this load with p99 at most 10 s"), "{}", found.stdout);
        assert!(found.stdout.contains("Hosts at ") && found.stdout.contains("\n  b "), "{}", found.stdout);
        let shared = hosts.run_work(launcher, "a,b", "--shared", &format!("knee disk {line} --format json"));
        shared.ended_with(if shared.stderr.contains("INCONCLUSIVE") { 3 } else { 0 });
        let made = shared.json()["hosts"].clone();
        let due: u64 = made.as_array().unwrap().iter().map(|host| host["arrivals"]["due"].as_u64().unwrap()).sum();
        assert!(due >= IOS / 2 && made[1]["name"] == "b", "{launcher}: {made}");
        for folder in ["disk", "disk-a", "disk-b"] {
            assert_eq!(std::fs::read_dir(hosts.scratch.file(folder)).unwrap().count(), 0, "{launcher} {folder}");
        }
    }
}

#[test]
fn a_load_with_fewer_streams_than_hosts_is_refused() {
    let Some(hosts) = Hosts::new("fleet-like-stream") else { return };
    let Some(_zram) = device(&hosts, &["disk-a", "disk-b"]) else { return };
    trace(&hosts, |_| true);
    let text = std::fs::read_to_string(hosts.scratch.file("load.csv")).unwrap();
    // Only the stream itself.
    let stream: String = text.lines().step_by(STREAM_SHARE as usize).map(|line| format!("{line}\n")).collect();
    std::fs::write(hosts.scratch.file("load.csv"), stream).unwrap();
    let Some(launcher) = launchers().pop() else { return };
    let refused = hosts.run_work(launcher, "a,b", "", "knee disk-%h --like load.csv --p99 1s --no-history");
    refused.ended_with(2).complained_of("a host has no part of the load (I/Os: a 150, b 0)");
    assert_no_log(&hosts);
}

#[test]
fn a_host_that_cannot_keep_its_times_or_is_lost_makes_the_answer_inconclusive() {
    let Some(hosts) = Hosts::new("fleet-like-late") else { return };
    let devices = HOSTS.map(|host| device(&hosts, &[&format!("disk-{host}")]));
    let [Some(_), Some(disk)] = &devices else { return };
    trace(&hosts, mixed);
    let line = "assess disk-%h --like load.csv --overwrite disk-%h --p99 100ms --no-history --quiet --format json";
    for launcher in launchers() {
        let late = std::thread::scope(|scope| {
            let run = scope.spawn(|| hosts.run_work(launcher, "a,b", "", line));
            // Most of its time, the process that measures on the second host does not run.
            while !run.is_finished() {
                if let Some(pid) = hosts.process_on("b", "fleet-worker").filter(|_| hosts.write_calls("b") > 0) {
                    let _ = shell(&format!("kill -STOP {pid}; sleep 0.4; kill -CONT {pid}"));
                }
                std::thread::sleep(Duration::from_millis(400));
            }
            run.join().unwrap()
        });
        let assessment = late.ended_with(3).json();
        let findings = assessment["tests"][0]["findings"].to_string();
        let evidence = &assessment["study"]["knee"]["result"]["load_generator"];
        assert!(findings.contains("interrupted") || evidence.is_object(), "{launcher}: {findings}");
        let before = disk.written_bytes();
        let lost = std::thread::scope(|scope| {
            let run = scope.spawn(|| hosts.run_work(launcher, "a,b", "", line));
            // More than the fill.
            wait_until("the load runs", || disk.written_bytes() - before > 17 << 20 || run.is_finished());
            hosts.kill("b", "fleet-worker");
            run.join().unwrap()
        });
        let assessment = lost.ended_with(1).json();
        assert_eq!(assessment["verdict"], "INCONCLUSIVE", "{launcher}");
        assert!(
            lost.stdout.contains("the process that measures ended without a result"),
            "{launcher}: {}",
            lost.stdout
        );
    }
}
