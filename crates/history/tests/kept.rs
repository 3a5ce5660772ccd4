//! Runs stay whole if a writer is killed, and if several programs write at once.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use assessment::Verdict;
use harness::Scratch;
use history::{Document, Entry, EntryDevice, HistoryError, RunFilter, Store, Summary, TargetFilter, export};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use plan::Ddir;
use record::{Cloud, Latency, Timeline};
use units::untrusted::UntrustedText;

/// Variable with the database of a child that writes until it is killed.
const DATABASE: &str = "FATHOM_TEST_DATABASE";
/// Runs that a child adds before it ends by itself. A child is killed earlier.
const RUNS: &str = "FATHOM_TEST_RUNS";
/// Variable that says how the child saves runs.
const WAY: &str = "FATHOM_TEST_WAY";
/// A save in passing gives up before this time. Other saves wait for longer.
const PASSING_MOST: Duration = Duration::from_millis(900);
/// Saves of which the shortest counts: a busy machine can make any of them longer.
const ATTEMPTS: usize = 5;
/// Number of writers that are killed.
const KILLS: u64 = 15;

/// Folder of a database.
struct Folder(Scratch);

impl Folder {
    fn new(test: &str) -> Folder {
        Folder(Scratch::new(test))
    }

    fn database(&self) -> PathBuf {
        self.0.file("data/history.db")
    }
}

fn saved(file: &str) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file);
    Document::read(&std::fs::read(path).unwrap()).unwrap()
}

fn record() -> Document {
    saved("records/1-fio-sync.json")
}

fn tags(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn untrusted(words: &[&str]) -> Vec<UntrustedText> {
    words.iter().map(|word| (*word).into()).collect()
}

/// Saved on request, or automatically.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Requested,
    InPassing,
}

fn child(database: &Path, runs: usize, way: Way) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    // The reason of a failure is on its standard error.
    command
        .args(["--exact", "a_child_that_keeps_runs", "--nocapture"])
        .env(DATABASE, database)
        .env(RUNS, runs.to_string());
    command.env(WAY, if way == Way::Requested { "asked" } else { "in passing" });
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The process that other tests start. It is no test of its own.
#[test]
fn a_child_that_keeps_runs() {
    let (Some(database), Ok(runs)) = (std::env::var_os(DATABASE), std::env::var(RUNS)) else { return };
    let document = record();
    for _ in 0..runs.parse::<usize>().unwrap() {
        let path = Path::new(&database);
        if std::env::var(WAY).unwrap() == "asked" {
            Store::open(path).unwrap().add(&document, "", &tags(&["one", "two"])).unwrap();
        } else {
            Store::open_in_passing(path).and_then(|mut store| store.add_in_passing(&document)).unwrap();
        }
    }
}

/// Saves a run in passing. Returns whether it is kept, and how long that took.
fn keep_in_passing(database: &Path) -> (Result<i64, HistoryError>, Duration) {
    let document = record();
    let since = Instant::now();
    let kept = Store::open_in_passing(database).and_then(|mut store| store.add_in_passing(&document));
    (kept, since.elapsed())
}

/// Checks that every run has its tags, figures and document, and that SQLite finds the database sound.
fn check(database: &Path, way: Way) -> usize {
    let store = Store::open(database).unwrap();
    let entries = store.list(&RunFilter::default()).unwrap();
    for entry in &entries {
        let known: &[&str] = if way == Way::Requested { &["one", "two"] } else { &[] };
        assert_eq!(
            (entry.tags.clone(), entry.automatic),
            (untrusted(known), way == Way::InPassing),
            "run {}",
            entry.id
        );
        assert!(!entry.figures.is_empty(), "run {}", entry.id);
    }
    if let Some(newest) = entries.first() {
        assert_eq!(store.document(newest.id).unwrap().kind(), "record");
    }
    let plain = rusqlite::Connection::open(database).unwrap();
    let sound: String = plain.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let strays = "SELECT count(*) FROM figures WHERE run NOT IN (SELECT id FROM runs)";
    assert_eq!(plain.query_row(strays, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    entries.len()
}

#[test]
fn a_writer_that_is_killed_at_any_moment_leaves_whole_runs() {
    kill_writers("killed", Way::Requested);
}

#[test]
fn a_writer_in_passing_that_is_killed_at_any_moment_leaves_whole_runs() {
    kill_writers("killed-in-passing", Way::InPassing);
}

fn kill_writers(test: &str, way: Way) {
    let folder = Folder::new(test);
    let database = folder.database();
    let mut known = 0;
    let mut kill = 0;
    // On a busy machine a child may be killed before its first run: repeat until one has added a run.
    while kill < KILLS || known == 0 && kill < 10 * KILLS {
        kill += 1;
        let mut child = child(&database, usize::MAX, way);
        // Kills at moments from the creation of the tables to the middle of many runs.
        std::thread::sleep(Duration::from_millis(5 + 17 * kill));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = check(&database, way);
        assert!(found >= known, "{found} of {known} runs are left");
        known = found;
    }
    assert!(known > 0, "nothing was ever kept: this proves nothing");
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let folder = Folder::new("together");
    let children: Vec<Child> = (0..4).map(|_| child(&folder.database(), 5, Way::Requested)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(check(&folder.database(), Way::Requested), 20);
}

#[test]
fn of_many_that_keep_in_passing_at_once_most_are_kept_and_none_is_lost() {
    let share_kept = |writers: usize| {
        let folder = Folder::new(&format!("crowd-{writers}"));
        drop(Store::open(&folder.database()).unwrap());
        let children: Vec<Child> = (0..writers).map(|_| child(&folder.database(), 3, Way::InPassing)).collect();
        let ended = children.into_iter().map(|child| child.wait_with_output().unwrap());
        let failed: Vec<_> = ended.filter(|output| !output.status.success()).collect();
        // A writer that would wait too long gives up. That is the only reason.
        for output in &failed {
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(error.contains("database is locked"), "{error}");
        }
        let failed = failed.len();
        let found = check(&folder.database(), Way::InPassing);
        assert!(found >= 3 * (writers - failed), "{found} runs are kept, {failed} of {writers} writers gave up");
        found as f64 / (3 * writers) as f64
    };
    // A slow machine does not serve 20 at once, and on a busy one a writer can lose its CPU while it holds the lock.
    assert!([20, 8, 4, 4, 4].into_iter().any(|writers| share_kept(writers) >= 0.83), "most gave up");
}

#[test]
fn a_database_that_another_program_holds_is_given_up_soon() {
    let folder = Folder::new("held");
    Store::open(&folder.database()).unwrap().add(&record(), "", &[]).unwrap();
    let holder = rusqlite::Connection::open(folder.database()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let shortest = (0..ATTEMPTS).map(|_| {
        let (kept, took) = keep_in_passing(&folder.database());
        assert!(kept.is_err_and(|error| error.to_string().contains("locked")));
        took
    });
    let shortest = shortest.min().unwrap();
    assert!(shortest < PASSING_MOST, "{shortest:?}");
}

#[test]
fn a_save_in_passing_does_not_wait_while_another_program_commits_again_and_again() {
    let folder = Folder::new("turns");
    Store::open(&folder.database()).unwrap().add(&record(), "", &[]).unwrap();
    let (ends, is_over) = std::sync::mpsc::channel::<()>();
    let holder = rusqlite::Connection::open(folder.database()).unwrap();
    holder.busy_timeout(Duration::from_secs(60)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let commits = std::thread::spawn(move || {
        while is_over.recv_timeout(Duration::from_millis(50)).is_err_and(|error| error == RecvTimeoutError::Timeout) {
            // A change: without one, SQLite commits nothing.
            holder.execute_batch("UPDATE runs SET title = title || '.'; COMMIT; BEGIN IMMEDIATE").unwrap();
        }
    });
    let shortest = (0..ATTEMPTS).map(|_| keep_in_passing(&folder.database()).1).min().unwrap();
    drop(ends);
    commits.join().unwrap();
    assert!(shortest < PASSING_MOST, "{shortest:?}");
}

#[test]
fn runs_are_found_by_tag_target_and_number_and_are_deleted_together_or_not_at_all() {
    let folder = Folder::new("found");
    let mut store = Store::open(&folder.database()).unwrap();
    assert_eq!(store.last().unwrap(), None);
    let document = record();
    let ids: Vec<i64> = [["a"], ["b"], ["a"]].map(|words| store.add(&document, "", &tags(&words)).unwrap()).to_vec();
    let numbers = |filter: &RunFilter, store: &Store| {
        store.list(filter).unwrap().iter().map(|entry| entry.id).collect::<Vec<_>>()
    };
    let tagged = RunFilter { tag: Some("a".to_owned()), ..RunFilter::default() };
    assert_eq!(numbers(&tagged, &store), [ids[2], ids[0]]);
    let target = store.entry(ids[0]).unwrap().target;
    assert!(!target.is_empty());
    let on = |target: &str| RunFilter {
        target: Some(TargetFilter { given: target.to_owned(), path: target.to_owned() }),
        limit: Some(2),
        ..RunFilter::default()
    };
    assert_eq!(numbers(&on(target.raw()), &store), [ids[2], ids[1]]);
    assert!(numbers(&on("elsewhere"), &store).is_empty());
    assert_eq!(store.last().unwrap(), Some(ids[2]));

    assert!(store.delete(&[ids[0], 77]).is_err_and(|error| matches!(error, HistoryError::NoRun(77))));
    assert_eq!(numbers(&RunFilter::default(), &store).len(), 3);
    store.delete(&ids[1..]).unwrap();
    assert_eq!(numbers(&RunFilter::default(), &store), [ids[0]]);
    assert!(store.document(ids[1]).is_err() && store.entry(ids[1]).is_err());
    // A number is never given again: a script may still refer to it.
    assert!(store.add(&document, "", &[]).unwrap() > ids[2]);
}

#[test]
fn an_entry_has_the_fields_of_its_assessment_and_is_found_by_them() {
    let folder = Folder::new("entry");
    let mut store = Store::open(&folder.database()).unwrap();
    let Document::Assessment(mut knee) = saved("assessments/1-knee.json") else { panic!("an assessment") };
    let cloud = Cloud { instance_type: "m5.xlarge".into(), zone: "eu-west-1a".into(), ..Cloud::default() };
    knee.machine.cloud = Some(cloud);
    knee.target.devices[0].serial = "S1".into();
    knee.tags = untrusted(&["night"]);
    let document = Document::Assessment(knee);
    store.add(&record(), "", &[]).unwrap();
    let id = store.add(&document, "too slow", &tags(&["mine"])).unwrap();
    let entry = store.entry(id).unwrap();
    assert_eq!(entry, Entry { id, ..Entry::of(&document, "too slow", &tags(&["mine"])) });
    let device = EntryDevice { name: "vda".into(), serial: "S1".into(), size_bytes: 256 << 30, ..Default::default() };
    assert_eq!((entry.kind.raw(), entry.suite.raw(), entry.title.raw()), ("knee", "knee", "random 4 KiB reads"));
    assert_eq!((entry.host.raw(), entry.target.raw(), entry.file_system.raw()), ("vm", "/tmp/gen/d", "ext4"));
    assert_eq!((entry.instance_type.raw(), entry.zone.raw()), ("m5.xlarge", "eu-west-1a"));
    assert_eq!((entry.devices, entry.tags), (vec![device], untrusted(&["mine", "night"])));
    assert_eq!((entry.verdict, entry.message.raw(), entry.automatic), (Some(Verdict::Fail), "too slow", false));
    let row = read_back(&folder, &export::figures(&[store.entry(id).unwrap()])).remove(0);
    let of = |column: &str| row.iter().find(|(name, _)| name == column).map(|(_, field)| as_text(field)).unwrap();
    assert_eq!(["device", "model", "serial", "instance_type"].map(of), ["vda", "", "S1", "m5.xlarge"]);
    let on = |device: &str| RunFilter { device: Some(device.to_owned()), ..RunFilter::default() };
    let of_type = RunFilter { instance_type: Some("M5.xlarge".to_owned()), ..RunFilter::default() };
    let of_kind = RunFilter { kind: Some("knee".to_owned()), ..RunFilter::default() };
    store.add(&record(), "", &[]).unwrap();
    let newest = RunFilter { limit: Some(1), ..on("vda") };
    for filter in [on("VDA"), on("s1"), newest, of_type, of_kind] {
        assert_eq!(store.list(&filter).unwrap().iter().map(|entry| entry.id).collect::<Vec<_>>(), [id], "{filter:?}");
    }
}

#[test]
fn latencies_of_a_direction_are_those_of_its_completions() {
    let Document::Record(record) = record() else { panic!("a record") };
    let totals = record.totals();
    let mut flushes = Latency::default();
    record.workers.iter().for_each(|worker| flushes.merge(&worker.stats.sync_lat));
    let figures = Summary::of(&Document::Record(record));
    assert_eq!(figures.iter().map(|line| line.direction.raw()).collect::<Vec<_>>(), ["read", "write", "flush"]);
    let rates = |line: &Summary| (line.iops, line.bytes_per_s);
    let of = |ddir: Ddir| {
        let ddir = &totals.ddirs[ddir as usize];
        (Some(ddir.ios as f64 * 1e9 / ddir.runtime_ns as f64), Some(ddir.bytes_per_s()))
    };
    let [read, write, flush] = figures.as_slice() else { panic!("{figures:?}") };
    assert_eq!((rates(read), rates(write), rates(flush)), (of(Ddir::Read), of(Ddir::Write), (None, None)));
    let clat = |ddir: Ddir| &totals.ddirs[ddir as usize].clat;
    for (line, latency) in figures.iter().zip([clat(Ddir::Read), clat(Ddir::Write), &flushes]) {
        let near = |figure: Option<f64>, exact: f64| figure.is_some_and(|figure| (figure / exact - 1.0).abs() < 0.01);
        assert!(near(line.mean_ns, latency.mean_ns()), "{line:?}");
        assert!(near(line.p50_ns, latency.percentile_ns(50.0) as f64), "{line:?}");
        assert!(near(line.p99_ns, latency.percentile_ns(99.0) as f64), "{line:?}");
    }
}

#[test]
fn each_round_of_a_sweep_has_its_values() {
    let figures = Summary::of(&saved("assessments/1-sweep.json"));
    assert_eq!(figures.iter().map(|line| line.at.raw()).collect::<Vec<_>>(), ["bs=4k", "bs=64k"]);
}

#[test]
fn a_test_without_ios_has_a_line_with_its_verdict() {
    let Document::Assessment(mut assessment) = saved("assessments/1-steady.json") else { panic!("an assessment") };
    assessment.tests.truncate(1);
    let test = &mut assessment.tests[0];
    test.rounds.clear();
    test.verdict = Verdict::Skipped;
    let without = Summary { test: test.name.as_str().into(), verdict: Some(Verdict::Skipped), ..Summary::default() };
    assert_eq!(Summary::of(&Document::Assessment(assessment)), [without]);
}

#[test]
fn what_comes_out_is_what_went_in() {
    let folder = Folder::new("out");
    let mut store = Store::open(&folder.database()).unwrap();
    let document = record();
    let id = store.add(&document, "", &tags(&["x y", "a,b"])).unwrap();
    assert_eq!(store.document(id).unwrap().write(), document.write());
    let json = |ids: &[i64]| export::json::<HistoryError>(&store, ids, |document| Ok(document.write()?)).unwrap();
    assert_eq!(json(&[id]), document.write().unwrap());
    let both = json(&[id, id]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&both).unwrap().as_array().unwrap().len(), 2);
    let text = export::figures(&[store.entry(id).unwrap()]).csv();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + store.entry(id).unwrap().figures.len());
    assert!(lines[1].contains("\"a,b x y\""), "{text}");
}

/// Reads Parquet: each row as names and values.
fn read_back(folder: &Folder, table: &export::Table) -> Vec<Vec<(String, Field)>> {
    let path = folder.0.file("table.parquet");
    std::fs::write(&path, table.parquet().unwrap()).unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    rows.map(|row| row.get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect()).collect()
}

/// Formats values as the CSV has them.
fn as_text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) if text.contains(',') => format!("\"{text}\""),
        Field::Str(text) => text.clone(),
        Field::Long(count) | Field::TimestampMillis(count) => count.to_string(),
        Field::Double(figure) => figure.to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn tables_of_figures_and_of_intervals_hold_the_same_as_parquet_and_as_csv() {
    let folder = Folder::new("parquet");
    let mut store = Store::open(&folder.database()).unwrap();
    let mut document = record();
    let Document::Record(record) = &mut document else { panic!("a record") };
    // An interval of length 0 has no rate.
    let mut empty = Timeline::new(0, 1_000_000_000, Vec::new());
    empty.count((0, 0), Ddir::Read, 1, 4096);
    empty.until_ns = 0;
    let mut timeline = Timeline { until_ns: 2_500_000_000, ..Timeline::new(0, 1_000_000_000, Vec::new()) };
    timeline.count((0, 1_000_000_000), Ddir::Read, 100, 409_600);
    timeline.count((2_000_000_000, 2_500_000_000), Ddir::Read, 25, 102_400);
    timeline.slots.iter_mut().for_each(|slot| slot.workers = 2);
    record.timeline = vec![timeline, empty];
    let ids = [store.add(&document, "", &[]).unwrap(), store.add(&document, "", &tags(&["one"])).unwrap()];
    let figures = export::figures(&ids.map(|id| store.entry(id).unwrap()));
    let intervals = export::intervals(&store, &ids).unwrap();
    for table in [&figures, &intervals] {
        let (rows, csv) = (read_back(&folder, table), table.csv());
        let mut lines = csv.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(rows.len(), lines.clone().count());
        for (row, line) in rows.iter().zip(lines) {
            assert_eq!(row.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
            assert_eq!(row.iter().map(|(_, field)| as_text(field)).collect::<Vec<_>>().join(","), line);
        }
    }
    // The last slot has the length that remained.
    let cell = |row: &[(String, Field)], name: &str| as_text(&row.iter().find(|(known, _)| known == name).unwrap().1);
    let rows = read_back(&folder, &intervals);
    let of = |name: &str| rows[..rows.len() / 2].iter().map(|row| cell(row, name)).collect::<Vec<_>>();
    assert_eq!(
        (of("ios"), of("from_ns")[1].as_str()),
        (vec!["100".into(), "0".into(), "25".into(), "1".into()], "1000000000")
    );
    assert_eq!((of("iops"), of("p99_ns")), (["100", "0", "50", ""].map(String::from).to_vec(), vec![String::new(); 4]));
    // A table without rows is valid.
    assert_eq!(read_back(&folder, &export::figures(&[])).len(), 0);
}

#[test]
fn a_file_that_is_no_history_is_refused_and_left_alone() {
    let folder = Folder::new("other");
    let path = folder.0.file("text");
    std::fs::write(&path, "no database at all, but a text that is long enough to be looked at".repeat(40)).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(Store::open(&path).is_err_and(|error| error.is_damage()));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_single_run_in_memory_is_invalid_and_no_figure_of_a_trend() {
    let Document::Record(mut run) = record() else { panic!("a record") };
    assert!(Entry::of(&Document::Record(run.clone()), "", &[]).is_usable());
    run.targets = vec![record::TargetFacts { in_memory: true, ..record::TargetFacts::default() }];
    let entry = Entry::of(&Document::Record(run), "", &[]);
    assert!(entry.verdict == Some(Verdict::Invalid) && !entry.is_usable(), "{:?}", entry.verdict);
}
