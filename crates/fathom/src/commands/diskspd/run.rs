//! A run from a profile: the plan, the engine and the findings.

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

use super::named_events::NamedEvents;
use super::watch::Watch;
use crate::driver::{self, NoKeeper};
use crate::exit::diskspd::{FAILED, REFUSED};
use crate::findings::{self, print_diagnostics};
use crate::machine::RealMachine;
use crate::run::{self, RunOptions};
use crate::signals;

/// Runs a profile. `before` is called with the plan. There is a record even if the run fails.
///
/// # Errors
/// The exit code, after the errors were printed.
pub fn run(
    profile: &Profile,
    args: &[String],
    events: &Events,
    before: impl FnOnce(&Plan) -> Result<(), u8>,
) -> Result<Record, u8> {
    let lowered = diskspd::lower::lower(profile, args, &RealMachine).map_err(|diagnostics| {
        print_diagnostics(&diagnostics);
        REFUSED
    })?;
    let Lowered { plan, warnings, refused } = lowered;
    print_diagnostics(&warnings);
    before(&plan)?;
    let plan = Arc::new(plan);
    if !refused.is_empty() {
        print_diagnostics(&refused);
        return Ok(without_results(&plan, &refused[0].message));
    }
    let failed = |message: String| {
        print_diagnostics(&[Diagnostic::error(message)]);
        FAILED
    };
    let interrupts = signals::install().map_err(failed)?;
    let events =
        NamedEvents::open(events).map_err(|error| failed(format!("named events: {}", units::errno::reason(&error))))?;
    let record = run_plan(&plan, interrupts, profile, &events);
    findings::print(&record);
    Ok(record)
}

fn run_plan(plan: &Arc<Plan>, interrupts: Interrupts, profile: &Profile, events: &NamedEvents) -> Record {
    let may_start = || events.may_start();
    let mut watch = Watch::new(profile, events);
    let options = RunOptions { may_start: &may_start, ..RunOptions::default() };
    let mut study = Single::new(Session::default(), Arc::clone(plan));
    driver::drive(&mut study, interrupts, &options, &mut watch, &mut NoKeeper);
    match study.into_outcome() {
        Some(Outcome::Completed { record, .. } | Outcome::Interrupted(record)) => *record,
        Some(Outcome::Refused(Refusal { errors, record: Some(mut record), .. })) => {
            errors.iter().for_each(|error| watch.print_error(error));
            if let Some(first) = errors.first() {
                fail_all(&mut record, first);
            }
            *record
        }
        // A signal arrived before the run.
        _ => ended(plan),
    }
}

/// Returns the record of a run that did not start.
fn ended(plan: &Arc<Plan>) -> Record {
    let mut record = run::new_record(plan);
    record.ended_unix_ms = record.started_unix_ms;
    record.apply(Event::Machine(engine::machine()));
    record
}

/// Returns the record of a plan that this machine cannot run.
fn without_results(plan: &Arc<Plan>, why: &str) -> Record {
    let mut record = ended(plan);
    fail_all(&mut record, &RunError::text(0, "open", why));
    record
}

fn fail_all(record: &mut Record, error: &RunError) {
    record.workers.iter_mut().for_each(|worker| worker.error = Some(error.clone()));
}
