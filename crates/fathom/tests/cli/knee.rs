//! `fathom knee`: its files, its targets, and its report when it is stopped.

use std::path::Path;
use std::process::Command;

use crate::stage::{Outcome, Scratch, command, interrupted, outcome, wait_until};

fn knee(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "knee", arguments);
    command.env("LC_ALL", "C.UTF-8");
    command
}

fn run(directory: &Path, arguments: &str) -> Outcome {
    outcome(knee(directory, arguments).spawn().unwrap())
}

#[test]
fn refused_values_are_shown_as_they_were_typed() {
    let scratch = Scratch::new("knee-refused");
    run(scratch.path(), "no/folder --p9 5ms").complained_of("warning: --p9 allows 91 % of the I/Os to be slower");
    run(scratch.path(), "x --p99.9 5").ended_with(2).complained_of("invalid value '5' for '--p99.9 <");
    let refused = run(scratch.path(), "x --report page.pdf");
    refused.ended_with(2).complained_of("invalid value 'page.pdf' for '--report <FILE>': expected a name that ends");
    assert_eq!(refused.stderr.matches("--report").count(), 1, "{}", refused.stderr);
}

#[test]
fn a_directory_gets_a_file_that_is_gone_afterwards() {
    let scratch = Scratch::new("knee-directory");
    let outcome = run(
        scratch.path(),
        ". --closed --size 8M --iodepth 4 --runtime 100ms --ramp 0 --p99 100s --output out.txt --report out.md",
    );
    let outcome = outcome.ended_with(0).complained_of("3 runs, at most 300 ms plus preparation\n");
    outcome.complained_of("iodepth 4: ").complained_of("report: out.md");
    let mut names = scratch.names();
    names.sort_unstable();
    assert_eq!(names, ["out.md", "out.txt"]);
    assert!(std::fs::read_to_string(scratch.file("out.md")).unwrap().contains("| depths | iodepth=4 read |"));
    let text = std::fs::read_to_string(scratch.file("out.txt")).unwrap();
    assert!(text.contains("IOPS over iodepth") && text.contains("p99 at most 100 s up to iodepth 4"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_search_over_blocks_that_were_never_written_is_invalid() {
    let scratch = Scratch::new("knee-unwritten");
    std::fs::File::create(scratch.file("sparse")).unwrap().set_len(8 << 20).unwrap();
    let search = "sparse --closed --iodepth 2 --runtime 100ms --ramp 0 --p99 100s";
    let searched = run(scratch.path(), &format!("{search} --report out.md"));
    assert!(searched.ended_with(4).stdout.contains("\nINVALID: reads of unwritten blocks "), "{}", searched.stdout);
    let page = std::fs::read_to_string(scratch.file("out.md")).unwrap();
    assert!(page.contains("INVALID") && !page.contains("PASS"), "{page}");
}

#[test]
fn what_a_file_holds_is_only_read_without_consent_and_other_targets_are_refused() {
    let scratch = Scratch::new("knee-consent");
    scratch.filled("data", 1 << 20);
    let before = std::fs::read(scratch.file("data")).unwrap();
    let refused = |line: &str, what: &str| {
        run(scratch.path(), &format!("data --runtime 100ms {line}")).ended_with(2).complained_of(what);
        assert_eq!(scratch.names(), ["data"]);
    };
    refused("--rw randwrite", "add --overwrite data");
    refused("--rw rw", "add --overwrite data");
    refused("--rw randwrite --overwrite other", "is not the target");
    refused("--filename=other", "--filename has a fixed value");
    refused("--closed --ioengine psync", "has no queue");
    refused("--iodepht=3", "'--iodepth'");
    assert_eq!(std::fs::read(scratch.file("data")).unwrap(), before);
}

#[test]
fn ctrl_c_ends_in_a_report_of_what_was_measured() {
    let scratch = Scratch::new("knee-stopped");
    let beside = Scratch::new("knee-messages");
    let messages = beside.file("messages");
    let mut command = knee(scratch.path(), ". --size 8M --runtime 1s --ramp 0 --poisson");
    let child = command.stderr(std::fs::File::create(&messages).unwrap()).spawn().unwrap();
    wait_until("a rate is measured", || std::fs::read_to_string(&messages).unwrap().contains("/s: "));
    let outcome = interrupted(child, &["INT"]);
    outcome.ended_with(130);
    let last = outcome.stdout.split_once("stopped early").unwrap_or_else(|| panic!("{}", outcome.stdout)).1;
    assert!(last.contains("so far: "), "{}", outcome.stdout);
    let text = outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Poisson arrivals") && scratch.names().is_empty(), "{}", outcome.stdout);
}
