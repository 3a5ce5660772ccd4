//! Steps that are one pass over the target: fill writes every block, initialise reads it, purge discards it.

use assessment::{Preparation, PreparationOutcome};
use record::Record;
use units::format;

use super::{Extent, Next, Step};
use crate::suite::Job;

type Options = Vec<(String, String)>;

pub struct Pass {
    name: &'static str,
    reason: String,
    extents: Vec<Extent>,
    options: Options,
    /// What it did, as in `wrote`.
    verb: &'static str,
    ran: Option<Result<Ran, String>>,
}

struct Ran {
    bytes: u64,
    took_ms: u64,
    error: Option<String>,
}

impl Pass {
    /// Writes all of it, by these options; where it stops after a time, what there is by then is all there will be.
    pub fn fill(extents: Vec<Extent>, options: Options, at_most_s: Option<u64>, reason: &str) -> Pass {
        let mut options = options;
        if let Some(seconds) = at_most_s {
            options.push(("runtime".to_owned(), seconds.to_string()));
        }
        Pass::new("fill", "wrote", extents, options, reason)
    }

    /// Reads all of it: a volume made from a snapshot fetches its blocks as they are first read.
    pub fn initialise(extents: Vec<Extent>, last: &[(String, String)], reason: &str) -> Pass {
        let options = [("rw", "read"), ("bs", "1m"), ("iodepth", "32"), ("ioengine", "libaio"), ("direct", "1")];
        Pass::new("initialise", "read", extents, with_last(&options, last), reason)
    }

    /// Discards all of it: the device forgets what it holds.
    pub fn purge(extents: Vec<Extent>, reason: &str) -> Pass {
        let options = [("rw", "trim"), ("bs", "8m"), ("ioengine", "psync"), ("direct", "1")];
        Pass::new("purge", "discarded", extents, with_last(&options, &[]), reason)
    }

    fn new(name: &'static str, verb: &'static str, extents: Vec<Extent>, options: Options, reason: &str) -> Pass {
        Pass { name, reason: reason.to_owned(), extents, options, verb, ran: None }
    }

    fn job(&self) -> Job {
        let section = |(nth, extent): (usize, &Extent)| {
            let mut options = self.options.clone();
            options.push(("filename".to_owned(), extent.path.replace(':', "\\:")));
            options.extend(extent.bytes.map(|bytes| ("filesize".to_owned(), bytes.to_string())));
            if nth > 0 {
                options.push(("stonewall".to_owned(), "1".to_owned()));
            }
            (format!("{}-{}", self.name, nth + 1), options)
        };
        let sections = self.extents.iter().enumerate().map(section).collect();
        Job::fio(&format!("{}.fio", self.name), sections)
    }
}

impl Step for Pass {
    fn bytes(&self) -> u64 {
        self.ran.as_ref().and_then(|ran| ran.as_ref().ok()).map_or(0, |ran| ran.bytes)
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self) -> Next {
        let (outcome, detail, bytes, took_ms) = match &self.ran {
            None => return Next::Run(self.job()),
            Some(Err(why)) => (PreparationOutcome::Failed, why.clone(), 0, 0),
            Some(Ok(Ran { error: Some(error), bytes, took_ms })) => {
                let detail = format!("{} {}, then failed: {error}", self.verb, format::size(*bytes));
                (PreparationOutcome::Failed, detail, *bytes, *took_ms)
            }
            Some(Ok(ran)) => {
                let per_s = format::bandwidth(ran.bytes as f64 * 1000.0 / ran.took_ms.max(1) as f64);
                let time = format::time_ns(ran.took_ms as f64 * 1e6);
                let detail = format!("{} {} in {time} ({per_s})", self.verb, format::size(ran.bytes));
                (PreparationOutcome::Done, detail, ran.bytes, ran.took_ms)
            }
        };
        let step = self.name.to_owned();
        Next::Done(Preparation { step, target: None, reason: self.reason.clone(), outcome, detail, bytes, took_ms })
    }

    fn take(&mut self, record: &Record) {
        let error = record.workers.iter().find_map(|worker| worker.error.as_ref()).map(|error| error.message.clone());
        self.ran = Some(Ok(Ran {
            bytes: record.totals().all.bytes,
            took_ms: record.ended_unix_ms.saturating_sub(record.started_unix_ms),
            error,
        }));
    }

    fn take_failed(&mut self, why: &str) {
        self.ran = Some(Err(why.to_owned()));
    }
}

fn with_last(options: &[(&str, &str)], last: &[(String, String)]) -> Options {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    options.chain(last.iter().cloned()).collect()
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
        let mut fill = Pass::fill(vec![extent("/a", 1024), extent("/b:c", 2048)], options, Some(9), "why");
        let Next::Run(job) = fill.next() else { panic!("it has run") };
        let expected = "[fill-1]\nrw=write\nruntime=9\nfilename=/a\nfilesize=1024\n\
                        [fill-2]\nrw=write\nruntime=9\nfilename=/b\\:c\nfilesize=2048\nstonewall=1\n";
        assert_eq!(job.text(), expected);
        fill.take(&sample::record(&[(100, 4096, 1000)]));
        let Next::Done(done) = fill.next() else { panic!("it goes on") };
        assert_eq!((done.outcome, done.bytes, fill.bytes()), (PreparationOutcome::Done, 409_600, 409_600));
        assert!(done.detail.starts_with("wrote 400 KiB"), "{}", done.detail);
    }

    #[test]
    fn what_failed_says_why() {
        let mut purge = Pass::purge(vec![Extent { path: "/dev/x".into(), bytes: None }], "why");
        assert!(matches!(purge.next(), Next::Run(_)));
        purge.take_failed("the device has no discard");
        let Next::Done(done) = purge.next() else { panic!("it goes on") };
        assert_eq!((done.outcome, done.detail.as_str()), (PreparationOutcome::Failed, "the device has no discard"));
    }
}
