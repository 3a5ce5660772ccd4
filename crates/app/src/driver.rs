//! The driver: the one loop that makes the runs of a study.

use std::sync::Arc;
use std::time::Duration;

use assessment::{Assessment, Failure};
use os::signal::Interrupts;
use plan::Plan;
use record::Record;
use report::wording::run_error;
use study::run::Refusal;
use study::{Outcome, Run, Study, Work};

use crate::plans;
use crate::prepare_command::{self, Stop};
use crate::run::{RunEnd, RunOptions, Watcher};
use crate::runner::Runner;
use crate::secrets::mask_line;

/// Shows the progress of a study, and receives the events of its runs.
pub trait Display: Watcher {
    /// A run starts.
    fn begin(&mut self, _run: &Run, _plan: &Plan) {}

    /// A run ended.
    fn end(&mut self, _outcome: &Outcome) {}
}

/// Saves the results of a study's runs.
pub trait Keeper {
    /// Saves the record of a completed run. Returns its number if it is in the history.
    fn record(&mut self, _run: &Run, _record: &Record) -> Option<i64> {
        None
    }

    /// Saves the assessment so far of a study that can be resumed.
    fn checkpoint(&mut self, _assessment: &Assessment) {}
}

/// Drops the results.
pub struct NoKeeper;

impl Keeper for NoKeeper {}

/// Makes the runs of a study until it ends or a signal arrives. The first run is always made: after an early signal, its
/// record is marked as stopped.
pub fn drive(
    study: &mut dyn Study,
    (runner, interrupts): (&dyn Runner, Interrupts),
    options: &RunOptions,
    display: &mut dyn Display,
    keeper: &mut dyn Keeper,
) {
    loop {
        let run = study.next();
        if let Some(assessment) = study.checkpoint() {
            keeper.checkpoint(assessment);
        }
        let Some(run) = run else { return };
        let Some(mut outcome) = make(&run, (runner, interrupts), options, display) else { return };
        // Errors of the keeper follow the line of the run.
        display.end(&outcome);
        if let Outcome::Completed { record, history_id } = &mut outcome {
            *history_id = keeper.record(&run, record);
        }
        study.take(outcome);
        if interrupts.count() > 0 {
            return;
        }
    }
}

/// Makes one run; `None` if a signal arrived before it started.
fn make(
    run: &Run,
    (runner, interrupts): (&dyn Runner, Interrupts),
    options: &RunOptions,
    display: &mut dyn Display,
) -> Option<Outcome> {
    if run.rest > Duration::ZERO && interrupts.wait(0, run.rest) {
        return None;
    }
    let plan = match plan(&run.work) {
        Ok(plan) => plan,
        Err(message) => return Some(Outcome::Refused(Refusal::new(vec![message]))),
    };
    if let Some(command) = &run.prepare {
        // The command may unmount the targets.
        options.lease.release();
        match prepare_command::run(command, interrupts) {
            Ok(()) => {}
            Err(Stop::Interrupted) => return None,
            Err(Stop::Failed(why)) => {
                let command = mask_line(&command.command);
                return Some(Outcome::PrepareFailed(Failure::PrepareCommand { command, message: why }));
            }
        }
    }
    display.begin(run, &plan);
    let RunEnd { record, refused } = runner.run(&plan, interrupts, options, display);
    let record = Box::new(record);
    Some(if !refused.is_empty() {
        let messages = || refused.iter().map(|error| run_error(error, plan.origin.dialect())).collect();
        let failure = Failure::of_replaced(&refused).unwrap_or_else(|| Failure::Refused { messages: messages() });
        Outcome::Refused(Refusal { failure, errors: refused, record: Some(record) })
    } else if interrupts.count() > 0 {
        Outcome::Interrupted(record)
    } else {
        Outcome::Completed { record, history_id: None }
    })
}

fn plan(work: &Work) -> Result<Arc<Plan>, String> {
    match work {
        Work::Plan(plan) => Ok(Arc::clone(plan)),
        Work::Job(job) => plans::plan(job).map(|(plan, _)| Arc::new(plan)).map_err(|errors| plans::text(&errors)),
    }
}
