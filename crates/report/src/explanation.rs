//! The explanation of the slowest I/Os of a run, as sentences.

use assessment::{Assessment, Test};
use plan::Ddir;
use record::{Explanation, IoLayer, SlowCause, SlowIos, TimePart, TraceCost};
use units::format::{grouped, percent, time_ns};
use units::untrusted::UntrustedText;

/// Smaller shares are left out.
const SHARE_MIN: f64 = 0.005;
/// From this share of the time on, the layers of slow I/Os are not known.
const UNTRACED_MAX: f64 = 0.5;
/// The slowest I/Os are one in this number, unless there are few.
const ONE_IN: u64 = 1000;

/// Returns the sentences: one per direction, and one on the trace.
pub fn lines(explanation: &Explanation) -> Vec<String> {
    let trace = &explanation.trace;
    let traced_share = trace.windows_share();
    let mut lines: Vec<String> = explanation.directions.iter().map(|slow| direction(slow, traced_share)).collect();
    if lines.is_empty() {
        lines.push("slow I/Os are not explained: no I/O of the run is in the time of the trace".to_owned());
    }
    lines.push(cost(trace));
    lines.extend(losses(trace));
    lines
}

fn direction(slow: &SlowIos, traced_share: Option<f64>) -> String {
    let parts = joined(&slow.parts);
    let period = slow.period_s.map(|seconds| format!(", in bursts every {}", time_ns(seconds * 1e9)));
    let mut named: Vec<String> = parts.iter().map(shown).collect();
    named.iter_mut().take(1).for_each(|first| first.extend(period.as_deref()));
    let changed = match (slow.merged, slow.split) {
        (0, 0) => String::new(),
        (merged, 0) => format!("; {} merged with others", grouped(merged as f64)),
        (0, split) => format!("; {} split", grouped(split as f64)),
        (merged, split) => format!("; {} merged with others, {} split", grouped(merged as f64), grouped(split as f64)),
    };
    format!("{}: {}{changed}.", subject(slow, traced_share), named.join("; "))
}

/// Returns the texts and the shares of parts, the largest first. Parts with the same text are one.
pub(crate) fn joined(parts: &[TimePart]) -> Vec<(String, f64)> {
    let mut joined: Vec<(String, f64)> = Vec::new();
    for part in parts {
        let text = text(part);
        match joined.iter_mut().find(|(known, _)| *known == text) {
            Some((_, share)) => *share += part.time_share,
            None => joined.push((text, part.time_share)),
        }
    }
    joined.retain(|(_, share)| *share >= SHARE_MIN);
    joined.sort_by(|a, b| b.1.total_cmp(&a.1));
    joined
}

/// Formats a part: `18 % behind flushes of jbd2/vda-8`.
pub(crate) fn shown((text, share): &(String, f64)) -> String {
    format!("{} {text}", percent((share * 100.0).round() / 100.0))
}

/// Returns the name of the I/Os of a direction.
pub(crate) fn ios_of(ddir: Ddir) -> &'static str {
    match ddir {
        Ddir::Read => "reads",
        Ddir::Write => "writes",
        Ddir::Trim => "trims",
    }
}

/// Returns a short sentence on the test whose slowest I/Os have a known cause for the largest share of their time, or on the first one
/// with an explanation: `a: time of the slowest reads: 71 % in the device; 18 % behind flushes of jbd2/vda-8`. Traces that lost too
/// many events are left out, and directions whose I/Os are not in the trace.
pub(crate) fn headline(assessment: &Assessment) -> Option<String> {
    let known = |slow: &SlowIos| -> f64 {
        slow.parts.iter().filter(|part| part.cause.is_some()).map(|part| part.time_share).sum()
    };
    let mut best: Option<(&Test, &SlowIos)> = None;
    for test in &assessment.tests {
        let directions = conclusive(test).flat_map(|run| &run.directions);
        for slow in directions.filter(|slow| untraced(slow) < UNTRACED_MAX) {
            if best.is_none_or(|(_, found)| known(found) < known(slow)) {
                best = Some((test, slow));
            }
        }
    }
    let (test, slow) = best?;
    let parts: Vec<String> = joined(&slow.parts).iter().map(shown).collect();
    Some(format!("{}: time of the slowest {}: {}", test.name, ios_of(slow.ddir), parts.join("; ")))
}

fn untraced(slow: &SlowIos) -> f64 {
    slow.parts.iter().filter(|part| part.layer == IoLayer::NotTraced).map(|part| part.time_share).sum()
}

/// Returns the explanations of a test's runs, without those whose traces lost too many events.
pub(crate) fn conclusive(test: &Test) -> impl DoubleEndedIterator<Item = &Explanation> {
    let all = test.rounds.iter().filter_map(|round| round.record.explanation.as_deref());
    all.filter(|explanation| !explanation.trace.is_inconclusive())
}

/// Returns the sentences of a test whose runs were traced: the last run of each direction, and whether its trace lost events.
pub(crate) fn of_test(test: &Test) -> Vec<String> {
    let of_direction = |ddir: Ddir| {
        let runs = test.rounds.iter().rev().filter_map(|round| round.record.explanation.as_ref());
        let mut found = runs.filter_map(|run| Some((run, run.directions.iter().find(|slow| slow.ddir == ddir)?)));
        found.next().map(|(run, slow)| {
            let sentence = direction(slow, run.trace.windows_share());
            match losses(&run.trace) {
                None => sentence,
                Some(losses) => format!("{sentence} {losses}."),
            }
        })
    };
    Ddir::ALL.into_iter().filter_map(of_direction).collect()
}

/// Returns which I/Os are meant. `traced_share`: in windows of this share of the time.
fn subject(slow: &SlowIos, traced_share: Option<f64>) -> String {
    let from = time_ns(slow.from_ns as f64);
    let name = ios_of(slow.ddir);
    let ios = grouped(slow.ios as f64);
    if let Some(share) = traced_share {
        return format!("The {ios} slowest {name} of the {} of the time that was traced (from {from})", percent(share));
    }
    match slow.ios >= slow.all_ios / ONE_IN && slow.ios <= slow.all_ios.div_ceil(ONE_IN) {
        true => format!("The slowest 0.1 % of {name} ({ios}, from {from})"),
        false => format!("The {ios} slowest of {} {name} (from {from})", grouped(slow.all_ios as f64)),
    }
}

fn text(part: &TimePart) -> String {
    let of = |what: &str, program: &Option<UntrustedText>| match program {
        None => format!("behind {what} of this run"),
        Some(program) => format!("behind {what} of {program}"),
    };
    match &part.cause {
        Some(SlowCause::Flush { program }) => of("flushes", program),
        Some(SlowCause::Discard { program }) => of("discards", program),
        Some(SlowCause::OtherProgram { program }) => of("I/Os", program),
        Some(SlowCause::Writeback) => "behind writeback of the page cache".to_owned(),
        Some(SlowCause::CpuWait) => "waiting for a CPU".to_owned(),
        Some(SlowCause::CpuQuota) => "waiting for the CPU quota of the control group".to_owned(),
        Some(SlowCause::StolenCpu) => "while the hypervisor ran something else".to_owned(),
        Some(SlowCause::Stopped) => "while the process or the machine was stopped".to_owned(),
        Some(SlowCause::MemoryReclaim) => "during memory reclaim".to_owned(),
        Some(SlowCause::OwnWork) => {
            "while the worker did something else (logs, checks or makes data, snapshots)".to_owned()
        }
        Some(SlowCause::Heat) => "while the disk was throttled because of heat".to_owned(),
        Some(SlowCause::IoLimit) => "held back by an I/O limit of the control group".to_owned(),
        None if matches!(part.layer, IoLayer::Submission | IoLayer::Reaping) => {
            format!("{} (cause unknown)", layer(part.layer))
        }
        None => layer(part.layer).to_owned(),
    }
}

pub(crate) fn layer(layer: IoLayer) -> &'static str {
    match layer {
        IoLayer::Submission => "before the block layer",
        IoLayer::Queue => "in the queue of the block layer",
        IoLayer::Device => "in the device",
        IoLayer::Reaping => "from completion to reaping",
        IoLayer::NotTraced => "not found in the trace",
    }
}

fn cost(trace: &TraceCost) -> String {
    let disks: Vec<String> = trace.disks.iter().map(ToString::to_string).collect();
    let (events, lost) = (grouped(trace.events as f64), grouped(trace.lost_events as f64));
    let used = trace.cpu_ns as f64 / trace.duration_ns.max(1) as f64;
    let windows = trace.windows_share().map(|share| format!(", in windows of {} of the time", percent(share)));
    let windows = windows.unwrap_or_default();
    format!("trace of {}: {events} events, {lost} lost; it took {} of a CPU{windows}", disks.join(", "), percent(used))
}

/// Returns what lost events mean; `None` without any.
fn losses(trace: &TraceCost) -> Option<String> {
    let share = percent(trace.lost_share());
    match trace.lost_events {
        0 => None,
        _ if trace.is_inconclusive() => {
            Some(format!("INCONCLUSIVE: {share} of the events were lost: the trace buffer was full"))
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
        let flush = SlowCause::Flush { program: Some("jbd2/vda-8".into()) };
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
    fn a_trace_in_windows_is_reported() {
        let mut explanation = explanation(52_321, 0);
        explanation.trace.traced_ns = 310;
        let [slow, trace] = &lines(&explanation)[..] else { panic!() };
        assert!(
            slow.starts_with("The 52 slowest reads of the 31 % of the time that was traced (from 12 ms): "),
            "{slow}"
        );
        assert!(trace.ends_with(", in windows of 31 % of the time"), "{trace}");
    }

    #[test]
    fn a_program_or_this_run_is_named() {
        let of = |program: Option<&str>| {
            text(&part(IoLayer::Device, Some(SlowCause::OtherProgram { program: program.map(Into::into) }), 1.0))
        };
        assert_eq!([of(Some("dd")), of(None)], ["behind I/Os of dd", "behind I/Os of this run"]);
    }

    #[test]
    fn lost_events_are_told() {
        assert_eq!(lines(&explanation(52_321, 3))[2], "events were lost: the explanation may be wrong");
        assert!(lines(&explanation(52_321, 1000))[2].starts_with("INCONCLUSIVE: 10 % of the events were lost"));
    }
}
