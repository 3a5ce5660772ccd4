//! The example workflow of `deploy/github`: its commands, run with the binary.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::stage::Scratch;

const WORKFLOW: &str = include_str!("../../../../deploy/github/storage-regression.yml");

/// A command of the workflow.
struct Step {
    command: String,
    /// The step also runs after a failed one.
    is_always: bool,
}

/// Returns the steps with a command, in order.
fn steps() -> Vec<Step> {
    let items = WORKFLOW.split("\n      - ").skip(1);
    let step = |item: &str| {
        let line = |key: &str| item.lines().find_map(|line| line.trim().strip_prefix(key));
        Some(Step { command: line("run: ")?.to_owned(), is_always: line("if: ") == Some("always()") })
    };
    items.filter_map(step).collect()
}

/// Writes a job at a rate. The null engine needs no disk.
fn job(folder: &Path, iops: u32) {
    std::fs::create_dir_all(folder).unwrap();
    let text = format!(
        "[reads]\nioengine=null\nfilename=target\nrw=randread\nsize=1m\ntime_based\nruntime=300ms\nrate_iops={iops}\n"
    );
    std::fs::write(folder.join("storage.fio"), text).unwrap();
}

/// Runs the steps as a runner does. Returns the exit code of the first failed step, or 0.
fn run(scratch: &Scratch, base_iops: u32, change_iops: u32) -> i32 {
    job(&scratch.file("base"), base_iops);
    job(&scratch.file("change"), change_iops);
    let binaries = Path::new(env!("CARGO_BIN_EXE_fathom")).parent().unwrap();
    // A stand-in of GitHub's program keeps the comment.
    let tools = scratch.file("tools");
    std::fs::create_dir_all(&tools).unwrap();
    std::fs::write(
        tools.join("gh"),
        "#!/bin/sh\nfor last; do :; done\necho \"$@\" > comment && cat \"$last\" >> comment\n",
    )
    .unwrap();
    std::fs::set_permissions(tools.join("gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}:{}", tools.display(), binaries.display(), std::env::var("PATH").unwrap());
    let mut code = 0;
    for step in steps() {
        if code != 0 && !step.is_always {
            continue;
        }
        let mut shell = Command::new("sh");
        shell.args(["-ec", &step.command]).current_dir(scratch.path()).env("PATH", &path);
        shell.env("XDG_DATA_HOME", scratch.file("data")).env("GITHUB_STEP_SUMMARY", scratch.file("step-summary"));
        shell.env("PR", "7");
        let done = shell.output().unwrap();
        let ended = done.status.code().unwrap();
        assert!(ended < 2, "{}: {}", step.command, String::from_utf8_lossy(&done.stderr));
        code = if code == 0 { ended } else { code };
    }
    code
}

#[test]
fn workflow_fails_on_a_regression_and_only_then() {
    assert_eq!(steps().len(), 4, "each command is run");
    let slower = Scratch::new("ci-slower");
    // On a busy machine a run may do a few of its I/Os only. The difference is larger than that.
    assert_eq!(run(&slower, 2000, 10), 1);
    let junit = std::fs::read_to_string(slower.file("results/junit.xml")).unwrap();
    assert!(junit.contains("failures=\"1\"") && junit.contains("name=\"read.iops at most 10 % lower\""), "{junit}");
    let summary = std::fs::read_to_string(slower.file("step-summary")).unwrap();
    assert!(summary.contains("FAIL") && summary.contains("B is 0."), "{summary}");
    assert!(slower.file("results/page.html").exists());
    let comment = std::fs::read_to_string(slower.file("comment")).unwrap();
    assert!(comment.starts_with("pr comment 7 --edit-last ") && comment.ends_with(&summary), "{comment}");
    let faster = Scratch::new("ci-faster");
    assert_eq!(run(&faster, 10, 2000), 0);
    let junit = std::fs::read_to_string(faster.file("results/junit.xml")).unwrap();
    assert!(junit.contains("failures=\"0\""), "{junit}");
}
