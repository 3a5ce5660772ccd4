//! Standard error of the dialects: silent where fio and DiskSpd are, unless it is a terminal or findings are requested.

use std::process::Command;

use crate::stage::{Outcome, Scratch, diskspd, fathom, outcome};

/// A run with a finding (`ended-early`) and a value with text that fio ignores.
const FIO: &str = "--name=j --rw=read --bs=4kb? --size=1m --runtime=30";
/// A run with a finding (a target in the page cache) and a number with text that DiskSpd ignores.
const DISKSPD: &str = "-c1M -d1 -W0 -t1x file";

fn ended(mut command: Command) -> Outcome {
    let ended = outcome(command.spawn().unwrap());
    ended.ended_with(0);
    ended
}

#[test]
fn a_run_without_errors_is_silent_unless_findings_are_requested() {
    let scratch = Scratch::new("silence");
    for format in ["", "--output-format=json", "--output-format=terse", "--output=out"] {
        let fio = |more: &str| ended(fathom(scratch.path(), &format!("{FIO} {format} {more}"))).stderr;
        assert_eq!(fio(""), "", "{format}");
        assert_eq!(fio("--findings=never"), "", "{format}");
        let shown = fio("--findings=always");
        for part in ["after the number is ignored", "CPU time per I/O", "before its runtime"] {
            assert!(shown.contains(part), "{format}: {shown}");
        }
    }
    for format in ["", "-Rxml"] {
        let diskspd = |more: &str| ended(diskspd(scratch.path(), &format!("{format} {more} {DISKSPD}"))).stderr;
        assert_eq!(diskspd(""), "", "{format}");
        assert_eq!(diskspd("-Rfindings=never"), "", "{format}");
        let shown = diskspd("-Rfindings=always");
        for part in ["warning: ", "CPU time per I/O", "page cache"] {
            assert!(shown.contains(part), "{format}: {shown}");
        }
    }
}

#[test]
fn findings_are_shown_on_a_terminal() {
    let scratch = Scratch::new("silence-terminal");
    // `script` runs a command with a terminal as its three streams.
    let on_terminal = |line: &str| {
        let mut command = Command::new("script");
        let line = format!("{} {line}", env!("CARGO_BIN_EXE_fathom"));
        command.current_dir(scratch.path()).args(["-qec", &line, "/dev/null"]);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    for line in [format!("fio {FIO}"), format!("diskspd {DISKSPD}")] {
        let shown = on_terminal(&line);
        assert!(shown.contains("CPU time per I/O") && shown.contains("ignored"), "{line}: {shown}");
    }
    assert!(!on_terminal(&format!("fio {FIO} --findings=never")).contains("CPU time per I/O"));
}

#[test]
fn unknown_values_are_errors_with_their_position() {
    let scratch = Scratch::new("silence-values");
    let fio = outcome(fathom(scratch.path(), &format!("{FIO} --findings=yes")).spawn().unwrap());
    assert!(fio.ended_with(1).stderr.contains("expected always, never or auto"), "{}", fio.stderr);
    let diskspd = outcome(diskspd(scratch.path(), "-Rfindings=yes -c1M -d1 file").spawn().unwrap());
    assert!(diskspd.ended_with(3).stderr.contains("expected always, never or auto"), "{}", diskspd.stderr);
}

#[test]
fn errors_of_a_job_file_are_in_the_order_of_its_lines() {
    let scratch = Scratch::new("silence-order");
    let lines = "[global]\nsize=1m\n[a]\nnumjobs=0x\nbs=4kb?\n";
    std::fs::write(scratch.file("a.fio"), lines).unwrap();
    let refused = outcome(fathom(scratch.path(), "a.fio").spawn().unwrap());
    let text = &refused.ended_with(1).stderr;
    let lines: Vec<u32> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--> a.fio:")?.split(':').next()?.parse().ok())
        .collect();
    assert_eq!(lines, [4, 5], "{text}");
}

#[test]
fn errors_of_a_diskspd_run_are_the_last_text() {
    let scratch = Scratch::new("silence-last");
    std::fs::create_dir(scratch.file("folder")).unwrap();
    let failed = outcome(diskspd(scratch.path(), "-Rfindings=always -d1 -W0 -t1x folder").spawn().unwrap());
    let text = &failed.ended_with(1).stderr;
    let first_error = text.find("error: ").unwrap();
    assert!(text.contains("warning: ") && !text[first_error..].contains("warning: "), "{text}");
    assert!(!text[first_error..].contains("CPU time per I/O"), "{text}");
}
