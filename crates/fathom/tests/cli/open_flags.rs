//! Open flags of targets, as the kernel gets them.

use std::process::Command;

use crate::stage::{Scratch, skipped};

/// Engines that open their files with the flags of the job.
const ENGINES: [&str; 8] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio"];
/// Flags that change how an I/O reaches the device.
const FLAGS: [&str; 3] = ["O_DIRECT", "O_DSYNC", "O_SYNC"];

/// Returns the calls of `openat` of a run. `None` without strace.
fn opens(scratch: &Scratch, line: &str) -> Option<String> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=openat", "-e", "signal=none", "-o", "trace", env!("CARGO_BIN_EXE_fathom")]);
    let Ok(output) = command.args(line.split_whitespace()).current_dir(scratch.path()).output() else {
        skipped("no strace to see open flags with");
        return None;
    };
    let message = String::from_utf8_lossy(&output.stderr);
    if message.contains("ptrace") {
        skipped("strace may not trace here");
        return None;
    }
    assert!(output.status.success(), "{line}: {message}");
    Some(std::fs::read_to_string(scratch.file("trace")).unwrap())
}

/// Returns the flags of a worker's open of a file with an access mode. The thread that inspects targets opens them as well,
/// with `O_PATH` or `O_NONBLOCK`, at any time.
fn flags(opens: &str, file: &str, mode: &str) -> Vec<&'static str> {
    let is_open = |call: &&str| {
        call.contains(&format!("\"{file}\", {mode}|"))
            && !["|O_PATH", "|O_NONBLOCK"].iter().any(|look| call.contains(look))
    };
    let last = opens.lines().rfind(is_open).unwrap_or_else(|| panic!("no open of {file} with {mode} in:\n{opens}"));
    let parts: Vec<&str> = last.split(['|', ',', ')', ' ']).collect();
    FLAGS.into_iter().filter(|flag| parts.contains(flag)).collect()
}

#[test]
fn each_engine_of_fio_opens_its_file_as_the_job_says() {
    let scratch = Scratch::new("open-flags");
    for (options, expected) in [
        ("", &[][..]),
        ("--direct=1", &["O_DIRECT"]),
        ("--sync=sync", &["O_SYNC"]),
        ("--direct=1 --sync=dsync", &["O_DIRECT", "O_DSYNC"]),
    ] {
        for (rw, mode) in [("write", "O_WRONLY"), ("read", "O_RDONLY")] {
            let job = |engine| {
                format!(
                    " --name={engine} --ioengine={engine} --filename={engine} --rw={rw} --size=8k --bs=4k {options}"
                )
            };
            let Some(opens) = opens(&scratch, &format!("fio{}", ENGINES.map(job).concat())) else { return };
            for engine in ENGINES {
                assert_eq!(flags(&opens, engine, mode), expected, "{engine} {rw} {options}");
            }
        }
    }
}

#[test]
fn each_engine_of_diskspd_opens_its_target_as_the_option_says() {
    let scratch = Scratch::new("open-flags-diskspd");
    scratch.filled("target", 64 << 10);
    for engine in ["-o1 -t1", "-o4 -t1"] {
        for (option, expected) in
            [("-Sb", &[][..]), ("-Su", &["O_DIRECT"]), ("-Sbw", &["O_DSYNC"]), ("-Sh", &["O_DIRECT", "O_DSYNC"])]
        {
            for (share, mode) in [("-w100", "O_WRONLY"), ("-w0", "O_RDONLY")] {
                let line = format!("diskspd -b4K {engine} {option} {share} -d0 -W0 target");
                let Some(opens) = opens(&scratch, &line) else { return };
                assert_eq!(flags(&opens, "target", mode), expected, "{line}");
            }
        }
    }
}
