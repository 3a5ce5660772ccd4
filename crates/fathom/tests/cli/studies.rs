//! Common properties of all studies: a saved assessment is shown as the live one, and a quantity has one value.

use std::path::Path;

use crate::stage::{self, Outcome, Scratch, binary, outcome, shell};
use serde_json::Value;

/// Report formats, by file extension and by the name of the format with the same output.
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
            "new --yes --short --size 8M --runtime 1 --test read-latency {}",
            &[("card", "card"), ("json", "json")][..],
        ),
    ];
    for (study, line, formats) in studies {
        for (live, again) in formats {
            let pages: String = PAGES.iter().map(|(name, _)| format!(" --report {study}-{live}-page.{name}")).collect();
            let output = fathom(scratch.path(), study, &line.replace("{}", &format!("--format {live}{pages}")));
            assert_eq!(output.stdout, shown(&scratch, again), "{study} as {live}: {}", output.stderr);
            for (name, format) in PAGES {
                let page = std::fs::read_to_string(scratch.file(&format!("{study}-{live}-page.{name}"))).unwrap();
                assert!(page == shown(&scratch, format), "{study}, --report {name}");
            }
        }
    }
}

/// Returns the cells of the table of a Markdown page whose first column has this name.
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

/// Checks that the figure of a document equals the figure of a cell with three or more digits.
fn same(cell: &str, figure: f64, what: &str) {
    let shown = number(cell);
    assert!((shown - figure).abs() <= 0.0051 * figure.abs() + 0.005, "{what}: `{cell}` is not {figure}");
}

/// Checks that table, bars and sentence of a text, and the HTML page, have the cells of the page.
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

/// Returns the labels of the bars, by the first word of their line.
fn bars(text: &str, title: &str) -> Vec<(String, String)> {
    let lines = text.lines().skip_while(|line| !line.contains(title)).skip(1).take_while(|line| !line.is_empty());
    lines
        .map(|line| {
            let tokens: Vec<&str> = line.split_whitespace().collect();
            let label = tokens.iter().skip(1).find(|word| !word.contains(['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉']));
            (tokens[0].to_owned(), (*label.unwrap()).to_owned())
        })
        .collect()
}

/// Returns the column of a time, its unit, and that unit in ns. The unit depends on the longest time of the table.
fn time_column(heading: &[String], kind: &str, statistic: &str) -> (usize, &'static str, f64) {
    let in_unit = |(unit, unit_ns)| {
        let name = format!("{kind}, {unit} {statistic}");
        Some((heading.iter().position(|cell| *cell == name)?, unit, unit_ns))
    };
    let units = [("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    units.into_iter().find_map(in_unit).unwrap_or_else(|| panic!("{kind} {statistic}: {heading:?}"))
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
            let (column, _, unit_ns) = time_column(&heading, "service time (lat)", percentile);
            same(&row[column], read["latency_ns"][percentile].as_f64().unwrap() / unit_ns, percentile);
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
    let (p99, unit, unit_ns) = time_column(&heading, "response time", "p99");
    assert!(!heading.iter().any(|name| name.contains("service time")), "{heading:?}");

    let document: Value = serde_json::from_str(&shown(&scratch, "study-json")).unwrap();
    assert_eq!(document["metric"], "response.p99");
    let steps = document["steps"].as_array().unwrap();
    let bars = bars(text, "p99 of response time, ");
    assert_eq!((rows.len(), bars.len()), (steps.len(), steps.len()));
    for ((row, step), (of, label)) in rows.iter().zip(steps).zip(&bars) {
        assert_eq!((&row[0], &row[p99]), (of, label), "the bar has the figure of the table");
        same(&row[0], step["offered_iops"].as_f64().unwrap(), "offered");
        same(&row[column("done/s")], step["median"]["iops"].as_f64().unwrap(), "done");
        if row[p99] != "never" {
            same(&row[p99], step["median"]["asked_ns"].as_f64().unwrap() / unit_ns, "p99");
        }
    }
    let sentence = document["sentence"].as_str().unwrap();
    if let Some(knee) = rows.iter().find(|row| row.last().unwrap() == "knee") {
        let message = format!("the knee of the curve is at {}/s (p99 {} {unit})", knee[0], knee[p99]);
        assert!(!sentence.contains("the knee of the curve") || sentence.contains(&message), "{sentence}");
    }
    if let Some(highest) = rows.iter().find(|row| row.last().unwrap().contains("highest")) {
        assert!(sentence.contains(&format!("{} random 4 KiB reads/s", highest[0])), "{sentence}: {highest:?}");
    }
    // Markdown starts the sentence with a capital.
    assert!(page.contains(&sentence[1..]), "{page}");
}

/// The value of a cell with its unit, in the unit of documents: ns for times, I/Os per second for rates.
fn value(cell: &str) -> f64 {
    let (number_of_units, unit) = cell.split_once(' ').unwrap_or_else(|| panic!("`{cell}` has no unit"));
    let scale = match unit {
        "IOPS" | "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => panic!("`{cell}` has an unknown unit"),
    };
    number(number_of_units) * scale
}

#[test]
fn a_quantity_of_a_suite_is_one_number_wherever_it_is_shown() {
    let scratch = with_file("studies-suite");
    let required = "--require read.iops>=1 --require read.clat.p99<=100s";
    let line = format!("new --yes --short --size 8M --runtime 1 --test read-iops --test read-latency {required}");
    let card = fathom(scratch.path(), "assess", &line).stdout.clone();
    let (page, html) = (shown(&scratch, "markdown"), shown(&scratch, "html"));
    let document: Value = serde_json::from_str(&shown(&scratch, "json")).unwrap();
    let intervals = page.find("| test | figure | measured | expected | ratio | 95 %").unwrap();
    let (_, rows) = table(&page[intervals..], "test");
    let verdicts: Vec<Vec<String>> = rows.into_iter().filter(|row| row.len() == 8).collect();
    let judged: Vec<(&str, &Value)> = document["tests"].as_array().unwrap().iter().flat_map(judgements).collect();
    assert_eq!((verdicts.len(), judged.len()), (2, 2), "{page}");
    for (row, (test, judgement)) in verdicts.iter().zip(judged) {
        let measured = &row[2];
        assert_eq!((row[0].as_str(), row[1].as_str()), (test, judgement["metric"].as_str().unwrap()));
        let figure = judgement["measured"].as_f64().unwrap();
        assert!((value(measured) - figure).abs() <= 0.0051 * figure, "`{measured}` is not {figure}");
        let message = judgement["message"].as_str().unwrap();
        assert!(message.starts_with(measured.as_str()) && row[7] == message, "`{measured}`: {row:?}: {message}");
        assert!(html.contains(&format!(">{measured}</")), "`{measured}` in HTML");
        let shown = measured.strip_suffix(" IOPS").unwrap_or(measured);
        let is_row = |line: &&str| line.contains(test) && line.contains(&format!(" {shown} "));
        assert!(card.lines().any(|line| is_row(&line)), "`{shown}` in:\n{card}");
    }
    // The figures of the test have the number that the verdict is about.
    let rows = page.lines().skip_while(|line| !line.starts_with("| test | |"));
    let row = rows.skip(2).find(|line| line.starts_with("| read-iops ")).unwrap();
    let iops = verdicts[0][2].strip_suffix(" IOPS").unwrap();
    assert!(row.contains(&format!("| {iops} |")), "{row}");
}

/// Judgements of a test, with its name.
fn judgements(test: &Value) -> Vec<(&str, &Value)> {
    let name = test["name"].as_str().unwrap();
    test["judgements"].as_array().unwrap().iter().map(|judgement| (name, judgement)).collect()
}

#[test]
fn run_and_sweep_mask_passwords() {
    let scratch = Scratch::new("studies-password");
    // Nothing listens on the port.
    let job = "--name=x --ioengine=http --http_host=127.0.0.1:1 --http_user=u --http_pass=word77 --filename=/x \
               --rw=read --size=4k";
    let (at, program) = (scratch.path().display(), binary().display());
    for line in [
        format!("sweep bs=1k,2k --save saved --yes --format json fio {job}"),
        format!("run --repeat 2 --save saved --yes fio {job}"),
        format!("run --repeat 2 --save saved --yes 'fio {job}'"),
        format!("run --repeat 2 --save saved --yes --prepare 'fio {job}' fio {job}"),
        format!("run --repeat 2 --save saved --yes --prepare 'true fio {job}' fio {job}"),
        r"sweep 'filename=iscsi\://u%word77@127.0.0.1\:1/t/1,iscsi\://u%word77@127.0.0.1\:1/t/2' --save saved --yes --format \
          json fio --name=x --ioengine=libiscsi --rw=read --size=4k"
            .to_owned(),
    ] {
        let command = format!("cd {at} && export XDG_DATA_HOME={at}/data; {program} {line} 2>&1 || true");
        let shown = shell(&command).unwrap();
        assert!(shown.contains("***") && !shown.contains("word77"), "{line}: {shown}");
        let found = shell(&format!("cd {at} && ls saved >&2 && ! grep -rl word77 ."));
        assert!(found.is_ok(), "{line}: {found:?}");
        std::fs::remove_dir_all(scratch.file("saved")).unwrap();
    }
}
