//! Advice on findings. Sentences are the same for all dialects, except those that only one dialect's options allow.

use std::borrow::Cow;

use assessment::{
    AdviceOptions, Assessment, Finding, FindingKind, Lack, LateCause, LateIos, Levels, Severity, Study,
    UnintendedTarget,
};
use plan::Dialect;
use units::format::time_ns;
use units::lookalike;

use super::names::line;
use super::suite_advice::{self, Advice};

/// Advice if nothing better is known.
const REPEAT: &str = "repeat the run and compare";

/// Returns what to do about a finding, in the options of the dialect.
pub fn advice(finding: &Finding, dialect: Dialect) -> String {
    let (of_dialect, options) = match dialect {
        Dialect::Fio => (fio::wording::advice(&finding.kind), fio::wording::ADVICE_OPTIONS),
        Dialect::DiskSpd => (diskspd::wording::advice(&finding.kind), diskspd::wording::ADVICE_OPTIONS),
    };
    // The advice on a name has the name.
    line(of_dialect.map_or_else(|| of_run(finding, &options), Cow::into_owned))
}

/// Returns what to do about a finding of some tests of an assessment. The user of a suite has no options of its jobs: the advice
/// has commands of fathom.
pub fn advice_of_tests(finding: &Finding, assessment: &Assessment, tests: &[&str], dialect: Dialect) -> Advice {
    let is_suite = matches!(assessment.study, Study::Suite(_));
    let of_suite = is_suite.then(|| suite_advice::advice(finding, assessment, tests)).flatten();
    let lines = |found: Advice| Advice { text: line(found.text), command: found.command.map(line) };
    of_suite.map_or_else(|| Advice::of_text(advice(finding, dialect)), lines)
}

/// Returns advice on a target in memory. A memory device that the user named is only labelled.
fn in_memory(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => {
            "compare the figures only with those of memory (this is no error, because the device was named)"
        }
        _ => {
            "use a directory, a file or a device on a disk; to measure memory, name the memory device itself, such as /dev/zram1"
        }
    }
}

/// Returns advice on how to set up the run.
fn of_run(finding: &Finding, options: &AdviceOptions) -> String {
    match &finding.kind {
        FindingKind::InMemory => in_memory(finding.severity).to_owned(),
        FindingKind::PageCache(_) | FindingKind::TargetFitsCache { .. } => {
            format!("use {}, or a file several times the size of the memory", options.uncached)
        }
        FindingKind::DirectNotHonoured(_) => format!(
            "the file system accepted {} and caches or compresses: use a device, or another file system",
            options.direct
        ),
        FindingKind::TooShort { lacks: Lack::Measurement, .. } => "use a shorter ramp, or a longer job".to_owned(),
        FindingKind::TooShort { .. } => format!("measure for a minute or more ({})", options.one_minute),
        FindingKind::DepthNotReached { .. } => format!("buffered I/O completes in the call: use {}", options.uncached),
        FindingKind::UnintendedTarget(UnintendedTarget::Typographic { path }) => {
            format!("if the character is not part of the name, write {}", lookalike::in_ascii(path).trim())
        }
        FindingKind::LoadGeneratorLimit(_) | FindingKind::CpuWait(_) => {
            format!("stop other programs, allow more CPUs ({}), or use fewer {}", options.cpus, options.workers)
        }
        FindingKind::SlowHost { .. } => {
            "run the job on this host alone, and compare its disk and settings with another host".to_owned()
        }
        FindingKind::RateMissed(late) | FindingKind::LateArrivals(late) => of_late(late, options),
        FindingKind::StepDown(levels) if levels.token_bucket.is_none() => {
            "measure again without the disturbance (other programs, a busy host): this run does not show why the rate fell".to_owned()
        }
        FindingKind::StepDown(levels) => {
            let rate = levels.last().map_or_else(String::new, |level| levels.unit.show(level.rate));
            format!("plan with {rate}; to measure only that, skip the burst ({})", skip(levels, options))
        }
        FindingKind::StepUp(levels) => {
            let cause = "find the limit at the start (other load, a throttle, a cold cache)";
            format!("{cause}; or skip it ({})", skip(levels, options))
        }
        FindingKind::NotSteady(_) => format!(
            "measure longer ({}), skip the start ({}), or repeat and compare",
            options.measured_time, options.warm_up
        ),
        FindingKind::ShortSteps { needed_ns, .. } => {
            format!("measure each step for {} (--runtime)", time_ns(*needed_ns as f64))
        }
        FindingKind::Unwritten { .. }
        | FindingKind::TargetShort { .. }
        | FindingKind::EndedEarly { .. }
        | FindingKind::SynchronousEngine { .. }
        | FindingKind::RemovedBeforeRead
        | FindingKind::UnintendedTarget(_) => REPEAT.to_owned(),
        kind @ (FindingKind::CachedBelow { .. }
        | FindingKind::Overheated { .. }
        | FindingKind::MediaErrors { .. }
        | FindingKind::WornOut { .. }
        | FindingKind::SlowLink { .. }
        | FindingKind::VolatileWriteCache { .. }
        | FindingKind::PowerSaving { .. }
        | FindingKind::NoIos { .. }
        | FindingKind::DeviceDisagrees(_)
        | FindingKind::OtherLoad(_)
        | FindingKind::Levels(_)
        | FindingKind::Throttled { .. }
        | FindingKind::Interrupted(_)
        | FindingKind::TailDisturbed { .. }
        | FindingKind::GroupIoLimit { .. }
        | FindingKind::NoDirectIo
        | FindingKind::NoSteadyState(_)
        | FindingKind::NoFill(_)
        | FindingKind::NoPrecondition(_)
        | FindingKind::NoInitialise(_)
        | FindingKind::NoWarm(_)
        | FindingKind::FewTailIos { .. }) => without_options(kind).to_owned(),
    }
}

fn of_late(late: &LateIos, options: &AdviceOptions) -> String {
    let share = format!("share the rate among more {}", options.workers_of_rate);
    match late.cause {
        LateCause::LoadGenerator => {
            format!("this machine was the limit, not the target: stop other programs, or {share}")
        }
        LateCause::QueueFull { waited_for_cpu, has_response_time } => {
            let first = if waited_for_cpu { "free CPUs for the threads (stop other programs), then " } else { "" };
            let latency = if has_response_time { "only response_ns in the JSON report" } else { "no latency" };
            format!("{first}use {}, or a lower rate; {latency} includes the wait", options.deeper_queue)
        }
        LateCause::SlowSubmission => format!("the queue had room: {share}, or stop other programs"),
    }
}

/// Skips all levels but the last one.
fn skip(levels: &Levels, options: &AdviceOptions) -> String {
    (options.warm_up_of_s)(levels.last_from_s().ceil() as u64 + 1)
}

/// Returns advice that names no option of a dialect.
fn without_options(kind: &FindingKind) -> &'static str {
    match kind {
        FindingKind::CachedBelow { .. } => {
            "set the loop device up with direct I/O (losetup --direct-io=on), or use the disk below it"
        }
        FindingKind::Overheated { .. } => {
            "cool the disk better, or plan with the rate at this temperature; let it cool down before the next run"
        }
        FindingKind::MediaErrors { .. } => "copy its data to another disk, and replace the disk if errors go on",
        FindingKind::WornOut { .. } => "replace the disk; a new one of this model can have other figures",
        FindingKind::SlowLink { .. } => "use a slot with this speed and width, or look at the settings of the firmware",
        FindingKind::VolatileWriteCache { is_flushed: true, .. } => {
            "the figures are valid for this disk; a disk with power loss protection does not need this time"
        }
        FindingKind::VolatileWriteCache { is_flushed: false, .. } => {
            "write \"write back\" to queue/write_cache of the disk in sysfs, or disable the cache of the disk; then measure again"
        }
        FindingKind::PowerSaving { .. } => {
            "measure with a rate that leaves no such pauses, or disable the power states (nvme_core.default_ps_max_latency_us=0)"
        }
        FindingKind::NoIos { .. } => "compare offset, size and block size of the job with the size of its target",
        FindingKind::DeviceDisagrees(_) => "look for a cache or compression between the job and the device",
        FindingKind::OtherLoad(_) => "find the program (iotop, pidstat -d), stop it, and measure again",
        FindingKind::Levels(_) => {
            "find the cause (other load, garbage collection of the device, refilled burst credits) and measure again; \
             or plan with \
             the lowest level"
        }
        FindingKind::Throttled { .. } => {
            "compare the rate with the limits of the disk and the machine; a deeper queue only adds latency"
        }
        FindingKind::Interrupted(_) => "repeat the run without stops, suspension and migration of the machine",
        FindingKind::TailDisturbed { .. } => {
            "remove the cause (another program, a limit, too few CPUs), and measure again"
        }
        FindingKind::GroupIoLimit { .. } => {
            "to measure the disk, raise the limit (io.max, blkio.throttle), or run outside of the group"
        }
        FindingKind::NoDirectIo => "assess a directory on a disk whose file system has direct I/O",
        FindingKind::NoSteadyState(_) => "allow more rounds, or look for other load on the device",
        FindingKind::NoFill(_)
        | FindingKind::NoPrecondition(_)
        | FindingKind::NoInitialise(_)
        | FindingKind::NoWarm(_) => "remove --no-prepare; to fill a target that exists, --overwrite destroys its data",
        FindingKind::FewTailIos { .. } => "measure each step for longer (--runtime)",
        _ => REPEAT,
    }
}
