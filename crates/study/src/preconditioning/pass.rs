//! Steps that are one pass over the target: fill writes every block, initialise reads it, purge discards it.

use assessment::{Failure, Preparation, PreparationDetail, PreparationOutcome, PreparationReason, PreparationStep};
use record::Record;

use super::{Extent, Next, Step, options};
use crate::suite::Job;

type Options = Vec<(String, String)>;

pub struct Pass {
    step: PreparationStep,
    reason: PreparationReason,
    extents: Vec<Extent>,
    options: Options,
    ran: Option<Result<Ran, Failure>>,
}

struct Ran {
    bytes: u64,
    took_ms: u64,
    error: Option<Failure>,
}

impl Pass {
    /// A step that writes all blocks. If it ends after a time limit, the target keeps the size that was written.
    pub fn fill(extents: Vec<Extent>, options: Options, at_most_s: Option<u64>, reason: PreparationReason) -> Pass {
        let mut options = options;
        if let Some(seconds) = at_most_s {
            options.push(("runtime".to_owned(), seconds.to_string()));
        }
        Pass::new(PreparationStep::Fill, extents, options, reason)
    }

    /// A step that reads all blocks: a volume made from a snapshot fetches a block on its first read.
    pub fn initialise(extents: Vec<Extent>, last: &[(String, String)], reason: PreparationReason) -> Pass {
        let options = [options("rw=read bs=1m iodepth=32 ioengine=libaio direct=1"), last.to_vec()].concat();
        Pass::new(PreparationStep::Initialise, extents, options, reason)
    }

    /// A step that discards all blocks.
    pub fn purge(extents: Vec<Extent>, reason: PreparationReason) -> Pass {
        Pass::new(PreparationStep::Purge, extents, options("rw=trim bs=8m ioengine=psync direct=1"), reason)
    }

    fn new(step: PreparationStep, extents: Vec<Extent>, options: Options, reason: PreparationReason) -> Pass {
        Pass { step, reason, extents, options, ran: None }
    }

    fn job(&self) -> Job {
        let section = |(nth, extent): (usize, &Extent)| {
            let mut options = self.options.clone();
            options.push(("filename".to_owned(), extent.path.replace(':', "\\:")));
            options.extend(extent.bytes.map(|bytes| ("filesize".to_owned(), bytes.to_string())));
            if nth > 0 {
                options.push(("stonewall".to_owned(), "1".to_owned()));
            }
            (format!("{}-{}", self.step.name(), nth + 1), options)
        };
        let sections = self.extents.iter().enumerate().map(section).collect();
        Job::fio(&format!("{}.fio", self.step.name()), sections)
    }
}

impl Step for Pass {
    fn bytes(&self) -> u64 {
        self.ran.as_ref().and_then(|ran| ran.as_ref().ok()).map_or(0, |ran| ran.bytes)
    }

    fn name(&self) -> &'static str {
        self.step.name()
    }

    fn next(&mut self) -> Next {
        let (outcome, detail, bytes, took_ms) = match &self.ran {
            None => return Next::Run(self.job()),
            Some(Err(why)) => (PreparationOutcome::Failed, PreparationDetail::Failed(why.clone()), 0, 0),
            Some(Ok(Ran { error: Some(error), bytes, took_ms })) => {
                (PreparationOutcome::Failed, PreparationDetail::Failed(error.clone()), *bytes, *took_ms)
            }
            Some(Ok(ran)) => (PreparationOutcome::Done, PreparationDetail::Pass, ran.bytes, ran.took_ms),
        };
        let (step, reason) = (self.step, self.reason.clone());
        Next::Done(Preparation { step, target: None, reason, outcome, detail, bytes, took_ms })
    }

    fn take(&mut self, record: &Record) {
        self.ran = Some(Ok(Ran {
            bytes: record.totals().all.bytes,
            took_ms: record.ended_unix_ms.saturating_sub(record.started_unix_ms),
            error: Failure::of_run(record),
        }));
    }

    fn take_failed(&mut self, why: Failure) {
        self.ran = Some(Err(why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn extent(path: &str, bytes: u64) -> Extent {
        Extent { path: path.to_owned(), bytes: Some(bytes) }
    }

    #[test]
    fn every_file_is_written_one_after_another() {
        let options = vec![("rw".to_owned(), "write".to_owned())];
        let mut fill =
            Pass::fill(vec![extent("/a", 1024), extent("/b:c", 2048)], options, Some(9), PreparationReason::Requested);
        let Next::Run(job) = fill.next() else { panic!("it has run") };
        let expected = "[fill-1]\nrw=write\nruntime=9\nfilename=/a\nfilesize=1024\n\
                        [fill-2]\nrw=write\nruntime=9\nfilename=/b\\:c\nfilesize=2048\nstonewall=1\n";
        assert_eq!(job.text(), expected);
        fill.take(&sample::record(&[(100, 4096, 1000)]));
        let Next::Done(done) = fill.next() else { panic!("it goes on") };
        assert_eq!((done.outcome, done.bytes, fill.bytes()), (PreparationOutcome::Done, 409_600, 409_600));
        assert_eq!((done.step, done.detail), (PreparationStep::Fill, PreparationDetail::Pass));
    }

    #[test]
    fn what_failed_says_why() {
        let mut purge = Pass::purge(vec![Extent { path: "/dev/x".into(), bytes: None }], PreparationReason::Requested);
        assert!(matches!(purge.next(), Next::Run(_)));
        let why = Failure::Refused { messages: vec!["the device has no discard".to_owned()] };
        purge.take_failed(why.clone());
        let Next::Done(done) = purge.next() else { panic!("it goes on") };
        assert_eq!((done.outcome, done.detail), (PreparationOutcome::Failed, PreparationDetail::Failed(why)));
    }
}
