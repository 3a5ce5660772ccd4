//! The driver: the one loop that makes the runs of a study.

use std::sync::Arc;
use std::time::Duration;

use assessment::Assessment;
use os::signal::Interrupts;
use plan::Plan;
use record::Record;
use study::run::Refusal;
use study::{Outcome, Run, Study, Work};

use crate::prepare_command::{self, Stop};
use crate::run::{self, RunOptions, Watcher};
use crate::{plans, run as engine_run};

/// Shows the progress of a study.
pub trait Display {
    /// A run starts.
    fn begin(&mut self, _run: &Run, _plan: &Plan) {}

    /// A run ended.
    fn end(&mut self, _outcome: &Outcome) {}

    /// Returns the receiver of the events of a run.
    fn watcher(&mut self) -> &mut dyn Watcher;
}

/// Receives what a study's runs leave.
pub trait Keeper {
    /// Keeps the record of a completed run. Returns its number if it is in the history.
    fn record(&mut self, _run: &Run, _record: &Record) -> Option<i64> {
        None
    }

    /// Keeps the assessment of a study that another run could resume.
    fn checkpoint(&mut self, _assessment: &Assessment) {}
}

/// Keeps nothing.
pub struct NoKeeper;

impl Keeper for NoKeeper {}

/// Makes the runs of a study until it ends or a signal arrives.
pub fn drive(
    study: &mut dyn Study,
    interrupts: Interrupts,
    options: &RunOptions,
    display: &mut dyn Display,
    keeper: &mut dyn Keeper,
) {
    while interrupts.count() == 0 || study.is_made_when_stopped() {
        let run = study.next();
        if let Some(assessment) = study.checkpoint() {
            keeper.checkpoint(assessment);
        }
        let Some(run) = run else { return };
        let Some(outcome) = make(&run, interrupts, options, display, keeper) else { return };
        display.end(&outcome);
        study.take(outcome);
    }
}

/// Makes one run; `None` if a signal arrived before it started.
fn make(
    run: &Run,
    interrupts: Interrupts,
    options: &RunOptions,
    display: &mut dyn Display,
    keeper: &mut dyn Keeper,
) -> Option<Outcome> {
    if run.rest > Duration::ZERO && interrupts.wait(0, run.rest) {
        return None;
    }
    let plan = match plan(&run.work) {
        Ok(plan) => plan,
        Err(reason) => return Some(Outcome::Refused(Refusal::new(reason))),
    };
    if let Some(command) = &run.prepare {
        match prepare_command::run(command, interrupts) {
            Ok(()) => {}
            Err(Stop::Interrupted) => return None,
            Err(Stop::Failed(why)) => {
                let reason = format!("--prepare failed: {why}: {}", command.command);
                return Some(Outcome::PrepareFailed(reason));
            }
        }
    }
    display.begin(run, &plan);
    let engine_run::Outcome { record, refused } = run::run(&plan, interrupts, options, display.watcher());
    let record = Box::new(record);
    Some(if !refused.is_empty() {
        let reasons: Vec<String> = refused.iter().map(|error| error.message.clone()).collect();
        Outcome::Refused(Refusal { reason: reasons.join("; "), errors: refused, record: Some(record) })
    } else if interrupts.count() > 0 {
        Outcome::Interrupted(record)
    } else {
        let history_id = keeper.record(run, &record);
        Outcome::Completed { record, history_id }
    })
}

fn plan(work: &Work) -> Result<Arc<Plan>, String> {
    match work {
        Work::Plan(plan) => Ok(Arc::clone(plan)),
        Work::Job(job) => plans::plan(job).map(|(plan, _)| Arc::new(plan)).map_err(|errors| plans::told(&errors)),
    }
}
