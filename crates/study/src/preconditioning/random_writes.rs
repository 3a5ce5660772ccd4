//! Random writes over the whole target until their bandwidth is steady (SNIA PTS: workload-dependent preconditioning).

use assessment::{
    Failure, Metric, Preparation, PreparationDetail, PreparationOutcome, PreparationReason, PreparationStep, Quantity,
    Settings, SteadyRule,
};
use judge::steady::ROUNDS_MAX;
use plan::Ddir;
use record::Record;

use super::{Extent, Next, Step};
use crate::rounds::{Goal, SteadyRounds};
use crate::suite::Job;

pub struct RandomWrites {
    reason: PreparationReason,
    extents: Vec<Extent>,
    last: Vec<(String, String)>,
    slice_s: u64,
    rounds: Option<SteadyRounds>,
    bytes: u64,
    took_ms: u64,
    failed: Option<Failure>,
}

impl RandomWrites {
    /// A step of writes in slices of `slice_s` seconds.
    pub fn new(
        extents: Vec<Extent>,
        slice_s: u64,
        last: &[(String, String)],
        reason: PreparationReason,
    ) -> RandomWrites {
        let metrics = vec![Metric { ddir: Some(Ddir::Write), quantity: Quantity::Bandwidth }];
        let goal = Goal { rule: SteadyRule::Snia, metrics, most: ROUNDS_MAX };
        RandomWrites {
            reason,
            extents,
            last: last.to_vec(),
            slice_s,
            rounds: SteadyRounds::new(&goal, &Settings::new(), &[Settings::new()]),
            bytes: 0,
            took_ms: 0,
            failed: None,
        }
    }

    fn job(&self) -> Job {
        let mut options = super::options(
            "rw=randwrite bs=128k iodepth=32 ioengine=libaio direct=1 randrepeat=0 norandommap=1 time_based=1",
        );
        options.push(("runtime".to_owned(), self.slice_s.to_string()));
        options.extend(super::filenames(&self.extents));
        options.extend(self.last.iter().cloned());
        Job::fio("precondition.fio", vec![("precondition".to_owned(), options)])
    }
}

impl Step for RandomWrites {
    fn name(&self) -> &'static str {
        PreparationStep::Precondition.name()
    }

    fn next(&mut self) -> Next {
        let rounds = self.rounds.as_ref().filter(|_| self.failed.is_none());
        if rounds.is_some_and(|rounds| rounds.next_turn().is_some()) {
            return Next::Run(self.job());
        }
        let steady = rounds.and_then(SteadyRounds::steady);
        let (outcome, detail) = match (&self.failed, steady) {
            (None, Some(steady)) => {
                let is_steady = steady.from_round.is_some();
                let outcome = if is_steady { PreparationOutcome::Done } else { PreparationOutcome::Failed };
                (outcome, PreparationDetail::Slices { slice_s: self.slice_s, state: steady.state })
            }
            (why, _) => {
                let why = why.clone().unwrap_or(Failure::NoIo);
                (PreparationOutcome::Failed, PreparationDetail::Failed(why))
            }
        };
        let (step, reason) = (PreparationStep::Precondition, self.reason.clone());
        Next::Done(Preparation {
            step,
            target: None,
            reason,
            outcome,
            detail,
            bytes: self.bytes,
            took_ms: self.took_ms,
        })
    }

    fn take(&mut self, record: &Record) {
        if let Some(failure) = Failure::of_run(record) {
            self.failed = Some(failure);
        }
        self.bytes += record.totals().all.bytes;
        self.took_ms += record.ended_unix_ms.saturating_sub(record.started_unix_ms);
        if let Some(rounds) = &mut self.rounds
            && let Some(turn) = rounds.next_turn()
        {
            rounds.take(turn, record);
        }
    }

    fn take_failed(&mut self, why: Failure) {
        self.failed = Some(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use assessment::SteadyState;

    fn written(ios: impl Fn(u64) -> u64) -> (u64, Preparation) {
        let extent = Extent { path: "/dev/x".into(), bytes: None };
        let mut writes = RandomWrites::new(vec![extent], 10, &[], PreparationReason::Requested);
        let mut slices = 0;
        loop {
            match writes.next() {
                Next::Run(job) => {
                    assert!(job.text().contains("rw=randwrite") && job.text().ends_with("filename=/dev/x\n"));
                    writes.take(&sample::record(&[(0, 0, 0), (ios(slices), 4096, 1000)]));
                    slices += 1;
                }
                Next::Done(done) => return (slices, done),
            }
        }
    }

    #[test]
    fn a_device_that_gets_slower_is_written_until_it_does_not() {
        let (slices, done) = written(|slice| if slice < 4 { 1000 - 200 * slice } else { 200 });
        assert_eq!((slices, done.outcome), (9, PreparationOutcome::Done), "{:?}", done.detail);
        let PreparationDetail::Slices { state: SteadyState::Window { first, last, .. }, .. } = done.detail else {
            panic!("{:?}", done.detail)
        };
        assert_eq!((first, last), (5, 9));
    }

    #[test]
    fn one_that_never_settles_is_given_up_on() {
        let (slices, done) = written(|slice| 100 + 100 * (slice % 2));
        assert_eq!((slices, done.outcome), (25, PreparationOutcome::Failed), "{:?}", done.detail);
    }
}
