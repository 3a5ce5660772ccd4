//! Causes of slow I/Os that are made on purpose: `--explain` names each of them, and no others.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use harness::{Outcome, Scratch, Throttle, Zram, fathom, outcome, shell, skipped};
use serde_json::Value;

/// Least share of the time of slow I/Os that has the cause which the test made.
const NAMED_MIN: f64 = 0.95;
const JOB: &str = "--name=job --bs=4k --rw=randread --direct=1 --time_based --explain --record=record";

fn job(scratch: &Scratch, options: &str) -> Command {
    fathom(scratch.path(), &format!("{JOB} {options}"))
}

/// This machine cannot trace.
fn is_skip(line: &str) -> bool {
    let reasons = ["root only", "no tracefs", "is not mounted", "no tracepoints"];
    line.contains("are not explained") && reasons.iter().any(|reason| line.contains(reason))
}

/// Returns the explanation of the reads. `None`: this machine cannot trace, and the test is skipped.
fn reads(scratch: &Scratch, ended: Outcome) -> Option<Value> {
    let ended = ended.assert_success();
    eprintln!("{}", ended.stderr);
    if let Some(why) = ended.stderr.lines().find(|line| is_skip(line)) {
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

/// The cause of the time that was traced. Events can be lost where no CPU is left to read them.
fn assert_named(reads: &Value, cause: &str) {
    let not_traced = reads["parts"].as_array().unwrap().iter().filter(|part| part["layer"] == "not_traced");
    let not_traced: f64 = not_traced.map(|part| part["time_share"].as_f64().unwrap()).sum();
    assert!(not_traced < 0.5, "{:#}", reads["parts"]);
    let named = share(reads, Some(cause)) / (1.0 - not_traced);
    assert!(named >= NAMED_MIN, "{cause}: {named}: {:#}", reads["parts"]);
}

/// A shell command beside the job, killed with its processes on drop.
struct Beside(Child);

fn beside(command: &str) -> Beside {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    Beside(shell.spawn().unwrap())
}

impl Drop for Beside {
    fn drop(&mut self) {
        drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", self.0.id())]).output());
        drop(self.0.wait());
    }
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
    let hogs: Vec<Beside> = (0..3).map(|_| beside("exec taskset -c 1 sh -c 'while true; do :; done'")).collect();
    let options = format!("--filename={} --ioengine=psync --runtime=4 --cpus_allowed=1", zram.device);
    let found = reads(&scratch, outcome(job(&scratch, &options).spawn().unwrap()));
    drop(hogs);
    let Some(found) = found else { return };
    assert_named(&found, "cpu_wait");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn without_a_disturbance_no_other_program_is_named() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("why-nothing");
    // The writer has an I/O in flight nearly all the time: it makes no I/O slower than the others.
    let write = format!("timeout 5 dd if=/dev/zero of={} bs=4k oflag=direct", zram.device);
    let writer = beside(&format!("for n in $(seq 1000); do {write}; done"));
    let options = format!("--filename={} --ioengine=psync --rate_iops=1000 --runtime=5", zram.device);
    let found = reads(&scratch, outcome(job(&scratch, &options).spawn().unwrap()));
    drop(writer);
    let Some(found) = found else { return };
    for cause in ["flush", "discard", "other_program", "io_limit", "cpu_quota", "memory_reclaim", "writeback"] {
        assert!(share(&found, Some(cause)) < 0.05, "{cause}: {found:#}");
    }
}
