//! A run from a profile: the plan, the engine, and what speaks against the figures.

use std::process::ExitCode;
use std::sync::Arc;

use diskspd::Profile;
use diskspd::lower::Lowered;
use diskspd::parse::Events;
use os::signal::Interrupts;
use plan::Plan;
use record::{Event, Record, RunError};
use study::run::Refusal;
use study::single::Single;
use study::{Outcome, Session};
use units::diagnostic::Diagnostic;

use super::signals::Signals;
use super::watch::Watch;
use super::{FAILED, REFUSED};
use crate::driver::{self, NoKeeper};
use crate::findings::{self, show_plain as show};
use crate::machine::RealMachine;
use crate::run::{self, RunOptions};

/// Carries the profile out. There is a record as soon as the profile makes a plan, however the run went.
pub fn run(
    profile: &Profile,
    command_line: &str,
    events: &Events,
    before: impl FnOnce(&Plan) -> Result<(), ExitCode>,
) -> Result<Record, ExitCode> {
    let lowered = diskspd::lower::lower(profile, command_line, &RealMachine).map_err(|diagnostics| {
        show(&diagnostics);
        ExitCode::from(REFUSED)
    })?;
    let Lowered { plan, warnings, refused } = lowered;
    show(&warnings);
    before(&plan)?;
    let plan = Arc::new(plan);
    if !refused.is_empty() {
        show(&refused);
        return Ok(without_results(&plan, &refused[0].message));
    }
    let failed = |what: &str, error: &std::io::Error| {
        show(&[Diagnostic::error(format!("{what}: {}", units::errno::reason(error)))]);
        ExitCode::from(FAILED)
    };
    let interrupts = run::take_signals().map_err(|error| failed("signals can't be handled", &error))?;
    let signals = Signals::open(events).map_err(|error| failed("named events", &error))?;
    let record = carry_out(&plan, interrupts, profile, &signals);
    findings::tell(&record);
    Ok(record)
}

fn carry_out(plan: &Arc<Plan>, interrupts: Interrupts, profile: &Profile, signals: &Signals) -> Record {
    let may_start = || signals.may_start();
    let mut watch = Watch::new(profile, signals);
    let options = RunOptions { may_start: &may_start, ..RunOptions::default() };
    let mut study = Single::new(Session::default(), Arc::clone(plan));
    driver::drive(&mut study, interrupts, &options, &mut watch, &mut NoKeeper);
    match study.into_outcome() {
        Some(Outcome::Completed { record, .. } | Outcome::Interrupted(record)) => *record,
        Some(Outcome::Refused(Refusal { errors, record: Some(mut record), .. })) => {
            errors.iter().for_each(|error| watch.complain(error));
            if let Some(first) = errors.first() {
                fail_all(&mut record, first);
            }
            *record
        }
        // A signal arrived before the run.
        _ => ended(plan),
    }
}

/// The record of a run that did not start.
fn ended(plan: &Arc<Plan>) -> Record {
    let mut record = run::new_record(plan);
    record.ended_unix_ms = record.started_unix_ms;
    record.apply(Event::Machine(engine::machine()));
    record
}

/// The record of a plan that this machine can't carry out.
fn without_results(plan: &Arc<Plan>, why: &str) -> Record {
    let mut record = ended(plan);
    fail_all(&mut record, &RunError { errno: 0, func: "open".into(), message: why.into() });
    record
}

fn fail_all(record: &mut Record, error: &RunError) {
    record.workers.iter_mut().for_each(|worker| worker.error = Some(error.clone()));
}
