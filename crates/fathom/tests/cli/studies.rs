//! What all studies have in common: a saved assessment is shown as the live one, and a quantity has one number.

use std::path::Path;

use crate::stage::{self, Outcome, Scratch, outcome};
use serde_json::Value;

/// The forms of a report, by the name of a file and by the name of the format that shows the same.
const PAGES: [(&str, &str); 3] = [("html", "html"), ("md", "markdown"), ("svg", "svg")];

const SWEEP: &str = "bs=4k,16k --repeat 3 {} fio --name=job --filename=test.dat --rw=randread --size=4m --runtime=100ms --time_based --ioengine=psync";
const KNEE: &str = "test.dat --runtime 100ms --ramp 0 --p99 100ms --ioengine psync {}";

fn fathom(directory: &Path, command: &str, arguments: &str) -> Outcome {
    let mut command = stage::command(directory, command, arguments);
    command.env("XDG_DATA_HOME", directory.join("data")).env("XDG_STATE_HOME", directory.join("state"));
    outcome(command.env("LC_ALL", "C.UTF-8").spawn().unwrap())
}

fn with_file(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.filled("test.dat", 4 << 20);
    scratch
}

fn shown(scratch: &Scratch, format: &str) -> String {
    fathom(scratch.path(), "show", &format!("last --format {format}")).ended_with(0).stdout.clone()
}

#[test]
fn a_saved_assessment_is_shown_byte_for_byte_as_the_live_one() {
    let scratch = with_file("studies-shown");
    let studies = [
        ("sweep", SWEEP, &[("text", "text"), ("json", "study-json"), ("csv", "csv")][..]),
        ("knee", KNEE, &[("text", "text"), ("json", "study-json")][..]),
        (
            "assess",
            "new --short --size 8M --runtime 1 --test read-latency {}",
            &[("card", "card"), ("json", "json")][..],
        ),
    ];
    for (study, line, formats) in studies {
        for (live, again) in formats {
            let pages: String = PAGES.iter().map(|(name, _)| format!(" --report {study}-{live}.{name}")).collect();
            let output = fathom(scratch.path(), study, &line.replace("{}", &format!("--format {live}{pages}")));
            assert_eq!(output.stdout, shown(&scratch, again), "{study} as {live}: {}", output.stderr);
            for (name, format) in PAGES {
                let page = std::fs::read_to_string(scratch.file(&format!("{study}-{live}.{name}"))).unwrap();
                assert!(page == shown(&scratch, format), "{study}, --report {name}");
            }
        }
    }
}

/// The cells of the table of a Markdown page whose first column has a name.
fn table(page: &str, first: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut lines = page
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {first} |")))
        .take_while(|line| line.starts_with('|'));
    let heading = cells(lines.next().unwrap());
    (heading, lines.skip(1).map(cells).collect())
}

fn number(cell: &str) -> f64 {
    cell.replace(',', "").parse().unwrap_or_else(|_| panic!("`{cell}` is not a number"))
}

/// The figure of a document is the figure of a cell, which has three digits or more.
fn same(cell: &str, figure: f64, what: &str) {
    let shown = number(cell);
    assert!((shown - figure).abs() <= 0.0051 * figure.abs() + 0.005, "{what}: `{cell}` is not {figure}");
}

/// The table, the bars and the sentence of a text have the cells of the page, and so has the page in HTML.
fn agrees(cells: &[Vec<String>], text: &str, html: &str) {
    for row in cells {
        let cells: Vec<&str> = row.iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
        let line = cells.join(" ");
        let is_row = |shown: &str| shown.split_whitespace().collect::<Vec<_>>().join(" ") == line;
        assert!(text.lines().any(is_row), "`{line}` in:\n{text}");
        for cell in cells {
            assert!(html.contains(&format!(">{cell}</")), "`{cell}` in HTML");
        }
    }
}

/// The labels of the bars, by the first word of their line.
fn bars(text: &str, title: &str) -> Vec<(String, String)> {
    let lines = text.lines().skip_while(|line| !line.contains(title)).skip(1).take_while(|line| !line.is_empty());
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let label = words.iter().skip(1).find(|word| !word.contains(['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉']));
            (words[0].to_owned(), (*label.unwrap()).to_owned())
        })
        .collect()
}

#[test]
fn a_quantity_of_a_sweep_is_one_number_wherever_it_is_shown() {
    let scratch = with_file("studies-sweep");
    let output = fathom(scratch.path(), "sweep", &SWEEP.replace("{}", ""));
    let text = &output.ended_with(0).stdout;
    let page = shown(&scratch, "markdown");
    let (heading, rows) = table(&page, "bs");
    agrees(&rows, text, &shown(&scratch, "html"));
    let column =
        |name: &str| heading.iter().position(|cell| cell == name).unwrap_or_else(|| panic!("{name}: {heading:?}"));
    assert!(!page.contains("response time"), "the line has no rate: its times are service times");

    let document: Value = serde_json::from_str(&shown(&scratch, "study-json")).unwrap();
    let points = document["points"].as_array().unwrap();
    let bars = bars(text, "bandwidth, MiB/s, over bs");
    assert_eq!((rows.len(), bars.len()), (points.len(), points.len()));
    for ((row, point), (of, label)) in rows.iter().zip(points).zip(&bars) {
        let read = &point["median"]["read"];
        assert_eq!((&row[0], &row[column("MiB/s")]), (of, label), "the bar has the figure of the table");
        same(&row[column("IOPS read")], read["iops"].as_f64().unwrap(), "IOPS");
        same(&row[column("MiB/s")], read["bytes_per_s"].as_f64().unwrap() / 1048576.0, "MiB/s");
        for percentile in ["p50", "p99", "p99.9"] {
            let cell = &row[column(&format!("service time, us {percentile}"))];
            same(cell, read["latency_ns"][percentile].as_f64().unwrap() / 1000.0, percentile);
        }
    }
    let best = document["verdict"]["best"]["bs"].as_str().unwrap();
    let row = rows.iter().find(|row| row[0] == best).unwrap();
    let sentence = document["verdict"]["sentence"].as_str().unwrap();
    assert!(
        sentence.starts_with(&format!("highest bandwidth {} MiB/s at bs={best}", row[column("MiB/s")])),
        "{sentence}"
    );
}

#[test]
fn a_quantity_of_a_knee_is_one_number_wherever_it_is_shown() {
    let scratch = with_file("studies-knee");
    let output = fathom(scratch.path(), "knee", &KNEE.replace("{}", ""));
    let text = &output.stdout;
    let page = shown(&scratch, "markdown");
    let (heading, rows) = table(&page, "offered/s");
    agrees(&rows, text, &shown(&scratch, "html"));
    let column =
        |name: &str| heading.iter().position(|cell| cell == name).unwrap_or_else(|| panic!("{name}: {heading:?}"));
    let p99 = column("response time, us p99");
    assert!(!heading.iter().any(|name| name.contains("service time")), "{heading:?}");

    let document: Value = serde_json::from_str(&shown(&scratch, "study-json")).unwrap();
    let steps = document["steps"].as_array().unwrap();
    let bars = bars(text, "p99 of response time, us");
    assert_eq!((rows.len(), bars.len()), (steps.len(), steps.len()));
    for ((row, step), (of, label)) in rows.iter().zip(steps).zip(&bars) {
        assert_eq!((&row[0], &row[p99]), (of, label), "the bar has the figure of the table");
        same(&row[0], step["offered_iops"].as_f64().unwrap(), "offered");
        same(&row[column("done/s")], step["median"]["iops"].as_f64().unwrap(), "done");
        if row[p99] != "never" {
            same(&row[p99], step["median"]["asked_ns"].as_f64().unwrap() / 1000.0, "p99");
        }
    }
    let sentence = document["sentence"].as_str().unwrap();
    if let Some(knee) = rows.iter().find(|row| row.last().unwrap() == "knee") {
        let said = format!("the knee of the curve is at {}/s (p99 {} us)", knee[0], knee[p99]);
        assert!(!sentence.contains("the knee of the curve") || sentence.contains(&said), "{sentence}");
    }
    if let Some(highest) = rows.iter().find(|row| row.last().unwrap().contains("highest")) {
        assert!(sentence.contains(&format!("{} random 4 KiB reads/s", highest[0])), "{sentence}: {highest:?}");
    }
    assert!(page.contains(sentence), "{page}");
}
