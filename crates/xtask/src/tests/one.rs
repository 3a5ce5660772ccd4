//! One test, in a process of its own.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::build::{Built, Test};

/// A test that takes longer hangs.
const HANGS: Duration = Duration::from_secs(30 * 60);
/// What a test prints that this machine cannot run.
const SKIPPED: &str = "SKIPPED";
/// What a test prints that starts another program once more.
const RETRIED: &str = "RETRIED";

/// What became of a test.
pub struct Ended {
    pub outcome: Outcome,
    /// Programs that it started again, with the reasons.
    pub retried: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Passed,
    /// Reasons.
    Skipped(Vec<String>),
    /// What the test printed.
    Failed(String),
}

/// Runs a test to its end, with an environment variable.
pub fn run_one(test: &Test, built: &Built, variable: Option<(&str, &str)>) -> Ended {
    let without_retries = |outcome| Ended { outcome, retried: Vec::new() };
    if test.is_ignored {
        return without_retries(Outcome::Skipped(vec!["it has the attribute `ignore`".to_owned()]));
    }
    match try_run(test, built, variable) {
        Ok((true, output)) => Ended { retried: reasons(&output, RETRIED), outcome: passed_or_skipped(&output) },
        Ok((false, output)) => without_retries(Outcome::Failed(output)),
        Err(error) => without_retries(Outcome::Failed(error)),
    }
}

/// Whether the test passed, and what it printed.
fn try_run(test: &Test, built: &Built, variable: Option<(&str, &str)>) -> Result<(bool, String), String> {
    let failed = |error: std::io::Error| error.to_string();
    // A file, as a process that a test leaves behind would keep a pipe open.
    let mut output = unnamed_file().map_err(failed)?;
    let mut command = Command::new(&test.binary.path);
    command.arg(&test.name).args(["--exact", "--nocapture"]).current_dir(&test.binary.folder).stdin(Stdio::null());
    command.stdout(output.try_clone().map_err(failed)?).stderr(output.try_clone().map_err(failed)?);
    command.env("CARGO_MANIFEST_DIR", &test.binary.folder).envs(variable);
    command.envs(built.variables.iter().cloned());
    let status = wait(&mut command).map_err(failed)?;
    let mut text = Vec::new();
    output.rewind().and_then(|()| output.read_to_end(&mut text)).map_err(failed)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    match status {
        None => Ok((false, format!("{text}\nit hangs: it was killed after {} minutes", HANGS.as_secs() / 60))),
        Some(status) => Ok((status.success() && text.contains("test result: ok. 1 passed"), text)),
    }
}

/// `None` if the process was killed because it hangs.
fn wait(command: &mut Command) -> std::io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let (start, mut pause) = (Instant::now(), Duration::from_millis(1));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > HANGS {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn unnamed_file() -> std::io::Result<File> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("fathom-xtask-{}-{number}", std::process::id()));
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// Reads whether a test was skipped, and why.
fn passed_or_skipped(output: &str) -> Outcome {
    let mut reasons = reasons(output, SKIPPED);
    reasons.dedup();
    if reasons.is_empty() { Outcome::Passed } else { Outcome::Skipped(reasons) }
}

/// Returns what a test printed behind a marker. The harness prints the name of a test, and ` ... `, before what the test
/// prints.
fn reasons(output: &str, marker: &str) -> Vec<String> {
    let reason = |line: &str| {
        let (before, after) = line.split_once(marker)?;
        let is_marker = before.is_empty() || before.starts_with("test ") && before.ends_with(" ... ");
        is_marker.then(|| after.trim_start_matches([':', ' ']).to_owned())
    };
    output.lines().filter_map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_found_behind_the_name_and_on_lines_of_its_own() {
        let skipped = |reasons: &[&str]| Outcome::Skipped(reasons.iter().map(|one| (*one).to_owned()).collect());
        assert_eq!(passed_or_skipped("test a::b ... SKIPPED: no fio\nok\n"), skipped(&["no fio"]));
        assert_eq!(passed_or_skipped("test a ... SKIPPED x: y\nSKIPPED: z\nok"), skipped(&["x: y", "z"]));
        assert_eq!(passed_or_skipped("test a ... null: SKIPPED: no device\nok"), Outcome::Passed);
        assert_eq!(reasons("test a ... RETRIED: fio: slow\nRETRIED: fio: slow\nok", RETRIED), ["fio: slow"; 2]);
    }
}
