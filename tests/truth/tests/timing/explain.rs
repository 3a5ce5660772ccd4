//! Causes of slow I/Os that are made on purpose: `--explain` names each of them, and no others.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use harness::{Loop, Outcome, Scratch, Throttle, Zram, fathom, outcome, shell, signal, skipped};
use serde_json::Value;

/// Least share of the time of slow I/Os that has the cause which the test made.
const NAMED_MIN: f64 = 0.95;
const JOB: &str = "--name=job --bs=4k --rw=randread --direct=1 --time_based --explain --record=record";

fn job(scratch: &Scratch, options: &str) -> Command {
    fathom(scratch.path(), &format!("{JOB} {options}"))
}

/// Returns the explanation of the reads. `None`: this machine cannot trace, and the test is skipped.
fn reads(scratch: &Scratch, ended: Outcome) -> Option<Value> {
    let ended = ended.assert_success();
    eprintln!("{}", ended.stderr);
    if let Some(why) = ended.stderr.lines().find(|line| line.contains("are not explained")) {
        skipped(why);
        return None;
    }
    let record: Value = serde_json::from_str(&std::fs::read_to_string(scratch.file("record")).unwrap()).unwrap();
    record["explanation"]["directions"].as_array().unwrap().iter().find(|of| of["ddir"] == "read").cloned()
}

/// Returns the share of the time with a cause, or without any.
fn share(reads: &Value, cause: Option<&str>) -> f64 {
    let is_meant = |part: &&Value| match cause {
        Some(name) => part["cause"] == *name || part["cause"].get(name).is_some(),
        None => part["cause"].is_null(),
    };
    let parts = reads["parts"].as_array().unwrap().iter().filter(is_meant);
    parts.map(|part| part["time_share"].as_f64().unwrap()).sum()
}

fn assert_named(reads: &Value, cause: &str) {
    let named = share(reads, Some(cause));
    assert!(named >= NAMED_MIN, "{cause}: {named}: {:#}", reads["parts"]);
}

/// Starts a shell command beside the job.
fn beside(command: &str) -> Child {
    Command::new("sh").args(["-c", command]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn ended(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A loop device does the commands one after another: reads wait behind writes and flushes.
fn loop_job(scratch: &Scratch, device: &Loop) -> Command {
    let options = "--ioengine=psync --rate_iops=1000 --runtime=8";
    job(scratch, &format!("--filename={} {options}", device.device))
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn bursts_of_another_program_are_named() {
    let scratch = Scratch::new("why-writer");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    let burst = format!("dd if=/dev/zero of={} bs=4M count=12 oflag=direct; sleep 0.9", device.device);
    let writer = beside(&format!("sleep 1; while true; do {burst}; done"));
    let found = reads(&scratch, outcome(loop_job(&scratch, &device).spawn().unwrap()));
    ended(writer);
    let Some(found) = found else { return };
    assert_named(&found, "other_program");
    assert!(found["parts"].to_string().contains("\"dd\""), "{found:#}");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn flushes_are_named() {
    let scratch = Scratch::new("why-flush");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    // The flush writes what the image has in the page cache.
    let image = format!("dd if=/dev/zero of={} bs=1M count=24 oflag=direct conv=fsync; sleep 0.9", device.device);
    let writer = beside(&format!("sleep 1; while true; do {image}; done"));
    let found = reads(&scratch, outcome(loop_job(&scratch, &device).spawn().unwrap()));
    ended(writer);
    let Some(found) = found else { return };
    let named = share(&found, Some("flush")) + share(&found, Some("other_program"));
    assert!(named >= NAMED_MIN && share(&found, Some("flush")) > 0.5, "{found:#}");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_limit_on_io_is_named() {
    let Some(zram) = Zram::new(64) else { return };
    let Some(throttle) = Throttle::new(&zram) else { return };
    throttle.ios_per_s(200);
    let scratch = Scratch::new("why-limit");
    let command = job(&scratch, &format!("--filename={} --ioengine=psync --runtime=3", zram.device));
    let found = reads(&scratch, outcome(throttle.confine(&command).spawn().unwrap()));
    let Some(found) = found else { return };
    assert_named(&found, "io_limit");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_cpu_quota_is_named() {
    let Some(zram) = Zram::new(64) else { return };
    let group = format!("/sys/fs/cgroup/cpu/fathom-why-{}", std::process::id());
    let quota = format!("mkdir {group} && echo 30000 > {group}/cpu.cfs_quota_us");
    if let Err(why) = shell(&quota) {
        return skipped(&why);
    }
    let scratch = Scratch::new("why-quota");
    let command = job(&scratch, &format!("--filename={} --ioengine=psync --runtime=4", zram.device));
    let found = reads(&scratch, outcome(in_group(&group, &command).spawn().unwrap()));
    let removed = std::fs::remove_dir(&group);
    let Some(found) = found else { return };
    assert_named(&found, "cpu_quota");
    removed.unwrap();
}

/// Returns the command, changed to run in a control group from its start.
fn in_group(group: &str, command: &Command) -> Command {
    let mut confined = Command::new("sh");
    confined.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(format!("{group}/cgroup.procs"));
    like(confined, command)
}

/// Returns `first` with a command as its last arguments.
fn like(mut first: Command, command: &Command) -> Command {
    first.arg(command.get_program()).args(command.get_args()).env("FATHOM_NO_HISTORY", "1");
    first.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    first.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    first
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_wait_for_a_cpu_is_named() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("why-cpu");
    let hogs: Vec<Child> = (0..3).map(|_| beside("exec taskset -c 1 sh -c 'while true; do :; done'")).collect();
    let options = format!("--filename={} --ioengine=psync --runtime=4 --cpus_allowed=1", zram.device);
    let found = reads(&scratch, outcome(job(&scratch, &options).spawn().unwrap()));
    hogs.into_iter().for_each(ended);
    let Some(found) = found else { return };
    assert_named(&found, "cpu_wait");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_stopped_process_is_named() {
    let scratch = Scratch::new("why-stop");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    let options = format!("--filename={} --ioengine=io_uring --iodepth=16 --runtime=4", device.device);
    let child = job(&scratch, &options).spawn().unwrap();
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(800));
        signal(&child, "STOP");
        std::thread::sleep(Duration::from_millis(200));
        signal(&child, "CONT");
    }
    let Some(found) = reads(&scratch, outcome(child)) else { return };
    assert_named(&found, "stopped");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn without_a_disturbance_no_other_program_is_named() {
    let scratch = Scratch::new("why-nothing");
    let Some(device) = Loop::new(&scratch, 64, "") else { return };
    // A writer whose I/Os are spread evenly is in flight by chance only.
    let write = format!("dd if=/dev/zero of={} bs=4k count=1 oflag=direct", device.device);
    let writer = beside(&format!("while true; do {write}; sleep 0.01; done"));
    let found = reads(&scratch, outcome(loop_job(&scratch, &device).spawn().unwrap()));
    ended(writer);
    let Some(found) = found else { return };
    for cause in ["flush", "discard", "other_program", "io_limit", "cpu_quota", "stopped", "memory_reclaim"] {
        assert!(share(&found, Some(cause)) < 0.05, "{cause}: {found:#}");
    }
}
