//! Runs all tests, also those that `cargo test` ignores, each in a process of its own, in the groups of `.config/nextest.toml`:
//! `cargo nextest` has neither the list of skipped tests nor their maximum (docs/decisions/0013-own-test-runner.md).

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cargo::cargo;

/// A test that takes longer hangs: `timeout` of GNU coreutils kills it.
const TIMEOUT: [&str; 4] = ["timeout", "--foreground", "--signal=KILL", "30m"];
/// Tests at once for each CPU: most of them wait for runs.
const TESTS_PER_CPU: usize = 3;
/// Tests that are shown with their time.
const SLOWEST: usize = 10;
/// Most skipped tests on a machine that can run the tests of devices. More means that a test hides.
const SKIPPED_MAX: usize = 20;
/// What a test prints that this machine cannot run, and one that starts another program once more: `SKIPPED: reason`.
const MARKERS: [&str; 2] = ["SKIPPED", "RETRIED"];

pub type Variables = Vec<(&'static str, PathBuf)>;

#[derive(Clone)]
pub struct Test {
    /// Folder of the package, in which cargo runs tests.
    folder: PathBuf,
    executable: PathBuf,
    /// Name of an integration test, as `cli` for `tests/cli/main.rs`. `None` for unit tests.
    target: Option<String>,
    /// Path of the test in its binary.
    name: String,
}

/// What became of a test, with what it printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Passed(String),
    Failed(String),
}

impl Test {
    /// Returns whether the test is in a binary or a module of this name.
    pub fn is_in(&self, name: &str) -> bool {
        self.target.as_deref() == Some(name) || self.name.split("::").any(|module| module == name)
    }

    /// Runs the test to its end.
    pub fn run(&self, variables: &Variables) -> Outcome {
        self.try_run(variables).unwrap_or_else(|error| Outcome::Failed(error.to_string()))
    }

    fn try_run(&self, variables: &Variables) -> std::io::Result<Outcome> {
        // A file, as a process that a test leaves behind would keep a pipe open.
        let mut output = tempfile::tempfile()?;
        let mut command = Command::new(TIMEOUT[0]);
        command.args(&TIMEOUT[1..]).arg(&self.executable).arg(&self.name).args([
            "--exact",
            "--nocapture",
            "--include-ignored",
        ]);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).envs(variables.iter().cloned());
        let status = command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?).status()?;
        let mut text = Vec::new();
        output.rewind()?;
        output.read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(if status.success() { Outcome::Passed(text) } else { Outcome::Failed(format!("{text}\n{status}")) })
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let target = self.target.as_ref().map_or_else(String::new, |target| format!("{target}::"));
        write!(f, "{} {target}{}", self.folder.file_name().unwrap_or_default().display(), self.name)
    }
}

/// Builds the tests of the selected packages in a folder and lists them, the longest first: the lab, then integration tests. Also
/// returns the variables that they need.
///
/// # Errors
///
/// Something does not build, or a binary does not list its tests.
pub fn build(folder: &Path, packages: &[String]) -> Result<(Vec<Test>, Variables), String> {
    let mut command = cargo(&["test", "--no-run", "--message-format=json-render-diagnostics"]);
    command.args(packages).current_dir(folder);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("tests: cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("tests: building them ended with {}", output.status));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let (mut tests, mut variables) = (Vec::new(), Vec::new());
    for artifact in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let path = |key: &str| artifact[key].as_str().map(PathBuf::from);
        let (Some(executable), Some(manifest)) = (path("executable"), path("manifest_path")) else { continue };
        let target = &artifact["target"];
        if artifact["profile"]["test"] == true {
            let is_unit = target["kind"][0] != "test";
            let target = (!is_unit).then(|| target["name"].as_str().unwrap_or_default().to_owned());
            let folder = manifest.parent().unwrap_or(folder).to_owned();
            let test =
                |name| Test { folder: folder.clone(), executable: executable.clone(), target: target.clone(), name };
            tests.extend(names(&executable)?.into_iter().map(test));
        } else if target["name"] == "fathom" {
            variables.push(("FATHOM", executable));
        }
    }
    tests.sort_by_key(|test| (!test.is_in("lab"), test.target.is_none()));
    Ok((tests, variables))
}

/// Names of a binary's tests.
fn names(binary: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(binary).args(["--list", "--format", "terse"]).output();
    let output = output.map_err(|error| format!("tests: {}: {error}", binary.display()))?;
    if !output.status.success() {
        return Err(format!("tests: {} lists no tests: {}", binary.display(), output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// A test that ended.
struct Ran {
    name: String,
    took: Duration,
    outcome: Outcome,
}

/// Builds and runs all tests of the workspace `root` with the environment `variables`, and prints a summary. `checks` run at the same time as the
/// tests that depend on timing, because these mostly wait. No test is run again after it failed.
///
/// # Errors
///
/// The tests do not build, one of them failed, or the checks did.
pub fn run(
    root: &Path,
    variables: Variables,
    checks: impl FnOnce() -> Result<(), String> + Send,
) -> Result<(), String> {
    let start = Instant::now();
    let (tests, mut own) = build(root, &["--workspace".to_owned()])?;
    own.extend(variables);
    eprintln!("xtask: building the tests took {} s", start.elapsed().as_secs());
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (alone, others): (Vec<Test>, Vec<Test>) = tests.into_iter().partition(|test| test.is_in("alone"));
    let (timing, others): (Vec<Test>, Vec<Test>) = others.into_iter().partition(|test| test.is_in("timing"));
    let mut ran = run_at_once("do not depend on timing", &others, TESTS_PER_CPU * cpus, &own);
    let checked = std::thread::scope(|scope| {
        let checked = scope.spawn(checks);
        ran.extend(run_at_once("depend on timing", &timing, cpus, &own));
        checked.join().unwrap_or_else(|_| Err("the checks panicked".to_owned()))
    });
    ran.extend(run_at_once("need an idle machine", &alone, 1, &own));
    let passed = summary(&mut ran, is_complete_machine());
    checked?;
    passed
}

/// Returns true if the tests have what they need: root, zram and loop devices, FUSE, control groups that limit I/O, and the
/// programs that `.ci/run` installs.
fn is_complete_machine() -> bool {
    let kernel = ["/dev/fuse", "/dev/loop-control", "/sys/fs/cgroup/blkio"];
    let programs = ["/usr/bin/fio", "/usr/bin/strace", "/usr/sbin/mkfs.xfs", "/usr/sbin/mkfs.ext4"];
    // Only root may open it.
    let may_use_devices = std::fs::File::open("/sys/class/zram-control/hot_add").is_ok();
    may_use_devices && kernel.iter().chain(&programs).all(|path| Path::new(path).exists())
}

/// Runs tests with some threads, in the order given, and prints the output of each failed test.
fn run_at_once(what: &str, tests: &[Test], threads: usize, variables: &Variables) -> Vec<Ran> {
    eprintln!("xtask: {} tests {what}, {threads} at once", tests.len());
    let start = Instant::now();
    let (left, ran) = (Mutex::new(tests.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().ok()?.next();
    let work = || {
        while let Some(test) = next() {
            let start = Instant::now();
            let outcome = test.run(variables);
            let one = Ran { name: test.to_string(), took: start.elapsed(), outcome };
            if let Outcome::Failed(output) = &one.outcome {
                eprintln!("xtask: FAILED {}:\n{output}", one.name);
            }
            if let Ok(mut ran) = ran.lock() {
                ran.push(one);
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    eprintln!("xtask: they took {} s", start.elapsed().as_secs());
    ran.into_inner().unwrap_or_default()
}

/// Prints the slowest tests, those that were skipped, and those that failed.
fn summary(ran: &mut [Ran], is_complete: bool) -> Result<(), String> {
    ran.sort_by_key(|one| std::cmp::Reverse(one.took));
    eprintln!("slowest tests:");
    ran.iter().take(SLOWEST).for_each(|one| eprintln!("  {:5.1} s  {}", one.took.as_secs_f64(), one.name));
    let mut by_note: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let (mut failed, mut skipped) = (Vec::new(), 0);
    for one in &*ran {
        match &one.outcome {
            Outcome::Passed(output) => {
                let notes = notes(output);
                skipped += usize::from(notes.iter().any(|note| note.starts_with(MARKERS[0])));
                notes.into_iter().for_each(|note| by_note.entry(note).or_default().push(&one.name));
            }
            Outcome::Failed(_) => failed.push(&one.name),
        }
    }
    for (note, tests) in by_note {
        // Indented: a test of this function does not skip itself.
        eprintln!("  {note}\n    {}", tests.join("\n    "));
    }
    failed.iter().for_each(|name| eprintln!("FAILED {name}"));
    let passed = ran.len() - failed.len() - skipped;
    eprintln!("{passed} passed, {} failed, {skipped} skipped of at most {SKIPPED_MAX}, none run twice", failed.len());
    match failed.len() {
        0 if is_complete && skipped > SKIPPED_MAX => {
            Err(format!("tests: {skipped} are skipped, of at most {SKIPPED_MAX}"))
        }
        0 => Ok(()),
        failed => Err(format!("tests: {failed} failed")),
    }
}

/// Returns the lines of a test's output with a marker, each once. The harness prints the name of a test, and ` ... `, before what
/// the test prints.
fn notes(output: &str) -> Vec<String> {
    let note = |line: &str| {
        let text = line.strip_prefix("test ").and_then(|line| line.split_once(" ... ")).map_or(line, |(_, text)| text);
        MARKERS.iter().any(|marker| text.starts_with(marker)).then(|| text.to_owned())
    };
    let mut notes: Vec<String> = output.lines().filter_map(note).collect();
    notes.sort();
    notes.dedup();
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(count: usize, outcome: &Outcome) -> Vec<Ran> {
        (0..count).map(|at| Ran { name: at.to_string(), took: Duration::ZERO, outcome: outcome.clone() }).collect()
    }

    #[test]
    fn a_marker_is_found_behind_the_name_and_on_lines_of_its_own() {
        assert_eq!(
            notes("test a::b ... SKIPPED: no fio\nok\nRETRIED: c\nRETRIED: c\n"),
            ["RETRIED: c", "SKIPPED: no fio"]
        );
        assert_eq!(notes("test a ... null: SKIPPED: no device\nok"), [""; 0]);
    }

    #[test]
    fn failures_and_too_many_skipped_tests_fail() {
        let skipped = Outcome::Passed("SKIPPED: no device\n".to_owned());
        assert_eq!(
            summary(&mut ran(SKIPPED_MAX + 1, &skipped), true),
            Err("tests: 21 are skipped, of at most 20".to_owned())
        );
        assert_eq!(summary(&mut ran(SKIPPED_MAX + 1, &skipped), false), Ok(()));
        assert_eq!(summary(&mut ran(SKIPPED_MAX, &skipped), true), Ok(()));
        assert_eq!(summary(&mut ran(1, &Outcome::Failed(String::new())), true), Err("tests: 1 failed".to_owned()));
    }
}
