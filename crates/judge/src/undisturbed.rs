//! The intervals of a run without evidence of other programs or of the hypervisor.

use plan::Ddir;
use record::{Record, Slot, Timeline, Totals};

use crate::findings::device::{OtherLoad, loaded_slots};
use crate::job_load;
use crate::limits::Load;
use crate::verdict::whole_slots;

/// A run is disturbed if this share of its intervals has such evidence.
const DISTURBED_SHARE: f64 = 0.1;
/// Fewest undisturbed intervals that replace the whole run.
const UNDISTURBED_MIN: usize = 10;
/// Fewest of them in the last quarter of the run. Without them, a device that became slow itself is not seen.
const LATE_MIN: usize = 3;
/// The evidence explains the disturbed intervals if without it they reach this share of the undisturbed rate.
const EXPLAINED_SHARE: f64 = 0.9;
/// Other programs that used this share of the CPUs make the threads wait. Below it, the threads can wait for each other.
const OTHERS_CPU_SHARE: f64 = 0.2;
/// Threads that waited for a CPU for this share of the time are disturbed: without the waits, the rate is up to 25 % higher.
pub const DISTURBED_WAIT_SHARE: f64 = 0.2;
/// The same for time that the hypervisor took.
const STOLEN_SHARE: f64 = 0.1;

/// Evidence for one interval. It has what exceeds its limit only.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Evidence {
    pub other_load: Option<OtherLoad>,
    /// Shares of the time.
    pub cpu_wait: Option<f64>,
    pub stolen: Option<f64>,
}

impl Evidence {
    pub fn is_any(&self) -> bool {
        self.other_load.is_some() || self.cpu_wait.is_some() || self.stolen.is_some()
    }

    /// Returns the highest rate of a slot without the disturbance, in bytes per second.
    fn without(&self, bytes_per_s: f64, job: Load) -> f64 {
        let others = self.other_load.and_then(|load| load.displaced_bytes_per_s(job)).unwrap_or(0.0);
        let ran = [self.cpu_wait, self.stolen].into_iter().flatten().map(|share| 1.0 - share).product::<f64>();
        // Without any time to run, the rate is unknown.
        if ran > 0.0 { (bytes_per_s + others) / ran } else { bytes_per_s }
    }
}

/// Returns the evidence of each slot of a timeline.
fn evidence(record: &Record, timeline: &Timeline) -> Vec<Evidence> {
    let loaded = loaded_slots(record, timeline);
    let cpus = record.machine.cpus.len().max(1) as f64;
    // The CPU times of a fleet are of several machines.
    let is_fleet = record.fleet.is_some();
    let others_use_cpus = others_use_cpus(record) && !is_fleet;
    let of_slot = |(at, slot): (usize, &Slot)| {
        let time_ns = timeline.slot_ns(at).max(1) as f64;
        let threads = f64::from(slot.workers.max(1));
        let waited = Some(slot.cpu_wait_ns as f64 / (time_ns * threads)).filter(|_| others_use_cpus);
        let stolen = slot.stolen_ns as f64 / (time_ns * threads.min(cpus));
        Evidence {
            other_load: loaded.as_ref().and_then(|loaded| loaded[at]),
            cpu_wait: waited.filter(|share| *share >= DISTURBED_WAIT_SHARE).map(|share| share.min(1.0)),
            stolen: Some(stolen.min(1.0)).filter(|share| *share >= STOLEN_SHARE && !is_fleet),
        }
    };
    timeline.slots.iter().enumerate().map(of_slot).collect()
}

/// Whether other programs used the CPUs during the run.
pub fn others_use_cpus(record: &Record) -> bool {
    let cpus = || record.phases.iter().flat_map(|phase| &phase.cpus);
    let busy_ns: f64 = cpus().map(|cpu| cpu.user_ns as f64 + cpu.kernel_ns as f64).sum();
    let all_ns = busy_ns + cpus().map(|cpu| cpu.idle_ns as f64).sum::<f64>();
    let used = record.workers.iter().map(|worker| &worker.stats.usage);
    let own_ns: f64 = used.map(|usage| usage.user_ns as f64 + usage.system_ns as f64).sum();
    all_ns > 0.0 && busy_ns - own_ns >= all_ns * OTHERS_CPU_SHARE
}

/// A whole interval of a run.
pub struct Interval<'a> {
    length_s: f64,
    slot: &'a Slot,
    pub evidence: Evidence,
    /// Neither this interval nor a neighbour has evidence.
    is_undisturbed: bool,
}

impl Interval<'_> {
    fn bytes_per_s(&self) -> f64 {
        self.slot.ddirs.iter().map(|counts| counts.bytes as f64).sum::<f64>() / self.length_s
    }
}

/// The whole intervals of a run.
pub struct Intervals<'a>(pub Vec<Interval<'a>>);

impl<'a> Intervals<'a> {
    pub fn of(record: &'a Record) -> Self {
        Intervals::of_phases(record, &record.timeline)
    }

    pub fn of_phases(record: &Record, timelines: &'a [Timeline]) -> Self {
        let of_phase = |timeline: &'a Timeline| {
            let evidence = evidence(record, timeline);
            // The disturbance can begin and end anywhere in the neighbours.
            let is_near = |at: usize| evidence[at.saturating_sub(1)..].iter().take(2 + at.min(1)).any(Evidence::is_any);
            let of_slot = |(at, slot): (usize, &'a Slot)| Interval {
                length_s: timeline.interval_ns as f64 / 1e9,
                slot,
                evidence: evidence[at],
                is_undisturbed: !is_near(at),
            };
            whole_slots(timeline).map(of_slot).collect::<Vec<_>>()
        };
        Intervals(timelines.iter().flat_map(of_phase).collect())
    }

    pub fn with_evidence(&self) -> impl Iterator<Item = &Interval<'a>> {
        self.0.iter().filter(|one| one.evidence.is_any())
    }

    pub fn undisturbed(&self) -> impl Iterator<Item = &Interval<'a>> {
        self.0.iter().filter(|one| one.is_undisturbed)
    }

    pub fn is_disturbed(&self) -> bool {
        self.with_evidence().count() as f64 > self.0.len() as f64 * DISTURBED_SHARE
    }

    /// Whether the evidence explains that the disturbed intervals are slower than the others. If it does not, the device
    /// itself can have been slow.
    pub fn is_explained(&self, job: Load) -> bool {
        let mean = |rates: Vec<f64>| rates.iter().sum::<f64>() / rates.len() as f64;
        let undisturbed = mean(self.undisturbed().map(Interval::bytes_per_s).collect());
        let without = mean(self.with_evidence().map(|one| one.evidence.without(one.bytes_per_s(), job)).collect());
        undisturbed.is_nan() || without >= undisturbed * EXPLAINED_SHARE
    }

    /// Whether enough intervals are undisturbed, and some of them late in the run.
    fn has_enough_undisturbed(&self) -> bool {
        let late = self.0[self.0.len() - self.0.len() / 4..].iter().filter(|one| one.is_undisturbed);
        self.undisturbed().count() >= UNDISTURBED_MIN && late.count() >= LATE_MIN
    }
}

/// Returns the load of a run's direction with the most I/Os.
pub fn job(record: &Record, totals: &Totals) -> Load {
    let ddir = Ddir::ALL.into_iter().max_by_key(|ddir| totals.ddirs[*ddir as usize].ios);
    ddir.map(|ddir| job_load::load(record, totals, ddir)).unwrap_or_default()
}

/// The part of a run that has no evidence of a disturbance.
pub enum Undisturbed<'a> {
    All,
    /// Enough intervals, each with its length in seconds.
    Part(Vec<(f64, &'a Slot)>),
    /// Too few intervals, or the evidence does not explain the others.
    Unknown,
}

pub fn undisturbed<'a>(record: &'a Record, totals: &Totals) -> Undisturbed<'a> {
    let intervals = Intervals::of(record);
    if !intervals.is_disturbed() {
        return Undisturbed::All;
    }
    // The rate of one direction of several phases is not that of all intervals.
    if record.timeline.len() > 1 || !intervals.has_enough_undisturbed() || !intervals.is_explained(job(record, totals))
    {
        return Undisturbed::Unknown;
    }
    Undisturbed::Part(intervals.undisturbed().map(|one| (one.length_s, one.slot)).collect())
}
