//! Facts that weaken a conclusion, each with a bound on what it can explain.
//!
//! A figure that misses its threshold even after the bounds of all facts were applied has missed it.

use assessment::{
    Confounder, Correction, Finding, FindingKind, LimitReason, Metric, PageCache, Quantity, Settings, Severity,
    Statistic, Test, ThresholdBound,
};
use plan::{Ddir, Worker};
use record::{Record, WorkerRecord};

use super::figures::{Figure, JobRounds};
use super::latency_bound::least_without_wait_ns;
use super::run_view::latency_of;
use crate::findings::device::other_load;
use crate::findings::load_generator::{WAITED_SHARE, cpu_wait_share, in_call_shares};
use crate::findings::meaning::{Meaning, means};
use crate::findings::unwritten;
use crate::inference::{Interval, evened};

/// A job that reached this share of its requested rate was limited by the rate.
const RATE_MET_SHARE: f64 = 0.98;
/// The lowest percentile of the slowest I/Os that are explained.
const TAIL_PERCENT: f64 = 99.9;

/// A fact, and what it can explain.
#[derive(Clone, PartialEq, Debug)]
pub struct Effect {
    pub confounder: Confounder,
    pub extent: Extent,
}

/// The most that a fact can change a figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Extent {
    /// The rate multiplied by this.
    Factor(f64),
    /// This added to the rate.
    Added(f64),
    /// The rate is at most this, the latency at least.
    Limit(f64),
    Unknown,
}

/// Facts that weaken the conclusions from one figure.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Confounders {
    /// A failure that makes the measurement inconclusive.
    pub of_all: Option<Confounder>,
    /// Facts that make a figure worse than that of the target.
    pub of_failure: Vec<Effect>,
    /// Facts that make a figure better than that of the target.
    pub of_success: Vec<Effect>,
    /// Latencies show that a throttle sets the rate.
    pub is_throttled: bool,
    /// The share of the time for which threads were ready to run without a CPU, if it is large.
    pub cpu_wait_share: Option<f64>,
}

impl Confounders {
    /// Returns the facts about the figure of a metric, compared with `enough`.
    pub fn of(test: &Test, rounds: &JobRounds, (metric, bound): (Metric, ThresholdBound), enough: f64) -> Confounders {
        let Some(figure) = rounds.figure(metric) else { return Confounders::default() };
        let shares = rounds.records.iter().filter_map(|record| cpu_wait_share(record, metric.ddir));
        let cpu_wait_share = shares.reduce(f64::max).filter(|share| *share >= WAITED_SHARE);
        let seen = Seen { test, rounds, metric, figure: &figure, cpu_wait_share };
        let (of_failure, of_success) = match bound {
            ThresholdBound::AtLeast => (seen.of_low_rate(enough), seen.of_high_rate()),
            ThresholdBound::AtMost => (seen.of_high_latency(), seen.of_low_latency()),
        };
        let is_throttled = |finding: &Finding| matches!(finding.kind, FindingKind::Throttled { .. });
        Confounders {
            of_all: test.error.clone().map(Confounder::Failure),
            of_failure,
            of_success,
            is_throttled: test.findings.iter().any(is_throttled),
            cpu_wait_share,
        }
    }
}

/// Returns the end of an interval after the facts that made it worse (`is_good` is false) or better were accounted for.
/// `None` without facts. A fact without a bound allows any figure.
pub fn corrected(effects: &[Effect], end: f64, bound: ThresholdBound, is_good: bool) -> Option<Correction> {
    if effects.is_empty() {
        return None;
    }
    let grows = (bound == ThresholdBound::AtLeast) != is_good;
    let (mut figure, mut added, mut factor) = (end, 0.0, 1.0);
    for effect in effects {
        match effect.extent {
            Extent::Limit(limit) => figure = if grows { figure.max(limit) } else { figure.min(limit) },
            // Each finding on other load adds the load of the whole test.
            Extent::Added(more) => added = more.max(added),
            Extent::Factor(times) => factor *= times,
            Extent::Unknown => figure = if grows { f64::INFINITY } else { 0.0 },
        }
    }
    let confounders = effects.iter().map(|effect| effect.confounder.clone()).collect();
    Some(Correction { confounders, figure: (figure + added) * factor })
}

/// What is known about a figure.
struct Seen<'a> {
    test: &'a Test,
    rounds: &'a JobRounds<'a>,
    metric: Metric,
    figure: &'a Figure,
    cpu_wait_share: Option<f64>,
}

impl Seen<'_> {
    fn records(&self) -> impl Iterator<Item = &Record> {
        self.rounds.records.iter().copied()
    }

    /// Facts that reduce a rate.
    fn of_low_rate(&self, enough: f64) -> Vec<Effect> {
        let waited = self.cpu_wait_share.filter(|_| !self.has_own_time());
        let waited = waited.map(|share| Effect {
            confounder: Confounder::WaitedForCpu { share },
            extent: factor(1.0 / (1.0 - share)),
        });
        let reached = self.figure.interval.map_or(self.figure.measured, |interval| interval.high);
        let requested = self.rounds.requested_rate(self.metric).filter(|rate| *rate < enough);
        // A job that stayed below its requested rate was limited by something else.
        let requested = requested.filter(|rate| reached >= rate * RATE_MET_SHARE);
        let requested =
            requested.map(|rate| Effect { confounder: Confounder::RequestedRate { rate }, extent: Extent::Unknown });
        let findings = self.test.findings.iter().filter_map(|finding| {
            let extent = self.extent_of_low_rate(&finding.kind)?;
            Some(Effect { confounder: Confounder::Finding(Box::new(finding.clone())), extent })
        });
        let unsteady = self.not_steady(self.best_round());
        waited.into_iter().chain(requested).chain(findings).chain(unsteady).collect()
    }

    /// Returns what a finding explains of a low rate; `None` if it does not reduce rates.
    fn extent_of_low_rate(&self, kind: &FindingKind) -> Option<Extent> {
        if !means(kind, Meaning::LowersRate) {
            return None;
        }
        Some(match kind {
            FindingKind::OtherLoad(_) => self.other_load().map_or(Extent::Unknown, Extent::Added),
            FindingKind::DepthNotReached { depth, mean_in_flight, .. } => {
                // Little's law: the latency does not fall if more I/Os are in flight.
                factor(f64::from(*depth) / mean_in_flight)
            }
            FindingKind::LoadGeneratorLimit(judged) => match judged.reason {
                LimitReason::WaitedForCpu if self.cpu_wait_share.is_some() => return None,
                LimitReason::OwnTime => self.own_time_factor().map_or(Extent::Unknown, factor),
                _ => Extent::Unknown,
            },
            FindingKind::StepUp(_) | FindingKind::EndedEarly { .. } => self.best_interval(),
            FindingKind::Interrupted(_) => self.interrupted(),
            _ => Extent::Unknown,
        })
    }

    /// Facts that raise a rate.
    fn of_high_rate(&self) -> Vec<Effect> {
        let cached = self.not_of_target().into_iter().map(|(finding, share)| Effect {
            confounder: Confounder::Finding(Box::new(finding.clone())),
            extent: Extent::Factor(share),
        });
        cached.chain(self.of_unfinished(Extent::Unknown)).collect()
    }

    /// Findings of I/Os that caches or unwritten blocks answered, with the share of the figure's I/Os that the target did.
    fn not_of_target(&self) -> Vec<(&Finding, f64)> {
        let found = self.test.findings.iter().filter_map(|finding| {
            let (direction, share) = match &finding.kind {
                FindingKind::DeviceDisagrees(bytes) | FindingKind::PageCache(PageCache::Counted(bytes)) => {
                    (bytes.direction, bytes.device_bytes as f64 / bytes.requested_bytes.max(1) as f64)
                }
                FindingKind::Unwritten { .. } => (Ddir::Read, 1.0 - self.unwritten_share()),
                _ => return None,
            };
            self.metric.ddir.is_none_or(|ddir| ddir == direction).then_some((finding, share.min(1.0)))
        });
        found.collect()
    }

    /// The largest share of the reads that can be of unwritten blocks.
    fn unwritten_share(&self) -> f64 {
        self.records().map(unwritten::most_share).fold(0.0, f64::max)
    }

    /// Facts that reduce a latency.
    fn of_low_latency(&self) -> Vec<Effect> {
        let is_buffered_write = |finding: &Finding| match &finding.kind {
            FindingKind::PageCache(PageCache::Counted(bytes)) => bytes.direction == Ddir::Write,
            _ => false,
        };
        let cached = self.not_of_target().into_iter().map(|(finding, share)| {
            // The page cache takes each write, and the device counts it later.
            let bound = self.latency_of_share(share).filter(|_| !is_buffered_write(finding));
            let extent = bound.map_or(Extent::Unknown, Extent::Limit);
            Effect { confounder: Confounder::Finding(Box::new(finding.clone())), extent }
        });
        let is_of_ios = matches!(self.metric.quantity, Quantity::Latency(..));
        cached.filter(|_| is_of_ios).chain(self.of_unfinished(Extent::Unknown)).collect()
    }

    /// The latency if the target did this share of the I/Os, and the others were the fastest ones and took no time.
    fn latency_of_share(&self, share: f64) -> Option<f64> {
        let Quantity::Latency(_, statistic) = self.metric.quantity else { return None };
        let of_run = |record: &Record| {
            let latency = latency_of(record, self.metric)?;
            Some(match statistic {
                Statistic::Mean => latency.mean_ns() / share,
                Statistic::Max => latency.max_ns() as f64,
                Statistic::Percentile(percent) => latency.percentile_ns(100.0 - (100.0 - percent) * share) as f64,
            })
        };
        self.records().filter_map(of_run).reduce(f64::max)
    }

    /// Facts that raise a latency.
    fn of_high_latency(&self) -> Vec<Effect> {
        let waited = self.cpu_wait_share.map(|share| Effect {
            confounder: Confounder::WaitedForCpu { share },
            extent: self.least_latency().map_or(Extent::Unknown, Extent::Limit),
        });
        let has_effect = |finding: &&Finding| match &finding.kind {
            FindingKind::LoadGeneratorLimit(judged) => {
                judged.reason != LimitReason::WaitedForCpu || self.cpu_wait_share.is_none()
            }
            FindingKind::OtherLoad(_) => finding.severity > Severity::Info,
            FindingKind::TailDisturbed { direction, .. } => self.is_tail_of(*direction),
            _ => true,
        };
        let raise = self.test.findings.iter().filter(|finding| means(&finding.kind, Meaning::RaisesLatency));
        let unknown = raise.filter(has_effect).map(|finding| Effect {
            confounder: Confounder::Finding(Box::new(finding.clone())),
            extent: Extent::Unknown,
        });
        waited.into_iter().chain(unknown).chain(self.of_unfinished(self.best_round())).collect()
    }

    /// Whether the figure is a latency of the slowest 0.1 % of the I/Os of a direction.
    fn is_tail_of(&self, direction: Ddir) -> bool {
        let is_tail = match self.metric.quantity {
            Quantity::Latency(_, Statistic::Percentile(percent)) => percent >= TAIL_PERCENT,
            Quantity::Latency(_, Statistic::Max) => true,
            _ => false,
        };
        is_tail && self.metric.ddir.is_none_or(|ddir| ddir == direction)
    }

    /// Facts after which a figure can be better than that of the target: the run ended early, stood still, or was not
    /// steady. `of_unsteady` is what rounds that are not steady explain.
    fn of_unfinished(&self, of_unsteady: Extent) -> Vec<Effect> {
        let findings = self.test.findings.iter().filter(|finding| means(&finding.kind, Meaning::Unfinished));
        let effects = findings.map(|finding| Effect {
            confounder: Confounder::Finding(Box::new(finding.clone())),
            extent: Extent::Unknown,
        });
        effects.chain(self.not_steady(of_unsteady)).collect()
    }

    fn not_steady(&self, extent: Extent) -> Option<Effect> {
        let is_of_runs = |at: &Option<Settings>| at.as_ref().is_none_or(|at| at == self.rounds.at);
        let steady = self.test.steady.iter().find(|steady| is_of_runs(&steady.at));
        let unsteady = steady.filter(|steady| steady.from_round.is_none())?;
        Some(Effect { confounder: Confounder::NotSteady(unsteady.state.clone()), extent })
    }

    /// The figure of the best round.
    fn best_round(&self) -> Extent {
        let of_round = |record| JobRounds::new(self.rounds.at, vec![record]).figure(self.metric);
        let figures = self.records().filter_map(of_round);
        let end = |figure: Figure| figure.interval.map(|Interval { low, high }| (low, high));
        let ends = figures.map(end).collect::<Option<Vec<_>>>().filter(|ends| !ends.is_empty());
        let Some(ends) = ends else { return Extent::Unknown };
        Extent::Limit(match self.metric.is_rate() {
            true => ends.iter().map(|(_, high)| *high).fold(0.0, f64::max),
            false => ends.iter().map(|(low, _)| *low).fold(f64::INFINITY, f64::min),
        })
    }

    /// The rate of the best interval.
    fn best_interval(&self) -> Extent {
        let best = evened(&self.figure.series).into_iter().reduce(f64::max);
        best.filter(|_| self.metric.is_rate()).map_or(Extent::Unknown, Extent::Limit)
    }

    /// The measured time with the time in which fathom did not run, over the time without it.
    fn interrupted(&self) -> Extent {
        let of_run = |record: &Record| {
            let measured: u128 = record.phases.iter().map(|phase| u128::from(phase.measured_ns)).sum();
            let interruptions = record.phases.iter().flat_map(|phase| &phase.interruptions);
            let lost: u128 = interruptions.map(|one| u128::from(one.length_ns)).sum();
            (lost < measured).then(|| measured as f64 / (measured - lost) as f64)
        };
        let worst = self.records().map(of_run).collect::<Option<Vec<f64>>>();
        worst.map_or(Extent::Unknown, |all| factor(all.into_iter().fold(1.0, f64::max)))
    }

    /// The rate that the target may have had left for this job, in the metric's unit.
    fn other_load(&self) -> Option<f64> {
        let ddir = self.metric.ddir.or_else(|| self.rounds.ddirs().first().copied())?;
        let load = self.rounds.load(ddir);
        let block = load.block_bytes? as f64;
        let others = self.records().filter_map(other_load);
        let bytes_per_s = others.filter_map(|other| other.displaced_bytes_per_s(load)).reduce(f64::max)?;
        match self.metric.quantity {
            Quantity::Iops => Some(bytes_per_s / block),
            Quantity::Bandwidth => Some(bytes_per_s),
            Quantity::Latency(..) | Quantity::Fsync(_) | Quantity::Cpu => None,
        }
    }

    /// Whether the load generator's own CPU time is the confounder. It includes the waits for a CPU then.
    fn has_own_time(&self) -> bool {
        let is_own = |finding: &Finding| matches!(&finding.kind, FindingKind::LoadGeneratorLimit(judged) if judged.reason == LimitReason::OwnTime);
        self.test.findings.iter().any(is_own) && self.own_time_factor().is_some()
    }

    /// If each I/O is done in a call of the thread, the thread does nothing for it in user mode: the rate without user mode
    /// and waits for a CPU.
    fn own_time_factor(&self) -> Option<f64> {
        let shares = self.records().map(in_call_shares).collect::<Option<Vec<f64>>>()?;
        shares.into_iter().reduce(f64::max).map(|share| 1.0 / (1.0 - share))
    }

    /// The latency if the waits for a CPU had delayed the I/Os in the least favourable way.
    fn least_latency(&self) -> Option<f64> {
        let statistic = match self.metric.quantity {
            Quantity::Latency(_, statistic) | Quantity::Fsync(statistic) => statistic,
            Quantity::Iops | Quantity::Bandwidth | Quantity::Cpu => return None,
        };
        let of_run = |record: &Record| {
            let latency = latency_of(record, self.metric)?;
            let waited_ns = waited_io_ns(record, self.metric)?;
            Some(match statistic {
                Statistic::Mean => latency.mean_ns() - waited_ns / latency.count().max(1) as f64,
                Statistic::Max => latency.max_ns() as f64 - waited_ns,
                Statistic::Percentile(percent) => least_without_wait_ns(&latency, percent, waited_ns),
            })
        };
        let runs = self.records().map(of_run).collect::<Option<Vec<f64>>>()?;
        runs.into_iter().reduce(f64::min).map(|least| least.max(0.0))
    }
}

/// A factor without a finite value explains anything.
fn factor(times: f64) -> Extent {
    if times.is_finite() && times >= 1.0 { Extent::Factor(times) } else { Extent::Unknown }
}

/// The waits for a CPU, added up over all I/Os that each can have delayed: those in flight.
fn waited_io_ns(record: &Record, metric: Metric) -> Option<f64> {
    let is_meant = |worker: &&WorkerRecord| metric.ddir.is_none_or(|ddir| worker.stats.ddirs[ddir as usize].ios > 0);
    let both = record.plan.workers.iter().zip(record.workers.iter());
    let of_worker = |(planned, counted): (&Worker, &WorkerRecord)| {
        let depth = planned.depth();
        Some(counted.stats.usage.run_delay_ns? as f64 * f64::from(depth.max(1)))
    };
    both.filter(|(_, counted)| is_meant(counted)).map(of_worker).sum()
}
