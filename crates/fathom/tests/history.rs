//! `fathom history` and its like from end to end: what is kept, listed, shown, exported and deleted.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod stage;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use stage::{Outcome, Scratch, command, outcome};

/// A command with its history in `directory`.
fn with_history(directory: &Path, word: &str, arguments: &str) -> Command {
    let mut command = command(directory, word, arguments);
    command.env("XDG_DATA_HOME", directory.join("data")).env("XDG_STATE_HOME", directory.join("state"));
    command.env("XDG_CONFIG_HOME", directory.join("config"));
    command
}

fn run(directory: &Path, word: &str, arguments: &str) -> Outcome {
    outcome(with_history(directory, word, arguments).spawn().unwrap(), Instant::now())
}

const SHORT: &str = "target --short --size 16M --test write-bandwidth";

fn assessed(scratch: &Scratch, more: &str) -> Outcome {
    std::fs::create_dir_all(scratch.file("target")).unwrap();
    let outcome = run(scratch.path(), "assess", &format!("{SHORT} {more}"));
    // INVALID is what comes of it where temporary files lie in memory.
    assert!([Some(0), Some(4)].contains(&outcome.code), "{}", outcome.stderr);
    outcome
}

fn list(scratch: &Scratch, arguments: &str) -> Vec<Value> {
    let outcome = run(scratch.path(), "history", &format!("--format json {arguments}"));
    outcome.ended_with(0);
    outcome.json().as_array().unwrap().clone()
}

#[test]
fn what_assess_keeps_is_listed_shown_exported_and_deleted() {
    let scratch = Scratch::new("history");
    run(scratch.path(), "history", "").ended_with(0);
    assert!(!scratch.file("data").exists(), "looking makes nothing");
    run(scratch.path(), "show", "last").ended_with(1).complained_of("nothing is kept yet");

    let first = assessed(&scratch, "--tag one --save saved.json");
    assert!(first.stdout.contains("fathom show 1"), "{}", first.stdout);
    assessed(&scratch, "--no-history");
    assessed(&scratch, "--tag two");
    assert_eq!(list(&scratch, "").len(), 2, "--no-history keeps nothing");
    let entries = list(&scratch, "--tag one");
    assert_eq!((entries.len(), entries[0]["suite"].as_str()), (1, Some("quick")));
    let figures = &entries[0]["figures"][0];
    assert_eq!((figures["test"].as_str(), figures["direction"].as_str()), (Some("write-bandwidth"), Some("write")));
    assert!(figures["bytes_per_s"].as_f64().unwrap() > 0.0 && figures["p99_ns"].as_f64().unwrap() > 0.0);
    assert_eq!(list(&scratch, "--limit 1")[0]["id"], 2);
    let target = entries[0]["target"].as_str().unwrap();
    assert_eq!(list(&scratch, &format!("--target {target}")).len(), 2);
    let table = run(scratch.path(), "history", "");
    assert!(table.stdout.lines().next().unwrap().starts_with("run  when"), "{}", table.stdout);

    let saved = std::fs::read_to_string(scratch.file("saved.json")).unwrap();
    assert_eq!(run(scratch.path(), "export", "1 --format json").stdout, saved);
    let shown = run(scratch.path(), "show", "1");
    assert_eq!(shown.ended_with(0).stdout, run(scratch.path(), "show", "saved.json").stdout);
    assert_eq!(run(scratch.path(), "show", "1 --format json").stdout, saved);
    run(scratch.path(), "show", "1 --format fio").ended_with(1).complained_of("this is an assessment");
    run(scratch.path(), "export", "1 last 2 --format csv --output f.csv").ended_with(0);
    let text = std::fs::read_to_string(scratch.file("f.csv")).unwrap();
    assert_eq!(text.lines().count(), 3, "a head and two runs: {text}");

    run(scratch.path(), "delete", "1 2").ended_with(2).complained_of("--yes");
    run(scratch.path(), "delete", "9").ended_with(2).complained_of("no run 9");
    run(scratch.path(), "delete", "1").ended_with(0);
    assert_eq!(list(&scratch, "").len(), 1);
    run(scratch.path(), "delete", "last 2 --yes").ended_with(0);
    assert!(list(&scratch, "").is_empty());
}

#[test]
fn single_runs_are_kept_when_they_are_added() {
    let scratch = Scratch::new("history-add");
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/records/1-fio.json");
    std::fs::copy(record, scratch.file("7")).unwrap();
    std::fs::write(scratch.file("none"), "{}").unwrap();
    let added = run(scratch.path(), "history", "add ./7 none missing --tag lab --tag old");
    added.ended_with(1).complained_of("none");
    added.complained_of("missing");
    assert_eq!(added.stdout, "./7 is run 1\n");
    let entries = list(&scratch, "--tag lab");
    assert_eq!((entries[0]["kind"].as_str(), entries[0]["suite"].as_str()), (Some("record"), Some("fio")));
    let shown = run(scratch.path(), "show", "1");
    assert_eq!(shown.ended_with(0).stdout, run(scratch.path(), "show", "./7").stdout);
    run(scratch.path(), "show", "7").ended_with(1).complained_of("no run 7");
    run(scratch.path(), "show", "1 --format card").ended_with(1).complained_of("single run");
}

#[test]
fn a_history_that_cannot_be_written_does_not_change_what_assess_says() {
    let scratch = Scratch::new("history-broken");
    std::fs::write(scratch.file("data"), "a file where a folder belongs").unwrap();
    let outcome = assessed(&scratch, "--format json");
    outcome.complained_of("the history can't keep this");
    assert_eq!(outcome.json()["suite"], "quick");
}

#[test]
fn wrong_words_are_refused() {
    let scratch = Scratch::new("history-words");
    for (word, arguments, why) in [
        ("history", "--limit many", "many"),
        ("history", "--format xml", "expected table or json"),
        ("history", "add", "which files"),
        ("history", "7", "7"),
        ("export", "1", "--format"),
        ("export", "--format csv", "which runs"),
        ("export", "1 --format parquet", "without Parquet"),
        ("delete", "", "which runs"),
    ] {
        run(scratch.path(), word, arguments).ended_with(2).complained_of(why);
    }
    std::fs::create_dir_all(scratch.file("data/fathom")).unwrap();
    std::fs::write(scratch.file("data/fathom/history.db"), "this is text, and no database".repeat(100)).unwrap();
    run(scratch.path(), "history", "").ended_with(2).complained_of("history.db");
}
