//! `fathom history` and related commands end to end: saved, listed, shown, exported and deleted runs.

use std::path::Path;
use std::process::Command;

use crate::stage::{self, Outcome, Scratch, command, outcome};
use serde_json::Value;

/// Returns a command with its history in `directory`.
fn with_history(directory: &Path, word: &str, arguments: &str) -> Command {
    let mut command = command(directory, word, arguments);
    command.env_remove("FATHOM_NO_HISTORY");
    command.env("XDG_DATA_HOME", directory.join("data")).env("XDG_STATE_HOME", directory.join("state"));
    command.env("XDG_CONFIG_HOME", directory.join("config")).env("LC_ALL", "C.UTF-8");
    command
}

fn run(directory: &Path, word: &str, arguments: &str) -> Outcome {
    outcome(with_history(directory, word, arguments).spawn().unwrap())
}

const SHORT: &str = "target --short --size 16M --test write-bandwidth";

fn assessed(scratch: &Scratch, more: &str) -> Outcome {
    std::fs::create_dir_all(scratch.file("target")).unwrap();
    let outcome = run(scratch.path(), "assess", &format!("{SHORT} {more}"));
    // The verdict is INVALID if temporary files are in memory.
    assert!([Some(0), Some(4)].contains(&outcome.code), "{}", outcome.stderr);
    outcome
}

fn list(scratch: &Scratch, arguments: &str) -> Vec<Value> {
    let outcome = run(scratch.path(), "history", &format!("--format json {arguments}"));
    outcome.ended_with(0);
    outcome.json().as_array().unwrap().clone()
}

#[test]
fn saved_assessments_are_listed_shown_exported_and_deleted() {
    let scratch = Scratch::new("history");
    run(scratch.path(), "history", "").ended_with(0);
    assert!(!scratch.file("data").exists(), "a query creates no files");
    run(scratch.path(), "show", "last").ended_with(2).complained_of("the history is empty");

    let first = assessed(&scratch, "--tag one --save saved.json");
    first.complained_of("saved: fathom show 1");
    assessed(&scratch, "--no-history");
    assessed(&scratch, "--tag two");
    assert_eq!(list(&scratch, "").len(), 2, "--no-history saves nothing");
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
fn lists_and_trends_have_the_deciding_figures() {
    let scratch = Scratch::new("history-trend");
    let job = "--name=a --filename=f --size=1m --rw=randread --bs=4k";
    run(scratch.path(), "fio", job).ended_with(0);
    run(scratch.path(), "fio", job).ended_with(0);
    run(scratch.path(), "sweep", &format!("--quiet bs=4k,8k --metric iops fio {job}")).ended_with(0);
    run(scratch.path(), "run", &format!("--quiet --repeat 2 fio {job}"));
    run(scratch.path(), "assess", ". --short --no-extend --size 16M --test fsync --require fsync.p99<=10s");
    let table = run(scratch.path(), "history", "").ended_with(0).stdout.clone();
    let line = |what: &str| table.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {table}"));
    assert!(table.lines().next().unwrap().contains("figure"), "{table}");
    assert!(line("fio a").contains("read ") && line("fio a").contains(" IOPS"), "{table}");
    assert!(line("sweep").contains("bs=") && line("sweep").contains(" IOPS"), "{table}");
    assert!(line("quick").contains("fsync.p99 "), "{table}");

    let trend = run(scratch.path(), "history", "--trend f --report trend.html");
    let text = &trend.ended_with(0).complained_of("report: trend.html").stdout;
    let row = text.lines().find(|line| line.contains("read.iops")).unwrap_or_else(|| panic!("{text}"));
    assert!(row.trim_start().starts_with("fio a") && row.contains('█') && row.contains(" %"), "{text}");
    assert!(text.lines().count() < 24 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let page = std::fs::read_to_string(scratch.file("trend.html")).unwrap();
    assert!(page.contains("<svg class=\"chart\"") && page.contains("fio a read.iops"), "no chart");
    // Runs of another size, length or kind of test are not points of the same trend.
    for _ in 0..2 {
        run(scratch.path(), "fio", &job.replace("1m", "512k")).ended_with(0);
        run(scratch.path(), "assess", ". --short --no-extend --size 16M --test fsync --require fsync.p99<=10s");
    }
    run(scratch.path(), "assess", ". --short --no-extend --size 32M --test fsync --require fsync.p99<=10s");
    let text = run(scratch.path(), "history", "--trend f").ended_with(0).stdout.clone();
    let row = |text: &str, what: &str| {
        let found: Vec<String> = text.lines().filter(|line| line.contains(what)).map(str::to_owned).collect();
        found.into_iter().next().unwrap_or_else(|| panic!("{what}: {text}"))
    };
    for (size, points) in [("size 1 MiB", 4), ("size 512 KiB", 2)] {
        let bars = row(&text, size).chars().filter(|letter| ('▁'..='█').contains(letter)).count();
        assert_eq!(bars, points, "{text}");
    }
    let text = run(scratch.path(), "history", "--trend . --report trend.html").ended_with(0).stdout.clone();
    let fsync = row(&text, "fsync.p99");
    assert!(fsync.contains("size 16 MiB") && !text.contains("size 32 MiB"), "{text}");
    let page = std::fs::read_to_string(scratch.file("trend.html")).unwrap();
    assert!(page.contains("size 512 KiB read.iops"), "no chart of its own");
    let newest = &list(&scratch, "--limit 1")[0]["key_figures"][0];
    assert_eq!((newest["metric"].as_str(), newest["of"].as_str()), (Some("fsync.p99"), Some("fsync")), "{newest}");
    assert!(newest["job"].as_array().unwrap().contains(&"size 32 MiB".into()), "{newest}");

    run(scratch.path(), "history", "--trend nowhere").ended_with(0);
    run(scratch.path(), "history", "--report page.html").ended_with(2).complained_of("--trend");
    run(scratch.path(), "history", "--trend f --report page.md").ended_with(2).complained_of("ends with .html");
}

#[test]
fn added_runs_are_saved() {
    let scratch = Scratch::new("history-add");
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/records/1-fio.json");
    std::fs::copy(record, scratch.file("7")).unwrap();
    std::fs::write(scratch.file("none"), "{}").unwrap();
    let added = run(scratch.path(), "history", "add ./7 none missing --tag lab --tag old");
    added.ended_with(2).complained_of("none");
    added.complained_of("missing");
    assert_eq!(added.stdout, "./7 is run 1\n");
    let entries = list(&scratch, "--tag lab");
    assert_eq!((entries[0]["kind"].as_str(), entries[0]["suite"].as_str()), (Some("record"), Some("fio")));
    let shown = run(scratch.path(), "show", "1");
    assert_eq!(shown.ended_with(0).stdout, run(scratch.path(), "show", "./7").stdout);
    run(scratch.path(), "show", "7").ended_with(2).complained_of("no run 7");
    run(scratch.path(), "show", "1 --format card").ended_with(1).complained_of("single run");
}

#[test]
fn unwritable_history_does_not_change_an_assessment() {
    let scratch = Scratch::new("history-broken");
    std::fs::write(scratch.file("data"), "a file where a folder belongs").unwrap();
    let outcome = assessed(&scratch, "--format json");
    outcome.complained_of("not saved in the history");
    assert_eq!(outcome.json()["suite"], "quick");
}

#[test]
fn invalid_arguments_are_rejected() {
    let scratch = Scratch::new("history-arguments");
    for (word, arguments, why) in [
        ("history", "--limit many", "many"),
        ("history", "--format xml", "table, json"),
        ("history", "add", "<FILE>..."),
        ("history", "7", "7"),
        ("export", "1", "--format"),
        ("export", "--format csv", "<ID>..."),
        ("export", "1 --format parquet", "needs --output FILE"),
        ("export", "1 --format json --intervals", "csv or parquet"),
        ("delete", "", "<ID>..."),
    ] {
        run(scratch.path(), word, arguments).ended_with(2).complained_of(why);
    }
    std::fs::create_dir_all(scratch.file("data/fathom")).unwrap();
    std::fs::write(scratch.file("data/fathom/history.db"), "this is text, and no database".repeat(100)).unwrap();
    run(scratch.path(), "history", "").ended_with(2).complained_of("history.db");
}

const LINE: &str = "--filename=target --rw=randread --size=64k --ioengine=psync --name=job --name=other";

#[test]
fn dialect_runs_are_saved_silently() {
    let scratch = Scratch::new("history-lines");
    scratch.filled("target", 64 << 10);
    let quiet = run(scratch.path(), "fio", &format!("{LINE} --output-format=json"));
    assert_eq!(quiet.ended_with(0).stderr, "");
    run(scratch.path(), "diskspd", "-b4K -d1 -o2 -r -L target").ended_with(0);
    for (word, line) in
        [("fio", format!("{LINE} --no-history")), ("diskspd", "-b4K -d1 -Rno-history target".to_owned())]
    {
        run(scratch.path(), word, &line).ended_with(0);
    }
    let mut off = with_history(scratch.path(), "fio", LINE);
    outcome(off.env("FATHOM_NO_HISTORY", "1").spawn().unwrap()).ended_with(0);
    // A command without I/O is not a run.
    run(scratch.path(), "fio", "--name=job --rw=randread --filename=missing/x");
    let entries = list(&scratch, "--kind record");
    assert_eq!(entries.len(), 2, "{entries:#?}");
    let text = |at: usize, name: &str| entries[at][name].as_str().unwrap().to_owned();
    assert_eq!(
        (text(1, "suite"), text(1, "title"), text(1, "target")),
        ("fio".into(), "job, other".into(), scratch.file("target").display().to_string())
    );
    assert_eq!((text(0, "suite"), text(0, "title")), ("diskspd".into(), "-b4K -d1 -o2 -r -L".into()));
    assert!(entries[0]["figures"][0]["iops"].as_f64().unwrap() > 0.0 && entries[0]["automatic"] == true);
    assert!(list(&scratch, "--kind assessment").is_empty());
    let table = run(scratch.path(), "history", "").stdout;
    assert!(table.contains("fio job, other") && table.contains("read "), "{table}");
    let shown = run(scratch.path(), "show", "1 --format fio-json");
    assert_eq!(shown.ended_with(0).json()["jobs"].as_array().map(Vec::len), Some(2));
    let lines = |more: &str| run(scratch.path(), "export", &format!("1 2 --format csv {more}")).stdout.lines().count();
    assert_eq!(lines(""), 3, "a line for each run, and the names");
    assert!(lines("--intervals") > 3 && lines("--intervals --output f.csv") == 0);
    for more in ["", "--intervals"] {
        run(scratch.path(), "export", &format!("1 2 --format parquet --output t.parquet {more}")).ended_with(0);
        let bytes = std::fs::read(scratch.file("t.parquet")).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1") && bytes.len() > 500, "{} bytes", bytes.len());
    }
    run(scratch.path(), "history", "tag 2 --tag keep").ended_with(0);
    let tagged = list(&scratch, "--tag keep");
    assert_eq!((tagged.len(), &tagged[0]["automatic"]), (1, &Value::Bool(false)));
    run(scratch.path(), "history", "tag 9 --tag keep").ended_with(2).complained_of("no run 9");
    run(scratch.path(), "history", "tag 1").ended_with(2).complained_of("--tag <WORD>");
}

#[test]
fn unwritable_history_does_not_change_a_run() {
    let scratch = Scratch::new("history-broken");
    scratch.filled("target", 64 << 10);
    let line = format!("{LINE} --output-format=json");
    let quiet = |command: &mut Command| {
        let printed = outcome(command.spawn().unwrap());
        assert_eq!(printed.ended_with(0).stderr, "");
        assert_eq!(printed.json()["jobs"].as_array().map(Vec::len), Some(2));
    };
    let command = || with_history(scratch.path(), "fio", &line);
    quiet(command().env("XDG_DATA_HOME", "/proc/nowhere"));
    quiet(command().env_remove("XDG_DATA_HOME").env("HOME", scratch.file("no-home")));
    quiet(command().env_remove("XDG_DATA_HOME").env_remove("HOME"));
    assert!(!scratch.file("no-home").exists(), "a missing home folder is not created");
    std::fs::create_dir_all(scratch.file("data/fathom")).unwrap();
    let database = scratch.file("data/fathom/history.db");
    std::fs::write(&database, "this is no database, and long enough to be looked at ".repeat(30)).unwrap();
    let before = std::fs::read(&database).unwrap();
    quiet(&mut command());
    assert_eq!(std::fs::read(&database).unwrap(), before);
    std::fs::remove_file(&database).unwrap();
    // The file size limit is 0 in this shell. A write raises a signal.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_fathom"), "fio"]);
    limited.args(line.split_whitespace()).current_dir(scratch.path()).env_remove("FATHOM_NO_HISTORY");
    limited.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    quiet(limited.env("XDG_DATA_HOME", scratch.file("limited")));
}

/// `fathom show` prints the same as the search or sweep did.
#[test]
fn searches_and_sweeps_are_saved_and_replayed() {
    let scratch = Scratch::new("history-studies");
    scratch.filled("test.dat", 1 << 20);
    std::fs::create_dir(scratch.file("folder")).unwrap();
    let knee = "test.dat --closed --iodepth 4 --runtime 100ms --ramp 0 --p99 100s";
    let line = "--name=job --filename=test.dat --rw=randread --size=1m --runtime=100ms --time_based";
    for (word, arguments, status) in [
        ("knee", format!("{knee} --tag mine"), 0),
        ("knee", format!("{knee} --no-history"), 0),
        ("sweep", format!("--bs=4k,8k --repeat 2 --order random --tag=mine --report page.html fio {line}"), 0),
        // One of its points cannot run.
        ("sweep", format!("filename=folder,test.dat fio {line}"), 1),
        ("sweep", format!("bs=4k,8k --no-history fio {line}"), 0),
    ] {
        let printed = run(scratch.path(), word, &arguments);
        printed.ended_with(status);
        assert_eq!(
            printed.stderr.contains("saved: fathom show "),
            !arguments.contains("--no-history"),
            "{}",
            printed.stderr
        );
        if !arguments.contains("--no-history") {
            let again = run(scratch.path(), "show", "last");
            assert_eq!(again.ended_with(0).stdout, printed.stdout);
            let text = run(scratch.path(), "show", "last --format text --output printed.txt");
            assert_eq!((text.ended_with(0).stdout.as_str(), text.stderr.as_str()), ("", ""));
        }
    }
    let entries = list(&scratch, "");
    let text = |at: usize, name: &str| entries[at][name].as_str().unwrap().to_owned();
    assert_eq!([2, 1, 0].map(|at| text(at, "kind")), ["knee", "sweep", "sweep"]);
    assert_eq!([2, 1].map(|at| text(at, "title")), ["random 4 KiB reads", "bs of fio"]);
    assert_eq!([2, 1, 0].map(|at| text(at, "verdict")), ["PASS", "MEASURED", "INCONCLUSIVE"]);
    assert!(entries.iter().all(|entry| entry["automatic"] == false), "{entries:#?}");
    let numbers =
        |arguments: &str| list(&scratch, arguments).iter().map(|entry| entry["id"].clone()).collect::<Vec<_>>();
    assert_eq!((numbers("--kind knee"), numbers("--tag mine")), (vec![1.into()], vec![2.into(), 1.into()]));
    let table = run(scratch.path(), "history", "").stdout;
    assert!(table.contains("knee random 4 KiB reads") && table.contains("sweep bs of fio"), "{table}");

    let json = run(scratch.path(), "show", "1 --format study-json");
    let document = json.ended_with(0).json();
    assert_eq!((document["schema"].as_str(), document["metric"].as_str()), (Some("fathom.knee/1"), Some("lat.p99")));
    let json = run(scratch.path(), "show", "2 --format study-json").json();
    assert_eq!((&json["schema"], &json["runs_made"]), (&"fathom.sweep/1".into(), &4.into()));
    let whole = run(scratch.path(), "export", "2 --format json").json();
    assert_eq!(whole["tests"][0]["rounds"].as_array().map(Vec::len), Some(4));
    let csv = run(scratch.path(), "export", "1 2 --format csv").stdout;
    assert!(csv.contains(",knee,") && csv.contains(",bs=8k,read,") && csv.contains(",iodepth=4,read,"), "{csv}");
    // A file of another program is rejected without further effects.
    let mut other = run(scratch.path(), "export", "1 --format json").json();
    for (name, value, status) in [("percent", 200, 2), ("percent", 99, 0), ("workers", 0, 0)] {
        other["study"]["knee"][name] = value.into();
        std::fs::write(scratch.file("other.json"), other.to_string()).unwrap();
        run(scratch.path(), "show", "other.json").ended_with(status);
    }
    let page = std::fs::read(scratch.file("page.html")).unwrap();
    run(scratch.path(), "show", "2 --report again.html --report charts/").ended_with(0).complained_of("again.html");
    assert_eq!(std::fs::read(scratch.file("again.html")).unwrap(), page);
    assert!(std::fs::read_dir(scratch.file("charts")).unwrap().count() > 0);
    run(scratch.path(), "show", "1 2 --report x.html").ended_with(2).complained_of("takes one run");
    run(scratch.path(), "show", "2 --report test.dat.html --format fio").ended_with(1).complained_of("an assessment");
    run(scratch.path(), "delete", "1 2 3 --yes").ended_with(0);
    assert!(list(&scratch, "").is_empty());
}

#[test]
fn interrupted_sweep_saves_its_figures() {
    let scratch = Scratch::new("history-stopped");
    scratch.filled("test.dat", 1 << 20);
    let line = "--yes runtime=100ms,600s fio --name=job --filename=test.dat --rw=randread --size=1m --time_based";
    let message = scratch.file("message");
    let mut sweep = with_history(scratch.path(), "sweep", line);
    let mut child = sweep.stderr(std::fs::File::create(&message).unwrap()).spawn().unwrap();
    stage::wait_until("the second run", || {
        assert!(child.try_wait().unwrap().is_none(), "the sweep ended before its second run");
        std::fs::read_to_string(&message).unwrap().contains("2/2 ")
    });
    stage::signal(&child, "INT");
    let printed = outcome(child);
    printed.ended_with(130);
    assert!(printed.stdout.contains("ended early, after 1 of 2 runs"), "{}", printed.stdout);
    assert_eq!(list(&scratch, "--kind sweep")[0]["stopped"], true);
    assert_eq!(run(scratch.path(), "show", "last").stdout, printed.stdout);
}

#[test]
fn a_single_run_has_a_page_and_charts() {
    let scratch = Scratch::new("history-page");
    scratch.filled("target", 1 << 20);
    let jobs = "--filename=target --size=1m --bs=4k --runtime=600ms --time_based --name=first --rw=randread --name=beside \
                --rw=randread --name=last --stonewall --rw=read";
    run(scratch.path(), "fio", jobs).ended_with(0);
    run(scratch.path(), "diskspd", "-b4K -d1 -W0 -o2 -r -L target").ended_with(0);
    run(scratch.path(), "show", "1 --report one.html --report one.md").ended_with(0);
    let page = std::fs::read_to_string(scratch.file("one.html")).unwrap();
    let target = scratch.file("target").display().to_string();
    for message in [
        &format!("fio on {target}"),
        "first, beside",
        "job=beside",
        "IOPS over time",
        "id=\"repeat\"",
        "fathom fio --filename=target",
    ] {
        assert!(page.contains(message), "nothing of {message} in the page");
    }
    assert!(!page.contains("id=\"verdicts\"") && !page.contains("<script>"), "nothing was judged");
    assert!(std::fs::read_to_string(scratch.file("one.md")).unwrap().contains("| last | read |"));
    let page = run(scratch.path(), "show", "2 --format html");
    assert!(
        page.ended_with(0).stdout.contains(&format!("diskspd on {target}")) && page.stdout.contains("&lt;Profile&gt;")
    );
    let names = run(scratch.path(), "show", "2 --chart list").stdout;
    assert!(names.contains("run/heat") || names.contains("run/percentiles"), "{names}");
    run(scratch.path(), "show", "2 --report target/x.html").ended_with(1);
    run(scratch.path(), "show", "2 --format card").ended_with(1).complained_of("single run");
}
