//! The explanation of the slowest I/Os of a run, as sentences.

use plan::Ddir;
use record::{Explanation, IoLayer, SlowCause, SlowIos, TimePart, TraceCost};
use units::format::{grouped, percent, time_ns};

/// Smaller shares are left out.
const SHARE_MIN: f64 = 0.005;
/// More lost events make the explanation inconclusive.
const LOST_SHARE_MAX: f64 = 0.001;
/// The slowest I/Os are one in this number, unless there are few.
const ONE_IN: u64 = 1000;

/// Returns the sentences: one per direction, and one on the trace.
pub fn lines(explanation: &Explanation) -> Vec<String> {
    let trace = &explanation.trace;
    let mut lines: Vec<String> = explanation.directions.iter().map(direction).collect();
    if lines.is_empty() {
        lines.push("slow I/Os are not explained: no I/O of the run is in the time of the trace".to_owned());
    }
    lines.push(cost(trace));
    lines.extend(losses(trace));
    lines
}

fn direction(slow: &SlowIos) -> String {
    let mut parts: Vec<(String, f64)> = Vec::new();
    for part in &slow.parts {
        let text = text(part);
        match parts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, share)) => *share += part.time_share,
            None => parts.push((text, part.time_share)),
        }
    }
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let period = slow.period_s.map(|seconds| format!(", in bursts every {}", time_ns(seconds * 1e9)));
    let named = parts.iter().enumerate().filter(|(_, (_, share))| *share >= SHARE_MIN).map(|(at, (text, share))| {
        let period = period.as_deref().filter(|_| at == 0).unwrap_or_default();
        format!("{} {text}{period}", percent((share * 100.0).round() / 100.0))
    });
    let changed = match (slow.merged, slow.split) {
        (0, 0) => String::new(),
        (merged, 0) => format!("; {} merged with others", grouped(merged as f64)),
        (0, split) => format!("; {} split", grouped(split as f64)),
        (merged, split) => format!("; {} merged with others, {} split", grouped(merged as f64), grouped(split as f64)),
    };
    format!("{}: {}{changed}.", subject(slow), named.collect::<Vec<_>>().join("; "))
}

/// Returns which I/Os are meant.
fn subject(slow: &SlowIos) -> String {
    let from = time_ns(slow.from_ns as f64);
    let name = match slow.ddir {
        Ddir::Read => "reads",
        Ddir::Write => "writes",
        Ddir::Trim => "trims",
    };
    let ios = grouped(slow.ios as f64);
    match slow.ios >= slow.all_ios / ONE_IN && slow.ios <= slow.all_ios.div_ceil(ONE_IN) {
        true => format!("The slowest 0.1 % of {name} ({ios}, from {from})"),
        false => format!("The {ios} slowest of {} {name} (from {from})", grouped(slow.all_ios as f64)),
    }
}

fn text(part: &TimePart) -> String {
    let of = |what: &str, program: &units::untrusted::UntrustedText| match program.is_empty() {
        true => format!("behind {what} of this run"),
        false => format!("behind {what} of {program}"),
    };
    match &part.cause {
        Some(SlowCause::Flush { program }) => of("flushes", program),
        Some(SlowCause::Discard { program }) => of("discards", program),
        Some(SlowCause::OtherProgram { program }) => of("I/Os", program),
        Some(SlowCause::Writeback) => "behind writeback of the page cache".to_owned(),
        Some(SlowCause::CpuWait) => "waiting for a CPU".to_owned(),
        Some(SlowCause::CpuQuota) => "waiting for the CPU quota of the control group".to_owned(),
        Some(SlowCause::StolenCpu) => "while the hypervisor ran something else".to_owned(),
        Some(SlowCause::Stopped) => "while the process was stopped".to_owned(),
        Some(SlowCause::MemoryReclaim) => "during memory reclaim".to_owned(),
        Some(SlowCause::IoLimit) => "held back by an I/O limit of the control group".to_owned(),
        None => layer(part.layer).to_owned(),
    }
}

fn layer(layer: IoLayer) -> &'static str {
    match layer {
        IoLayer::Submission => "before the block layer (cause unknown)",
        IoLayer::Queue => "in the queue of the block layer",
        IoLayer::Device => "in the device",
        IoLayer::Reaping => "from completion to reaping (cause unknown)",
        IoLayer::NotTraced => "not found in the trace",
    }
}

fn cost(trace: &TraceCost) -> String {
    let disks: Vec<String> = trace.disks.iter().map(ToString::to_string).collect();
    let (events, lost) = (grouped(trace.events as f64), grouped(trace.lost_events as f64));
    let used = trace.cpu_ns as f64 / trace.duration_ns.max(1) as f64;
    let windows = match trace.traced_ns as f64 / trace.duration_ns.max(1) as f64 {
        share if share < 0.99 => format!(", in windows of {} of the time", percent(share)),
        _ => String::new(),
    };
    format!("trace of {}: {events} events, {lost} lost; it took {} of a CPU{windows}", disks.join(", "), percent(used))
}

/// Returns what lost events mean; `None` without any.
fn losses(trace: &TraceCost) -> Option<String> {
    let lost_share = trace.lost_events as f64 / trace.events.saturating_add(trace.lost_events).max(1) as f64;
    match trace.lost_events {
        0 => None,
        _ if lost_share > LOST_SHARE_MAX => {
            Some(format!("INCONCLUSIVE: {} of the events were lost: the trace buffer was full", percent(lost_share)))
        }
        _ => Some("events were lost: the explanation may be wrong".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(layer: IoLayer, cause: Option<SlowCause>, time_share: f64) -> TimePart {
        TimePart { layer, cause, time_share, ios: 1 }
    }

    fn explanation(all_ios: u64, lost_events: u64) -> Explanation {
        let flush = SlowCause::Flush { program: "jbd2/vda-8".into() };
        let slow = SlowIos {
            ddir: Ddir::Read,
            all_ios,
            ios: 52,
            from_ns: 12_000_000,
            parts: vec![
                part(IoLayer::Device, None, 0.71),
                part(IoLayer::Device, Some(flush.clone()), 0.1),
                part(IoLayer::Queue, Some(flush), 0.08),
                part(IoLayer::Reaping, Some(SlowCause::CpuWait), 0.109),
                part(IoLayer::Queue, None, 0.001),
            ],
            period_s: Some(5.0),
            merged: 0,
            split: 0,
            samples: Vec::new(),
        };
        let disks = vec!["vda".into()];
        let trace = TraceCost { disks, duration_ns: 1000, traced_ns: 1000, events: 9000, lost_events, cpu_ns: 15 };
        Explanation { trace, directions: vec![slow] }
    }

    #[test]
    fn shares_are_one_sentence() {
        assert_eq!(
            lines(&explanation(52_321, 0)),
            [
                "The slowest 0.1 % of reads (52, from 12 ms): 71 % in the device, in bursts every 5 s; \
                 18 % behind flushes of jbd2/vda-8; 11 % waiting for a CPU.",
                "trace of vda: 9,000 events, 0 lost; it took 1.5 % of a CPU",
            ]
        );
        assert!(lines(&explanation(600, 0))[0].starts_with("The 52 slowest of 600 reads (from 12 ms): "));
    }

    #[test]
    fn lost_events_are_told() {
        assert_eq!(lines(&explanation(52_321, 3))[2], "events were lost: the explanation may be wrong");
        assert!(lines(&explanation(52_321, 1000))[2].starts_with("INCONCLUSIVE: 10 % of the events were lost"));
    }
}
