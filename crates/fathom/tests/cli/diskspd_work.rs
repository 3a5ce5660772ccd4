//! DiskSpd options have their effects: offsets, distributions, contents, priorities and CPUs.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use random::Jenkins64;
use serde_json::Value;

use crate::stage::Scratch;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

fn diskspd(directory: &Path, line: &str) -> Output {
    let output =
        Command::new(FATHOM).arg("diskspd").args(line.split_whitespace()).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn report(directory: &Path, line: &str) -> String {
    String::from_utf8(diskspd(directory, line).stdout).unwrap()
}

/// Returns the I/Os of each row of the first table, by thread and target.
fn rows(report: &str) -> Vec<u64> {
    let table = report.split("Total IO").nth(1).unwrap().split("Read IO").next().unwrap();
    let counts =
        table.lines().filter(|line| line.contains(" | ") && !line.contains("I/Os") && !line.starts_with("total"));
    counts.map(|line| line.split('|').nth(2).unwrap().trim().parse().unwrap()).collect()
}

/// Direction and offset of each system call on a target, by thread.
type Calls = BTreeMap<String, Vec<(&'static str, u64)>>;

/// Runs a line for 1 s, and longer until it has enough calls: a busy machine does few of them in a second.
fn enough_calls(directory: &Path, line: &str, is_enough: impl Fn(&Calls) -> bool) -> Option<Calls> {
    let mut found = Calls::new();
    for seconds in [1, 4, 16, 64] {
        found = calls(directory, &format!("{line} -d{seconds} -W0 t.dat"), "t.dat")?;
        if is_enough(&found) {
            break;
        }
    }
    Some(found)
}

/// Returns direction and offset of each system call of a thread on the target. `None` without strace.
fn calls(directory: &Path, line: &str, target: &str) -> Option<Calls> {
    let trace = directory.join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "0", "-e", "trace=pread64,pwrite64", "-o"]).arg(&trace).args([FATHOM, "diskspd"]);
    let run = command.args(line.split_whitespace()).current_dir(directory).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(status) = run.status() else {
        crate::stage::skipped("no strace to watch system calls with");
        return None;
    };
    assert!(status.success(), "{line}");
    let mut calls = Calls::new();
    let mut begun: BTreeMap<String, bool> = BTreeMap::new();
    for call in std::fs::read_to_string(&trace).unwrap().lines() {
        let (thread, call) = call.split_once(' ').unwrap();
        let on_target = match call.contains("resumed>") {
            true => begun.remove(thread).unwrap_or(false),
            false => call.contains(&format!("/{target}>")),
        };
        if call.contains("<unfinished") {
            begun.insert(thread.to_owned(), on_target);
            continue;
        }
        let Some((arguments, _)) = call.rsplit_once(") = ").filter(|_| on_target) else { continue };
        let offset = arguments.rsplit(", ").next().unwrap().parse().unwrap();
        let letter = if call.contains("pwrite64") { "W" } else { "R" };
        calls.entry(thread.to_owned()).or_default().push((letter, offset));
    }
    Some(calls)
}

fn compare_with_case(case: &Value) {
    let scratch = Scratch::new("diskspd-offsets");
    scratch.filled("t.dat", case["target_size"].as_u64().unwrap());
    let args: Vec<&str> = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let line = format!("{} -o1 -g200i", args.join(" "));
    let ios = case["ios"].as_array().unwrap().iter();
    let expected: Vec<(&str, u64)> = ios.map(|io| (io[0].as_str().unwrap(), io[1].as_u64().unwrap())).collect();
    let is_same = |calls: &Calls| calls.values().any(|of_thread| of_thread.starts_with(&expected));
    let Some(calls) = enough_calls(scratch.path(), &line, is_same) else { return };
    assert!(is_same(&calls), "{line}: {:?}", calls.values().map(|ios| &ios[..ios.len().min(8)]).collect::<Vec<_>>());
}

#[test]
fn system_calls_of_a_seed_match_diskspd() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../../corpus/diskspd/offset-cases.json")).unwrap();
    // Cases with a shared offset or an offset per slot have no sequence per thread.
    let alone =
        |case: &&Value| !["-si", "-p"].iter().any(|word| case["args"].as_array().unwrap().contains(&(*word).into()));
    for some in cases.iter().filter(alone).collect::<Vec<_>>().chunks(6) {
        std::thread::scope(|scope| {
            some.iter().for_each(|case| drop(scope.spawn(move || compare_with_case(case))));
        });
    }
}

#[test]
fn threads_with_a_shared_offset_access_each_block_once() {
    let scratch = Scratch::new("diskspd-interlocked");
    scratch.filled("t.dat", 4 << 20);
    let Some(calls) = enough_calls(scratch.path(), "-b4K -si -t2 -o1 -g2000i", |calls| calls.len() == 2) else {
        return;
    };
    assert_eq!(calls.len(), 2);
    let mut offsets: Vec<u64> = calls.values().flatten().map(|(_, offset)| *offset).collect();
    offsets.sort_unstable();
    let passes = offsets.len() / 1024 + 1;
    for (block, offset) in offsets.chunk_by(|one, next| one == next).zip((0..).step_by(4096)) {
        assert_eq!(block[0], offset, "a block was not accessed");
        assert!(block.len() <= passes, "{offset} came {} times", block.len());
    }
}

#[test]
fn a_pools_requests_go_to_targets_by_weight() {
    let scratch = Scratch::new("diskspd-weights");
    scratch.filled("a", 1 << 20);
    scratch.filled("b", 1 << 20);
    let target =
        |path: &str, more: &str| format!("<Target><Path>{path}</Path><BlockSize>4096</BlockSize>{more}</Target>");
    let profile = format!(
        "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><ThreadCount>2</ThreadCount>\
         <RequestCount>4</RequestCount><Targets>{}{}</Targets></TimeSpan></TimeSpans></Profile>",
        target("a", "<Weight>3</Weight>"),
        target(
            "b",
            "<Weight>9</Weight><ThreadTargets><ThreadTarget><Thread>1</Thread><Weight>1</Weight></ThreadTarget></ThreadTargets>"
        ),
    );
    std::fs::write(scratch.file("p.xml"), profile).unwrap();
    let rows = rows(&report(scratch.path(), "-Xp.xml"));
    // Thread 0 has one target, thread 1 both.
    assert_eq!(rows.len(), 3);
    // Weights of 3 to 1, drawn for each I/O: four standard deviations, and the I/Os in flight at the end.
    let ios = (rows[1] + rows[2]) as f64;
    assert!((rows[1] as f64 - 0.75 * ios).abs() <= 4.0 * (0.75 * 0.25 * ios).sqrt() + 8.0, "{rows:?}");
}

/// Returns the blocks of a file that was written from start to end.
fn written(scratch: &Scratch, options: &str) -> Vec<Vec<u8>> {
    let path = scratch.filled("w.dat", 256 << 10);
    // The rate leaves CPU time to other tests. A busy machine does fewer I/Os than the 64 of the file.
    for seconds in [1, 4, 16, 64] {
        let line = format!("-b4K -w100 -s -o1 -g400i -d{seconds} -W0 {options} w.dat");
        if rows(&report(scratch.path(), &line)).iter().sum::<u64>() >= 64 {
            break;
        }
    }
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes.len(), 256 << 10);
    bytes.chunks(4096).map(<[u8]>::to_vec).collect()
}

#[test]
fn written_content_is_the_requested_one() {
    let scratch = Scratch::new("diskspd-content");
    let counting: Vec<u8> = (0..=u8::MAX).cycle().take(4096).collect();
    for options in ["", "-Sm", "-Sm -Nn", "-Smw"] {
        assert!(written(&scratch, options).iter().all(|block| *block == counting), "{options}");
    }
    for options in ["-Z", "-Z -Zr", "-Z -Sm -Ni"] {
        assert!(written(&scratch, options).iter().all(|block| block.iter().all(|byte| *byte == 0)), "{options}");
    }
    let mut fresh = written(&scratch, "-Zr");
    fresh.sort_unstable();
    fresh.dedup();
    assert_eq!(fresh.len(), 64, "all blocks differ");
}

#[test]
fn writes_are_taken_from_the_source() {
    let scratch = Scratch::new("diskspd-source");
    let mut random = vec![0; 64 << 10];
    // The seed of the source is 0, independent of the seed of the run.
    Jenkins64::new(0).fill(&mut random);
    let arguments: Vec<u8> = b"all work and no play ".repeat(300);
    std::fs::write(scratch.file("arguments"), &arguments).unwrap();
    let repeated: Vec<u8> = arguments.iter().copied().cycle().take(64 << 10).collect();
    for (options, source) in [("-z5 -Z64K", random), ("-Z64K,arguments", repeated)] {
        let blocks = written(&scratch, options);
        assert!(blocks.iter().all(|block| source.windows(4096).any(|window| window == block)), "{options}");
        assert!(blocks.iter().any(|block| *block != blocks[0]), "{options}: all blocks come from one position");
    }
}

#[test]
fn a_new_file_has_its_size_and_its_bytes() {
    let scratch = Scratch::new("diskspd-new");
    let path = scratch.file("n.dat");
    for (options, zeros) in [("", false), ("-Z", true)] {
        scratch.filled("n.dat", 5000);
        diskspd(scratch.path(), &format!("-c300001 -b4K -d1 -W0 {options} n.dat"));
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len(), 300_001);
        assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == if zeros { 0 } else { at as u8 }), "{options}");
    }
}

#[test]
fn targets_that_are_too_small_are_reported_with_their_sizes() {
    let scratch = Scratch::new("diskspd-small");
    scratch.filled("t.dat", 1 << 20);
    for (options, message) in [
        ("-B2M", "the part to use begins at 2097152 bytes, but the target has only 1048576"),
        ("-b2M", "a block of 2097152 bytes doesn't fit into the 1048576 bytes"),
        ("-b4K -t3 -T512K", "this thread begins 1048576 bytes into the part"),
    ] {
        let mut command = Command::new(FATHOM);
        command.arg("diskspd").args(options.split(' ')).args(["-d1", "-W0", "t.dat"]);
        let output = command.current_dir(scratch.path()).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && printed.contains(message), "{options}: {printed}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("interrupted before the measurements began"));
    }
}

#[test]
fn threads_have_their_cpus_and_priorities() {
    let scratch = Scratch::new("diskspd-threads");
    scratch.filled("t.dat", 1 << 20);
    let trace = scratch.file("trace");
    let calls = |line: &str| {
        let mut command = Command::new("strace");
        command.args(["-f", "-e", "trace=sched_setaffinity,ioprio_set", "-o"]).arg(&trace).args([FATHOM, "diskspd"]);
        let run = command.args(line.split_whitespace()).current_dir(scratch.path()).output().ok()?;
        assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
        Some(std::fs::read_to_string(&trace).unwrap())
    };
    let Some(low) = calls("-b4K -o1 -g10i -I2 -a0 -d1 -W0 t.dat") else {
        crate::stage::skipped("no strace to watch system calls with");
        return;
    };
    assert!(low.contains("IOPRIO_CLASS_BE, 7)"), "{low}");
    // strace can split a call of one thread by that of another.
    assert!(low.contains(", [0]"), "{low}");
    let idle = calls("-b4K -o1 -g10i -I1 -n -d1 -W0 t.dat").unwrap();
    assert!(idle.contains("IOPRIO_CLASS_IDLE, 0)"), "{idle}");
    assert!(!idle.contains("sched_setaffinity"), "-n binds nothing: {idle}");
}
