//! Jobs on a server, and the same jobs on local files.

use std::path::Path;

use harness::{Outcome, outcome};
use serde_json::Value;

/// Runs `fathom fio` with arguments that are separated by blanks.
pub type Run<'a> = &'a dyn Fn(&str) -> Outcome;

/// Runs a command to its end.
pub fn ended(mut command: std::process::Command) -> Outcome {
    outcome(command.spawn().unwrap())
}

/// Runs one job with JSON output. Returns its report.
pub fn job(run: Run, arguments: &str) -> Value {
    let ended = run(&format!("--output-format=json {arguments}"));
    ended.assert_success().json()["jobs"][0].clone()
}

/// Returns the number of I/Os of a direction.
pub fn ios(job: &Value, ddir: &str) -> u64 {
    job[ddir]["total_ios"].as_u64().unwrap()
}

/// Returns the I/Os of a log of `write_iolog`, without times and names.
pub fn sequence(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap();
    let is_io = |line: &&str| [" read ", " write ", " trim "].iter().any(|ddir| line.contains(ddir));
    let without_name = |line: &str| line.split_whitespace().rev().take(3).collect::<Vec<_>>().join(" ");
    text.lines().filter(is_io).map(without_name).collect()
}

/// Asserts that a job on a server makes the I/Os that `psync` makes on local files with the same options.
pub fn assert_same_sequence(run: Run, directory: &Path, remote: &str, options: &str) {
    let logged = |name: &str, arguments: &str| {
        let log = directory.join(name);
        let _ = std::fs::remove_file(&log);
        job(run, &format!("{arguments} {options} --write_iolog={}", log.display()));
        sequence(&log)
    };
    let expected = logged("local.log", "--ioengine=psync");
    assert!(expected.len() > 20, "{expected:?}");
    assert_eq!(logged("remote.log", remote), expected, "{remote} {options}");
}
