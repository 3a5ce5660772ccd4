//! Options about targets, observed from outside: files, system calls and figures.

use crate::stage::Scratch;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn command(scratch: &Scratch, before: &[&str], line: &str) -> Output {
    let fathom = [env!("CARGO_BIN_EXE_fathom"), "fio"];
    let arguments: Vec<&str> =
        before.iter().copied().chain(fathom).chain(["--name=j", "--output-format=json"]).collect();
    let mut command = Command::new(arguments[0]);
    command.args(&arguments[1..]).args(line.split_whitespace());
    command.current_dir(scratch.path()).output().unwrap()
}

/// Returns the first job of a run that must succeed.
fn job(scratch: &Scratch, line: &str) -> Value {
    let output = command(scratch, &[], line);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {message}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["jobs"][0].clone()
}

/// Returns the message of a rejected run, which must not create files.
fn refusal(scratch: &Scratch, line: &str) -> String {
    let before = scratch.names();
    let output = command(scratch, &[], line);
    assert!(!output.status.success(), "{line} ran");
    assert_eq!(scratch.names(), before, "{line} touched something");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the system calls `names` on files of the scratch folder. `None` without strace.
fn calls(scratch: &Scratch, names: &str, line: &str) -> Option<Vec<String>> {
    if !Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success()) {
        crate::stage::skipped(&format!("{line}: no strace to see its system calls with"));
        return None;
    }
    let trace = format!("trace={names}");
    let output = command(scratch, &["strace", "-f", "-y", "-qq", "-e", &trace, "-o", "trace"], line);
    let message = String::from_utf8_lossy(&output.stderr);
    if message.contains("ptrace") {
        crate::stage::skipped(&format!("{line}: strace may not trace here"));
        return None;
    }
    assert!(output.status.success(), "{line}: {message}");
    let trace = std::fs::read_to_string(scratch.file("trace")).unwrap();
    let here = scratch.path().canonicalize().unwrap();
    let shorten = |call: &str| {
        let call = call.split_once(' ')?.1.trim_start();
        let (name, rest) = call.split_once('(')?;
        let (_, rest) = rest.split_once('<')?;
        let (file, rest) = rest.split_once('>')?;
        let file = Path::new(file).strip_prefix(&here).ok()?;
        Some(format!("{name} {}{}", file.display(), rest.split([')', '<']).next()?.trim_end()))
    };
    Some(trace.lines().filter_map(shorten).collect())
}

const SYNCS: &str = "fsync,fdatasync,sync_file_range,syncfs";

#[test]
fn no_more_than_openfiles_are_open_at_any_depth() {
    let scratch = Scratch::new("openfiles");
    for engine in ["libaio", "io_uring", "posixaio", "psync", "mmap"] {
        for order in ["roundrobin", "sequential", "random"] {
            let job = job(
                &scratch,
                &format!(
                    "--ioengine={engine} --iodepth=8 --rw=randrw --bs=4k --size=384k --nrfiles=6 --openfiles=2 \
                     --file_service_type={order} --fsync_on_close=1"
                ),
            );
            let bytes = job["read"]["io_bytes"].as_u64().unwrap() + job["write"]["io_bytes"].as_u64().unwrap();
            assert_eq!(bytes, 384 << 10, "{engine} {order}");
        }
    }
}

/// Returns the I/Os and the closes of each file in the log of a job's I/Os.
fn ios_and_closes(scratch: &Scratch, line: &str) -> BTreeMap<String, (u64, u64)> {
    // A log is appended to.
    if scratch.file("log").exists() {
        std::fs::remove_file(scratch.file("log")).unwrap();
    }
    job(scratch, &format!("--write_iolog=log --filename_format=$filenum {line}"));
    let mut counts = BTreeMap::<_, (u64, u64)>::new();
    for entry in std::fs::read_to_string(scratch.file("log")).unwrap().lines() {
        if let [_, file, action, ..] = entry.split_whitespace().collect::<Vec<_>>()[..] {
            let (ios, closes) = counts.entry(file.to_owned()).or_default();
            match action {
                "read" | "write" => *ios += 1,
                "close" => *closes += 1,
                _ => {}
            }
        }
    }
    counts.remove("version");
    counts
}

#[test]
fn a_job_that_ends_by_time_does_one_pass_after_another_over_all_files() {
    let scratch = Scratch::new("by-time");
    for rw in ["write", "read"] {
        for files in ["--openfiles=1", "", "--openfiles=2 --file_service_type=random", "--file_service_type=sequential"]
        {
            let line = format!(
                "--ioengine=null --nrfiles=3 --size=192k --bs=4k --time_based --runtime=200ms --rw={rw} {files}"
            );
            let counts = ios_and_closes(&scratch, &line);
            let ios = counts.values().map(|(ios, _)| *ios);
            let apart = ios.clone().max().unwrap() - ios.min().unwrap();
            // A pass has 16 I/Os on each file, and closes it.
            assert!(counts.len() == 3 && apart <= 16, "{line}: {counts:?}");
            assert!(counts.values().all(|(ios, closes)| *closes >= ios / 16), "{line}: {counts:?}");
        }
    }
}

#[test]
fn a_skewed_order_closes_each_file_at_its_end() {
    let scratch = Scratch::new("skewed");
    for engine in ["psync", "libaio --iodepth=8"] {
        for order in ["zipf:1.2", "pareto:0.2", "gauss"] {
            let line = format!(
                "--ioengine={engine} --nrfiles=3 --size=192k --bs=64k --loops=16 --rw=write --file_service_type={order}"
            );
            let counts = ios_and_closes(&scratch, &line);
            let sum = counts.values().fold((0, 0), |sum, (ios, closes)| (sum.0 + ios, sum.1 + closes));
            assert_eq!(sum.0, 48, "{line}: {counts:?}");
            // A file has one block.
            assert!(counts.values().all(|(ios, closes)| closes == ios), "{line}: {counts:?}");
        }
    }
}

#[test]
fn writes_beyond_the_size_are_one_pass_per_loop() {
    let scratch = Scratch::new("io-size");
    for (engine, loops, closes) in [("libaio", 1, 1), ("libaio", 2, 2), ("io_uring", 2, 2), ("psync", 2, 1)] {
        for rw in ["write", "randwrite --norandommap=1"] {
            let line = format!(
                "--ioengine={engine} --iodepth=4 --filename=f --size=256k --io_size=1m --bs=64k --loops={loops} --rw={rw}"
            );
            assert_eq!(ios_and_closes(&scratch, &line)["f"], (16 * loops, closes), "{line}");
        }
    }
}

#[test]
fn end_fsync_flushes_every_file_after_each_pass() {
    let scratch = Scratch::new("end-fsync");
    let line =
        "--rw=write --bs=4k --size=64k --nrfiles=4 --openfiles=2 --loops=2 --end_fsync=1 --filename_format=$filenum";
    let Some(mut calls) = calls(&scratch, SYNCS, line) else { return };
    calls.sort();
    let expected = ["fsync 0", "fsync 0", "fsync 1", "fsync 1", "fsync 2", "fsync 2", "fsync 3", "fsync 3"];
    assert_eq!(calls, expected);
}

#[test]
fn end_syncfs_syncs_the_file_system_and_no_file() {
    let scratch = Scratch::new("end-syncfs");
    let line = "--rw=write --bs=4k --size=64k --filename=f --loops=2 --end_syncfs=1 --end_fsync=1 --create_fsync=0";
    let Some(calls) = calls(&scratch, SYNCS, line) else { return };
    assert_eq!(calls, ["syncfs f", "syncfs f"]);
}

#[test]
fn fsync_on_close_flushes_each_file_and_nothing_of_a_reader() {
    let scratch = Scratch::new("fsync-on-close");
    let line = "--bs=4k --size=64k --nrfiles=4 --filename_format=$filenum --create_fsync=0 --fsync_on_close=1 --rw=";
    let Some(mut calls_of_writer) = calls(&scratch, SYNCS, &format!("{line}write")) else { return };
    calls_of_writer.sort();
    assert_eq!(calls_of_writer, ["fsync 0", "fsync 1", "fsync 2", "fsync 3"]);
    assert_eq!(calls(&scratch, SYNCS, &format!("{line}read")).unwrap(), [""; 0]);
}

#[test]
fn syncs_follow_the_configured_number_of_writes() {
    let scratch = Scratch::new("syncs");
    let line = "--filename=f --rw=write --bs=4k --size=64k --ioengine=psync";
    for (option, expected) in [
        ("--fsync=4", ["fsync f", "fsync f", "fsync f"]),
        ("--fdatasync=4", ["fdatasync f", "fdatasync f", "fdatasync f"]),
        (
            "--sync_file_range=wait_before,write:4",
            [
                "sync_file_range f, 0, 16384, SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE",
                "sync_file_range f, 16384, 16384, SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE",
                "sync_file_range f, 32768, 16384, SYNC_FILE_RANGE_WAIT_BEFORE|SYNC_FILE_RANGE_WRITE",
            ],
        ),
    ] {
        let Some(calls) = calls(&scratch, SYNCS, &format!("{line} {option}")) else { return };
        assert_eq!(calls, expected, "{option}");
    }
}

#[test]
fn access_advice_and_cache_invalidation_are_applied() {
    let scratch = Scratch::new("advice");
    scratch.filled("f", 128 << 10);
    let line = "--filename=f --bs=32k --size=128k";
    for (options, expected) in [
        ("--rw=read", &["SEQUENTIAL", "DONTNEED"][..]),
        ("--rw=randread", &["RANDOM", "DONTNEED"]),
        ("--rw=randread --fadvise_hint=sequential --invalidate=0", &["SEQUENTIAL"]),
        ("--rw=read --fadvise_hint=noreuse --invalidate=0", &["NOREUSE"]),
        ("--rw=read --fadvise_hint=0 --pre_read=1", &[]),
    ] {
        let Some(calls) = calls(&scratch, "fadvise64", &format!("{line} {options}")) else { return };
        let expected: Vec<_> =
            expected.iter().map(|advice| format!("fadvise64 f, 0, 131072, POSIX_FADV_{advice}")).collect();
        assert_eq!(calls, expected, "{options}");
    }
}

#[test]
fn mappings_are_advised_like_files() {
    let scratch = Scratch::new("madvise");
    scratch.filled("f", 128 << 10);
    for (options, advice) in [
        ("--rw=randread", "MADV_RANDOM"),
        ("--rw=read", "MADV_SEQUENTIAL"),
        ("--rw=read --fadvise_hint=0 --thp=1", "MADV_HUGEPAGE"),
    ] {
        let line = format!("--filename=f --bs=32k --size=128k --ioengine=mmap {options}");
        // The path filter applies to descriptors, and this call has none.
        if calls(&scratch, "madvise", &line).is_none() {
            return;
        }
        let trace = std::fs::read_to_string(scratch.file("trace")).unwrap();
        assert!(trace.contains(advice), "{options}: {trace}");
    }
}

#[test]
fn jobs_that_fio_rejects_are_rejected_without_creating_files() {
    let scratch = Scratch::new("refused-targets");
    for (line, word) in [
        ("--directory=nowhere --size=64k --rw=write", "nowhere is not a directory"),
        ("--filename=f --size=64k --rw=write --zonesize=4k", "zonesize"),
        ("--filename=f --size=64k --rw=write --allow_file_create=0", "allow_file_create=0"),
        ("--filename=f --size=64k --rw=write --atomic=1 --ioengine=psync", "atomic"),
        ("--filename=- --size=64k --rw=write", "standard input or output"),
    ] {
        let message = refusal(&scratch, line);
        assert!(message.contains(word), "{line}: {message}");
    }
}

#[test]
fn names_are_made_of_lists_directories_and_formats() {
    let scratch = Scratch::new("names");
    for directory in ["d1", "d2"] {
        std::fs::create_dir(scratch.file(directory)).unwrap();
    }
    job(&scratch, r"--filename=a\:b:c --size=64k --rw=write --filename_format=ignored");
    job(&scratch, "--directory=d1:d2 --numjobs=3 --nrfiles=2 --size=64k --rw=write");
    job(
        &scratch,
        "--directory=d1 --filename_format=$jobname-$jobnum/$filenum.$filenum --nrfiles=2 --size=64k --rw=write",
    );
    let there = |name: &str| scratch.file(name).is_file();
    assert!(there("a:b") && there("c") && !there("ignored"));
    for name in ["d1/j.0.0", "d1/j.0.1", "d2/j.1.0", "d2/j.1.1", "d1/j.2.0", "d1/j.2.1", "d1/j-0/0.0", "d1/j-0/1.1"] {
        assert!(there(name), "{name}");
    }
}
