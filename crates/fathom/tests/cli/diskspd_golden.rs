//! Command lines of real DiskSpd runs: exit code and report layout are the same, and the figures of a report agree with
//! each other.
//!
//! Files are smaller and times shorter than in the real runs. `docs/diskspd-differences.md` lists what does not apply.

#[path = "../../../diskspd/tests/stage/layout.rs"]
mod layout;

use crate::stage::{Scratch, wait_for_work, wait_until};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// These require another process to set an event.
const WITH_EVENTS: [&str; 4] = ["53-stop-in-warmup", "54-stop-in-run", "55-ye-missing", "56-yr"];

pub struct Golden {
    name: String,
    pub arguments: Vec<String>,
    code: i32,
    report: String,
}

impl Golden {
    pub fn named(name: &str) -> Golden {
        let read = |end: &str| std::fs::read_to_string(folder().join(format!("{name}{end}"))).unwrap();
        let line = read(".cmd");
        let line = line.split(" (").next().unwrap().trim();
        Golden {
            name: name.to_owned(),
            arguments: line.split_whitespace().skip(1).map(shorter).collect(),
            code: read(".rc").trim().parse().unwrap(),
            report: read(".stdout.txt"),
        }
    }

    fn all() -> Vec<Golden> {
        let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
        let names = entries.filter_map(|name| name.to_str()?.strip_suffix(".cmd").map(str::to_owned));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.retain(|name| !WITH_EVENTS.contains(&name.as_str()));
        names.iter().map(|name| Golden::named(name)).collect()
    }

    /// Asserts that a run ended and printed as the real one.
    pub fn assert_same_layout(&self, output: &Output) {
        let printed = String::from_utf8(output.stdout.clone()).unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(self.code), "{} {:?}\n{complaints}", self.name, self.arguments);
        let lines = if self.report.starts_with("<Results>") { layout::of_xml } else { layout::of_text };
        let (expected, printed_lines) = (lines(&self.report), lines(&printed));
        for (expected, printed_line) in expected.iter().zip(&printed_lines) {
            assert_eq!(expected, printed_line, "{}\n{printed}\n{complaints}", self.name);
        }
        assert_eq!(expected.len(), printed_lines.len(), "{}\n{printed}\n{complaints}", self.name);
        assert_figures_agree(&self.name, &printed);
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/diskspd/golden")
}

/// Shortens times and sizes to the minimum for the test.
fn shorter(word: &str) -> String {
    match word {
        "-d2" | "-d3" => "-d1",
        "-W1" => "-W0",
        "-c100m" => "-c8m",
        "-c200M" => "-c8M",
        other => other,
    }
    .to_owned()
}

fn start(arguments: &[String], folder: &Scratch) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg("diskspd").args(arguments).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn arguments(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn report_layout_matches_diskspd() {
    let all = Golden::all();
    // Runs in parallel, as their time is fixed.
    std::thread::scope(|scope| {
        for some in all.chunks(all.len().div_ceil(4)) {
            scope.spawn(|| some.iter().for_each(runs_alike));
        }
    });
}

fn runs_alike(golden: &Golden) {
    let scratch = Scratch::new("golden");
    std::fs::copy(folder().join("prof2.xml"), scratch.file("prof2.xml")).unwrap();
    let mut line = golden.arguments.clone();
    if golden.name == "01-mixed" {
        line.insert(0, "-W0".to_owned());
    }
    golden.assert_same_layout(&start(&line, &scratch).wait_with_output().unwrap());
}

#[test]
fn event_ends_a_run_and_the_report_has_the_figures_until_then() {
    for (name, line) in [
        ("53-stop-in-warmup", "-ypNAME -W600 -d5 -b4K -c4M testfile.dat"),
        ("54-stop-in-run", "-ypNAME -W0 -d600 -b4K -c4M -L -D testfile.dat"),
    ] {
        let scratch = Scratch::new("golden-event");
        let event_name = format!("fathom-test-{name}-{}", std::process::id());
        let run = start(&arguments(&line.replace("NAME", &event_name)), &scratch);
        wait_for_work(&run, 100);
        set_event(&scratch, &event_name);
        Golden::named(name).assert_same_layout(&run.wait_with_output().unwrap());
    }
}

#[test]
fn run_waits_for_its_event_and_unused_events_are_errors() {
    let scratch = Scratch::new("golden-wait");
    let event_name = format!("fathom-test-yr-{}", std::process::id());
    let run = start(&arguments(&format!("-yr{event_name} -W0 -d1 -b4K -c4M testfile.dat")), &scratch);
    set_event(&scratch, &event_name);
    Golden::named("56-yr").assert_same_layout(&run.wait_with_output().unwrap());
    let missing = Golden::named("55-ye-missing");
    let output = start(&missing.arguments, &scratch).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(missing.code));
}

/// Sets an event as soon as a process waits for it.
fn set_event(scratch: &Scratch, name: &str) {
    let file = Path::new("/dev/shm").join(format!("diskspd-event-{name}"));
    wait_until("a process waits for the event", || file.exists());
    let set = start(&arguments(&format!("-ye{name} x")), scratch).wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&set.stdout);
    assert!(set.status.code() == Some(1) && printed.contains("Set event"), "{name}: {set:?}");
}

/// Checks the sums of the tables: threads add up to the total, reads and writes to the total I/O.
fn assert_figures_agree(name: &str, report: &str) {
    for span in report.split("\nResults for timespan ").skip(1).filter(|span| span.contains("Total IO")) {
        let [all, reads, writes] = ["Total IO", "Read IO", "Write IO"].map(|table| table_of(span, table));
        for table in [&all, &reads, &writes] {
            let (rows, total) = table.split_at(table.len() - 1);
            let sum = rows.iter().fold([0, 0], |sum, row| [sum[0] + row[0], sum[1] + row[1]]);
            assert_eq!(sum, total[0], "{name}\n{report}");
        }
        for (all, (reads, writes)) in all.iter().zip(reads.iter().zip(&writes)) {
            assert_eq!([reads[0] + writes[0], reads[1] + writes[1]], *all, "{name}\n{report}");
        }
    }
}

/// Returns bytes and I/Os of each row, with the total last.
fn table_of(span: &str, name: &str) -> Vec<[u64; 2]> {
    let table = span.split(&format!("{name}\n")).nth(1).unwrap().split("\n\n").next().unwrap();
    let rows = table.lines().skip(2).filter(|line| !line.starts_with("---"));
    let numbers = |line: &str| {
        let cells: Vec<&str> = line.trim_start_matches("total:").split('|').map(str::trim).collect();
        let first = usize::from(!line.starts_with("total:"));
        [cells[first].parse().unwrap(), cells[first + 1].parse().unwrap()]
    };
    rows.map(numbers).collect()
}
