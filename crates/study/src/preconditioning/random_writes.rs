//! Random writes over the whole target until their bandwidth is steady (SNIA PTS: workload-dependent preconditioning).

use assessment::{Metric, Preparation, PreparationOutcome, Quantity};
use judge::steady::{ROUNDS_MAX, Rule};
use plan::Ddir;
use record::Record;

use super::{Extent, Next, Step};
use crate::rounds::{Goal, Rounds};
use crate::suite::{Cell, Job};

pub struct RandomWrites {
    reason: String,
    extents: Vec<Extent>,
    last: Vec<(String, String)>,
    slice_s: u64,
    rounds: Option<Rounds>,
    bytes: u64,
    took_ms: u64,
    failed: Option<String>,
}

impl RandomWrites {
    /// Writes in slices of `slice_s` seconds.
    pub fn new(extents: Vec<Extent>, slice_s: u64, last: &[(String, String)], reason: &str) -> RandomWrites {
        let metrics = vec![Metric { ddir: Some(Ddir::Write), quantity: Quantity::Bandwidth }];
        let goal = Goal { rule: Rule::Snia, metrics, most: ROUNDS_MAX };
        RandomWrites {
            reason: reason.to_owned(),
            extents,
            last: last.to_vec(),
            slice_s,
            rounds: Rounds::new(&goal, &Cell::new(), &[Cell::new()]),
            bytes: 0,
            took_ms: 0,
            failed: None,
        }
    }

    fn job(&self) -> Job {
        let fixed = [
            ("rw", "randwrite"),
            ("bs", "128k"),
            ("iodepth", "32"),
            ("ioengine", "libaio"),
            ("direct", "1"),
            ("randrepeat", "0"),
            ("norandommap", "1"),
            ("time_based", "1"),
        ];
        let mut options: Vec<(String, String)> =
            fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        options.push(("runtime".to_owned(), self.slice_s.to_string()));
        options.extend(super::filenames(&self.extents));
        options.extend(self.last.iter().cloned());
        Job::fio("precondition.fio", vec![("precondition".to_owned(), options)])
    }
}

impl Step for RandomWrites {
    fn name(&self) -> &'static str {
        "precondition"
    }

    fn next(&mut self) -> Next {
        let rounds = self.rounds.as_ref().filter(|_| self.failed.is_none());
        if rounds.is_some_and(|rounds| rounds.next_turn().is_some()) {
            return Next::Run(self.job());
        }
        let steady = rounds.and_then(Rounds::steady);
        let (outcome, detail) = match (&self.failed, steady) {
            (None, Some(steady)) => {
                let is_steady = steady.from_round.is_some();
                let outcome = if is_steady { PreparationOutcome::Done } else { PreparationOutcome::Failed };
                (outcome, format!("random writes in slices of {} s: {}", self.slice_s, steady.detail))
            }
            (why, _) => (PreparationOutcome::Failed, why.clone().unwrap_or_default()),
        };
        let (step, reason) = (self.name().to_owned(), self.reason.clone());
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
        if let Some(error) = record.workers.iter().find_map(|worker| worker.error.as_ref()) {
            self.failed = Some(error.message.clone());
        }
        self.bytes += record.totals().all.bytes;
        self.took_ms += record.ended_unix_ms.saturating_sub(record.started_unix_ms);
        if let Some(rounds) = &mut self.rounds
            && let Some(turn) = rounds.next_turn()
        {
            rounds.take(turn, record);
        }
    }

    fn take_failed(&mut self, why: &str) {
        self.failed = Some(why.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn written(ios: impl Fn(u64) -> u64) -> (u64, Preparation) {
        let extent = Extent { path: "/dev/x".into(), bytes: None };
        let mut writes = RandomWrites::new(vec![extent], 10, &[], "why");
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
        assert_eq!((slices, done.outcome), (9, PreparationOutcome::Done), "{}", done.detail);
        assert!(done.detail.contains("steady over rounds 5 to 9"), "{}", done.detail);
    }

    #[test]
    fn one_that_never_settles_is_given_up_on() {
        let (slices, done) = written(|slice| 100 + 100 * (slice % 2));
        assert_eq!((slices, done.outcome), (25, PreparationOutcome::Failed), "{}", done.detail);
    }
}
