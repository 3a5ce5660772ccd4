//! What the program prints and saves fits the schemas. [`outcome`] checks each output; these tests make the outputs that
//! other tests do not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use harness::{Outcome, Scratch, check_output, command, outcome, schema_errors, schema_of};
use serde_json::{Map, Value, json};

use crate::generated::names;
use crate::strictness::OPTIONAL;

const JOB: &str = "--filename=f --size=1m --bs=4k --ioengine=psync --rw=randrw --time_based --runtime=100ms";

fn corpus(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3);
    files
}

/// A folder with a file, and a history of its own.
struct Runs(Scratch);

impl Runs {
    fn new(test: &str) -> Runs {
        let scratch = Scratch::new(test);
        scratch.filled("f", 1 << 20);
        Runs(scratch)
    }

    fn run(&self, word: &str, line: &str) -> Outcome {
        let mut command = command(self.0.path(), word, line);
        command.env("XDG_DATA_HOME", self.0.file("data")).env("XDG_STATE_HOME", self.0.file("state"));
        outcome(command.spawn().unwrap())
    }

    /// Returns a document that a command prints.
    fn printed(&self, word: &str, line: &str) -> Value {
        self.run(word, line).json()
    }

    fn file(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.0.file(name)).unwrap();
        check_output(&text);
        serde_json::from_str(&text).unwrap()
    }
}

/// Returns a capture with an I/O of each operation.
fn capture_file() -> Vec<u8> {
    let head = capture::Head {
        fathom: "0.1.0".to_owned(),
        target: "/dev/x1".into(),
        device: capture::Device::default(),
        partition: Some(capture::Partition { first_sector: 8, sectors: 100 }),
        layer: capture::Layer::Requests,
        started_unix_ms: Some(0),
        utc_offset_s: 0,
        has_names: true,
        origin: capture::Origin::Capture,
    };
    let mut writer = capture::Writer::new(Vec::new(), &head).unwrap();
    for operation in capture::Operation::ALL {
        let flags = capture::Flags::SYNC;
        let (inserted_ns, issued_ns, completed_ns) = (Some(1), Some(2), Some(3));
        let (start_ns, sector, sectors, program) = (0, 8, 8, Some(0));
        let io =
            capture::Io { start_ns, operation, flags, sector, sectors, inserted_ns, issued_ns, completed_ns, program };
        writer.io(&io).unwrap();
    }
    let changes = capture::Changes::default();
    let (end, programs) = (capture::End::Signal, vec!["dd".into()]);
    let facts = capture::Facts {
        end,
        duration_ns: 10,
        events: 20,
        lost_events: 0,
        unreadable: 0,
        changes,
        cpu_ns: 1,
        programs,
        left_out: Some(capture::LeftOut { programs: 1, kernel: 2 }),
    };
    writer.finish(&facts).unwrap()
}

/// Returns a document for each schema.
fn samples() -> Vec<Value> {
    let runs = Runs::new("schemas");
    let sweep = format!("bs=4k,8k --format json fio --name=a {JOB}");
    for name in ["a", "b"] {
        let options = JOB.replace(" --", "\n").replace("--", "");
        std::fs::write(runs.0.file(&format!("{name}.fio")), format!("[{name}]\n{options}\n")).unwrap();
    }
    let assess = "new --yes --short --size 8M --runtime 1 --test read-latency --require read.iops>=1 --save a.json";
    let knee = "f --runtime 100ms --ramp 0 --p99 100ms --ioengine psync";
    runs.run("fio", &format!("--record=r.json --name=a {JOB} --rate_iops=500 --output-format=json+")).ended_with(0);
    runs.run("diskspd", "-Rrecord=d.json -d1 -W0 -b4k -L -D -w50 f").ended_with(0);
    runs.run("assess", assess);
    std::fs::write(runs.0.file("c"), capture_file()).unwrap();
    let samples = vec![
        runs.file("r.json"),
        runs.file("d.json"),
        runs.file("a.json"),
        runs.printed("show", "r.json --format fio-json+"),
        runs.printed("show", "d.json --format fio-json"),
        runs.printed("sweep", &sweep),
        runs.printed("run", "--repeat 2 --interleave --format json --save saved a.fio b.fio"),
        runs.file("saved/run.json"),
        runs.file("saved/assessment.json"),
        runs.file("saved/A-1.json"),
        runs.printed("knee", &format!("{knee} --format json")),
        runs.printed("knee", "f --runtime 100ms --ramp 0 --p99 100s --closed --iodepth 4 --format json"),
        runs.printed("capture", "show c --format json"),
        runs.printed("compare", "r.json r.json --format json"),
        runs.printed("history", "--format json"),
        runs.printed("export", "1 --format json"),
    ];
    runs.run("export", "1 2 --format json").ended_with(0);
    samples
}

#[test]
fn every_kind_of_document_fits_its_schema_and_no_other_fields_or_less() {
    let samples = samples();
    let by_schema: BTreeMap<&str, &Value> = samples.iter().map(|sample| (schema_of(sample), sample)).collect();
    assert_eq!(by_schema.keys().copied().collect::<Vec<_>>(), names(), "a document for each schema");
    let mut accepted = Accepted::default();
    for sample in &samples {
        let name = schema_of(sample);
        assert_eq!(schema_errors(name, sample), "", "{name}");
        let mut short = sample.clone();
        shorten(name, &mut short, "");
        accepted.collect(name, &short, &mut Vec::new());
    }
    assert_eq!(accepted.unknown, BTreeSet::new(), "unknown fields");
    assert_eq!(accepted.missing, BTreeSet::new(), "missing fields");
}

/// Leaves one item in each list that may have fewer: `Accepted::collect` checks a document for each change.
fn shorten(schema: &str, document: &mut Value, pointer: &str) {
    let is_longer = |list: &Vec<Value>| list.len() > 1;
    if document.pointer(pointer).unwrap().as_array().is_some_and(is_longer) {
        let mut shorter = document.clone();
        shorter.pointer_mut(pointer).unwrap().as_array_mut().unwrap().truncate(1);
        if schema_errors(schema, &shorter).is_empty() {
            *document = shorter;
        }
    }
    let parts: Vec<String> = match document.pointer(pointer).unwrap() {
        Value::Array(list) => (0..list.len()).map(|at| at.to_string()).collect(),
        Value::Object(object) => object.keys().map(|key| key.replace('~', "~0").replace('/', "~1")).collect(),
        _ => Vec::new(),
    };
    parts.iter().for_each(|part| shorten(schema, document, &format!("{pointer}/{part}")));
}

/// Objects whose keys are names or values of the run.
const MAPS: [&str; 8] = ["job options", "global options", "bins", "percentile", "job", "settings", "best", "near"];
/// Depth to which documents are changed. `strictness` checks the schemas to their full depth.
const DEPTH_MAX: usize = 2;

/// Changes that a schema accepts, by the name of the field.
#[derive(Default)]
struct Accepted {
    /// Objects that may have unknown fields.
    unknown: BTreeSet<String>,
    /// Fields that may be missing.
    missing: BTreeSet<String>,
}

impl Accepted {
    /// Makes each change to a document. `path` leads to a part of it.
    fn collect(&mut self, schema: &str, document: &Value, path: &mut Vec<String>) {
        let pointer: String =
            path.iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect();
        match document.pointer(&pointer).unwrap() {
            Value::Object(object) => {
                let place = path.iter().rev().find(|key| key.parse::<usize>().is_err()).cloned().unwrap_or_default();
                let changed = |change: &dyn Fn(&mut Map<String, Value>)| {
                    let mut changed = document.clone();
                    change(changed.pointer_mut(&pointer).unwrap().as_object_mut().unwrap());
                    schema_errors(schema, &changed).is_empty()
                };
                if MAPS.contains(&place.as_str()) {
                    return;
                }
                if changed(&|object| drop(object.insert("unknown".to_owned(), json!({})))) {
                    self.unknown.insert(place);
                }
                for key in object.keys() {
                    let is_optional = OPTIONAL.split(", ").any(|optional| optional == key);
                    if !is_optional && changed(&|object| drop(object.shift_remove(key))) {
                        self.missing.insert(key.clone());
                    }
                    if path.len() < DEPTH_MAX {
                        path.push(key.clone());
                        self.collect(schema, document, path);
                        path.pop();
                    }
                }
            }
            // The items of a list have one schema.
            Value::Array(list) if !list.is_empty() => {
                path.push("0".to_owned());
                self.collect(schema, document, path);
                path.pop();
            }
            _ => {}
        }
    }
}

#[test]
fn saved_documents_are_shown_as_the_schemas_say() {
    let runs = Runs::new("schemas-corpus");
    for file in corpus("records") {
        for format in ["json", "fio-json", "fio-json+"] {
            runs.run("show", &format!("{} --format {format}", file.display())).ended_with(0);
        }
    }
    for file in corpus("assessments") {
        runs.run("show", &format!("{} --format json", file.display())).ended_with(0);
        runs.run("show", &format!("{} --format study-json", file.display()));
    }
}

#[test]
fn unusual_runs_of_fio_fit_the_schema() {
    let runs = Runs::new("schemas-fio");
    for (line, code) in [
        (format!("--name=a {JOB} --unified_rw_reporting=both --group_reporting --numjobs=2 --description=d"), 0),
        (format!("--name=a {JOB} --unified_rw_reporting=mixed --slat_percentiles=1 --lat_percentiles=1"), 0),
        (format!("--idle-prof=percpu --bs=8k --name=a {JOB} --fsync=8"), 0),
        ("--name=a --ioengine=null --size=1m --rw=trim --filename=f".to_owned(), 0),
        ("--name=a --filename=/dev/full --size=64k --rw=write --ioengine=psync".to_owned(), 1),
        ("--name=a --filename=f --size=64k --rw=read --ioengine=psync --continue_on_error=all".to_owned(), 0),
        (format!("--name=a {JOB} --rate_iops=100000 --latency_target=1s --latency_window=10ms --iodepth=2"), 0),
    ] {
        for format in ["json", "json+"] {
            let outcome = runs.run("fio", &format!("--output-format={format} {line}"));
            outcome.ended_with(code).json();
        }
    }
}

#[test]
fn an_unsaved_result_is_a_document_of_the_schema() {
    let runs = Runs::new("schemas-unsaved");
    std::fs::create_dir_all(runs.0.file("data/fathom")).unwrap();
    std::fs::write(runs.0.file("data/fathom/history.db"), "not a database").unwrap();
    runs.run("run", &format!("--repeat 1 fio --name=a {JOB}")).complained_of("not saved in the history");
    runs.run("sweep", &format!("bs=4k fio --name=a {JOB}")).complained_of("not saved in the history");
    let files = std::fs::read_dir(runs.0.file("data/fathom")).unwrap().map(|entry| entry.unwrap().path());
    let is_unsaved = |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().starts_with("unsaved-");
    let unsaved: Vec<PathBuf> = files.filter(is_unsaved).collect();
    assert_eq!(unsaved.len(), 2, "a record and a study");
    for file in unsaved {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.starts_with('{'));
        check_output(&text);
    }
}

#[test]
fn the_schemas_that_the_program_prints_are_the_committed_files() {
    let runs = Runs::new("schemas-printed");
    let list = runs.run("schema", "").ended_with(0).stdout.clone();
    let listed: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, names());
    for name in listed {
        let printed = runs.run("schema", name).ended_with(0).stdout.clone();
        let is_same = printed == std::fs::read_to_string(crate::generated::file(name)).unwrap();
        // The schemas in the program are those from before the update.
        let is_updated = std::env::var_os("UPDATE_SCHEMAS").is_some();
        assert!(is_same || is_updated, "data/schemas/{name}.json changed after the build: run the test again");
    }
    runs.run("schema", "recrod").ended_with(2).complained_of("help: did you mean record?");
    runs.run("schema", "xyzzy").ended_with(2).complained_of("help: `fathom schema` lists all");
}
