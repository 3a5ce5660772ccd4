//! One run of a plan.

use std::sync::Arc;

use assessment::{Assessment, Study as Request};
use plan::{Dialect, Plan};
use record::Record;

use crate::run::{End, Outcome, Run, Session, Study, Work};

/// A study of one run.
pub struct Single {
    session: Session,
    plan: Option<Arc<Plan>>,
    outcome: Option<Outcome>,
}

impl Single {
    /// One run of a plan.
    pub fn new(session: Session, plan: Arc<Plan>) -> Single {
        Single { session, plan: Some(plan), outcome: None }
    }

    /// Returns the outcome of the run, once it was made.
    pub fn into_outcome(self) -> Option<Outcome> {
        self.outcome
    }

    fn record(&self) -> Option<&Record> {
        match self.outcome.as_ref()? {
            Outcome::Completed { record, .. } | Outcome::Interrupted(record) => Some(record),
            Outcome::Refused(_) | Outcome::PrepareFailed(_) => None,
        }
    }
}

/// Returns the names of the jobs. Threads of DiskSpd have numbers for names: their targets name the run.
fn name(plan: &Plan) -> String {
    let mut names: Vec<&str> = match plan.origin.dialect() {
        Dialect::Fio => plan.workers.iter().map(|worker| worker.name.as_str()).collect(),
        Dialect::DiskSpd => Vec::new(),
    };
    names.dedup();
    match names.as_slice() {
        [] => Some(judge::single::targets_of_plan(plan))
            .filter(|targets| !targets.is_empty())
            .unwrap_or_else(|| "run".to_owned()),
        [first, second, others @ ..] if !others.is_empty() => format!("{first}, {second} and {} more", others.len()),
        names => names.join(", "),
    }
}

impl Study for Single {
    fn next(&mut self) -> Option<Run> {
        let plan = self.plan.take()?;
        let label = name(&plan);
        Some(Run::new(Work::Plan(plan), label))
    }

    fn take(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    fn finish(self: Box<Self>, end: &End) -> Assessment {
        let mut assessment = match self.record() {
            Some(record) => judge::single::assessment(record),
            None => self.session.assessment("run", String::new(), Request::Single),
        };
        end.conclude(&mut assessment, |_| {});
        assessment
    }
}

#[cfg(test)]
mod tests {
    use assessment::Verdict;

    use super::*;
    use crate::sample;

    #[test]
    fn one_run_is_made_and_ends_as_an_assessment() {
        let record = sample::record(&[(100, 4096, 1000)]);
        let mut single = Box::new(Single::new(Session::default(), Arc::clone(&record.plan)));
        assert!(single.next().is_some() && single.next().is_none());
        single.take(Outcome::completed(record));
        let assessment = single.finish(&End { ended_unix_ms: 7, ..End::default() });
        assert_eq!((assessment.verdict, assessment.ended_unix_ms), (Verdict::Measured, 7));
        let refused = Box::new(Single::new(Session::default(), Arc::default()));
        assert_eq!(refused.finish(&End::default()).verdict, Verdict::Inconclusive);
    }
}
