//! A profile's time spans, read from XML.

use units::diagnostic::{Diagnostic, Span};

use super::element::Element;
use super::target::target;
use super::value;
use super::words;
use crate::profile::{IoRing, Processor, RingBatch, TimeSpan, Traversal};

/// I/Os queued before a submission, as the command line's `-u` limits them.
const RING_BATCH_MAX: u32 = 65536;
const RING_PERCENT: u32 = 25;
const COMPLETION_DEPTH_MAX: u32 = 16;

pub fn time_span(mut element: Element, paths: &mut Vec<Span>) -> TimeSpan {
    let default = TimeSpan::default();
    let affinity = element.child("Affinity").map(affinity).unwrap_or_default();
    let traversal = element.child("AffinityTraversal").map(traversal).unwrap_or_default();
    let io_ring = element.child("IoRing").map(io_ring);
    let targets = match element.required("Targets") {
        Some(mut list) => {
            let targets = list.each_required("Target").into_iter().map(|element| target(element, paths)).collect();
            list.end();
            targets
        }
        None => Vec::new(),
    };
    if element.boolean("GroupAffinity").is_some() {
        let warning = Diagnostic::warning("GroupAffinity means nothing, as in DiskSpd: threads are spread over groups");
        element.faults().push(warning.at(&element.span_of("GroupAffinity"), "not used"));
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
        buffer_separation: element.word("BufferSeparation", words::BUFFER_SEPARATION),
        completion_depth: element.within("CompletionDepth", 1..=COMPLETION_DEPTH_MAX),
    };
    element.end();
    time_span
}

/// Processors of group 0 by their numbers, or of any group, or (2.3) each group's as a mask.
fn affinity(mut element: Element) -> Vec<Processor> {
    let numbers = element.each("AffinityAssignment");
    let assignments = element.each("AffinityGroupAssignment");
    let groups = element.each("Group");
    let kinds = [!numbers.is_empty(), !assignments.is_empty(), !groups.is_empty()];
    let expected = "expected AffinityAssignment, AffinityGroupAssignment or Group";
    match kinds.iter().filter(|&&given| given).count() {
        0 => {
            let error = Diagnostic::error("Affinity names no processors").at(&element.name_span(), expected);
            element.faults().push(error);
        }
        1 => {}
        _ => {
            let error = Diagnostic::error("Affinity names processors in more than one way");
            element.faults().push(error.at(&element.name_span(), format!("{expected}, one of them")));
        }
    }
    let mut processors: Vec<Processor> = Vec::new();
    processors.extend(numbers.into_iter().filter_map(|number| {
        let number = number.value(|text| value::number(text, 0..=u8::MAX))?;
        Some(Processor { group: 0, number })
    }));
    processors.extend(assignments.into_iter().filter_map(|mut assignment| {
        let group = assignment.attribute("Group", |text| value::number(text, 0..=u16::MAX)).unwrap_or_default();
        let number = assignment.required_attribute("Processor", |text| value::number(text, 0..=u8::MAX));
        assignment.end();
        Some(Processor { group, number: number? })
    }));
    for mut group in groups {
        let number = group.required_attribute("Group", |text| value::number(text, 0..=u16::MAX));
        let mask = group.required_attribute("Mask", value::mask);
        group.end();
        if let (Some(group), Some(mask)) = (number, mask) {
            let set = (0..64).filter(|number| mask >> number & 1 == 1);
            processors.extend(set.map(|number| Processor { group, number }));
        }
    }
    element.end();
    processors
}

fn traversal(mut element: Element) -> Traversal {
    let span_groups = element.attribute("Group", |text| value::word(text, words::SPAN_GROUPS)).unwrap_or_default();
    let efficiency = element.attribute("Efficiency", |text| value::word(text, words::EFFICIENCY));
    let core_aware = element.value(|text| value::word(text, words::CORE_AWARE)).unwrap_or_default();
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
