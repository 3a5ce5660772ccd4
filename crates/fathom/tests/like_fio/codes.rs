//! How the program ends: the same exit code as fio's.

use super::pair::{pair_prepared, real_fio};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::stage::{self, Scratch, patiently};

/// What is said, and what it is about.
const LINES: [(&str, &str); 22] = [
    ("--name=a --size=64k", "a job that works"),
    ("--name=a --size=64k --rw=nonsense", "a value that is none"),
    ("--name=a --nonsense=1", "an option that is none"),
    ("--nonsense", "a program option that is none"),
    ("missing.fio", "no such job file"),
    ("broken.fio", "a job file with a word that is none"),
    ("", "no job"),
    ("--version", "nothing but the version"),
    ("--help", "nothing but help"),
    ("--cmdhelp=rw", "nothing but an option's help"),
    ("--enghelp=libaio", "nothing but an engine's help"),
    ("--name=a --size=64k --rw=write --readonly", "writes where none may be"),
    ("--name=a --size=64k --rw=randrw --readonly", "some writes where none may be"),
    ("--name=a --size=64k --readonly", "reads where no write may be"),
    ("--name=a --filename=/nonexistent/f --size=64k", "a directory that isn't there"),
    ("--name=a --filename=none --size=64k --allow_file_create=0", "a file that isn't there"),
    ("--name=a --rw=read", "no size"),
    ("--name=a --filename=/dev/full --size=64k --rw=write --bs=4k", "a full device"),
    ("--name=a --filename=/dev/full --size=64k --rw=write --continue_on_error=all", "an error that can't be survived"),
    ("--name=a --filename=/dev/full --size=64k --rw=write --ignore_error=ENOSPC,ENOSPC", "errors that are none"),
    ("--name=a --size=64k --name=b --filename=/dev/full --rw=write --size=64k", "one job of two that fails"),
    ("--name=a --size=64k --parse-only --ioengine=nonsense", "an engine that is none"),
];

#[test]
fn exit_codes_are_fios() {
    let prepare =
        |directory: &Path| std::fs::write(directory.join("broken.fio"), "[job]\nsize=1m\nnonsense=1\n").unwrap();
    let mut wrong = Vec::new();
    for (words, about) in LINES {
        let Some(both) = pair_prepared(words, &prepare, None) else { return };
        if both.fio.code != both.ours.code {
            let (fio, ours) = (&both.fio, &both.ours);
            wrong.push(format!(
                "{about} ({words}): fio {:?}, fathom {:?}\n{}{}{}{}",
                fio.code, ours.code, fio.stdout, fio.stderr, ours.stdout, ours.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn signals_end_both_with_the_same_code_and_a_report() {
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

/// Returns exit code and report of a run that was interrupted once it had enough to report.
fn interrupted(program: &str, first: &[&str], signal: &str) -> (Option<i32>, String) {
    let scratch = Scratch::new("codes");
    let words = ["--name=a", "--size=1m", "--time_based", "--runtime=600", "--ioengine=null", "--rate_iops=1000"];
    let once = |times| {
        let mut command = Command::new(program);
        command.args(first).args(words).current_dir(scratch.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        stage::interrupted(child, Duration::from_millis(700) * times, &[signal])
    };
    let ended = patiently(once, |ended| ended.stdout.contains("clat percentiles"));
    (ended.code, ended.stdout)
}
