//! Conditions of the process.

use std::sync::Mutex;

use faults::cases::conditions::{Condition, FULL_DISKS, LIMITS, STREAMS, Setup};
use faults::{Case, Sandbox};
use harness::{MIB, MemoryGroup, has_ended, needs, wait_until};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use crate::failures::Failures;
use crate::parallel::run_all;

/// The number of `io_uring_setup` on all architectures.
const IO_URING_SETUP: i64 = 425;
const EPERM: u32 = 1;

/// Forbids io_uring to this thread and its processes.
fn forbid_io_uring() {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let rules = [(IO_URING_SETUP, Vec::new())].into_iter().collect();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(EPERM), architecture);
    seccompiler::apply_filter(&BpfProgram::try_from(filter.unwrap()).unwrap()).unwrap();
}

/// Makes the saved run and the history that each case gets a copy of.
fn template() -> Sandbox {
    let template = Sandbox::new("conditions");
    template.scratch.filled("f", MIB);
    let saved = "fio --name=a --filename=f --rw=read --size=64k --record=record";
    template.outcome(template.spawn(saved)).assert_success();
    template
}

fn run(cases: &[Case<Condition>]) {
    let Some(_) = needs("unshare --mount true") else { return };
    let template = template();
    run_all(cases, |case, failures| run_case(case, &template, failures));
}

fn run_case(case: &Case<Condition>, template: &Sandbox, failures: &Mutex<Failures>) {
    let sandbox = template.copy();
    let mut group = None;
    let mut command = match case.fault.setup {
        Setup::Script(script) => {
            let mut command = sandbox.below(script, case.command);
            if script.contains("$GROUP") {
                let Some(made) = MemoryGroup::new(64) else { return };
                command.env("GROUP", &made.0);
                group = Some(made);
            }
            command
        }
        Setup::NoUring => sandbox.command(case.command),
    };
    let start = || {
        if matches!(case.fault.setup, Setup::NoUring) {
            forbid_io_uring();
        }
        command.spawn().unwrap()
    };
    // A filter stays for the life of its thread.
    let child = std::thread::scope(|scope| scope.spawn(start).join().unwrap());
    wait_until(&format!("the end of {}", case.command), || has_ended(&child));
    let ended = sandbox.outcome(child);
    drop(group);
    failures.lock().unwrap().add(case, &ended, sandbox.problems());
}

#[test]
fn commands_end_as_documented_without_their_streams_and_disks() {
    run(&[STREAMS, FULL_DISKS].concat());
}

#[test]
fn commands_end_as_documented_at_the_limits_of_the_process() {
    run(LIMITS);
}
