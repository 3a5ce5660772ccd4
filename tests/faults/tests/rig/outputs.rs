//! Faults of the files that fathom writes.

use std::os::unix::fs::symlink;
use std::process::Child;
use std::sync::Mutex;

use faults::cases::outputs::{FILES, FILES_HANG};
use faults::faulty_files::{Effect, Fault, FaultyFiles};
use faults::{Case, Sandbox};
use harness::{MIB, has_ended, signal, wait_until};

use crate::failures::Failures;
use crate::parallel::run_all;

/// Runs a case. `while_faulty` is called after the fault has occurred.
fn run_case(case: &Case<Fault>, record: &Sandbox, failures: &Mutex<Failures>, while_faulty: impl Fn(&Child)) {
    let sandbox = Sandbox::new("outputs");
    sandbox.scratch.filled("f", MIB);
    std::fs::copy(record.scratch.file("record"), sandbox.scratch.file("record")).unwrap();
    // SQLite maps a file.
    let Some(files) = FaultyFiles::mount(&sandbox.scratch, 0, true) else { return };
    symlink("files", sandbox.scratch.file("data")).unwrap();
    files.arm(case.fault);
    let child = sandbox.spawn(case.command);
    files.wait_for_fault(|| has_ended(&child));
    while_faulty(&child);
    wait_until(&format!("the end of {}", case.command), || has_ended(&child));
    let has_occurred = files.has_occurred();
    files.disarm();
    let ended = sandbox.outcome(child);
    let mut problems = Vec::new();
    if !has_occurred {
        problems.push("the fault did not occur".to_owned());
    }
    match case.fault.effect {
        Effect::Disconnects => {}
        // The kernel keeps a process whose request hangs, so it cannot remove its temporary file.
        Effect::Hangs => problems.extend(sandbox.history_problem()),
        _ => problems.extend(sandbox.problems()),
    }
    failures.lock().unwrap().add(case, &ended, problems);
}

/// Returns a folder with a saved run.
fn saved_run() -> Sandbox {
    let record = Sandbox::new("outputs");
    record.scratch.filled("f", MIB);
    let saved = "fio --name=a --filename=f --rw=read --size=64k --record=record";
    record.outcome(record.spawn(saved)).assert_success();
    record
}

#[test]
fn runs_end_although_a_request_for_their_files_hangs() {
    let record = saved_run();
    run_all(FILES_HANG, |case, failures| run_case(case, &record, failures, |child| signal(child, "INT")));
}

#[test]
fn commands_report_faults_of_the_files_that_they_write() {
    let record = saved_run();
    run_all(FILES, |case, failures| run_case(case, &record, failures, |_| ()));
}
