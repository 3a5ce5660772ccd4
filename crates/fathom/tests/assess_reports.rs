//! The reports of `fathom assess`: the card, and files whose names say what they are.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod stage;

use std::time::Instant;

use stage::{Outcome, Scratch, command, outcome};

fn assess(scratch: &Scratch, arguments: &str) -> Outcome {
    let mut command = command(scratch.path(), "assess", arguments);
    command.env("XDG_STATE_HOME", scratch.file("state")).env("XDG_CONFIG_HOME", scratch.file("config"));
    outcome(command.spawn().unwrap(), Instant::now())
}

#[test]
fn a_run_ends_with_a_card_and_leaves_the_reports_that_were_asked_for() {
    let scratch = Scratch::new("assess-reports");
    let line = "--short --size 16M --test read-latency --test fsync --report out.html --report out.md --report out.svg";
    let outcome = assess(&scratch, line);
    assert!(outcome.stdout.lines().count() <= 24, "{}", outcome.stdout);
    assert!(outcome.stdout.lines().all(|line| line.chars().count() <= 80), "{}", outcome.stdout);
    for word in ["read-latency", "fsync", "report: out.html", "report: out.md", "report: out.svg"] {
        assert!(outcome.stdout.contains(word), "{word}: {}", outcome.stdout);
    }
    assert!(!outcome.stdout.contains('\u{1b}'), "there is no terminal to be coloured");
    let read = |name: &str| std::fs::read_to_string(scratch.file(name)).unwrap();
    let page = read("out.html");
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n") && page.contains("Percentiles of latency")
    );
    assert!(page.contains("fathom assess --short --size 16M --test read-latency"), "the command that repeats it");
    assert!(read("out.md").contains("## Environment") && read("out.svg").starts_with("<svg "));
}

#[test]
fn a_report_of_no_known_kind_or_place_is_refused_before_anything_is_measured() {
    let scratch = Scratch::new("assess-report-refused");
    for name in ["out.pdf", "out", "nowhere/out.html"] {
        let outcome = assess(&scratch, &format!("--short --report {name}"));
        outcome.ended_with(2);
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
    }
    assert!(scratch.names().iter().all(|name| name == "state"), "{:?}", scratch.names());
}
