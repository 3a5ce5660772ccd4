//! What one run of a search showed.

use record::{Arrivals, DdirStats, Latency, Record};

use judge::Limit;

/// A rate of which a larger share never went was not met: what waits only grows.
const UNISSUED_SHARE: f64 = 0.005;
/// The one or two around the end of a run say nothing.
const UNISSUED_COUNT: u64 = 3;

#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// Completed I/Os per second.
    pub iops: f64,
    pub mean_ns: f64,
    pub p50_ns: f64,
    pub p99_ns: f64,
    pub p99_9_ns: f64,
    /// The percentile that is asked for; `None` where it lies among I/Os that never went.
    pub asked_ns: Option<f64>,
    pub arrivals: Arrivals,
    /// Of the I/Os, by direction.
    pub shares: [f64; 3],
    /// Why the figures are not those of the target but of who asked it, where that is so.
    pub generator: Option<String>,
}

impl Measured {
    /// Response times of an open loop.
    pub fn open(record: &Record, percent: f64) -> Result<Measured, String> {
        let all = completed(record)?;
        if all.response.count() == 0 {
            return Err("no response times were measured".to_owned());
        }
        let mut measured = Measured::of(record, &all, &all.response, percent);
        measured.asked_ns = among_due(&all.response, measured.arrivals.unissued, percent);
        Ok(measured)
    }

    /// Latencies of a closed loop.
    pub fn closed(record: &Record, percent: f64) -> Result<Measured, String> {
        let all = completed(record)?;
        let latency = if all.lat.count() > 0 { &all.lat } else { &all.clat };
        Ok(Measured::of(record, &all, latency, percent))
    }

    fn of(record: &Record, all: &DdirStats, latency: &Latency, percent: f64) -> Measured {
        let [p50_ns, p99_ns, p99_9_ns, asked_ns] =
            [50.0, 99.0, 99.9, percent].map(|percent| latency.percentile_ns(percent) as f64);
        let arrivals = all.arrivals.unwrap_or_default();
        let ddirs = record.totals().ddirs;
        Measured {
            iops: all.ios_per_s(),
            mean_ns: latency.mean_ns(),
            p50_ns,
            p99_ns,
            p99_9_ns,
            asked_ns: (latency.count() > 0).then_some(asked_ns),
            arrivals,
            shares: ddirs.each_ref().map(|ddir| ddir.ios as f64 / all.ios.max(1) as f64),
            generator: generator(record, &arrivals, percent),
        }
    }

    /// All that was due went, but for what a run's end cuts off.
    pub fn is_rate_met(&self) -> bool {
        let Arrivals { due, unissued, .. } = self.arrivals;
        unissued <= UNISSUED_COUNT || unissued as f64 <= due as f64 * UNISSUED_SHARE
    }

    pub fn late_percent(&self) -> f64 {
        let Arrivals { due, late, unissued, .. } = self.arrivals;
        (late + unissued) as f64 * 100.0 / due.max(1) as f64
    }
}

fn completed(record: &Record) -> Result<DdirStats, String> {
    let failed = record.workers.iter().find_map(|worker| Some(worker.error.as_ref()?.message.clone()));
    let failed = failed.or_else(|| record.phases.iter().find_map(|phase| phase.error.clone()));
    let all = record.totals().all;
    match failed {
        Some(error) => Err(error),
        None if all.ios == 0 => Err("no I/O was completed in the measured time".to_owned()),
        None => Ok(all),
    }
}

/// A percentile of all that was due: what never went took longer than anything that did.
fn among_due(response: &Latency, unissued: u64, percent: f64) -> Option<f64> {
    let count = response.count() as f64;
    let of_completed = percent * (count + unissued as f64) / count;
    (of_completed <= 100.0).then(|| response.percentile_ns(of_completed) as f64)
}

/// The tool's processor time was used up, or it sent so many late for which the queue had room that these alone make the
/// percentile.
fn generator(record: &Record, arrivals: &Arrivals, percent: f64) -> Option<String> {
    let limited = judge::generators(record).into_iter().find(|(_, generator)| generator.limit == Limit::Generator);
    if let Some((_, generator)) = limited {
        return Some(generator.evidence);
    }
    let own = arrivals.late.saturating_sub(arrivals.queue_full);
    let is_tail = own as f64 * 100.0 > arrivals.due as f64 * (100.0 - percent) && own * 2 > arrivals.late;
    is_tail.then(|| format!("{own} of {} I/Os went more than 1 ms late though the queue had room", arrivals.due))
}
