//! The figures of one run: of the whole run, or of its undisturbed intervals only.

use assessment::{LatencyKind, Metric, Quantity, Statistic};
use plan::Ddir;
use record::{DdirStats, Latency, Record, Slot, SlotLatencies, Totals};

use super::few_intervals;
use super::latency_interval::{self, mean_ns, merged, of_slot, whole_slots};
use super::rate_interval::{INTERVALS_MIN, around};
use super::times::Times;
use crate::inference::{Interval, mean};
use crate::job_load::requested_ios_per_s;
use crate::undisturbed::{self, Undisturbed};

/// A run, and the intervals that its figures come from.
pub(super) struct RunView<'a> {
    record: &'a Record,
    totals: &'a Totals,
    /// The whole intervals, each with its length in seconds.
    intervals: Vec<(f64, &'a Slot)>,
    /// The figures are those of these intervals alone.
    is_part: bool,
}

/// The ends of a figure of one run.
pub(super) struct Bounds {
    pub interval: Interval,
    /// They are no confidence interval but the wider range of [`few_intervals`].
    pub is_range: bool,
}

impl<'a> RunView<'a> {
    pub fn whole(record: &'a Record, totals: &'a Totals) -> Self {
        let slots = |timeline: &'a record::Timeline| {
            whole_slots(timeline).map(|(_, slot)| (timeline.interval_ns as f64 / 1e9, slot))
        };
        RunView { record, totals, intervals: record.timeline.iter().flat_map(slots).collect(), is_part: false }
    }

    /// Returns the undisturbed part of the run; `None` if it is too small or not explained. A maximum, the CPU use, and
    /// latencies at a requested rate are always those of the whole run: this rate hides a device that became slow.
    pub fn undisturbed(record: &'a Record, totals: &'a Totals, metric: Metric) -> Option<Self> {
        let whole = RunView::whole(record, totals);
        let is_of_intervals = match metric.quantity {
            Quantity::Iops | Quantity::Bandwidth => true,
            Quantity::Latency(_, Statistic::Max) | Quantity::Fsync(Statistic::Max) | Quantity::Cpu => false,
            Quantity::Latency(..) | Quantity::Fsync(_) => {
                let has_all = whole.times(metric).is_some_and(|times| times.unissued == 0);
                has_all && requested_ios_per_s(&record.plan).is_none() && !whole.blocks(metric).is_empty()
            }
        };
        match undisturbed::undisturbed(record, totals) {
            Undisturbed::Part(intervals) if is_of_intervals => {
                Some(RunView { record, totals, intervals, is_part: true })
            }
            Undisturbed::Unknown => None,
            Undisturbed::All | Undisturbed::Part(_) => Some(whole),
        }
    }

    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// Returns the rate of each interval.
    pub fn rates(&self, metric: Metric) -> Vec<f64> {
        let is_meant = |at: usize| metric.ddir.is_none_or(|ddir| ddir as usize == at);
        let rate = |(length_s, slot): &(f64, &Slot)| {
            let counts = slot.ddirs.iter().enumerate().filter(|(at, _)| is_meant(*at)).map(|(_, counts)| counts);
            let count = counts.map(|counts| match metric.quantity {
                Quantity::Bandwidth => counts.bytes as f64,
                _ => counts.ios as f64,
            });
            count.sum::<f64>() / length_s
        };
        self.intervals.iter().map(rate).collect()
    }

    /// Returns the latencies of each interval; empty if the slots have none, as those of old records.
    pub fn blocks(&self, metric: Metric) -> Vec<SlotLatencies> {
        let blocks: Vec<SlotLatencies> = self.intervals.iter().map(|(_, slot)| of_slot(slot, metric)).collect();
        if blocks.iter().all(|block| block.histogram.is_empty()) { Vec::new() } else { blocks }
    }

    /// Returns the number of intervals behind a figure.
    pub fn intervals(&self, metric: Metric) -> usize {
        if self.times(metric).is_some() { self.blocks(metric).len() } else { self.intervals.len() }
    }

    /// Returns the number of I/Os behind a figure.
    pub fn ios(&self, metric: Metric) -> u64 {
        match self.times(metric) {
            Some(times) => times.latency.count(),
            None if self.is_part => {
                let rates = self.rates(Metric { quantity: Quantity::Iops, ..metric });
                rates.into_iter().zip(&self.intervals).map(|(rate, (length_s, _))| rate * length_s).sum::<f64>() as u64
            }
            None => stats(self.totals, metric.ddir).ios,
        }
    }

    /// Returns the value of a metric; `None` if it was not measured.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let some = |rate: f64| (rate > 0.0).then_some(rate);
        match metric.quantity {
            Quantity::Iops | Quantity::Bandwidth if self.is_part => some(mean(&self.rates(metric))),
            Quantity::Iops => some(stats(self.totals, metric.ddir).ios_per_s()),
            Quantity::Bandwidth => some(stats(self.totals, metric.ddir).bytes_per_s()),
            Quantity::Cpu => self.record.machine_busy_percent().or_else(|| self.record.threads_busy_percent()),
            Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => {
                let Times { latency, unissued } = self.times(metric)?;
                Some(match statistic {
                    // The histogram of an interval has wide bins, and an exact sum.
                    Statistic::Mean if self.is_part => mean_ns(&merged(&self.blocks(metric)))?,
                    Statistic::Mean => latency.mean_ns(),
                    Statistic::Max => latency.max_ns() as f64,
                    Statistic::Percentile(percent) => {
                        latency.percentile_of_due_ns(unissued, percent).map_or(f64::INFINITY, |ns| ns as f64)
                    }
                })
            }
        }
    }

    /// Returns the ends of a figure. `None` if it has too few intervals or I/Os. A percentile with too few independent I/Os for
    /// a confidence interval has the range of a short run.
    pub fn bounds(&self, metric: Metric) -> Option<Bounds> {
        if let Some(interval) = self.interval(metric) {
            return Some(Bounds { interval, is_range: false });
        }
        let (Quantity::Latency(_, statistic) | Quantity::Fsync(statistic)) = metric.quantity else { return None };
        let (times, blocks) = (self.times(metric)?, self.blocks(metric));
        Some(Bounds { interval: few_intervals::of_latency(&times, &blocks, statistic)?, is_range: true })
    }

    fn interval(&self, metric: Metric) -> Option<Interval> {
        let statistic = match metric.quantity {
            Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => statistic,
            Quantity::Iops | Quantity::Bandwidth => return around(&self.rates(metric), self.value(metric)?),
            Quantity::Cpu => return None,
        };
        let (times, blocks) = (self.times(metric)?, self.blocks(metric));
        if blocks.len() < INTERVALS_MIN {
            return few_intervals::of_latency(&times, &blocks, statistic);
        }
        match statistic {
            Statistic::Mean => latency_interval::of_mean(&times, &blocks),
            Statistic::Percentile(percent) => latency_interval::of_percentile(&times, &blocks, percent / 100.0),
            Statistic::Max => None,
        }
    }

    /// Returns the latencies of a metric; `None` if none were measured.
    fn times(&self, metric: Metric) -> Option<Times> {
        let whole = times(self.record, self.totals, metric)?;
        if !self.is_part {
            return Some(whole);
        }
        let mut latency = Latency::default();
        let blocks = merged(&self.blocks(metric));
        blocks.histogram.bins().for_each(|bin| latency.record_many(bin.middle, bin.count));
        (latency.count() > 0).then_some(Times { latency, unissued: 0 })
    }
}

/// Returns the counters of a direction; of all directions together for `None`.
fn stats(totals: &Totals, ddir: Option<Ddir>) -> &DdirStats {
    ddir.map_or(&totals.all, |ddir| &totals.ddirs[ddir as usize])
}

/// Returns the latencies of a metric; `None` if none were measured. A DiskSpd run measures only the service time, which then
/// is its completion latency too.
fn times(record: &Record, totals: &Totals, metric: Metric) -> Option<Times> {
    let (latency, unissued) = match metric.quantity {
        Quantity::Fsync(_) => {
            let mut all = Latency::default();
            record.workers.iter().for_each(|worker| all.merge(&worker.stats.sync_lat));
            (all, 0)
        }
        Quantity::Latency(kind, _) => {
            let stats = stats(totals, metric.ddir);
            let unissued = stats.unissued();
            let measured = |one: &Latency, other: &Latency| if one.count() > 0 { one.clone() } else { other.clone() };
            match kind {
                LatencyKind::Completion => (measured(&stats.clat, &stats.lat), 0),
                LatencyKind::Total => (measured(&stats.lat, &stats.clat), 0),
                LatencyKind::Response => (stats.response.clone(), unissued),
            }
        }
        Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => return None,
    };
    (latency.count() > 0).then_some(Times { latency, unissued })
}

/// Returns the latencies of a metric over the whole run; `None` if none were measured.
pub fn latency_of(record: &Record, metric: Metric) -> Option<Latency> {
    times(record, &record.totals(), metric).map(|times| times.latency)
}
