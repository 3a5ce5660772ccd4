//! Runs that end early report the figures until then, complete and at once, with fio's exit codes.

use crate::stage::{
    Loop, MIB, Mount, Outcome, Scratch, Throttle, Zram, fathom, interrupted, outcome, run, signal, wait_for_open_file,
    wait_for_silence, wait_for_work, wait_until, with_default_hangup, with_realtime_priority,
};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

const LONG: &str = "--time_based --runtime=600 --output-format=json";
const PSYNC: &str = "--ioengine=psync --bs=4k --size=1m --filename=f";

fn number(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("no number: {of}"))
}

fn ios(ddir: &Value) -> u64 {
    number(&ddir["total_ios"])
}

/// Runs `job`, interrupts it as soon as its threads have slept `sleeps` times, and returns the jobs of the only JSON document.
fn jobs_when_interrupted(job: &str, sleeps: u64, signals: &[&str]) -> Vec<Value> {
    let (scratch, since) = (Scratch::new("signals"), Instant::now());
    let child = with_default_hangup(&fathom(scratch.path(), &format!("{LONG} {job}"))).spawn().unwrap();
    wait_for_work(&child, sleeps);
    let stopped = interrupted(child, signals);
    stopped.ended_with(128).complained_of("fio: terminating on signal");
    let jobs = stopped.json()["jobs"].as_array().unwrap().clone();
    assert!(jobs.iter().all(|job| job["error"] == 0), "{job}");
    let passed_ms = since.elapsed().as_millis() as u64;
    assert!(jobs.iter().all(|job| number(&job["job_runtime"]) <= passed_ms), "{job}: in {passed_ms} ms: {jobs:?}");
    jobs
}

#[test]
fn every_engine_stops_at_once_and_reports_its_figures() {
    for engine in ["psync", "vsync", "pvsync2", "mmap", "posixaio", "libaio", "io_uring", "null"] {
        let job = format!("--name=a --ioengine={engine} --rw=randrw --bs=4k --size=1m --filename=f --iodepth=4");
        let did_both = |jobs: &[Value]| ios(&jobs[0]["read"]) > 0 && ios(&jobs[0]["write"]) > 0;
        let ran = |jobs: &[Value]| number(&jobs[0]["read"]["runtime"]) >= 100;
        let jobs = jobs_when_interrupted(&job, 50, &["INT"]);
        assert!(did_both(&jobs) && ran(&jobs), "{engine}: {jobs:?}");
        let read = &jobs[0]["read"];
        assert_eq!(read["total_ios"], read["clat_ns"]["N"], "{engine}");
        assert!(number(&read["runtime"]) <= number(&jobs[0]["job_runtime"]), "{engine}: {}", jobs[0]);
    }
    for depth in [1, 4] {
        let job = format!("--name=a --ioengine=null --rw=read --size=1m --io_submit_mode=offload --iodepth={depth}");
        assert!(has_read(&jobs_when_interrupted(&job, 20, &["INT"])));
    }
    let ran = |jobs: &[Value]| number(&jobs[0]["job_runtime"]) > 100;
    assert!(ran(&jobs_when_interrupted("--name=a --ioengine=cpuio --cpuload=90", 20, &["INT"])));
}

fn has_read(jobs: &[Value]) -> bool {
    ios(&jobs[0]["read"]) > 0
}

#[test]
fn every_stop_signal_ends_a_run_and_a_second_has_no_effect() {
    for signals in [&["INT"][..], &["TERM"], &["HUP"], &["INT", "INT"], &["TERM", "INT", "TERM"]] {
        let job = format!("--name=a --rw=randread {PSYNC}");
        assert!(has_read(&jobs_when_interrupted(&job, 20, signals)));
    }
}

#[test]
fn waits_end_when_the_run_stops() {
    let waits = [
        "--ramp_time=600",
        "--thinktime=600s",
        "--thinktime=600s --thinktime_spin=600s",
        "--rate=1",
        "--rate_iops=1 --rate_process=poisson",
        "--name=c --wait_for=a",
        "--name=c --stonewall",
    ];
    for wait in waits {
        let job = format!("--rw=randread {PSYNC} --name=a {wait}");
        let jobs = jobs_when_interrupted(&job, 8, &["INT"]);
        assert!(has_read(&jobs), "{wait}");
        assert!(jobs[1..].iter().all(|job| job["read"]["total_ios"] == 0), "{wait}");
    }
    for wait in ["--startdelay=600", "--startdelay=600,700 --numjobs=3", "--create_serialize=0 --startdelay=600"] {
        let job = format!("--rw=randread {PSYNC} --name=a {wait}");
        let jobs = jobs_when_interrupted(&job, 5, &["TERM"]);
        assert!(jobs.iter().all(|job| job["read"]["total_ios"] == 0), "{wait}");
    }
}

/// The queue of the second job needs 4 s.
const SLOW: &str = "--ioengine=io_uring --direct=1 --rw=write --bs=1m --size=64m --output-format=json";

#[test]
fn a_normal_end_waits_for_the_queue_of_a_slow_device() {
    let Some(device) = Zram::new(128) else { return };
    let Some(throttle) = Throttle::new(&device) else { return };
    throttle.bytes_per_s(8 * MIB);
    let scratch = Scratch::new("slow-end");
    let first = "--name=a --iodepth=1 --number_ios=2 --exec_postrun=sleep${IFS}1;touch${IFS}ran";
    for ends in ["--exitall", "--exitall --exit_what=all", "--max_latency=1ms --exitall_on_error"] {
        let line = format!("{SLOW} --filename={} {first} {ends} --name=b --iodepth=32", device.device);
        let before = device.written_bytes();
        let ended = outcome(throttle.confine(&fathom(scratch.path(), &line)).spawn().unwrap());
        ended.ended_with(i32::from(ends.contains("latency")));
        let jobs = &ended.json()["jobs"];
        // What the device has written is in the report: the run waited for it.
        let written = [0, 1].map(|job: usize| number(&jobs[job]["write"]["io_bytes"]));
        assert!(jobs[1]["error"] == 0 && written[1] > 0, "{ends}: {jobs}");
        assert_eq!(written.iter().sum::<u64>(), device.written_bytes() - before, "{ends}: {jobs}");
        std::fs::remove_file(scratch.file("ran")).unwrap();
    }
}

#[test]
fn run_with_many_files_stops_before_checking_all() {
    let scratch = Scratch::new("many-files");
    let job = format!("{LONG} --name=a --ioengine=filecreate --nrfiles=600000 --filesize=4k");
    for after_ms in [200, 800] {
        let child = fathom(scratch.path(), &job).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after_ms));
        let stopped = interrupted(child, &["INT"]);
        assert_eq!(stopped.ended_with(128).json()["jobs"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn interrupted_layout_keeps_existing_files() {
    for serialize in [0, 1] {
        let scratch = Scratch::new("layout");
        scratch.filled("old", 5 * MIB / 2);
        for name in ["new", "old"] {
            let job = format!("--name=a --rw=randread --size=200g --fallocate=none --filename={name} {LONG}");
            let job = format!("{job} --create_serialize={serialize}");
            let child = fathom(scratch.path(), &job).spawn().unwrap();
            let path = scratch.file(name);
            let is_begun = || std::fs::metadata(&path).is_ok_and(|file| file.len() > 5 * MIB / 2);
            wait_until("a file that is laid out", is_begun);
            let stopped = interrupted(child, &["INT"]);
            stopped.ended_with(128);
            let jobs = &stopped.json()["jobs"];
            assert!(jobs[0]["error"] == 0 && jobs[0]["read"]["io_bytes"] == 0, "{jobs}");
        }
        assert_eq!(scratch.names(), ["old"]);
        let left = std::fs::read(scratch.file("old")).unwrap();
        assert!(left.len() as u64 == 5 * MIB / 2 && left.iter().all(|byte| *byte == 0x5a));
    }
}

#[test]
fn normal_report_is_complete_after_a_signal() {
    let scratch = Scratch::new("normal");
    let job = format!("--name=a --rw=randread {PSYNC} --time_based --runtime=600");
    let parts = ["fio: terminating on signal 2", "err= 0: pid=", "clat percentiles", "Run status group 0", "READ: bw="];
    let child = fathom(scratch.path(), &job).spawn().unwrap();
    wait_for_work(&child, 20);
    let stopped = interrupted(child, &["INT"]);
    stopped.ended_with(128);
    for part in parts {
        assert!(stopped.stdout.contains(part), "no `{part}` in:\n{}", stopped.stdout);
    }
}

/// Runs a job and returns its exit code, its messages, and its part of the JSON document.
fn one_job(directory: &Path, arguments: &str) -> (i32, String, Value) {
    let ended = run(directory, &format!("--name=a {arguments} --output-format=json"));
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    (ended.code.unwrap(), ended.stderr.clone(), ended.json()["jobs"][0].clone())
}

#[test]
fn an_io_error_ends_the_job_with_its_reason() {
    let scratch = Scratch::new("eio");
    let Some(device) = Loop::new(&scratch, 32, "") else { return };
    device.truncate(8);
    for engine in ["psync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap"] {
        let job = format!("--filename={} --ioengine={engine} --rw=read --bs=64k --iodepth=4", device.device);
        let (code, complaint, job) = one_job(scratch.path(), &job);
        assert_eq!((code, &job["error"]), (1, &Value::from(5)), "{engine}: {complaint}");
        let message = format!("fio: io_u error on file {}: Input/output error: read offset=", device.device);
        assert!(complaint.contains(&message), "{engine}: {complaint}");
        // All reads before the error count.
        assert!(number(&job["read"]["io_bytes"]) >= 7 * MIB, "{engine}: {}", job["read"]["io_bytes"]);
    }
}

#[test]
fn errors_with_continue_on_error_are_counted() {
    let scratch = Scratch::new("goes-on");
    let Some(device) = Loop::new(&scratch, 32, "") else { return };
    device.truncate(8);
    let base = format!("--filename={} --ioengine=libaio --iodepth=4 --direct=1 --rw=read --bs=64k", device.device);
    let cases = [
        ("--continue_on_error=io", 0, 384),
        ("--continue_on_error=read", 0, 384),
        ("--continue_on_error=write", 1, 0),
        ("--ignore_error=EIO", 0, 384),
        ("--ignore_error=EINVAL:EIO,ENOSPC", 0, 384),
        ("--ignore_error=EINVAL", 1, 0),
        ("--ignore_error=,EIO", 1, 0),
        ("--continue_on_error=all --ignore_error=ENOSPC", 1, 0),
    ];
    for (options, code, errors) in cases {
        let (ended, complaint, job) = one_job(scratch.path(), &format!("{base} {options}"));
        assert_eq!((ended, &job["error"]), (code, &Value::from(5)), "{options}: {complaint}");
        if errors > 0 {
            assert_eq!((&job["total_err"], &job["first_error"]), (&errors.into(), &5.into()), "{options}");
            assert_eq!(number(&job["read"]["io_bytes"]), 8 * MIB, "{options}");
            assert_eq!(complaint, "", "{options}");
        }
    }
    let (_, complaint, _) = one_job(scratch.path(), &format!("{base} --continue_on_error=io --error_dump=1 --bs=8m"));
    assert_eq!(complaint.matches("Input/output error: read offset=").count(), 3, "{complaint}");
}

#[test]
fn error_of_one_job_does_not_end_others_unless_requested() {
    let scratch = Scratch::new("others");
    let Some(device) = Loop::new(&scratch, 32, "") else { return };
    device.truncate(8);
    let jobs = format!(
        "--time_based --rw=randread --name=bad --filename={} --name=good --filename=f --size=1m",
        device.device
    );
    for (option, least_ms, most_ms) in
        [("--exitall_on_error=0 --runtime=1", 1000, 10_000), ("--exitall_on_error=1 --runtime=20", 0, 10_000)]
    {
        let ended = run(scratch.path(), &format!("{option} {jobs} --output-format=json"));
        ended.ended_with(1);
        let document = ended.json();
        assert_eq!((&document["jobs"][0]["error"], &document["jobs"][1]["error"]), (&5.into(), &0.into()));
        let runtime = number(&document["jobs"][1]["job_runtime"]);
        assert!((least_ms..most_ms).contains(&runtime), "{option}: {runtime} ms");
    }
}

#[test]
fn full_file_system_ends_writes_and_layouts() {
    let scratch = Scratch::new("enospc");
    let full = scratch.file("full");
    let Some(_mount) = Mount::tmpfs(8, &full) else { return };
    let write = "--filename=f --rw=write --bs=64k --size=16m";
    for engine in ["psync", "io_uring", "libaio"] {
        let (code, complaint, job) = one_job(&full, &format!("{write} --ioengine={engine} --iodepth=4 --unlink=1"));
        assert_eq!((code, &job["error"]), (1, &28.into()), "{engine}");
        assert!(complaint.contains("No space left on device: write offset="), "{engine}: {complaint}");
        assert_eq!(number(&job["write"]["io_bytes"]), 8 * MIB, "{engine}");
    }
    for size in ["--size=16m", ""] {
        let job = format!("--filename=f --rw=write --bs=64k {size} --fill_device=1 --unlink=1 --ioengine=psync");
        let (code, complaint, job) = one_job(&full, &job);
        assert_eq!((code, &job["error"]), (0, &0.into()), "{complaint}");
        assert_eq!(number(&job["write"]["io_bytes"]), 8 * MIB);
    }
    // The layout fills the device. The job then does one pass over the file.
    for engine in ["psync", "libaio"] {
        let job = format!(
            "--filename=f --rw=rw --bs=64k --fill_device=1 --runtime=20 --unlink=1 --ioengine={engine} --iodepth=4"
        );
        let (code, complaint, job) = one_job(&full, &job);
        assert_eq!((code, &job["error"]), (0, &0.into()), "{complaint}");
        assert_eq!(number(&job["read"]["io_bytes"]) + number(&job["write"]["io_bytes"]), 8 * MIB, "{engine}");
    }
    let (code, _, job) = one_job(&full, &format!("{write} --ioengine=psync --ignore_error=,ENOSPC --unlink=1"));
    assert_eq!((code, &job["total_err"], &job["first_error"]), (0, &128.into(), &28.into()));
    std::fs::write(full.join("old"), "old").unwrap();
    for name in ["new", "old"] {
        for engine in ["psync", "mmap"] {
            let job = format!("--filename={name} --rw=randrw --bs=64k --size=16m --ioengine={engine}");
            let (code, complaint, job) = one_job(&full, &job);
            assert_eq!((code, &job["error"]), (1, &28.into()), "{name} {engine}");
            assert!(complaint.contains("ENOSPC on laying out file"), "{complaint}");
        }
    }
    assert!(!full.join("new").exists());
    assert_eq!(std::fs::read_to_string(full.join("old")).unwrap(), "old");
}

#[test]
fn shrinking_or_removed_file_does_not_crash_the_run() {
    for (engine, func) in [("psync", "full resid"), ("io_uring", "full resid"), ("mmap", "io_u error")] {
        let scratch = Scratch::new("shrinks");
        let job =
            format!("--name=a --filename=f --rw=randread --bs=64k --size=16m --ioengine={engine} --rate_iops=500");
        // Starts a job and changes its file during the run.
        let with = |more: &str, change: &dyn Fn(&Path)| {
            let path = scratch.filled("f", 16 * MIB);
            let child = fathom(scratch.path(), format!("{job} {LONG} {more}").trim_end()).spawn().unwrap();
            wait_for_open_file(&child, &path);
            // A read that is not in the page cache sleeps several times.
            wait_for_work(&child, 300);
            change(&path);
            child
        };
        let shrink = |path: &Path| std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(MIB).unwrap();
        let count =
            |ended: &Outcome, of: &[&str]| of.iter().fold(&ended.json()["jobs"][0], |json, key| &json[key]).as_u64();
        let ended = outcome(with("", &shrink));
        ended.ended_with(1);
        assert!(ended.stderr.contains(&format!("func={func}")), "{}", ended.stderr);
        assert!(count(&ended, &["read", "total_ios"]) > Some(10), "{}", ended.stdout);

        let child = with("--continue_on_error=io", &shrink);
        wait_for_work(&child, 600);
        let ended = interrupted(child, &["INT"]);
        ended.ended_with(128);
        assert!(count(&ended, &["total_err"]) > Some(10), "{}", ended.stdout);

        let remove = |path: &Path| std::fs::remove_file(path).unwrap();
        outcome(with("--runtime=1", &remove)).ended_with(0);
    }
}

#[test]
fn a_latency_beyond_the_limit_ends_the_job() {
    let scratch = Scratch::new("max-latency");
    let (code, complaint, job) = one_job(scratch.path(), &format!("--rw=write --max_latency=1us --direct=1 {PSYNC}"));
    assert_eq!((code, &job["error"]), (1, &110.into()));
    assert!(complaint.contains("nsec exceeds specified max (1000 nsec): f write 0 4096"), "{complaint}");
}

#[test]
fn a_report_that_does_not_fit_in_its_file_is_printed() {
    let scratch = Scratch::new("report");
    let full = scratch.file("full");
    let Some(_mount) = Mount::tmpfs(4, &full) else { return };
    let job = "--output=report --output-format=json --name=a --filename=f --rw=write --bs=64k --fill_device=1";
    let ended = run(&full, job);
    ended.ended_with(1).complained_of("--output=report: No space left on device; the file is not complete");
    assert_eq!(number(&ended.json()["jobs"][0]["write"]["io_bytes"]), 4 * MIB);
}

#[test]
fn commands_before_and_after_a_job_do_not_block_a_stop() {
    for when in ["prerun", "postrun"] {
        let scratch = Scratch::new("command");
        std::fs::write(
            scratch.file("job"),
            format!("[a]\nexec_{when}=touch begun && exec sleep 600\nsize=64k\nrw=read\n"),
        )
        .unwrap();
        // A worker that gets no CPU for a second would be reported as stuck.
        let command = fathom(scratch.path(), "--output-format=json job");
        let child = with_realtime_priority(command).spawn().unwrap();
        wait_until("the command", || scratch.file("begun").exists());
        let stopped = interrupted(child, &["TERM"]);
        assert_eq!(stopped.ended_with(128).json()["jobs"][0]["error"], 0, "{when}: {}", stopped.stderr);
    }
}

#[test]
fn unresponsive_device_does_not_delay_the_report() {
    let Some(device) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&device) else { return };
    for engine in ["psync", "io_uring", "libaio", "posixaio"] {
        let scratch = Scratch::new("stuck");
        let job = format!(
            "--output=report --name=a --filename={} --ioengine={engine} --rw=randwrite --direct=1 --bs=4k --iodepth=4 \
             --rate_iops=1000 --name=b --ioengine=null --size=1m --rw=read --rate_iops=1000 {LONG}",
            device.device
        );
        let mut child = fathom(scratch.path(), &job).spawn().unwrap();
        throttle.add_process(child.id());
        let before = device.writes();
        wait_until("the device is written", || device.writes() > before + 100);
        wait_for_work(&child, 300);
        throttle.bytes_per_s(1);
        wait_for_silence(&device);
        signal(&child, "INT");
        // The kernel ends the process only after the device responds again.
        let report = || std::fs::read_to_string(scratch.file("report")).unwrap_or_default();
        wait_until("a report", || report().ends_with("}\n") || child.try_wait().unwrap().is_some());
        assert!(child.try_wait().unwrap().is_none() || !report().is_empty(), "{engine}");
        throttle.bytes_per_s(0);
        outcome(child).ended_with(128);
        let jobs = serde_json::from_str::<Value>(&report()).unwrap()["jobs"].clone();
        assert_eq!((&jobs[0]["error"], &jobs[1]["error"]), (&5.into(), &0.into()), "{engine}");
        assert!(ios(&jobs[0]["write"]) > 50 && ios(&jobs[1]["read"]) > 50, "{engine}: {jobs}");
    }
}
