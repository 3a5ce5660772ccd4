//! Parses time spans.

use units::diagnostic::{Diagnostic, Span};

use super::element::Element;
use super::keywords;
use super::target::target;
use super::value;
use crate::profile::{AffinityCpu, IoRing, RingBatch, TimeSpan, Traversal};

/// Maximum I/Os per submission, as for `-u`.
const RING_BATCH_MAX: u32 = 65536;
const RING_PERCENT: u32 = 25;
const COMPLETION_DEPTH_MAX: u32 = 16;

pub fn time_span(mut element: Element, paths: &mut Vec<Span>) -> TimeSpan {
    let default = TimeSpan::default();
    let affinity = element.child("Affinity").map(affinity).unwrap_or_default();
    let traversal = element.child("AffinityTraversal").map(traversal).unwrap_or_default();
    let io_ring = element.child("IoRing").map(io_ring);
    let targets = element.list("Targets", "Target", |element| target(element, paths));
    if element.boolean("GroupAffinity").is_some() {
        let warning =
            Diagnostic::warning("GroupAffinity has no effect, as in DiskSpd: threads are distributed over groups");
        element.diagnostics().push(warning.at(&element.span_of("GroupAffinity"), "not used"));
    }
    let time_span = TimeSpan {
        targets,
        duration_s: element.u32("Duration").unwrap_or(default.duration_s),
        warmup_s: element.u32("Warmup").unwrap_or(default.warmup_s),
        cooldown_s: element.u32("Cooldown").unwrap_or(default.cooldown_s),
        rand_seed: element.u32("RandSeed").unwrap_or(default.rand_seed),
        thread_count: element.u32("ThreadCount").unwrap_or(default.thread_count),
        request_count: element.u32("RequestCount").unwrap_or(default.request_count),
        io_bucket_ms: element.u32("IoBucketDuration").unwrap_or(default.io_bucket_ms),
        completion_routines: element.boolean("CompletionRoutines").unwrap_or_default(),
        measure_latency: element.boolean("MeasureLatency").unwrap_or_default(),
        calculate_iops_std_dev: element.boolean("CalculateIopsStdDev").unwrap_or_default(),
        disable_affinity: element.boolean("DisableAffinity").unwrap_or_default(),
        random_write_data: element.boolean("RandomWriteData").unwrap_or_default(),
        affinity,
        traversal,
        io_ring,
        buffer_separation: element.keyword("BufferSeparation", keywords::BUFFER_SEPARATION),
        completion_depth: element.within("CompletionDepth", 1..=COMPLETION_DEPTH_MAX),
    };
    element.end();
    time_span
}

/// Reads the affinity: CPU numbers of group 0, CPUs of any group, or (2.3) a mask per group.
fn affinity(mut element: Element) -> Vec<AffinityCpu> {
    let numbers = element.each("AffinityAssignment");
    let assignments = element.each("AffinityGroupAssignment");
    let groups = element.each("Group");
    let kinds = [!numbers.is_empty(), !assignments.is_empty(), !groups.is_empty()];
    let expected = "expected AffinityAssignment, AffinityGroupAssignment or Group";
    match kinds.iter().filter(|&&given| given).count() {
        0 => {
            let error = Diagnostic::error("Affinity has no CPUs").at(&element.name_span(), expected);
            element.diagnostics().push(error);
        }
        1 => {}
        _ => {
            let error = Diagnostic::error("Affinity has CPUs in more than one notation");
            element.diagnostics().push(error.at(&element.name_span(), format!("{expected}, one of them")));
        }
    }
    let mut cpus: Vec<AffinityCpu> = Vec::new();
    cpus.extend(numbers.into_iter().filter_map(|number| {
        let number = number.value(|text| value::number(text, 0..=u8::MAX))?;
        Some(AffinityCpu { group: 0, number })
    }));
    cpus.extend(assignments.into_iter().filter_map(|mut assignment| {
        let group = assignment.attribute("Group", |text| value::number(text, 0..=u16::MAX)).unwrap_or_default();
        let number = assignment.required_attribute("Processor", |text| value::number(text, 0..=u8::MAX));
        assignment.end();
        Some(AffinityCpu { group, number: number? })
    }));
    for mut group in groups {
        let number = group.required_attribute("Group", |text| value::number(text, 0..=u16::MAX));
        let mask = group.required_attribute("Mask", value::mask);
        group.end();
        if let (Some(group), Some(mask)) = (number, mask) {
            let set = (0..64).filter(|number| mask >> number & 1 == 1);
            cpus.extend(set.map(|number| AffinityCpu { group, number }));
        }
    }
    element.end();
    cpus
}

fn traversal(mut element: Element) -> Traversal {
    let span_groups =
        element.attribute("Group", |text| value::keyword(text, keywords::SPAN_GROUPS)).unwrap_or_default();
    let efficiency = element.attribute("Efficiency", |text| value::keyword(text, keywords::EFFICIENCY));
    let core_aware = element.value(|text| value::keyword(text, keywords::CORE_AWARE)).unwrap_or_default();
    Traversal { core_aware, span_groups, efficiency }
}

fn io_ring(mut element: Element) -> IoRing {
    let batch = element.child("IoRingBatchSize").and_then(|mut size| {
        let percent = size.attribute("Percent", value::boolean).unwrap_or_default();
        let most = if percent { 100 } else { RING_BATCH_MAX };
        let number = size.value(|text| value::number(text, 1..=most))?;
        Some(if percent { RingBatch::Percent(number) } else { RingBatch::Count(number) })
    });
    let registered_buffers = element.boolean("UseRegBuffer").unwrap_or(true);
    element.end();
    IoRing { registered_buffers, batch: batch.unwrap_or(RingBatch::Percent(RING_PERCENT)) }
}
