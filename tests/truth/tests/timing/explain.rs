//! Causes of slow I/Os that are made on purpose: `--explain` names each of them, and no others.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fathom_truth::timed_files::{Program, TimedFiles};
use harness::{Loop, MemoryGroup, Outcome, Scratch, Throttle, Zram, fathom, needs, outcome, skipped};
use serde_json::Value;

/// Least share of the time of slow I/Os that has the cause which the test made.
const NAMED_MIN: f64 = 0.95;
const JOB: &str = "--name=job --bs=4k --rw=randread --direct=1 --time_based --explain --record=record";

/// Layers up to the completion, and the one after it.
const UNTIL_COMPLETION: [&str; 3] = ["submission", "queue", "device"];
const AFTER_COMPLETION: [&str; 1] = ["reaping"];
const MS: Duration = Duration::from_millis(1);

fn job(scratch: &Scratch, options: &str) -> Command {
    fathom(scratch.path(), &format!("{JOB} {options}"))
}

/// A disk that needs 4 ms for each I/O up to 1 MiB, one after the other.
struct TimedDisk {
    disk: Loop,
    files: TimedFiles,
}

impl TimedDisk {
    fn new(test: &str) -> Option<TimedDisk> {
        let files = TimedFiles::mount(test, 1, 128 << 20)?;
        let image = files.file(0);
        let device = needs(&format!("losetup --show -f {}", image.display()))?;
        Some(TimedDisk { disk: Loop { device, image }, files })
    }

    /// Runs a job on the disk. `None`: this machine cannot trace.
    fn reads(&self, program: Program, options: &str, during: impl FnOnce(&Child)) -> Option<Value> {
        let scratch = Scratch::new("why-disk");
        self.files.begin(program);
        let started = job(&scratch, &format!("--filename={} {options}", self.disk.device)).spawn().unwrap();
        during(&started);
        reads(&scratch, outcome(started))
    }
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

/// Returns the share of the time in these layers.
fn in_layers(reads: &Value, layers: &[&str]) -> f64 {
    let parts = reads["parts"].as_array().unwrap().iter();
    let parts = parts.filter(|part| layers.iter().any(|layer| part["layer"] == *layer));
    parts.map(|part| part["time_share"].as_f64().unwrap()).sum()
}

/// The cause of the time in these layers, which is most of the time: another test can take the CPU at the same time.
fn assert_named_in(reads: &Value, layers: &[&str], cause: &str) {
    let all = in_layers(reads, layers);
    let named = share(reads, Some(cause));
    assert!(all > 0.5 && named >= NAMED_MIN * all, "{cause}: {named} of {all}: {:#}", reads["parts"]);
}

/// Of the time in which the device had the I/Os nothing is named.
fn assert_nothing_named(reads: &Value) {
    for cause in ["flush", "discard", "other_program", "io_limit", "writeback"] {
        assert_eq!(share(reads, Some(cause)), 0.0, "{cause}: {:#}", reads["parts"]);
    }
}

/// The cause of the time that was traced. Events can be lost where no CPU is left to read them.
fn assert_named(reads: &Value, cause: &str) {
    let not_traced = reads["parts"].as_array().unwrap().iter().filter(|part| part["layer"] == "not_traced");
    let not_traced: f64 = not_traced.map(|part| part["time_share"].as_f64().unwrap()).sum();
    assert!(not_traced < 0.5, "{:#}", reads["parts"]);
    let named = share(reads, Some(cause));
    // On a busy machine there are waits for a CPU as well.
    let waits = if cause == "cpu_wait" { 0.0 } else { share(reads, Some("cpu_wait")) };
    let is_named = named + waits >= NAMED_MIN * (1.0 - not_traced) && named > 0.2;
    assert!(is_named, "{cause}: {named}: {:#}", reads["parts"]);
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
    let Some(group) = CpuGroup::new("quota", 30_000) else { return };
    let scratch = Scratch::new("why-quota");
    let command = job(&scratch, &format!("--filename={} --ioengine=psync --runtime=4", zram.device));
    let found = reads(&scratch, outcome(in_group(&group.0, &command).spawn().unwrap()));
    let Some(found) = found else { return };
    assert_named(&found, "cpu_quota");
}

/// A control group that limits the CPU time of its threads. They must end before it is dropped.
struct CpuGroup(PathBuf);

impl CpuGroup {
    /// Makes a group with a quota per 100 ms. On failure it marks the test as skipped.
    fn new(name: &str, quota_us: u32) -> Option<CpuGroup> {
        let group = format!("/sys/fs/cgroup/cpu/fathom-why-{name}-{}", std::process::id());
        needs(&format!("mkdir {group} && echo {quota_us} > {group}/cpu.cfs_quota_us"))?;
        Some(CpuGroup(group.into()))
    }
}

impl Drop for CpuGroup {
    fn drop(&mut self) {
        let removed = (0..100).any(|_| {
            std::thread::sleep(10 * MS);
            std::fs::remove_dir(&self.0).is_ok()
        });
        assert!(removed || std::thread::panicking(), "{} is left", self.0.display());
    }
}

/// Returns the command, changed to run in a control group from its start.
fn in_group(group: &Path, command: &Command) -> Command {
    let mut confined = Command::new("sh");
    confined.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(group.join("cgroup.procs"));
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

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn programs_that_a_stall_of_the_device_delays_are_not_named() {
    let Some(disk) = TimedDisk::new("why-stall") else { return };
    // The victims read one after the other, and write and sync now and then.
    let device = &disk.disk.device;
    let read = format!("while true; do dd if={device} of=/dev/null bs=4k count=100 iflag=direct; done");
    let sync = format!("while true; do dd if=/dev/zero of={device} bs=4k count=1 conv=fsync,notrunc; sleep 0.1; done");
    let victims = [beside(&read), beside(&sync)];
    let program = Program::constant(MS).stalled_every(900 * MS, 200 * MS);
    let found = disk.reads(program, "--ioengine=psync --rate_iops=100 --runtime=8", |_| ());
    drop(victims);
    let Some(found) = found else { return };
    assert!(in_layers(&found, &UNTIL_COMPLETION) > 0.5, "{found:#}");
    assert_nothing_named(&found);
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_stop_of_the_process_is_named() {
    let Some(disk) = TimedDisk::new("why-stop") else { return };
    let stops = |job: &Child| {
        let signal = |name: &str| drop(Command::new("kill").args([name, &job.id().to_string()]).output());
        for _ in 0..6 {
            std::thread::sleep(800 * MS);
            signal("-STOP");
            std::thread::sleep(400 * MS);
            signal("-CONT");
        }
    };
    let found = disk.reads(Program::constant(4 * MS), "--ioengine=io_uring --iodepth=2 --runtime=8", stops);
    let Some(found) = found else { return };
    assert_named_in(&found, &AFTER_COMPLETION, "stopped");
}

/// Beside other tests, some of the bursts and syncs are not named (docs/why.md).
mod alone {
    use super::*;

    #[test]
    #[ignore = "needs an idle CPU: run by cargo xtask ci"]
    fn bursts_of_another_program_are_named() {
        let Some(disk) = TimedDisk::new("why-bursts") else { return };
        let write = format!("dd if=/dev/zero of={} bs=32M count=1 oflag=direct", disk.disk.device);
        // More bursts than the 10 I/Os that are explained: the others are slow by chance.
        let writer = beside(&format!("sleep 1; for n in $(seq 20); do {write}; sleep 0.8; done"));
        let found = disk.reads(Program::constant(4 * MS), "--ioengine=psync --rate_iops=100 --runtime=14", |_| ());
        drop(writer);
        let Some(found) = found else { return };
        assert_named_in(&found, &UNTIL_COMPLETION, "other_program");
        assert!(found["parts"].to_string().contains("\"dd\""), "{found:#}");
    }

    #[test]
    #[ignore = "needs an idle CPU: run by cargo xtask ci"]
    fn syncs_of_another_program_are_named() {
        let Some(disk) = TimedDisk::new("why-syncs") else { return };
        let write = format!("dd if=/dev/zero of={} bs=4k count=1 conv=fsync,notrunc", disk.disk.device);
        let writer = beside(&format!("sleep 1; for n in $(seq 20); do {write}; sleep 0.7; done"));
        // More syncs than the 10 I/Os that are explained: the others are slow by chance.
        let program = Program::constant(4 * MS).with_sync_delay(200 * MS);
        let found = disk.reads(program, "--ioengine=psync --rate_iops=100 --runtime=14", |_| ());
        drop(writer);
        let Some(found) = found else { return };
        assert_named_in(&found, &UNTIL_COMPLETION, "flush");
        assert!(found["parts"].to_string().contains("\"dd\""), "{found:#}");
    }

    /// The thread that writes the log gets 1 % of a CPU, and the memory for what it has not written is small: the worker waits for it.
    #[test]
    #[ignore = "needs an idle CPU: run by cargo xtask ci"]
    fn a_slow_log_is_named() {
        let (Some(zram), Some(memory)) = (Zram::new(64), MemoryGroup::new(192)) else { return };
        let Some(slow) = CpuGroup::new("log", 1000) else { return };
        let scratch = Scratch::new("why-log");
        let options =
            format!("--filename={} --ioengine=io_uring --iodepth=16 --runtime=12 --write_lat_log=log", zram.device);
        let started = in_group(&memory.0, &job(&scratch, &options)).spawn().unwrap();
        let (begin, before) = (Instant::now(), stolen_ticks());
        let thread = (0..1000).find_map(|_| thread_named(started.id(), "fathom-logs"));
        std::fs::write(slow.0.join("tasks"), thread.expect("a thread that writes logs")).unwrap();
        let Some(found) = reads(&scratch, outcome(started)) else { return };
        let stolen = stolen_ticks() - before;
        // No cause is named for a part of an I/O half of which may be stolen. A clock tick is 10 ms.
        let unknown = 2.0 * stolen as f64 / 100.0 / begin.elapsed().as_secs_f64();
        if unknown > 0.5 {
            return skipped(&format!("the hypervisor took {stolen} clock ticks"));
        }
        let (all, named) = (in_layers(&found, &AFTER_COMPLETION), share(&found, Some("own_work")));
        assert!(
            all > 0.5 && named >= NAMED_MIN * all * (1.0 - unknown),
            "{named} of {all}, {stolen} ticks stolen: {:#}",
            found["parts"]
        );
    }

    /// Returns the clock ticks in which the hypervisor ran something else.
    fn stolen_ticks() -> u64 {
        let text = std::fs::read_to_string("/proc/stat").unwrap();
        text.lines().next().and_then(|all| all.split_whitespace().nth(8)).unwrap().parse().unwrap()
    }

    /// Returns the number of a thread. Waits a moment if there is none.
    fn thread_named(process: u32, name: &str) -> Option<String> {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?.filter_map(Result::ok);
        let is_named = |thread: &std::fs::DirEntry| {
            std::fs::read_to_string(thread.path().join("comm")).is_ok_and(|found| found.trim_end() == name)
        };
        let found = threads.filter(is_named).find_map(|thread| thread.file_name().into_string().ok());
        std::thread::sleep(if found.is_none() { 10 * MS } else { Duration::ZERO });
        found
    }
}
