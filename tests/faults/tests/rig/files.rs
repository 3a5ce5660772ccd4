//! Faults of a file system.

use std::process::Child;

use faults::cases::files;
use faults::faulty_files::{Effect, Fault, FaultyFiles};
use faults::{Case, Sandbox};
use harness::{has_ended, signal, wait_until};

use crate::failures::Failures;

const BYTES: usize = 256 << 10;

/// Runs the cases. `while_faulty` is called after the fault has occurred.
fn run(cases: &[Case<Fault>], while_faulty: impl Fn(&Child)) {
    let mut failures = Failures::default();
    for case in cases {
        let sandbox = Sandbox::new("faulty-files");
        let uses_mapping = case.command.contains("mmap") || case.command.contains("-Sm");
        let Some(files) = FaultyFiles::mount(&sandbox.scratch, BYTES, uses_mapping) else { return };
        files.arm(case.fault);
        let child = sandbox.spawn(case.command);
        files.wait_for_fault(|| has_ended(&child));
        let has_occurred = files.has_occurred();
        while_faulty(&child);
        // The process ends when no thread is stuck in the kernel. Its main thread ends before, with the report.
        wait_until(&format!("the end of {}", case.command), || has_ended(&child));
        files.disarm();
        let ended = sandbox.outcome(child);
        let mut problems = Vec::new();
        if !has_occurred {
            problems.push("the fault did not occur".to_owned());
        }
        if case.fault.effect != Effect::Disconnects {
            problems.extend(sandbox.problems());
        }
        failures.add(case, &ended, problems);
    }
}

#[test]
fn fio_reports_faults_of_its_file_system() {
    run(files::FIO, |_| ());
}

#[test]
fn fio_ends_although_a_request_hangs() {
    run(files::FIO_HANGS, |child| signal(child, "INT"));
}

#[test]
fn diskspd_reports_faults_of_its_file_system() {
    run(files::DISKSPD, |_| ());
}

#[test]
fn diskspd_ends_although_a_request_hangs() {
    run(files::DISKSPD_HANGS, |child| signal(child, "INT"));
}
