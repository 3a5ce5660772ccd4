//! All tests. Many watch real runs, signals and devices, which other work on the machine can delay beyond what they
//! allow: a test binary that fails is run once more, alone and one test after another, and what fails twice has failed.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::cargo;

/// How cargo says that a test binary failed.
const RERUN: &str = "error: test failed, to rerun pass `";
/// More binaries than other work on the machine explains.
const MANY: usize = 4;

pub fn run() -> Result<(), String> {
    // Most of what takes long in the tests is waiting for runs.
    let threads = 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let failed = test(&["--workspace", "--no-fail-fast"], threads)?;
    if failed.len() > MANY {
        return Err(format!("tests: {} test binaries failed: {}", failed.len(), failed.join(", ")));
    }
    for binary in &failed {
        eprintln!("xtask: tests: `{binary}` failed; once more, alone");
        let words: Vec<&str> = binary.split(' ').collect();
        if !test(&words, 1)?.is_empty() {
            return Err(format!("tests: `cargo test {binary}` failed twice"));
        }
    }
    if !failed.is_empty() {
        eprintln!("xtask: tests: passed only alone: {}", failed.join(", "));
    }
    Ok(())
}

/// Runs tests and returns which binaries failed, as words for cargo.
fn test(words: &[&str], threads: usize) -> Result<Vec<String>, String> {
    let mut command = cargo(&["test"]);
    command.args(words).env("RUST_TEST_THREADS", threads.to_string()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("tests: cargo: {error}"))?;
    let mut failed = Vec::new();
    for line in child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).split(b'\n')) {
        let line = line.map_err(|error| format!("tests: cargo's messages: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        failed.extend(line.strip_prefix(RERUN).and_then(|rest| rest.split('`').next()).map(str::to_owned));
    }
    let status = child.wait().map_err(|error| format!("tests: cargo: {error}"))?;
    match status.success() || !failed.is_empty() {
        true => Ok(failed),
        false => Err(format!("tests: `cargo test {}` ended with {status}", words.join(" "))),
    }
}
