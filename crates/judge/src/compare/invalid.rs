//! Runs of a comparison whose figures are not those of the target.

use assessment::{Cause, Failure, InvalidRuns, Test, Verdict};
use record::Record;

use super::run::Run;
use super::side::Case;
use crate::verdict::invalid;

/// What decides whether the figures of a run are those of the target.
#[derive(Clone, Copy)]
pub enum Judged<'a> {
    /// The test whose rounds are the run.
    Test(&'a Test),
    /// The record, and an error of its test that no record has.
    Record(&'a Record, Option<&'a Failure>),
}

impl Judged<'_> {
    /// Returns the number of times that the job was run: more than once for a continued test.
    pub fn passes(self) -> u64 {
        if let Judged::Test(test) = self { test.passes } else { 1 }
    }

    /// Returns why the figures are worthless; `None` if they are not.
    pub fn invalid(self) -> Option<Cause> {
        match self {
            Judged::Test(test) => (test.verdict == Verdict::Invalid).then(|| test.cause.clone()),
            Judged::Record(record, error) => {
                let failure = error.cloned().or_else(|| invalid_failure(record));
                let finding =
                    || invalid(&crate::findings::findings(record)).map(|found| Cause::Finding(Box::new(found.clone())));
                failure.map(Cause::Failure).or_else(finding)
            }
        }
    }
}

/// Returns why the figures of a single run are not those of the target; `None` if they are.
pub fn invalid_record(record: &Record) -> Option<Cause> {
    Judged::Record(record, None).invalid()
}

/// Whether a run can be compared with whole ones: it is one, or is INVALID, and then the comparison is, too.
pub fn is_comparable(run: Run) -> bool {
    run.is_whole() || matches!(run, Run::Record(record) if invalid_record(record).is_some())
}

/// Returns the error of a test if it makes figures worthless and no record of the test has such an error.
pub fn error_of_no_record(test: &Test) -> Option<&Failure> {
    let is_of_record = || test.rounds.iter().any(|round| invalid_failure(&round.record).is_some());
    test.error.as_ref().filter(|error| error.is_invalid() && !is_of_record())
}

fn invalid_failure(record: &Record) -> Option<Failure> {
    Failure::of_run(record).filter(Failure::is_invalid)
}

/// Returns the tests of each set with such runs.
pub fn invalid_runs(sides: &[Vec<Case>]) -> Vec<InvalidRuns> {
    let of_case = |side: usize, case: &Case| {
        let mut causes = case.invalid();
        let cause = causes.next()?;
        Some(InvalidRuns { test: case.name.clone(), side, runs: 1 + causes.count(), cause })
    };
    let of_side =
        |(side, cases): (usize, &Vec<Case>)| cases.iter().filter_map(|case| of_case(side, case)).collect::<Vec<_>>();
    sides.iter().enumerate().flat_map(of_side).collect()
}
