//! What a kind of finding means for figures and verdicts.

use assessment::{FindingKind, PageCache};

/// A consequence of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The figures are those of memory.
    OfMemory,
    /// The target can have a higher rate.
    LowersRate,
    /// The target can have a lower latency.
    RaisesLatency,
    /// A part of the measured time is missing.
    Unfinished,
    /// The test is not continued with more runs.
    EndsTest,
    /// The rate changed over time.
    OverTime,
    /// I/Os missed their intended start.
    Late,
}

/// Returns true if findings of this kind have this consequence.
pub fn means(kind: &FindingKind, meaning: Meaning) -> bool {
    meanings(kind).contains(&meaning)
}

fn meanings(kind: &FindingKind) -> &'static [Meaning] {
    use Meaning::{EndsTest, Late, LowersRate, OfMemory, OverTime, RaisesLatency, Unfinished};
    match kind {
        FindingKind::InMemory | FindingKind::CachedBelow { .. } | FindingKind::NoDirectIo => &[OfMemory],
        FindingKind::OtherLoad(_) | FindingKind::LoadGeneratorLimit(_) => &[LowersRate, RaisesLatency, EndsTest],
        FindingKind::EndedEarly { .. } | FindingKind::Interrupted(_) => &[LowersRate, Unfinished, EndsTest],
        FindingKind::DepthNotReached { .. } => &[LowersRate],
        FindingKind::TailDisturbed { .. } => &[RaisesLatency],
        FindingKind::StepUp(_) => &[LowersRate, RaisesLatency, OverTime],
        FindingKind::StepDown(_)
        | FindingKind::Levels(_)
        | FindingKind::Throttled { .. }
        | FindingKind::NotSteady(_) => &[OverTime],
        FindingKind::RateMissed(_) | FindingKind::LateArrivals(_) => &[Late],
        // `Confounders::not_of_target` bounds the figures by the share of the I/Os that the target did.
        FindingKind::PageCache(PageCache::Counted(_))
        | FindingKind::DeviceDisagrees(_)
        | FindingKind::Unwritten { .. } => &[],
        // These are the disk as it is installed: a limit that it does not meet is not met.
        FindingKind::GroupIoLimit { .. }
        | FindingKind::Overheated { .. }
        | FindingKind::MediaErrors { .. }
        | FindingKind::WornOut { .. }
        | FindingKind::SlowLink { .. }
        | FindingKind::VolatileWriteCache { .. }
        | FindingKind::PowerSaving { .. } => &[],
        // What disturbs a run is a cause in `disturbance::cause_of`.
        FindingKind::CpuWait(_) => &[],
        FindingKind::PageCache(PageCache::FitsMemory { .. })
        | FindingKind::TargetFitsCache { .. }
        | FindingKind::DirectNotHonoured(_)
        | FindingKind::TargetShort { .. }
        | FindingKind::TooShort { .. }
        | FindingKind::SynchronousEngine { .. }
        | FindingKind::NoIos { .. }
        | FindingKind::RemovedBeforeRead
        | FindingKind::UnintendedTarget(_)
        | FindingKind::SlowHost { .. }
        | FindingKind::NoSteadyState(_)
        | FindingKind::NoFill(_)
        | FindingKind::NoPrecondition(_)
        | FindingKind::NoInitialise(_)
        | FindingKind::NoWarm(_)
        | FindingKind::ShortSteps { .. }
        | FindingKind::FewTailIos { .. } => &[],
    }
}
