//! Locks of targets that jobs share (`lockfile`), and pauses after each I/O (`thinkcycles`).

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::stage::{Scratch, run, skipped, system};

/// Each traced call waits at its start for 60 ms, and a job takes 1 s. Two jobs start nearer to each other than that, even
/// on a busy machine, and so their calls overlap unless something prevents it.
const DELAY_US: u32 = 60_000;

/// Returns the largest number of reads and writes of a file that were in progress at the same time. `None` without strace.
fn most_at_once(scratch: &Scratch, options: &str) -> Option<usize> {
    let job = format!("[global]\nioengine=psync\nfilename=shared\nsize=64k\nbs=4k\n{options}\n[one]\n[other]\n");
    fs::write(scratch.file("lock.fio"), job).unwrap();
    let inject = format!("pread64,pwrite64:delay_enter={DELAY_US}");
    if system("strace -f --seccomp-bpf -qq -e trace=pread64 -e inject=pread64:delay_enter=1 true").is_none() {
        skipped("no strace that delays system calls");
        return None;
    }
    let mut command = Command::new("strace");
    // Without the filter each call of a starting thread stops for strace, which takes longer than a job.
    command.args([
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-o",
        "trace",
        "-y",
        "-e",
        "trace=pread64,pwrite64",
        "-e",
        &format!("inject={inject}"),
    ]);
    let binary: &Path = env!("CARGO_BIN_EXE_fathom").as_ref();
    let output = command.arg(binary).args(["fio", "lock.fio"]).current_dir(scratch.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let trace = fs::read_to_string(scratch.file("trace")).unwrap();
    let mut in_progress: Vec<&str> = Vec::new();
    let mut most = 0;
    for line in trace.lines() {
        let (thread, call) = line.split_once(' ').unwrap();
        if call.contains("resumed>") {
            in_progress.retain(|other| *other != thread);
        } else if call.contains("/shared>") {
            most = most.max(in_progress.len() + 1);
            if call.contains("<unfinished ...>") {
                in_progress.push(thread);
            }
        }
    }
    assert!(most > 0, "{trace}");
    Some(most)
}

#[test]
fn a_lock_separates_the_ios_of_jobs_on_the_same_file() {
    let scratch = Scratch::new("target-locks");
    for (options, most) in [
        ("rw=write", 2),
        ("rw=write\nlockfile=none", 2),
        ("rw=write\nlockfile=exclusive", 1),
        ("rw=randread\nlockfile=exclusive", 1),
        ("rw=randwrite\nlockfile=readwrite", 1),
        ("rw=randread\nlockfile=readwrite", 2),
    ] {
        // A job of 1 s can be over before the other one gets a CPU.
        for attempt in 1..=5 {
            let Some(found) = most_at_once(&scratch, options) else { return };
            assert!(found == most || found < most && attempt < 5, "{options}: {found}");
            if found == most {
                break;
            }
        }
    }
}

/// Asserts that a job spends CPU time in its cycles, and none without them. Returns the ratio of the CPU times of twice as many I/Os.
fn cycles_by_ios(scratch: &Scratch) -> f64 {
    let report = run(scratch.path(), "--output-format=json cycles.fio").assert_success().json();
    let job = |at: usize, ios: u64| {
        let job = &report["jobs"][at];
        assert_eq!(job["read"]["total_ios"], ios);
        let number = |value: &Value| value.as_f64().unwrap();
        let cpu_ms = (number(&job["usr_cpu"]) + number(&job["sys_cpu"])) / 100.0 * number(&job["job_runtime"]);
        (cpu_ms, number(&job["read"]["lat_ns"]["percentile"]["50.000000"]))
    };
    let [(none_ms, _), (cpu_ms, median_ns), (twice_ms, _)] = [job(0, 200), job(1, 200), job(2, 400)];
    // Other programs do not use the CPU time of a job. 200 million steps: at least 20 ms on a CPU that makes ten per nanosecond.
    assert!(cpu_ms >= 19.0 && none_ms < cpu_ms / 5.0, "{cpu_ms} ms, and {none_ms} ms without cycles");
    // The cycles are not part of a latency.
    assert!(median_ns < cpu_ms * 1e6 / 200.0 / 4.0, "{median_ns} ns, and {cpu_ms} ms for 200 I/Os");
    twice_ms / cpu_ms
}

#[test]
fn cycles_are_spent_after_each_io() {
    let scratch = Scratch::new("think-cycles");
    let job = "[global]\nioengine=null\nsize=2m\nnumber_ios=200\nbs=4k\nrw=read\nlat_percentiles=1\nstonewall\n\
               [without]\n[with]\nthinkcycles=1000000\n[twice]\nthinkcycles=1000000\nnumber_ios=400\n";
    fs::write(scratch.file("cycles.fio"), job).unwrap();
    // The speed of a CPU can change between two jobs, as another one shares its core.
    let ratios: Vec<f64> =
        (0..5).map(|_| cycles_by_ios(&scratch)).take_while(|ratio| !(1.6..2.5).contains(ratio)).collect();
    assert!(ratios.len() < 5, "twice as many I/Os take {ratios:?} times the CPU time");
}

#[test]
fn a_target_of_another_kind_is_refused() {
    let scratch = Scratch::new("target-kind");
    scratch.filled("file", 1 << 20);
    let with = |kind: &str| run(scratch.path(), &format!("--name=a --filename=file --rw=read --filetype={kind}"));
    with("file").assert_success();
    with("none").assert_success();
    with("block").ended_with(1).complained_of("file is not a block device, as filetype=block requires");
    with("char").ended_with(1).complained_of("file is not a character device, as filetype=char requires");
}
