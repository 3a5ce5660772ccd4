//! Findings in words.

use assessment::{
    BucketProduct, DeviceBytes, Finding, FindingKind, Lack, LateIos, Levels, LimitReason, LoadGenerator, Moved,
    NoIosCause, PageCache, RateUnit, Severity, Subject, TokenBucket, UnintendedTarget, Unsteady,
};
use plan::Ddir;
use record::{Interruption, InterruptionCause, TimePart};
use units::format::{bandwidth, grouped, iops, percent, size, time_ns};
use units::lookalike;

use super::disk_health::disk_health;
use super::load_generator::load_generator_reason;
use super::names::{line, names};
use super::preparation::preparation_detail;
use super::steady::steady_state;
use crate::explanation;

/// Levels shown of a rate that changed often.
const LEVELS_SHOWN: usize = 4;

/// Returns the part of the run that a finding is about; `None` for the whole run.
pub fn subject(subject: &Subject) -> Option<String> {
    match subject {
        Subject::Run => None,
        Subject::Jobs { names: jobs, .. } => Some(names(jobs)),
        Subject::TimeSpan(number) => Some(format!("time span {number}")),
        Subject::Threads => Some("all threads".to_owned()),
        Subject::Targets(paths) => Some(names(paths)),
        Subject::Settings(settings) => Some(line(settings.join(" "))),
        Subject::Host { name, part } => {
            let host = names(std::slice::from_ref(name));
            Some(self::subject(part).map_or_else(|| host.clone(), |part| format!("{host}, {part}")))
        }
    }
}

/// Returns the whole message: subject, headline and figures.
pub fn message(finding: &Finding) -> String {
    let subject = subject(&finding.subject).map(|subject| format!("{subject}: ")).unwrap_or_default();
    subject + &what(finding)
}

/// Returns the message without the subject.
pub fn what(finding: &Finding) -> String {
    match figures(finding) {
        none if none.is_empty() => headline(finding),
        figures => format!("{}: {figures}", headline(finding)),
    }
}

/// Returns what happened. Findings of one kind and severity have the same headline, whatever their figures.
pub fn headline(finding: &Finding) -> String {
    line(what_happened(finding))
}

fn what_happened(finding: &Finding) -> String {
    let text = match &finding.kind {
        FindingKind::InMemory => in_memory(finding.severity),
        FindingKind::CachedBelow { .. } => "the loop device under the target uses the page cache",
        FindingKind::PageCache(cache) => page_cache(cache, finding.severity),
        FindingKind::TargetFitsCache { .. } => "the target fits into the page cache and was accessed more than once",
        FindingKind::Unwritten { .. } => "reads of unwritten blocks did not access the disk",
        FindingKind::DirectNotHonoured(_) => "direct I/O was requested but not done: the figures describe memory",
        FindingKind::DeviceDisagrees(_) => "some direct I/Os did not reach the device",
        FindingKind::OtherLoad(_) => match finding.severity {
            Severity::Info => "the devices counted more bytes than requested: another program or the file system",
            _ => "another program used the device at the same time",
        },
        FindingKind::TargetShort { .. } => "the target ends before the requested range",
        FindingKind::EndedEarly { .. } => "the job ended by size before its runtime",
        FindingKind::Interrupted(_) => "fathom itself was interrupted: part of the measured time is not of the target",
        FindingKind::TooShort { lacks, .. } => too_short(*lacks),
        FindingKind::DepthNotReached { .. } => "the queue depth was not reached",
        FindingKind::SynchronousEngine { .. } => {
            "the queue depth has no effect: the engine completes each I/O before it starts the next"
        }
        FindingKind::NoIos { .. } => "the job did no I/O",
        FindingKind::RemovedBeforeRead => "the files are removed after each loop, and the next loop reads them",
        FindingKind::UnintendedTarget(target) => unintended_target(target),
        FindingKind::LoadGeneratorLimit(generator) if generator.reason == LimitReason::WaitedForCpu => {
            "this machine was the limit, not the target: threads waited for a CPU"
        }
        FindingKind::LoadGeneratorLimit(_) => "the load generator's CPU time was the limit, not the target",
        FindingKind::CpuWait(_) => "threads waited for a CPU: latencies include the wait",
        FindingKind::SlowHost { .. } => "this host has less than half of the bandwidth of the others",
        FindingKind::RateMissed(_) => "the requested rate was not met",
        FindingKind::LateArrivals(_) => "I/Os were submitted later than requested",
        FindingKind::TailDisturbed { .. } => {
            "the slowest I/Os waited for something other than the disk: high percentiles include these waits"
        }
        FindingKind::GroupIoLimit { .. } => "an I/O limit of the control group held back the slowest I/Os",
        FindingKind::StepDown(_) => "performance dropped during the run",
        FindingKind::StepUp(_) => "performance rose during the run",
        FindingKind::Levels(_) => "performance switched between levels: the average describes none of them",
        FindingKind::Throttled { .. } => "a throttle sets the rate: it passes I/Os in batches",
        FindingKind::NotSteady(Unsteady::Drift { .. }) => "not steady: the rate drifted over the run",
        FindingKind::NotSteady(Unsteady::Scatter { .. }) => "not steady: the rate varied widely",
        FindingKind::Overheated { .. } => "the disk slowed itself down because of its temperature",
        FindingKind::MediaErrors { .. } => "the disk counted new errors of its media during the run",
        FindingKind::WornOut { .. } => "the disk is worn out or failing, by its own log",
        FindingKind::SlowLink { .. } => "the PCIe link of the disk is below what the disk supports",
        FindingKind::VolatileWriteCache { is_flushed: true, .. } => {
            "each sync includes the time to write the cached data to the media"
        }
        FindingKind::VolatileWriteCache { is_flushed: false, .. } => {
            "syncs do not empty the volatile write cache of the disk: the kernel sends no flushes"
        }
        FindingKind::PowerSaving { .. } => {
            "the disk enters a power-saving state between I/Os: latencies include the exit latency"
        }
        FindingKind::NoDirectIo => "the file system has no direct I/O: the figures describe the page cache",
        FindingKind::NoSteadyState(_) => "the rounds reached no steady state: the device was still changing",
        FindingKind::NoFill(_) => "the target was not filled: reads of unwritten blocks do not access the disk",
        FindingKind::NoPrecondition(_) => "preconditioning reached no steady state: the figures may still change",
        FindingKind::NoInitialise(_) => {
            "the volume was not initialised: the first read of each block of a snapshot is slow"
        }
        FindingKind::NoWarm(_) => "the cache was not warm: some I/Os went to the disk",
        FindingKind::ShortSteps { .. } => "a rate slightly above the sustained one may also pass",
        FindingKind::FewTailIos { percent, .. } => {
            return format!("too few I/Os above p{percent} for a reliable value");
        }
    };
    text.to_owned()
}

fn in_memory(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "the target is a memory device: the figures are those of memory",
        Severity::Warning | Severity::Invalid => "the target is a file in memory, not on a disk",
    }
}

fn page_cache(cache: &PageCache, severity: Severity) -> &'static str {
    let direction = match cache {
        PageCache::FitsMemory { .. } => return "the target fits into the page cache: the figures describe memory",
        PageCache::Counted(bytes) => bytes.direction,
    };
    match (direction, severity) {
        (Ddir::Read, Severity::Invalid) => "most reads came from the page cache, not from the disk",
        (Ddir::Read, _) => "some reads came from the page cache",
        (_, Severity::Invalid) => "most writes ended in the page cache, not on the disk",
        _ => "some writes ended in the page cache",
    }
}

fn too_short(lacks: Lack) -> &'static str {
    match lacks {
        Lack::Time => "the run is too short to show a steady state, a burst or a throttle",
        Lack::Ios => "too few I/Os for percentiles above p99",
        Lack::Measurement => "the job ended within its ramp: its figures are those of the ramp",
    }
}

fn unintended_target(target: &UnintendedTarget) -> &'static str {
    match target {
        UnintendedTarget::Split { .. } => "the path was split at its colons into several targets",
        UnintendedTarget::Joined { .. } => "the list of paths with commas is one target",
        UnintendedTarget::Typographic { .. } => "the name of the target starts or ends with a typographic character",
    }
}

/// Returns the numbers that show a finding; empty if there are none.
pub fn figures(finding: &Finding) -> String {
    line(numbers(finding))
}

fn numbers(finding: &Finding) -> String {
    match &finding.kind {
        FindingKind::InMemory | FindingKind::RemovedBeforeRead => String::new(),
        FindingKind::CachedBelow { devices } => names(devices),
        FindingKind::PageCache(PageCache::Counted(bytes))
        | FindingKind::DirectNotHonoured(bytes)
        | FindingKind::DeviceDisagrees(bytes) => device_bytes(bytes),
        FindingKind::PageCache(PageCache::FitsMemory { used_bytes, memory_bytes, counted }) => {
            let counted = counted.map(counted_by_disks).unwrap_or_default();
            format!("{} used, {} of memory{counted}", size(*used_bytes), size(*memory_bytes))
        }
        FindingKind::TargetFitsCache { size_bytes, memory_bytes, moved_bytes } => {
            format!("{} target, {} of memory, {} of I/O", size(*size_bytes), size(*memory_bytes), size(*moved_bytes))
        }
        FindingKind::Unwritten { unwritten_bytes, size_bytes } => {
            let of = size_bytes.map(|bytes| format!(" of {}", size(bytes))).unwrap_or_default();
            format!("{}{of} unwritten before the run", size(*unwritten_bytes))
        }
        FindingKind::OtherLoad(directions) => directions.iter().map(device_bytes).collect::<Vec<_>>().join(", "),
        FindingKind::TargetShort { size_bytes, end_bytes } => {
            format!("{} target, range up to {}", size(*size_bytes), size(*end_bytes))
        }
        FindingKind::EndedEarly { runtime_s, ran_s, moved_bytes, jobs } => {
            let first = if *jobs > 1 { format!(" (the first of {jobs} jobs)") } else { String::new() };
            format!("after {} of {}, with {}{first}", seconds(*ran_s), seconds(*runtime_s), size(*moved_bytes))
        }
        FindingKind::Interrupted(all) => all.iter().map(interruption).collect::<Vec<_>>().join("; "),
        FindingKind::TooShort { measured_s, ios, .. } => measured(*measured_s, *ios),
        FindingKind::DepthNotReached { depth, mean_in_flight, workers, of_workers, .. } => {
            let who = in_threads(*workers, *of_workers);
            format!("mean of {mean_in_flight:.1} I/Os in flight of {depth}{who}")
        }
        FindingKind::LoadGeneratorLimit(generator) => load_generator_reason(generator),
        FindingKind::CpuWait(generator) => waited(generator),
        FindingKind::SlowHost { bytes_per_s: own, others_bytes_per_s, others } => {
            slow_host(*own, *others_bytes_per_s, *others)
        }
        FindingKind::RateMissed(late) | FindingKind::LateArrivals(late) => late_ios(late),
        FindingKind::GroupIoLimit { direction, ios, from_ns, time_share } => {
            held(*direction, *ios, *from_ns, *time_share)
        }
        FindingKind::TailDisturbed { direction, ios, from_ns, parts } => tail(*direction, *ios, *from_ns, parts),
        FindingKind::StepDown(levels) | FindingKind::StepUp(levels) | FindingKind::Levels(levels) => of_levels(levels),
        kind @ (FindingKind::Overheated { .. }
        | FindingKind::MediaErrors { .. }
        | FindingKind::WornOut { .. }
        | FindingKind::SlowLink { .. }
        | FindingKind::VolatileWriteCache { .. }
        | FindingKind::PowerSaving { .. }) => disk_health(kind).unwrap_or_default(),
        FindingKind::NoDirectIo => "opening a file with O_DIRECT failed".to_owned(),
        FindingKind::NoSteadyState(state) => steady_state(state),
        FindingKind::NoFill(detail)
        | FindingKind::NoPrecondition(detail)
        | FindingKind::NoInitialise(detail)
        | FindingKind::NoWarm(detail) => preparation_detail(detail, None),
        FindingKind::ShortSteps { percent, bound_ns, step_ns, .. } => {
            let [bound, step] = [*bound_ns, *step_ns].map(|ns| time_ns(ns as f64));
            format!("each step is measured for {step}, p{percent} may be {bound}")
        }
        FindingKind::FewTailIos { ios_beyond, .. } => format!("a step has {} I/Os beyond it", grouped(*ios_beyond)),
        FindingKind::NotSteady(unsteady) => not_steady(unsteady),
        FindingKind::Throttled { direction, iops: rate, passed_share, passed_ns, held_share, held_ns } => {
            let took = throttled(*direction, (*passed_share, *passed_ns), (*held_share, *held_ns));
            format!("{took}, few between; constant rate of {}", iops(*rate))
        }
        FindingKind::SynchronousEngine { depth, engine } => format!("depth {depth}, engine {engine}"),
        FindingKind::NoIos { cause, jobs } => no_ios(*cause, *jobs),
        FindingKind::UnintendedTarget(target) => typographic(target),
    }
}

fn tail(direction: Ddir, ios: u64, from_ns: u64, parts: &[TimePart]) -> String {
    let parts: Vec<String> = explanation::joined(parts).iter().map(explanation::shown).collect();
    format!("{}: {}", slowest(direction, ios, from_ns), parts.join("; "))
}

fn waited(generator: &LoadGenerator) -> String {
    format!("{} of the time", percent(generator.cpu_wait_percent.unwrap_or(0.0) / 100.0))
}

fn measured(time_s: f64, ios: u64) -> String {
    format!("{} measured, {} I/Os", seconds(time_s), grouped(ios as f64))
}

fn held(direction: Ddir, ios: u64, from_ns: u64, time_share: f64) -> String {
    format!("{}: {} of their time", slowest(direction, ios, from_ns), percent(time_share))
}

fn slowest(direction: Ddir, ios: u64, from_ns: u64) -> String {
    let which = format!("{} slowest {}", grouped(ios as f64), explanation::ios_of(direction));
    format!("the {which} (from {})", time_ns(from_ns as f64))
}

fn slow_host(bytes_per_s: f64, others_bytes_per_s: f64, others: u64) -> String {
    let what = if others == 1 { "the other host:" } else { "median of the other hosts:" };
    format!("{}, {what} {}", bandwidth(bytes_per_s), bandwidth(others_bytes_per_s))
}

fn in_threads(some: u64, all: u64) -> String {
    if all == 1 { String::new() } else { format!(", in {some} of {all} threads") }
}

/// Returns the two shares of the I/Os, with their latency in ns.
fn throttled(direction: Ddir, passed: (f64, u64), held: (f64, u64)) -> String {
    let [passed, held] = [passed, held].map(|(share, ns)| (percent(share), time_ns(ns as f64)));
    format!("{} of {}s took about {}, {} about {}", passed.0, direction.name(), passed.1, held.0, held.1)
}

fn counted_by_disks(counted: Moved) -> String {
    format!("; {} of I/O, {} counted by the disks", size(counted.run_bytes), size(counted.device_bytes))
}

fn typographic(target: &UnintendedTarget) -> String {
    match target {
        UnintendedTarget::Typographic { path } => lookalike::first(path).map(lookalike::described).unwrap_or_default(),
        UnintendedTarget::Split { .. } | UnintendedTarget::Joined { .. } => String::new(),
    }
}

fn no_ios(cause: NoIosCause, jobs: u64) -> String {
    let cause = match cause {
        NoIosCause::Offset { offset_bytes, size_bytes } => {
            let of = size_bytes.map(|bytes| format!(", the target has {}", size(bytes))).unwrap_or_default();
            format!("the I/O starts at {}{of}", size(offset_bytes))
        }
        NoIosCause::Zones => "the zones of the I/O may lie beyond the end of the target".to_owned(),
        NoIosCause::Rate { bytes_per_s, block_bytes } => {
            let first_s = block_bytes as f64 / bytes_per_s;
            let rate = size(bytes_per_s as u64);
            format!("at {rate}/s, a block of {} is due after {}", size(block_bytes), seconds(first_s))
        }
        NoIosCause::Unknown => String::new(),
    };
    match jobs {
        0 | 1 => cause,
        _ if cause.is_empty() => format!("{jobs} jobs"),
        _ => format!("{cause} (the first of {jobs} jobs)"),
    }
}

fn not_steady(unsteady: &Unsteady) -> String {
    match unsteady {
        Unsteady::Drift { change_share, median_iops } => {
            let way = if *change_share > 0.0 { "faster" } else { "slower" };
            format!("{} {way} from start to end, median {}", percent(change_share.abs()), iops(*median_iops))
        }
        Unsteady::Scatter { interval_s, p10_iops, p90_iops, median_iops } => format!(
            "p10 {}, median {}, p90 {} in intervals of {}",
            grouped(*p10_iops),
            grouped(*median_iops),
            iops(*p90_iops),
            seconds(*interval_s)
        ),
    }
}

fn device_bytes(bytes: &DeviceBytes) -> String {
    let verb = if bytes.direction == Ddir::Read { "read" } else { "written" };
    let devices = names(&bytes.devices);
    format!("{} {verb}, {} counted by {devices}", size(bytes.requested_bytes), size(bytes.device_bytes))
}

fn late_ios(late: &LateIos) -> String {
    let count = |count: u64| grouped(count as f64);
    let share = |count: u64| percent(count as f64 / late.due.max(1) as f64);
    let mut parts = Vec::new();
    if late.unissued > 0 && late.runtime_s > 0.0 {
        let per_s = |count: u64| grouped(count as f64 / late.runtime_s);
        parts.push(format!(
            "{} of {}",
            per_s(late.due.saturating_sub(late.unissued)),
            iops(late.due as f64 / late.runtime_s)
        ));
    }
    if late.unissued > 0 {
        parts.push(format!(
            "{} of {} I/Os ({}) not submitted",
            count(late.unissued),
            count(late.due),
            share(late.unissued)
        ));
    }
    if late.late > 0 {
        let queue = match late.queue_full {
            0 => "with room in the queue".to_owned(),
            all if all >= late.late => "with the queue full".to_owned(),
            some => format!("{} with the queue full", count(some)),
        };
        let late_after = format!("more than {} ms late", late.late_after_ms);
        parts.push(format!("{} of {} ({}) {late_after}, {queue}", count(late.late), count(late.due), share(late.late)));
    }
    parts.join("; ")
}

fn of_levels(levels: &Levels) -> String {
    let rate = |rate: f64| levels.unit.show(rate);
    let all = &levels.levels;
    let Some((last, before)) = all.split_last() else { return String::new() };
    let mut parts: Vec<String> = Vec::new();
    for level in before.iter().take(LEVELS_SHOWN) {
        parts.push(format!("{} until {}", rate(level.rate), seconds(level.until_s.unwrap_or(0.0))));
    }
    if before.len() > LEVELS_SHOWN {
        parts.push(format!("{} more levels", before.len() - LEVELS_SHOWN));
    }
    let change = match all.first() {
        Some(first) if all.len() == 2 => format!(" ({})", change(first.rate, last.rate)),
        _ => String::new(),
    };
    let bucket = levels.token_bucket.map(|bucket| token_bucket(&bucket, levels.unit)).unwrap_or_default();
    format!("{}, then {}{change}{bucket}", parts.join(", "), rate(last.rate))
}

fn change(from: f64, to: f64) -> String {
    match to / from {
        ratio if !ratio.is_finite() => "from a standstill".to_owned(),
        ratio @ 2.0.. => format!("{} times", grouped(ratio)),
        ratio @ 1.0.. => format!("+{}", units::format::ratio(ratio - 1.0, 1.0)),
        ratio => format!("-{}", units::format::ratio(1.0 - ratio, 1.0)),
    }
}

fn token_bucket(bucket: &TokenBucket, unit: RateUnit) -> String {
    let held = match unit {
        RateUnit::Iops => format!("{} I/Os", grouped(bucket.held.round())),
        RateUnit::BytesPerS => size(bucket.held as u64),
    };
    let product = match bucket.product {
        Some(BucketProduct::AwsGp2) => ", as AWS gp2 has",
        Some(BucketProduct::AzureBurst) => ", as Azure's 30 minutes of burst credits",
        None => "",
    };
    let refill = bucket.refill_s.map(|refill_s| format!("; idle, it is full again after {}", seconds(refill_s)));
    format!("; matches a token bucket of {held}{product}{}", refill.unwrap_or_default())
}

fn seconds(seconds: f64) -> String {
    time_ns(seconds * 1e9)
}

fn interruption(interruption: &Interruption) -> String {
    let cause = match interruption.cause {
        InterruptionCause::Stopped => "stopped (a signal, a debugger or a pause of the virtual machine)",
        InterruptionCause::Suspended => "suspended with the system",
    };
    let [from_s, length_s] = [interruption.from_ns, interruption.length_ns].map(|ns| ns as f64 / 1e9);
    format!("{cause} for {} from {} on", seconds(length_s), seconds(from_s))
}
