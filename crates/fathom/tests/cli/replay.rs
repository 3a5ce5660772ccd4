//! Logs of I/Os (`write_iolog`) and their replay (`read_iolog`).
//!
//! `replayed-fio-3.42.log` is the log that fio 3.42 writes for `JOB`, with the engine psync.

use std::fs;
use std::time::{Duration, Instant};

use crate::stage::{Outcome, Scratch, run};

const SAMPLE: &str = include_str!("replayed-fio-3.42.log");
const JOB: &str = "--name=j --filename=a:b --size=96k --rw=randrw --bsrange=1k-8k --fsync=5";
const FILE_BYTES: u64 = 48 << 10;

/// Returns the lines of a log without times. fio gives a sync the offset of another I/O.
fn sequence(log: &str) -> Vec<String> {
    let fields = |line: &str| {
        let (_, line) = line.split_once(' ').unwrap();
        if line.contains(" sync ") { line.replace(|letter: char| letter.is_ascii_digit(), "") } else { line.to_owned() }
    };
    log.lines().filter(|line| !line.starts_with("fio version")).map(fields).collect()
}

/// Returns the I/Os of a log, without files that are opened and closed.
fn ios(log: &str) -> Vec<String> {
    sequence(log).into_iter().filter(|line| line.split(' ').count() > 2).collect()
}

/// Makes a folder with the files `a` and `b`.
fn scratch(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    for name in ["a", "b"] {
        scratch.filled(name, FILE_BYTES);
    }
    scratch
}

/// Replays a log in a folder. Returns the log of the replay.
fn replay(scratch: &Scratch, log: &str, options: &str) -> String {
    fs::write(scratch.file("log"), log).unwrap();
    let _ = fs::remove_file(scratch.file("again"));
    run(scratch.path(), &format!("--name=j --read_iolog=log --write_iolog=again {options}")).ended_with(0);
    fs::read_to_string(scratch.file("again")).unwrap()
}

fn counts(output: &Outcome) -> [u64; 3] {
    let report = output.ended_with(0).json();
    ["read", "write", "trim"].map(|ddir| report["jobs"][0][ddir]["total_ios"].as_u64().unwrap())
}

#[test]
fn a_log_is_that_of_fio() {
    let scratch = scratch("replay-log");
    run(scratch.path(), &format!("{JOB} --ioengine=psync --write_iolog=log")).ended_with(0);
    let log = fs::read_to_string(scratch.file("log")).unwrap();
    assert_eq!(log.lines().next(), Some("fio version 3 iolog"));
    assert_eq!(sequence(&log), sequence(SAMPLE));
    let times = |line: &str| line.split(' ').next().unwrap().parse::<u64>();
    assert!(log.lines().skip(1).map(times).is_sorted_by(|one, other| one.as_ref().unwrap() <= other.as_ref().unwrap()));
    // A log is never one of the targets.
    let refused = run(scratch.path(), &format!("{JOB} --write_iolog=b"));
    refused.ended_with(1).complained_of("b");
    assert_eq!(fs::metadata(scratch.file("b")).unwrap().len(), FILE_BYTES);
}

#[test]
fn a_log_of_fio_is_replayed_in_its_order() {
    let scratch = scratch("replay-order");
    for options in [
        "--ioengine=psync",
        "--ioengine=libaio --iodepth=4",
        "--ioengine=libaio --iodepth=4 --read_iolog_chunked=1",
        "--ioengine=psync --replay_no_stall=1 --size=8k --bs=512 --rw=randread --loops=3 --rate=1k",
    ] {
        assert_eq!(ios(&replay(&scratch, SAMPLE, options)), ios(SAMPLE), "{options}");
    }
    // Version 2 has no times. Each run appends its log, with a header.
    let without_times = format!("fio version 2 iolog\n{}\n", sequence(SAMPLE).join("\n").replace("sync  ", "sync 0 0"));
    assert_eq!(ios(&replay(&scratch, &without_times, "")), ios(SAMPLE));
    let twice = format!("{SAMPLE}{SAMPLE}");
    assert_eq!(ios(&replay(&scratch, &twice, "")), [ios(SAMPLE), ios(SAMPLE)].concat());
    let output = run(scratch.path(), "--name=j --read_iolog=log --output-format=json");
    let recorded = |action: &str| 2 * SAMPLE.matches(action).count() as u64;
    assert_eq!(counts(&output), [recorded(" read "), recorded(" write "), 0]);
    // More entries than are read at a time.
    let long = (0..2500).map(|at| format!("a read {} 512\n", at % 96 * 512)).collect::<String>();
    let long = format!("fio version 2 iolog\na add\n{long}");
    assert_eq!(ios(&replay(&scratch, &long, "--read_iolog_chunked=1")).len(), 2500);
}

#[test]
fn recorded_times_are_kept_scaled_or_ignored() {
    let scratch = scratch("replay-times");
    let log = |us: u64| format!("fio version 3 iolog\n1 a add\n1 a open\n2 a read 0 512\n{us} a read 512 512\n");
    let started = Instant::now();
    replay(&scratch, &log(300_000), "");
    assert!(started.elapsed() >= Duration::from_millis(299));
    // At the recorded times these would take an hour.
    let hour = 3_600_000_000;
    for options in ["--replay_no_stall=1", "--replay_time_scale=100000000"] {
        assert_eq!(ios(&replay(&scratch, &log(hour), options)).len(), 2, "{options}");
    }
    let waits = "fio version 2 iolog\na add\na read 0 512\na wait 3600000 0\na read 512 512\n";
    assert_eq!(ios(&replay(&scratch, waits, "--replay_no_stall=1")).len(), 2);
    // The run ends at its time, before the next I/O is due.
    assert_eq!(ios(&replay(&scratch, &log(hour), "--runtime=1")).len(), 1);
}

#[test]
fn offsets_files_and_kinds_change_as_requested() {
    let scratch = scratch("replay-changes");
    scratch.filled("other", FILE_BYTES);
    let log = "fio version 3 iolog\n0 a add\n0 b add\n0 a open\n0 b open\n1 a read 8192 512\n2 b write 12800 512\n\
               3 a sync 0 0\n4 b datasync 0 0\n5 b read 1024 512\n6 a close\n7 b close\n";
    let cases = [
        ("", "a read 8192 512, b write 12800 512, a sync  , b datasync 0 0, b read 1024 512"),
        ("--replay_scale=4", "a read 2048 512, b write 3200 512, a sync  , b datasync 0 0, b read 256 512"),
        ("--replay_align=4k", "a read 8192 512, b write 12288 512, a sync  , b datasync 0 0, b read 0 512"),
        ("--replay_skip=read", "b write 12800 512, a sync  , b datasync 0 0"),
        ("--replay_skip=write,sync", "a read 8192 512, b datasync 0 0, b read 1024 512"),
        ("--readonly", "a read 8192 512, a sync  , b datasync 0 0, b read 1024 512"),
        (
            "--replay_redirect=other --replay_scale=2 --replay_align=1024",
            "other read 4096 512, other write 6144 512, other sync  , other datasync 0 0, other read 0 512",
        ),
    ];
    for (options, expected) in cases {
        assert_eq!(ios(&replay(&scratch, log, options)).join(", "), expected, "{options}");
    }
}

#[test]
fn a_log_has_the_syncs_at_the_end_of_a_pass() {
    let scratch = scratch("replay-end-fsync");
    let line = "--name=j --filename=a:b --size=8k --rw=write --end_fsync=1 --write_iolog=log";
    run(scratch.path(), line).ended_with(0);
    let log = fs::read_to_string(scratch.file("log")).unwrap();
    let expected = "a write 0 4096, b write 0 4096, a sync  , b sync  ";
    assert_eq!(ios(&log).join(", "), expected);
    assert_eq!(ios(&replay(&scratch, &log, "")).join(", "), expected);
}

#[test]
fn a_redirected_log_needs_no_line_that_adds_a_file() {
    let scratch = scratch("replay-redirect");
    for version in [2, 3] {
        let time = if version == 3 { "1 " } else { "" };
        let lines = ["a add", "a open", "b read 0 512", "c write 512 512", "b sync 0 0", "b close"];
        let lines: String = lines.iter().map(|line| format!("{time}{line}\n")).collect();
        let log = format!("fio version {version} iolog\n{lines}");
        for options in ["--replay_redirect=b", "--replay_redirect=b --read_iolog_chunked=1"] {
            let replayed = ios(&replay(&scratch, &log, options)).join(", ");
            assert_eq!(replayed, "b read 0 512, b write 512 512, b sync  ", "version {version} {options}");
        }
    }
}

#[test]
fn entries_that_cannot_be_replayed_are_reported_with_their_line() {
    let scratch = scratch("replay-faults");
    let reported = |log: &[u8], code: i32, what: &str| {
        fs::write(scratch.file("log"), log).unwrap();
        run(scratch.path(), "--name=j --read_iolog=log").ended_with(code).complained_of(what);
    };
    for (line, what) in [
        ("1 a sync_file_range 0 0", "log:4: unknown action"),
        ("1 b read 0 512", "log:4: a file that no line before it adds"),
        ("1 a read 0", "log:4: not an entry"),
        ("1 a wait 5 0", "log:4: version 3 has no waits"),
        ("1 a read 9223372036854775807 512", "log:4: an I/O without bytes or beyond"),
    ] {
        reported(format!("fio version 3 iolog\n0 a add\n1 a read 0 512\n{line}\n").as_bytes(), 0, what);
    }
    reported(b"rw,0,512\n", 1, "log: neither a log of fio's version 2 or 3 nor a trace of blktrace");
    reported(b"fio version 2 iolog\na add\n", 1, "log: no I/O to replay");
    let unknown = b"fio version 2 iolog\na add\nb read 0 512\n";
    reported(unknown, 1, "log: no I/O to replay: entry 3: a file that no line before it adds");
    reported(b"", 1, "log: neither");
    let output = run(scratch.path(), "--name=j --read_iolog=log --replay_skip=reads");
    output.ended_with(1).complained_of("replay_skip has no `reads`");
    run(scratch.path(), "--name=j --read_iolog=missing").ended_with(1).complained_of("missing: No such file");
    run(scratch.path(), "--name=j --read_iolog=.").ended_with(1).complained_of("not a regular file");
}

#[test]
fn clones_replay_several_logs_in_turn() {
    let scratch = scratch("replay-clones");
    for (log, file) in [("one", "a"), ("two", "b")] {
        let text = format!("fio version 2 iolog\n{file} add\n{file} read 0 512\n");
        fs::write(scratch.file(log), text).unwrap();
    }
    run(scratch.path(), "--name=j --numjobs=3 --read_iolog=one:two --write_iolog=again").ended_with(0);
    let again = fs::read_to_string(scratch.file("again")).unwrap();
    let mut ios = ios(&again);
    ios.sort();
    assert_eq!(ios, ["a read 0 512", "a read 0 512", "b read 0 512"]);
}

/// One record of blktrace, in the byte order of this machine or of another one.
fn record(is_swapped: bool, time_ns: u64, action: u32, sector: u64, bytes: u32) -> Vec<u8> {
    let word = |value: u32| if is_swapped { value.swap_bytes() } else { value }.to_ne_bytes();
    let long = |value: u64| if is_swapped { value.swap_bytes() } else { value }.to_ne_bytes();
    let mut record = Vec::new();
    record.extend(word(0x6561_7407));
    record.extend(word(0));
    record.extend(long(time_ns));
    record.extend(long(sector));
    for value in [bytes, action, 0, 4095 << 20 | 3, 0] {
        record.extend(word(value));
    }
    // Error, and the length of the data that follows.
    record.extend([0, 0]);
    record.extend(if is_swapped { 2_u16.swap_bytes() } else { 2 }.to_ne_bytes());
    record.extend(*b"xx");
    record
}

#[test]
fn traces_of_blktrace_are_replayed() {
    const QUEUED: u32 = 1;
    const COMPLETED: u32 = 8;
    let [read, write, flush, notify, discard] = [1 << 16, 1 << 17, 1 << 18, 1 << 26, 1 << 29];
    let scratch = scratch("replay-blktrace");
    for is_swapped in [false, true] {
        let records = [
            (0, notify, 0, 0),
            (1000, QUEUED | read, 8, 4096),
            (2000, QUEUED | read, 16, 512),
            (3000, QUEUED | write, 1, 1024),
            (4000, COMPLETED | read, 8, 4096),
            (5000, QUEUED | flush, 0, 0),
            (6000, QUEUED | discard, 0, 4096),
        ];
        let records = records.map(|(time, action, sector, bytes)| record(is_swapped, time, action, sector, bytes));
        fs::write(scratch.file("trace"), records.concat()).unwrap();
        let _ = fs::remove_file(scratch.file("again"));
        let line = "--name=j --read_iolog=trace --write_iolog=again --replay_redirect=a --replay_skip=trim \
                    --replay_align=1k --ioengine=libaio --output-format=json";
        let output = run(scratch.path(), line);
        assert_eq!(counts(&output), [2, 1, 0]);
        let again = fs::read_to_string(scratch.file("again")).unwrap();
        assert_eq!(ios(&again), ["a read 4096 4096", "a read 8192 1024", "a write 0 1024", "a sync  "]);
    }
    let output = run(scratch.path(), "--name=j --read_iolog=trace --replay_skip=trim");
    output.ended_with(1).complained_of("no block device 4095:3");
    fs::write(scratch.file("trace"), [record(false, 0, 1 << 16 | QUEUED, 0, 512), vec![1; 48]].concat()).unwrap();
    let output = run(scratch.path(), "--name=j --read_iolog=trace --replay_redirect=a");
    output.ended_with(1).complained_of("trace: record 2 is not one of blktrace");
}

#[test]
fn traces_are_merged_and_replayed() {
    let scratch = scratch("replay-merge");
    let (read, write) = (1 << 16 | 1, 1 << 17 | 1);
    let one = [record(false, 1000, read, 0, 512), record(false, 9000, read, 3, 512)].concat();
    let other = [record(true, 4000, write, 1, 512), record(true, 8000, read, 2, 512)].concat();
    fs::write(scratch.file("one"), one).unwrap();
    fs::write(scratch.file("other"), other).unwrap();
    let merge = "--name=j --read_iolog=one:other --merge_blktrace_file=merged --replay_redirect=a";
    let sequence = |options: &str| {
        let _ = fs::remove_file(scratch.file("again"));
        run(scratch.path(), &format!("{merge} --write_iolog=again {options}")).ended_with(0);
        ios(&fs::read_to_string(scratch.file("again")).unwrap()).join(", ")
    };
    assert_eq!(sequence(""), "a read 0 512, a write 512 512, a read 1024 512, a read 1536 512");
    assert_eq!(
        sequence("--merge_blktrace_scalars=100:200 --merge_blktrace_iters=1:1"),
        "a read 0 512, a write 512 512, a read 1536 512, a read 1024 512"
    );
    assert_eq!(sequence("--merge_blktrace_iters=2:1").split(", ").count(), 6);
    assert_eq!(fs::metadata(scratch.file("merged")).unwrap().len(), 6 * 48);
    // Nothing runs after the merge.
    fs::remove_file(scratch.file("again")).unwrap();
    run(scratch.path(), &format!("{merge} --write_iolog=again --merge-blktrace-only")).ended_with(0);
    assert!(!scratch.file("again").exists());
    assert_eq!(fs::metadata(scratch.file("merged")).unwrap().len(), 4 * 48);
    let failed = |options: &str| run(scratch.path(), &format!("{merge} {options}"));
    failed("--merge_blktrace_scalars=100").ended_with(1).complained_of("read_iolog 2 traces");
    failed("--merge_blktrace_file=one").ended_with(1).complained_of("one: it is one of the traces");
    failed("--read_iolog=one:a").ended_with(1).complained_of("a: not a trace of blktrace");
    assert_eq!(fs::metadata(scratch.file("one")).unwrap().len(), 100);
}

#[test]
fn each_file_is_opened_once_in_a_pass_although_one_may_be_open() {
    for engine in ["psync", "libaio --iodepth=4"] {
        let scratch = scratch("open-once");
        let job = "--name=j --filename=a:b --size=96k --rw=randread --openfiles=1 --file_service_type=sequential";
        run(scratch.path(), &format!("{job} --ioengine={engine} --write_iolog=log")).ended_with(0);
        let log = fs::read_to_string(scratch.file("log")).unwrap();
        let of_files: Vec<_> = sequence(&log).into_iter().filter(|line| !line.contains(" read ")).collect();
        assert_eq!(of_files, ["a add", "b add", "a open", "a close", "b open", "b close"], "{engine}");
    }
}
