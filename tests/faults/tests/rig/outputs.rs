//! Faults of the files that fathom writes.

use std::os::unix::fs::symlink;
use std::sync::Mutex;

use faults::cases::outputs::FILES;
use faults::faulty_files::{Effect, Fault, FaultyFiles};
use faults::{Case, Sandbox};
use harness::{MIB, has_ended, wait_until};

use crate::failures::Failures;
use crate::parallel::run_all;

fn run_case(case: &Case<Fault>, record: &Sandbox, failures: &Mutex<Failures>) {
    let sandbox = Sandbox::new("outputs");
    sandbox.scratch.filled("f", MIB);
    std::fs::copy(record.scratch.file("record"), sandbox.scratch.file("record")).unwrap();
    // SQLite maps a file.
    let Some(files) = FaultyFiles::mount(&sandbox.scratch, 0, true) else { return };
    symlink("files", sandbox.scratch.file("data")).unwrap();
    files.arm(case.fault);
    let child = sandbox.spawn(case.command);
    wait_until(&format!("the end of {}", case.command), || has_ended(&child));
    let has_occurred = files.has_occurred();
    files.disarm();
    let ended = sandbox.outcome(child);
    let mut problems = Vec::new();
    if !has_occurred {
        problems.push("the fault did not occur".to_owned());
    }
    if case.fault.effect != Effect::Disconnects {
        problems.extend(sandbox.problems());
    }
    failures.lock().unwrap().add(case, &ended, problems);
}

#[test]
fn commands_report_faults_of_the_files_that_they_write() {
    let record = Sandbox::new("outputs");
    record.scratch.filled("f", MIB);
    let saved = "fio --name=a --filename=f --rw=read --size=64k --record=record";
    record.outcome(record.spawn(saved)).assert_success();
    run_all(FILES, |case, failures| run_case(case, &record, failures));
}
