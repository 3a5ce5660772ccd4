//! Findings: facts about a measurement that its figures do not show.

use std::mem::{Discriminant, discriminant};

use plan::Ddir;
use record::schema::Exact;
use record::{DiskWarning, IdleState, Interruption, PcieLink, TimePart};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Map;
use strum::{EnumCount, IntoStaticStr};

use crate::tagged::{Tagged, tagged};
use crate::{LimitReason, LoadGenerator, PreparationDetail, SteadyState};

tagged! { FindingKind }

/// The effect of a finding on the figures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// The figures stand.
    Info,
    /// The figures are right, but may not be of what was meant.
    Warning,
    /// The figures are not of the disk, or not of the requested job.
    Invalid,
}

impl Severity {
    /// Returns the name in documents, such as `warning`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A fact about a measurement: what, of which part of the run, with the numbers that show it.
///
/// In JSON: `{"kind": "...", "evidence": {...}, "subject": ..., "severity": "..."}`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Finding {
    #[serde(flatten)]
    pub kind: FindingKind,
    pub subject: Subject,
    pub severity: Severity,
}

/// The part of a run that a finding is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The whole run, or the whole test.
    Run,
    /// Jobs of one phase, each name once.
    Jobs { phase: u32, names: Vec<String> },
    /// A time span of DiskSpd, counted from 1.
    TimeSpan(u32),
    /// All threads of the run.
    Threads,
    /// Paths of targets.
    Targets(Vec<String>),
    /// The runs of a test with these settings, such as `bs=64k`.
    Settings(Vec<String>),
    /// A part of one host's run.
    Host { name: String, part: Box<Subject> },
}

impl Subject {
    /// Returns this part of the run of one host.
    pub fn on_host(self, name: &str) -> Subject {
        Subject::Host { name: name.to_owned(), part: Box::new(self) }
    }
}

/// What was found, with the numbers that show it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema, IntoStaticStr, EnumCount)]
#[serde(remote = "Self", tag = "kind", content = "evidence", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FindingKind {
    /// The target lies on a file system in memory.
    InMemory,
    /// The device under the target is a loop device that goes through the page cache.
    CachedBelow { devices: Vec<String> },
    /// The page cache answered reads, or took writes.
    PageCache(PageCache),
    /// A target smaller than the memory was read or written more than once through the page cache.
    TargetFitsCache { size_bytes: u64, memory_bytes: u64, moved_bytes: u64 },
    /// Blocks were read that were never written.
    Unwritten { unwritten_bytes: u64, size_bytes: Option<u64> },
    /// Direct I/O was requested and not done.
    DirectNotHonoured(DeviceBytes),
    /// Part of the direct I/O did not reach the device.
    DeviceDisagrees(DeviceBytes),
    /// Other programs used the devices at the same time. One entry per direction with more bytes than the run requested.
    OtherLoad(Vec<DeviceBytes>),
    /// The target ends before the requested range.
    TargetShort { size_bytes: u64, end_bytes: u64 },
    /// Jobs ended by size before their runtime.
    EndedEarly { runtime_s: f64, ran_s: f64, moved_bytes: u64, jobs: u64 },
    /// fathom did not run for a part of the measured time, in order.
    Interrupted(Vec<Interruption>),
    /// The measured time or the number of I/Os is small.
    TooShort { measured_s: f64, ios: u64, lacks: Lack },
    /// The mean number of I/Os in flight was below the queue depth. The numbers are those of the worker with the lowest mean.
    DepthNotReached {
        depth: u32,
        mean_in_flight: f64,
        workers: u64,
        of_workers: u64,
        is_direct: bool,
        /// Most I/Os of the worker were trims.
        is_trim: bool,
    },
    /// The engine completes an I/O before it starts the next. A queue depth above 1 has no effect.
    SynchronousEngine {
        /// The requested depth.
        depth: u32,
        engine: String,
    },
    /// Jobs did no I/O at all.
    NoIos {
        cause: NoIosCause,
        /// Number of jobs.
        jobs: u64,
    },
    /// Files are removed after a pass, and the next pass reads them.
    RemovedBeforeRead,
    /// The name of a target was probably meant otherwise.
    UnintendedTarget(UnintendedTarget),
    /// The load generator limited the figures, not the target.
    LoadGeneratorLimit(LoadGenerator),
    /// Threads waited for a CPU, and did not limit the figures.
    CpuWait(LoadGenerator),
    /// A host of a fleet is much slower than the median of the others.
    SlowHost {
        /// Bandwidth of the host.
        bytes_per_s: f64,
        /// Median bandwidth of the other hosts.
        others_bytes_per_s: f64,
        /// Number of the other hosts.
        others: u64,
    },
    /// I/Os of an open loop were never submitted.
    RateMissed(LateIos),
    /// I/Os of an open loop were submitted late.
    LateArrivals(LateIos),
    /// Most of the time of the slowest I/Os of a direction has a cause other than the disk.
    TailDisturbed {
        direction: Ddir,
        /// Number of the slowest I/Os.
        ios: u64,
        /// Least latency among them.
        from_ns: u64,
        /// Parts of their time with such a cause, the largest first.
        parts: Vec<TimePart>,
    },
    /// An I/O limit of the control group held back the slowest I/Os of a direction for most of their time.
    GroupIoLimit {
        direction: Ddir,
        /// Number of the slowest I/Os.
        ios: u64,
        /// Least latency among them.
        from_ns: u64,
        /// Share of their time.
        time_share: f64,
    },
    /// The rate fell from one level to another.
    StepDown(Levels),
    /// The rate rose from one level to another.
    StepUp(Levels),
    /// The rate changed between levels both ways.
    Levels(Levels),
    /// A throttle sets the rate.
    Throttled { direction: Ddir, iops: f64, passed_share: f64, passed_ns: u64, held_share: f64, held_ns: u64 },
    /// The rate drifts or scatters.
    NotSteady(Unsteady),
    /// A disk slowed itself down during the run because of its temperature.
    Overheated {
        disk: String,
        /// Time of thermal management during the run.
        throttled_s: u64,
        /// How often thermal management began during the run.
        transitions: u64,
        /// Highest temperature before, during or after the run, in degrees Celsius.
        temperature_c: Option<f64>,
        /// Time at or above the temperature at which the controller throttles or warns. `None` if it was not seen.
        hot: Option<HotTime>,
    },
    /// A disk counted new errors of its media during the run.
    MediaErrors {
        disk: String,
        /// Number of new errors.
        errors: u64,
    },
    /// A disk is worn out or failing, by its own log.
    WornOut {
        disk: String,
        /// `None` if the disk does not report it, as the spare.
        used_percent: Option<u8>,
        spare_percent: Option<u8>,
        spare_threshold_percent: Option<u8>,
        warnings: Vec<DiskWarning>,
    },
    /// The PCIe link of a disk is below the maximum of the disk.
    SlowLink { disk: String, link: PcieLink },
    /// The run has figures of syncs, and the write cache of a disk is volatile and on.
    VolatileWriteCache {
        disk: String,
        /// The kernel sends flushes to the disk.
        is_flushed: bool,
    },
    /// I/Os come after pauses in which the disk enters a power state, and take as long as it needs to leave it.
    PowerSaving {
        disk: String,
        /// The deepest power state that the I/Os leave.
        state: IdleState,
        /// Mean idle time between two I/Os of the disk.
        pause_ms: f64,
        /// Median latency of the run.
        median_ns: u64,
    },
    /// The file system has no direct I/O.
    NoDirectIo,
    /// Rounds did not reach a steady state.
    NoSteadyState(SteadyState),
    /// The target was not filled.
    NoFill(PreparationDetail),
    /// The target was not preconditioned.
    NoPrecondition(PreparationDetail),
    /// A volume made from a snapshot was not initialised.
    NoInitialise(PreparationDetail),
    /// The cache was not warmed.
    NoWarm(PreparationDetail),
    /// The steps of a search are short for the bound on the percentile.
    ShortSteps { percent: f64, bound_ns: u64, step_ns: u64, needed_ns: u64 },
    /// Few I/Os of a step lie beyond the judged percentile.
    FewTailIos { percent: f64, ios_beyond: f64 },
}

/// A time at or above a temperature.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HotTime {
    /// In degrees Celsius.
    pub limit_c: i32,
    /// First and last time, in seconds after the start of the measured time.
    pub from_s: f64,
    pub until_s: f64,
}

/// Why jobs did no I/O.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoIosCause {
    /// The I/O starts beyond the end of the target, or close to it.
    Offset {
        offset_bytes: u64,
        /// Size of the target, if it is known.
        size_bytes: Option<u64>,
    },
    /// The I/O is distributed over sizes that may lie beyond the end of the target.
    Zones,
    /// At this rate the first block is due after the end of the run.
    Rate { bytes_per_s: f64, block_bytes: u64 },
    /// Another cause.
    Unknown,
}

/// Why the name of a target was probably meant otherwise.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnintendedTarget {
    /// One path with colons became several targets.
    Split { path: String },
    /// Several paths with commas became one target.
    Joined { path: String },
    /// The name starts or ends with a character that looks like ASCII, such as a typographic quotation mark.
    Typographic { path: String },
}

/// How the page cache was seen.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageCache {
    /// The devices counted fewer bytes than the run requested.
    Counted(DeviceBytes),
    /// The target is smaller than the memory.
    FitsMemory {
        used_bytes: u64,
        memory_bytes: u64,
        /// Present if the devices moved less than half of the bytes.
        counted: Option<Moved>,
    },
}

/// Bytes that a run moved, and bytes that the devices under its targets moved meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    pub run_bytes: u64,
    pub device_bytes: u64,
}

/// Bytes in one direction: as the run requested them, and as its devices counted them meanwhile.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeviceBytes {
    pub direction: Ddir,
    pub devices: Vec<String>,
    pub requested_bytes: u64,
    pub device_bytes: u64,
}

/// What a short run lacks: time, I/Os, or any measurement if the job ended within its ramp.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    Time,
    Ios,
    Measurement,
}

/// I/Os of an open loop that missed their intended start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LateIos {
    /// I/Os whose intended start lay in the run.
    pub due: u64,
    /// Submitted more than `late_after_ms` after their intended start.
    pub late: u64,
    pub late_after_ms: u64,
    /// Late I/Os for which the queue had no room.
    pub queue_full: u64,
    /// I/Os that were not submitted before the end.
    pub unissued: u64,
    pub runtime_s: f64,
    pub cause: LateCause,
}

/// What held late I/Os up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LateCause {
    /// The load generator had no CPU time left.
    LoadGenerator,
    /// The queue was full.
    QueueFull {
        /// Threads waited for a CPU as well.
        waited_for_cpu: bool,
        /// The report has response times, which include the wait.
        has_response_time: bool,
    },
    /// The queue had room: submission took long, or the CPUs were busy.
    SlowSubmission,
}

/// Levels of a rate over the time of a phase.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Levels {
    pub unit: RateUnit,
    /// In order of time, two or more.
    pub levels: Vec<Level>,
    /// Present if the rate only fell.
    pub token_bucket: Option<TokenBucket>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateUnit {
    Iops,
    BytesPerS,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Level {
    pub rate: f64,
    /// Seconds after the start of the measured time; `None` for the last level.
    pub until_s: Option<f64>,
}

/// The token bucket that explains a fall from a burst rate to a base rate.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TokenBucket {
    /// The base rate.
    pub refill_per_s: f64,
    /// I/Os or bytes in the bucket at the start.
    pub held: f64,
    /// The idle time that fills the bucket again; `None` if the base rate is 0.
    pub refill_s: Option<f64>,
    /// The product whose published bucket has these figures.
    pub product: Option<BucketProduct>,
}

/// Products with a known token bucket.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BucketProduct {
    AwsGp2,
    AzureBurst,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unsteady {
    /// A trend over the run.
    Drift {
        /// The change over the run, as a share of the median: -0.27 is 27 % slower.
        change_share: f64,
        median_iops: f64,
    },
    /// A wide spread without a trend.
    Scatter { interval_s: f64, p10_iops: f64, p90_iops: f64, median_iops: f64 },
}

impl FindingKind {
    /// The direction that the finding is about, if it is about one.
    pub fn direction(&self) -> Option<Ddir> {
        match self {
            FindingKind::PageCache(PageCache::Counted(bytes))
            | FindingKind::DirectNotHonoured(bytes)
            | FindingKind::DeviceDisagrees(bytes) => Some(bytes.direction),
            FindingKind::TailDisturbed { direction, .. } | FindingKind::GroupIoLimit { direction, .. } => {
                Some(*direction)
            }
            _ => None,
        }
    }

    /// Returns the name in documents, such as `step-down`.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

impl Finding {
    /// Whether both are the same finding, perhaps with other numbers.
    pub fn is_repeat_of(&self, other: &Finding) -> bool {
        self.includes(other) && self.severity == other.severity
    }

    /// Whether the other is the same finding, perhaps with other numbers, and no worse.
    pub fn includes(&self, other: &Finding) -> bool {
        let is_same = self.kind.name() == other.kind.name() && self.kind.direction() == other.kind.direction();
        is_same && self.subject == other.subject && self.severity >= other.severity
    }
}

/// What distinguishes two findings of one kind, apart from numbers that only show them.
#[derive(PartialEq)]
enum Distinction<'a> {
    None,
    Direction(Ddir),
    Lack(Lack),
    Depth { is_direct: bool, is_trim: bool },
    NoIos(Discriminant<NoIosCause>),
    Name(&'a UnintendedTarget),
    Limit(LimitReason),
    Late(LateCause),
    Levels(&'a Levels),
    IsDrift(bool),
    Time(u64),
    Percent(f64),
}

impl FindingKind {
    /// Returns true if both have the same headline and advice. Their numbers may differ.
    pub fn says_same(&self, other: &FindingKind) -> bool {
        discriminant(self) == discriminant(other) && self.distinction() == other.distinction()
    }

    fn distinction(&self) -> Distinction<'_> {
        match self {
            FindingKind::TooShort { lacks, .. } => Distinction::Lack(*lacks),
            FindingKind::DepthNotReached { is_direct, is_trim, .. } => {
                Distinction::Depth { is_direct: *is_direct, is_trim: *is_trim }
            }
            FindingKind::NoIos { cause, .. } => Distinction::NoIos(discriminant(cause)),
            FindingKind::UnintendedTarget(name) => Distinction::Name(name),
            FindingKind::LoadGeneratorLimit(judged) => Distinction::Limit(judged.reason),
            FindingKind::RateMissed(late) | FindingKind::LateArrivals(late) => Distinction::Late(late.cause),
            FindingKind::StepDown(levels) | FindingKind::StepUp(levels) => Distinction::Levels(levels),
            FindingKind::NotSteady(unsteady) => Distinction::IsDrift(matches!(unsteady, Unsteady::Drift { .. })),
            FindingKind::ShortSteps { needed_ns, .. } => Distinction::Time(*needed_ns),
            FindingKind::FewTailIos { percent, .. } => Distinction::Percent(*percent),
            kind => kind.direction().map_or(Distinction::None, Distinction::Direction),
        }
    }
}

impl Levels {
    pub fn last(&self) -> Option<&Level> {
        self.levels.last()
    }

    /// The start of the last level, in seconds after the start of the measured time.
    pub fn last_from_s(&self) -> f64 {
        self.levels.iter().filter_map(|level| level.until_s).next_back().unwrap_or(0.0)
    }
}

impl RateUnit {
    /// Formats a rate with its unit.
    pub fn show(self, rate: f64) -> String {
        match self {
            RateUnit::Iops => units::format::iops(rate),
            RateUnit::BytesPerS => units::format::bandwidth(rate),
        }
    }
}

impl Subject {
    /// The jobs' names, each once, in their order.
    pub fn jobs<'a>(phase: u32, names: impl Iterator<Item = &'a str>) -> Subject {
        let mut list: Vec<String> = Vec::new();
        for name in names {
            if !list.iter().any(|known| known == name) {
                list.push(name.to_owned());
            }
        }
        Subject::Jobs { phase, names: list }
    }
}

/// Reads the finding through a [`Map`]. Documents save integers above 2^53 - 1 as strings, which serde's `flatten` would
/// refuse.
impl<'de> Deserialize<'de> for Finding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Finding, D::Error> {
        let mut saved = Map::deserialize(deserializer)?;
        let mut taken = |field| saved.remove(field).map(Exact).ok_or_else(|| D::Error::missing_field(field));
        let subject = Subject::deserialize(taken("subject")?).map_err(D::Error::custom)?;
        let severity = Severity::deserialize(taken("severity")?).map_err(D::Error::custom)?;
        let kind = FindingKind::deserialize(Tagged(saved)).map_err(D::Error::custom)?;
        Ok(Finding { kind, subject, severity })
    }
}

#[cfg(test)]
mod tests;
