//! Preconditioning: steps that bring a target into a defined state before its tests.

mod pass;
mod random_writes;
mod warm;

pub use pass::Pass;
pub use random_writes::RandomWrites;
pub use warm::Warm;

use std::collections::VecDeque;

use assessment::{
    Assessment, Cause, Failure, LeftOut, Preparation, PreparationDetail, PreparationOutcome, Study as Request, Verdict,
};
use record::Record;

use crate::run::{End, Outcome, Refusal, Run, Session, Study, Work};
use crate::suite::{Job, options};

/// What a step needs next.
pub enum Next {
    Run(Job),
    /// The step is complete.
    Done(Preparation),
}

/// One step: a state machine that yields jobs and takes the records of their runs.
pub trait Step {
    /// Returns the name: `fill`, `precondition`, `initialise`, `warm`, `purge`.
    fn name(&self) -> &'static str;
    /// Returns the next job, or what the step did.
    fn next(&mut self) -> Next;
    /// Takes the record of the job that `next` returned.
    fn take(&mut self, record: &Record);
    /// Ends the step: its job was not run.
    fn take_failed(&mut self, why: Failure);
    /// Returns the bytes that the step wrote or read so far.
    fn bytes(&self) -> u64 {
        0
    }
}

/// A step of a sequence.
pub struct PlannedStep {
    pub step: Box<dyn Step>,
    /// Name of the target, if there are several.
    pub target: Option<String>,
    /// Why the step is skipped.
    pub skipped: Option<LeftOut>,
    /// Index of the target whose size becomes what the step wrote, if that is less.
    pub limits: Option<usize>,
}

/// Steps one after another.
#[derive(Default)]
pub struct Preconditioning {
    session: Session,
    steps: VecDeque<PlannedStep>,
    done: Vec<Preparation>,
    /// Targets and the bytes that limit them.
    limits: Vec<(usize, u64)>,
}

impl Preconditioning {
    /// Steps in their order.
    pub fn new(session: Session, steps: Vec<PlannedStep>) -> Preconditioning {
        Preconditioning { session, steps: steps.into(), done: Vec::new(), limits: Vec::new() }
    }

    /// Returns the steps that are complete, and skips the others.
    pub fn end(&mut self) -> Vec<Preparation> {
        while let Some(mut planned) = self.steps.pop_front() {
            self.leave_out(&mut planned);
        }
        std::mem::take(&mut self.done)
    }

    /// Returns targets, by index, and the bytes that a step wrote of them.
    pub fn limits(&self) -> &[(usize, u64)] {
        &self.limits
    }

    /// Completes a step without its runs.
    fn leave_out(&mut self, planned: &mut PlannedStep) {
        if let Next::Run(_) = planned.step.next() {
            planned.step.take_failed(Failure::Stopped);
        }
        if let Next::Done(done) = planned.step.next() {
            let detail = PreparationDetail::LeftOut(planned.skipped.unwrap_or(LeftOut::Stopped));
            self.complete(planned, Preparation { outcome: PreparationOutcome::LeftOut, detail, ..done });
        }
    }

    fn complete(&mut self, planned: &PlannedStep, done: Preparation) {
        if let Some(target) = planned.limits {
            self.limits.push((target, planned.step.bytes()));
        }
        self.done.push(Preparation { target: planned.target.clone(), ..done });
    }
}

impl Study for Preconditioning {
    fn next(&mut self) -> Option<Run> {
        loop {
            let mut planned = self.steps.pop_front()?;
            match (planned.step.next(), planned.skipped) {
                (Next::Done(done), _) => self.complete(&planned, done),
                (Next::Run(_), Some(_)) => self.leave_out(&mut planned),
                (Next::Run(job), None) => {
                    let on = planned.target.as_ref().map_or_else(String::new, |target| format!(" {target}"));
                    let name = format!("{}{on}", planned.step.name());
                    self.steps.push_front(planned);
                    return Some(Run { name: name.clone(), ..Run::new(Work::Job(job), format!("[{name}]")) });
                }
            }
        }
    }

    fn take(&mut self, outcome: Outcome) {
        let Some(planned) = self.steps.front_mut() else { return };
        match outcome {
            Outcome::Completed { record, .. } => planned.step.take(&record),
            Outcome::Interrupted(_) => planned.step.take_failed(Failure::Stopped),
            Outcome::Refused(Refusal { failure, .. }) | Outcome::PrepareFailed(failure) => {
                planned.step.take_failed(failure)
            }
        }
        // A step that is complete after an interruption has failed; it is not skipped.
        if let Next::Done(done) = planned.step.next()
            && let Some(planned) = self.steps.pop_front()
        {
            self.complete(&planned, done);
        }
    }

    fn finish(mut self: Box<Self>, end: &End) -> Assessment {
        let preparation = self.end();
        let mut assessment =
            self.session.assessment("preconditioning", "Preconditioning".to_owned(), Request::Preconditioning);
        end.close(&mut assessment);
        let is_done =
            |step: &Preparation| matches!(step.outcome, PreparationOutcome::Done | PreparationOutcome::NotNeeded);
        let is_whole = !assessment.stopped && preparation.iter().all(is_done);
        assessment.cause = if is_whole { Cause::NothingExpected } else { Cause::Failure(failure(&preparation)) };
        assessment.verdict = if is_whole { Verdict::Measured } else { Verdict::Inconclusive };
        assessment.preparation = preparation;
        assessment
    }
}

/// Why steps are incomplete: the failure of the first one that failed.
fn failure(steps: &[Preparation]) -> Failure {
    let of_step = |step: &Preparation| match &step.detail {
        PreparationDetail::Failed(failure) => Some(failure.clone()),
        _ => None,
    };
    steps.iter().find_map(of_step).unwrap_or(Failure::Stopped)
}

/// A file or device to precondition; `None` is all of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    pub path: String,
    pub bytes: Option<u64>,
}

/// Options of files that one job works on together.
fn filenames(extents: &[Extent]) -> Vec<(String, String)> {
    let paths: Vec<String> = extents.iter().map(|extent| extent.path.replace(':', "\\:")).collect();
    let sizes: Vec<u64> = extents.iter().filter_map(|extent| extent.bytes).collect();
    let of_all = sizes.first().filter(|first| sizes.iter().all(|size| size == *first));
    let size = of_all.map(|bytes| ("filesize".to_owned(), bytes.to_string()));
    [("filename".to_owned(), paths.join(":"))].into_iter().chain(size).collect()
}
