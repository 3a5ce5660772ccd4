//! Which processor each thread is bound to.

use std::collections::{BTreeMap, BTreeSet};

use record::Cpu;
use units::diagnostic::Diagnostic;

use super::Machine;
use crate::profile::{EfficiencyOrder, Profile, TimeSpan, Traversal};

/// The processors that threads go round, in order; none where threads aren't bound.
pub fn in_order(span: &TimeSpan, machine: &dyn Machine) -> Vec<u32> {
    if span.disable_affinity {
        Vec::new()
    } else if span.affinity.is_empty() {
        let allowed = machine.allowed_processors();
        let mut order = traversed(span.traversal, &machine.processors());
        order.retain(|processor| allowed.contains(processor));
        order
    } else {
        span.affinity.iter().map(|processor| u32::from(processor.number)).collect()
    }
}

pub fn of_thread(order: &[u32], thread: u32) -> Option<u32> {
    order.get(thread as usize % order.len().max(1)).copied()
}

/// All processors: rounds over the cores where threads of a core are apart, faster cores before slower ones.
fn traversed(traversal: Traversal, processors: &[Cpu]) -> Vec<u32> {
    let mut siblings: BTreeMap<u32, u32> = BTreeMap::new();
    let mut keyed: Vec<(u32, u32, u32)> = Vec::new();
    for processor in processors {
        let sibling = siblings.entry(processor.core).or_default();
        let round = if traversal.core_aware { *sibling } else { 0 };
        *sibling += 1;
        let speed = u32::from(processor.efficiency_class);
        let slow_last = u32::from(u8::MAX) - speed;
        keyed.push(match traversal.efficiency.unwrap_or(EfficiencyOrder::PerformanceFirst) {
            EfficiencyOrder::PerformanceFirst => (round, slow_last, processor.id),
            EfficiencyOrder::FillPerformanceFirst => (slow_last, round, processor.id),
            EfficiencyOrder::EfficiencyFirst => (round, speed, processor.id),
            EfficiencyOrder::FillEfficiencyFirst => (speed, round, processor.id),
            EfficiencyOrder::Unordered => (round, 0, processor.id),
        });
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, id)| id).collect()
}

/// Linux has one group of processors: 0.
pub fn check(profile: &Profile, machine: &dyn Machine, notes: &mut Vec<Diagnostic>) {
    let named = || profile.time_spans.iter().flat_map(|span| &span.affinity);
    if named().next().is_none() {
        return;
    }
    let running: Vec<u32> = machine.processors().iter().map(|processor| processor.id).collect();
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let allowed = machine.allowed_processors();
    let mut told = BTreeSet::new();
    for processor in named() {
        let (group, number) = (processor.group, u32::from(processor.number));
        if (group == 0 && running.contains(&number) && allowed.contains(&number)) || !told.insert((group, number)) {
            continue;
        }
        let (message, help) = if group > 0 {
            (
                format!("this machine has no processor group {group}"),
                "on Linux all processors are in group 0".to_owned(),
            )
        } else if running.contains(&number) {
            (
                format!("this process may not run on processor {number}"),
                format!("it was started for {}", list(&allowed)),
            )
        } else {
            (format!("this machine has no processor {number}"), format!("it has {}", list(&running)))
        };
        notes.push(Diagnostic::error(message).help(help));
    }
}
