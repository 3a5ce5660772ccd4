//! What a job requests of its target.

use plan::stream::{Stream, StreamRate};
use plan::{Ddir, JobLoad, Plan, Worker};
use record::{Record, Totals};

use crate::limits::Load;

/// Returns the properties of a run's load that decide its limit.
pub fn load(record: &Record, totals: &Totals, ddir: Ddir) -> Load {
    let stats = &totals.ddirs[ddir as usize];
    let block_bytes = (stats.ios > 0).then(|| (stats.bytes as f64 / stats.ios as f64).round() as u64);
    let sequential = record.plan.workers.iter().all(is_sequential);
    Load { block_bytes: block_bytes.filter(|bytes| *bytes > 0), sequential, ..Load::default() }
}

pub fn is_sequential(worker: &Worker) -> bool {
    !worker.is_random()
}

/// Returns the I/Os per second that all workers request together; `None` unless each I/O has an intended start.
pub fn requested_ios_per_s(plan: &Plan) -> Option<f64> {
    plan.workers.iter().map(rate_of).sum::<Option<f64>>().filter(|rate| *rate > 0.0)
}

/// Returns the I/Os per second that a worker requests; `None` unless each of its I/Os has an intended start.
fn rate_of(worker: &Worker) -> Option<f64> {
    let of_stream = |stream: &Stream| match stream.rate {
        StreamRate::BytesPerMs(rate) => Some(rate * 1000.0 / f64::from(stream.block_bytes)),
        StreamRate::Unlimited => None,
    };
    let of_job = |job: &JobLoad| {
        let used = Ddir::ALL.into_iter().filter(|ddir| job.access.pattern.has(*ddir));
        used.map(|ddir| Some(job.rate.ios_per_s[ddir] as f64).filter(|rate| *rate > 0.0)).sum()
    };
    match &worker.load {
        plan::Load::Job(job) => of_job(job),
        plan::Load::Threads(streams) => streams.list.iter().map(of_stream).sum(),
    }
}
