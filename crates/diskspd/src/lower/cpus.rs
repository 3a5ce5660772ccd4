//! CPU affinity of the threads.

use std::collections::{BTreeMap, BTreeSet};

use record::Cpu;
use units::diagnostic::Diagnostic;

use super::Machine;
use crate::profile::{EfficiencyOrder, Profile, TimeSpan, Traversal};

/// Returns the CPUs to which threads are assigned in turn. Empty without affinity.
pub fn in_order(span: &TimeSpan, machine: &dyn Machine) -> Vec<u32> {
    if span.disable_affinity {
        Vec::new()
    } else if span.affinity.is_empty() {
        let allowed = machine.allowed_cpus();
        let mut order = traversed(span.traversal, &machine.online_cpus());
        order.retain(|cpu| allowed.contains(cpu));
        order
    } else {
        span.affinity.iter().map(|cpu| u32::from(cpu.number)).collect()
    }
}

pub fn of_thread(order: &[u32], thread: u32) -> Option<u32> {
    order.get(thread as usize % order.len().max(1)).copied()
}

/// Returns all CPUs in assignment order: first one per core if the traversal is core-aware, faster cores first.
fn traversed(traversal: Traversal, cpus: &[Cpu]) -> Vec<u32> {
    let mut siblings: BTreeMap<u32, u32> = BTreeMap::new();
    let mut keyed: Vec<(u32, u32, u32)> = Vec::new();
    for cpu in cpus {
        let sibling = siblings.entry(cpu.core).or_default();
        let round = if traversal.core_aware { *sibling } else { 0 };
        *sibling += 1;
        let speed = u32::from(cpu.efficiency_class);
        let slow_last = u32::from(u8::MAX) - speed;
        keyed.push(match traversal.efficiency.unwrap_or(EfficiencyOrder::PerformanceFirst) {
            EfficiencyOrder::PerformanceFirst => (round, slow_last, cpu.id),
            EfficiencyOrder::FillPerformanceFirst => (slow_last, round, cpu.id),
            EfficiencyOrder::EfficiencyFirst => (round, speed, cpu.id),
            EfficiencyOrder::FillEfficiencyFirst => (speed, round, cpu.id),
            EfficiencyOrder::Unordered => (round, 0, cpu.id),
        });
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, id)| id).collect()
}

/// Checks the CPUs of the affinity. On Linux the only processor group is 0.
pub fn check(profile: &Profile, machine: &dyn Machine, notes: &mut Vec<Diagnostic>) {
    let named = || profile.time_spans.iter().flat_map(|span| &span.affinity);
    if named().next().is_none() {
        return;
    }
    let running: Vec<u32> = machine.online_cpus().iter().map(|cpu| cpu.id).collect();
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let allowed = machine.allowed_cpus();
    let mut reported = BTreeSet::new();
    for cpu in named() {
        let (group, number) = (cpu.group, u32::from(cpu.number));
        if (group == 0 && running.contains(&number) && allowed.contains(&number)) || !reported.insert((group, number)) {
            continue;
        }
        let (message, help) = if group > 0 {
            (format!("this machine has no processor group {group}"), "on Linux all CPUs are in group 0".to_owned())
        } else if running.contains(&number) {
            (
                format!("this process is not allowed to run on CPU {number}"),
                format!("it may use the CPUs {}", list(&allowed)),
            )
        } else {
            (format!("this machine has no CPU {number}"), format!("it has {}", list(&running)))
        };
        notes.push(Diagnostic::error(message).help(help));
    }
}
