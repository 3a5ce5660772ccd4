//! A run from a profile: the plan and the engine.

use std::sync::Arc;

use diskspd::lower::Lowered;
use diskspd::parse::Invocation;
use os::signal::Interrupts;
use plan::Plan;
use record::{ErrorKind, Event, NotRunBy, Record, RunError};
use study::run::Refusal;
use study::single::Single;
use study::{Outcome, Session};
use units::diagnostic::Diagnostic;

use super::named_events::NamedEvents;
use super::watch::Watch;
use crate::driver::{self, NoKeeper};
use crate::exit::diskspd::{FAILED, REFUSED};
use crate::explain::Explain;
use crate::findings::print_diagnostics;
use crate::live_views::{LiveOptions, LiveViews};
use crate::machine::RealMachine;
use crate::run::{self, RunOptions};
use crate::runner::{Runner, ThisMachine};
use crate::signals;

/// A run that ended.
pub struct Ended {
    pub record: Record,
    /// Errors of the run, each once. They are the last text on standard error.
    pub errors: Vec<Diagnostic>,
}

/// Runs the profile of a command line. `before` is called with the plan. There is a record even if the run fails.
///
/// # Errors
/// The exit code, after the errors were printed.
pub fn run(
    invocation: &Invocation,
    live: &LiveOptions,
    shows_findings: bool,
    before: impl FnOnce(&Plan) -> Result<(), u8>,
) -> Result<Ended, u8> {
    let profile = &invocation.profile;
    let lowered = diskspd::lower::lower(profile, &invocation.args, &RealMachine).map_err(|diagnostics| {
        print_diagnostics(&diagnostics);
        REFUSED
    })?;
    let Lowered { plan, warnings, refused } = lowered;
    if shows_findings {
        print_diagnostics(&warnings);
    }
    before(&plan)?;
    let plan = Arc::new(plan);
    if let Some(first) = refused.first() {
        return Ok(Ended { record: without_results(&plan, &first.message), errors: refused });
    }
    let failed = |message: String| {
        print_diagnostics(&[Diagnostic::error(message)]);
        FAILED
    };
    let interrupts = signals::install().map_err(failed)?;
    let events = NamedEvents::open(&invocation.events)
        .map_err(|error| failed(format!("named events: {}", units::errno::reason(&error))))?;
    let mut watch = Watch::new(profile, &events, shows_findings);
    let explain = if invocation.explain { Explain::Requested } else { Explain::Never };
    let record = run_plan(&plan, (interrupts, explain), (&events, live), &mut watch).map_err(failed)?;
    Ok(Ended { record, errors: watch.into_errors() })
}

fn run_plan(
    plan: &Arc<Plan>,
    (interrupts, explain): (Interrupts, Explain),
    (events, live): (&NamedEvents, &LiveOptions),
    watch: &mut Watch,
) -> Result<Record, String> {
    let may_start = |_| events.may_start();
    let options = RunOptions { may_start: &may_start, explain, ..RunOptions::default() };
    let mut study = Single::new(Session::default(), Arc::clone(plan));
    let mut display = LiveViews::open(watch, live, ThisMachine.fleet())?;
    driver::drive(&mut study, (&ThisMachine, interrupts), &options, &mut display, &mut NoKeeper);
    drop(display);
    Ok(match study.into_outcome() {
        Some(Outcome::Completed { record, .. } | Outcome::Interrupted(record)) => *record,
        Some(Outcome::Refused(Refusal { errors, record: Some(mut record), .. })) => {
            errors.iter().for_each(|error| watch.add_error(error));
            if let Some(first) = errors.first() {
                fail_all(&mut record, first);
            }
            *record
        }
        // A signal arrived before the run.
        _ => ended(plan),
    })
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
    fail_all(&mut record, &RunError::new(0, ErrorKind::NotRun { by: NotRunBy::Machine, reason: why.to_owned() }));
    record
}

fn fail_all(record: &mut Record, error: &RunError) {
    record.workers.iter_mut().for_each(|worker| worker.error = Some(error.clone()));
}
