//! Reports of `fathom assess`: the card, and files in the format of their extension.

use crate::stage::{Outcome, Scratch, command, outcome};

fn assess(scratch: &Scratch, arguments: &str) -> Outcome {
    let mut command = command(scratch.path(), "assess", arguments);
    command.env("XDG_STATE_HOME", scratch.file("state")).env("XDG_CONFIG_HOME", scratch.file("config"));
    outcome(command.spawn().unwrap())
}

#[test]
fn run_ends_with_a_card_and_writes_requested_reports() {
    let scratch = Scratch::new("assess-reports");
    let reports = "--report out.html --report out.md --report out.svg --report out.png --report charts/ \
                   --report junit.xml --report card.png --report card.svg";
    let line = &format!("--short --size 16M --test read-latency --test fsync --save saved.json {reports}");
    let ran = assess(&scratch, line);
    assert!(ran.stdout.lines().count() <= 24, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    for word in ["report: out.html", "report: out.md", "report: out.svg", "charts in charts/", "saved: saved.json"] {
        ran.complained_of(word);
    }
    assert!(ran.stdout.contains("read-latency") && ran.stdout.contains("fsync"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "there is no terminal to be coloured");
    let read = |name: &str| std::fs::read_to_string(scratch.file(name)).unwrap();
    let page = read("out.html");
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n") && page.contains("Percentiles of latency")
    );
    let at = scratch.path().canonicalize().unwrap();
    let repeated = format!("cd {} &amp;&amp; fathom assess --short --size 16M --test read-latency", at.display());
    assert!(page.contains(&repeated), "the command that repeats it, from any directory");
    assert!(read("out.md").contains("- **environment** ") && read("out.svg").starts_with("<svg "));
    assert!(std::fs::read(scratch.file("out.png")).unwrap().starts_with(b"\x89PNG"));
    let junit = read("junit.xml");
    for case in ["read-latency", "fsync"] {
        assert!(junit.contains(&format!("<testcase classname=\"fathom.quick\" name=\"{case}\" time=")), "{junit}");
    }
    let card = std::fs::read(scratch.file("card.png")).unwrap();
    assert!(card.starts_with(b"\x89PNG") && card != std::fs::read(scratch.file("out.png")).unwrap());
    assert!(read("card.svg").contains(">MEASURED</text>"), "the card is not the charts");
    let chart = std::fs::read(scratch.file("charts/read-latency-percentiles.png")).unwrap();
    assert!(chart.starts_with(b"\x89PNG"));

    let show = |arguments: &str| {
        let mut command = command(scratch.path(), "show", arguments);
        outcome(command.spawn().unwrap())
    };
    let names = show("saved.json --chart list");
    assert!(names.stdout.contains("read-latency/percentiles  Percentiles of latency"), "{}", names.stdout);
    assert!(show("saved.json --chart read-latency/percentiles").stdout.starts_with("<svg "));
    show("saved.json --chart read-latency/percentiles --output one.png").ended_with(0);
    assert!(std::fs::read(scratch.file("one.png")).unwrap() == chart, "the chart does not depend on the request");
    show("saved.json --output svgs/ --format svg").ended_with(0);
    assert!(read("svgs/fsync-distribution.svg").starts_with("<svg "));
    assert!(show("saved.json --format png --output all.png").stdout.is_empty());
    assert!(std::fs::read(scratch.file("all.png")).unwrap() == std::fs::read(scratch.file("out.png")).unwrap());
    show("saved.json --chart nothing").ended_with(1).complained_of("--chart list");
}

#[test]
fn invalid_report_paths_are_rejected_before_measuring() {
    let scratch = Scratch::new("assess-report-refused");
    for name in ["out.pdf", "out", "nowhere/out.html"] {
        let outcome = assess(&scratch, &format!("--short --report {name}"));
        outcome.ended_with(2);
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
    }
    assert!(scratch.names().iter().all(|name| name == "state"), "{:?}", scratch.names());
}
