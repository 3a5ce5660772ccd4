//! Runs both programs with the same arguments, each in an empty directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::stage::{Scratch, skipped};

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");

/// Results of a program.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub directory: PathBuf,
}

impl Ran {
    fn new(directory: &Path, output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            directory: directory.to_owned(),
        }
    }

    /// Returns the JSON document of the report. fio prints messages before it.
    pub fn json(&self) -> serde_json::Value {
        let from = self.stdout.find("{\n").unwrap_or_else(|| panic!("no JSON in {}{}", self.stdout, self.stderr));
        let mut documents = serde_json::Deserializer::from_str(&self.stdout[from..]).into_iter();
        documents.next().unwrap().unwrap()
    }

    /// Returns the sizes of the files of the jobs.
    pub fn files(&self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        walk(&self.directory, "", &mut found);
        found.retain(|name, _| !name.ends_with(".log"));
        found
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

fn walk(directory: &Path, prefix: &str, found: &mut BTreeMap<String, u64>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let about = entry.metadata().unwrap();
        if about.is_dir() {
            walk(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, about.len());
        }
    }
}

pub struct Pair {
    pub fio: Ran,
    pub ours: Ran,
    _scratch: Scratch,
}

/// fio and its version.
type Real = (String, String);

/// Returns fio. Without it, returns `None` and marks the test as skipped.
pub fn real_fio() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let real = REAL.get_or_init(|| {
        let program = std::env::var("FIO").unwrap_or_else(|_| "fio".into());
        let output = Command::new(&program).arg("--version").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !version.contains("fathom")).then_some((program, version))
    });
    if real.is_none() {
        skipped("no fio to compare with (set FIO to its path)");
    }
    real.as_ref()
}

/// Returns whether fio is older than the version that fathom follows.
pub fn fio_is_old() -> bool {
    real_fio().is_some_and(|(_, version)| !version.contains("3.42"))
}

/// Returns the arguments, with a clock that fio needs not calibrate: this takes longer than most jobs.
pub fn with_cheap_clock(arguments: &str) -> impl Iterator<Item = &str> {
    let has_job = arguments.contains("--name=") && !arguments.contains("--clocksource=");
    has_job.then_some("--clocksource=clock_gettime").into_iter().chain(arguments.split_whitespace())
}

/// Runs both programs in parallel: fio mostly sleeps during such a run.
pub fn pair(arguments: &str) -> Option<Pair> {
    pair_prepared(arguments, &|_| {}, None)
}

/// Runs both. `prepare` gets the directory of each program, and `stdin` is the input of both.
pub fn pair_prepared(arguments: &str, prepare: &(dyn Fn(&Path) + Sync), stdin: Option<&str>) -> Option<Pair> {
    let (program, _) = real_fio()?;
    let scratch = Scratch::new("like-fio");
    let arguments: Vec<&str> = with_cheap_clock(arguments).collect();
    let run = |name: &str, program: &str, first: &[&str]| {
        let directory = scratch.file(name);
        std::fs::create_dir(&directory).unwrap();
        prepare(&directory);
        let mut command = harness::in_own_group(program);
        command.args(first).args(&arguments).current_dir(&directory);
        let output = match stdin {
            None => harness::run_fio(command.stdin(Stdio::null())).unwrap(),
            Some(text) => {
                let path = scratch.file(&format!("{name}.stdin"));
                std::fs::write(&path, text).unwrap();
                command.stdin(std::fs::File::open(&path).unwrap()).output().unwrap()
            }
        };
        Ran::new(&directory, output)
    };
    let (fio, ours) = std::thread::scope(|scope| {
        let fio = scope.spawn(|| run("fio", program, &[]));
        let ours = run("fathom", FATHOM, &["fio"]);
        (fio.join().unwrap(), ours)
    });
    Some(Pair { fio, ours, _scratch: scratch })
}
