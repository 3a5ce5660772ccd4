//! The figures of one run of a search.

use assessment::{Failure, KneeFigures, KneeLatencies, LoadGeneratorEvidence, LoadGeneratorLimit};
use judge::figures::service_time;
use plan::PerDdir;
use record::{Arrivals, DdirStats, Latency, Record};

/// One run of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    pub figures: KneeFigures,
    pub arrivals: Arrivals,
    /// Shares of the I/Os, by direction.
    pub shares: [f64; 3],
    /// I/Os that were due, by direction.
    pub due: PerDdir<u64>,
    /// The judged percentile by direction. `None` if it lies among I/Os that were never submitted.
    pub percentiles_ns: PerDdir<Option<f64>>,
    /// The same percentile of service times, from the submission on.
    pub service_ns: PerDdir<f64>,
    /// Evidence that the load generator, not the target, limited the run.
    pub load_generator: Option<LoadGeneratorEvidence>,
}

impl Measured {
    /// Returns the response times of an open loop.
    ///
    /// # Errors
    ///
    /// The reason if the run failed, completed no I/O or measured no response time.
    pub fn open(record: &Record, percent: f64) -> Result<Measured, Failure> {
        let all = completed(record)?;
        if all.response.count() == 0 {
            return Err(Failure::NoResponseTimes);
        }
        Ok(Measured::of(record, &all, &all.response, all.unissued(), percent))
    }

    /// Returns the latencies of a closed loop.
    ///
    /// # Errors
    ///
    /// The reason if the run failed or completed no I/O.
    pub fn closed(record: &Record, percent: f64) -> Result<Measured, Failure> {
        let all = completed(record)?;
        Ok(Measured::of(record, &all, service_time(&all), 0, percent))
    }

    fn of(record: &Record, all: &DdirStats, latency: &Latency, unissued: u64, percent: f64) -> Measured {
        let percentile = |percent: f64| latency.percentile_of_due_ns(unissued, percent).map(|ns| ns as f64);
        let arrivals = all.arrivals.unwrap_or_default();
        let Arrivals { due, late, unissued, .. } = arrivals;
        let ddirs = record.totals().ddirs;
        Measured {
            figures: KneeFigures {
                iops: all.ios_per_s(),
                latency: KneeLatencies {
                    mean_ns: latency.mean_ns(),
                    p50_ns: percentile(50.0),
                    p99_ns: percentile(99.0),
                    p99_9_ns: percentile(99.9),
                },
                percentile_ns: percentile(percent),
                late_percent: (late + unissued) as f64 * 100.0 / due.max(1) as f64,
            },
            arrivals,
            percentiles_ns: PerDdir(
                ddirs
                    .each_ref()
                    .map(|ddir| ddir.response.percentile_of_due_ns(ddir.unissued(), percent).map(|ns| ns as f64)),
            ),
            service_ns: PerDdir(ddirs.each_ref().map(|ddir| service_time(ddir).percentile_ns(percent) as f64)),
            due: PerDdir(ddirs.each_ref().map(|ddir| ddir.arrivals.map_or(0, |arrivals| arrivals.due))),
            shares: ddirs.each_ref().map(|ddir| ddir.ios as f64 / all.ios.max(1) as f64),
            load_generator: load_generator(record, &arrivals, percent),
        }
    }

    /// Returns true if the I/Os that were due were submitted.
    pub fn is_rate_met(&self) -> bool {
        !judge::is_rate_missed(&self.arrivals)
    }
}

fn completed(record: &Record) -> Result<DdirStats, Failure> {
    Failure::of_figures(record).map_or_else(|| Ok(record.totals().all), Err)
}

/// The process used up its CPU time, or it submitted I/Os late although the queue had room, and these alone make the
/// percentile.
fn load_generator(record: &Record, arrivals: &Arrivals, percent: f64) -> Option<LoadGeneratorEvidence> {
    let judged = judge::load_generators(record).into_iter();
    let limited = judged.map(|(_, generator)| generator).find(|generator| generator.limit == LoadGeneratorLimit::Limit);
    if let Some(generator) = limited {
        return Some(LoadGeneratorEvidence::Cpu(generator));
    }
    let own = arrivals.late.saturating_sub(arrivals.queue_full);
    let is_tail = own as f64 * 100.0 > arrivals.due as f64 * (100.0 - percent) && own * 2 > arrivals.late;
    let (late, due, late_after_ms) = (own, arrivals.due, record::LATE_NS / 1_000_000);
    is_tail.then_some(LoadGeneratorEvidence::LateWithRoom { late, due, late_after_ms })
}
