//! Exit codes are the same as in fio.

use super::pair::{pair_prepared, real_fio};
use std::path::Path;
use std::process::Stdio;

use super::stage::{self, Scratch, wait_for_work};

/// Arguments, and a description.
const LINES: [(&str, &str); 22] = [
    ("--name=a --size=64k", "a job that works"),
    ("--name=a --size=64k --rw=nonsense", "an invalid value"),
    ("--name=a --nonsense=1", "an unknown option"),
    ("--nonsense", "an unknown program option"),
    ("missing.fio", "a missing job file"),
    ("broken.fio", "a job file with an unknown option"),
    ("", "no job"),
    ("--version", "only the version"),
    ("--help", "only help"),
    ("--cmdhelp=rw", "only help on an option"),
    ("--enghelp=libaio", "only help on an engine"),
    ("--name=a --size=64k --rw=write --readonly", "writes with readonly"),
    ("--name=a --size=64k --rw=randrw --readonly", "mixed I/O with readonly"),
    ("--name=a --size=64k --readonly", "reads with readonly"),
    ("--name=a --filename=missing/folder/f --size=64k", "a missing directory"),
    ("--name=a --filename=none --size=64k --allow_file_create=0", "a missing file"),
    ("--name=a --rw=read", "no size"),
    ("--name=a --filename=/dev/full --size=64k --rw=write --bs=4k", "a full device"),
    (
        "--name=a --filename=/dev/full --size=64k --rw=write --continue_on_error=all",
        "an error without continue_on_error",
    ),
    ("--name=a --filename=/dev/full --size=64k --rw=write --ignore_error=ENOSPC,ENOSPC", "an ignored error"),
    ("--name=a --size=64k --name=b --filename=/dev/full --rw=write --size=64k", "one of two jobs fails"),
    ("--name=a --size=64k --parse-only --ioengine=nonsense", "an unknown engine"),
];

#[test]
fn exit_codes_match_fio() {
    let prepare =
        |directory: &Path| std::fs::write(directory.join("broken.fio"), "[job]\nsize=1m\nnonsense=1\n").unwrap();
    let mut wrong = Vec::new();
    for (arguments, about) in LINES {
        let Some(both) = pair_prepared(arguments, &prepare, None) else { return };
        if both.fio.code != both.ours.code {
            let (fio, ours) = (&both.fio, &both.ours);
            wrong.push(format!(
                "{about} ({arguments}): fio {:?}, fathom {:?}\n{}{}{}{}",
                fio.code, ours.code, fio.stdout, fio.stderr, ours.stdout, ours.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn signals_end_both_with_the_same_exit_code_and_a_report() {
    let Some((fio, _)) = real_fio() else { return };
    for signal in ["INT", "TERM"] {
        let theirs = interrupted(fio, &[], signal);
        let ours = interrupted(env!("CARGO_BIN_EXE_fathom"), &["fio"], signal);
        assert_eq!(theirs.0, ours.0, "SIG{signal}");
        for part in ["terminating on signal", "Run status group 0"] {
            assert!(theirs.1.contains(part) && ours.1.contains(part), "SIG{signal}: {}{}", theirs.1, ours.1);
        }
    }
}

/// Interrupts a run after it has data for a report. Returns its exit code and report.
fn interrupted(program: &str, first: &[&str], signal: &str) -> (Option<i32>, String) {
    let scratch = Scratch::new("codes");
    let arguments =
        ["--name=a", "--size=1m", "--time_based", "--runtime=600", "--ioengine=null", "--rate_iops=1000", "--thread"];
    let mut command = harness::in_own_group(program);
    command.args(first).args(arguments).current_dir(scratch.path());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_work(&child, 100);
    let ended = stage::interrupted(child, &[signal]);
    (ended.code, ended.stdout)
}
