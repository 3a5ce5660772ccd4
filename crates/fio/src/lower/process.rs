//! Lowers the options of CPUs, NUMA nodes, priorities and commands around a job.

use std::collections::BTreeSet;

use plan::{ControlGroup, IoPrio, NumaMemory, Process};

use super::Machine;
use crate::options::key;
use crate::parse::value::KeywordArgument;
use crate::parse::values::Values;

const BEST_EFFORT: u8 = 2;

pub fn process(values: &Values, job: &str, worker_number: u32, machine: &dyn Machine) -> Process {
    Process {
        nice: values.number(key::NICE) as i32,
        ioprio: io_priority(values),
        cpus: cpus(values, worker_number, machine),
        numa_cpu_nodes: values.text(key::NUMA_CPU_NODES).map(node_list).unwrap_or_default(),
        numa_memory: numa_memory(values),
        lock_memory_bytes: values.unsigned(key::LOCKMEM),
        thread_name: values.text(key::COMM).map(str::to_owned),
        uid: values.is_set(&key::UID).then(|| values.unsigned(key::UID) as u32),
        gid: values.is_set(&key::GID).then(|| values.unsigned(key::GID) as u32),
        control_group: control_group(values, job),
        start_clock: values.is_set(&key::JOB_START_CLOCK_ID).then(|| values.number(key::JOB_START_CLOCK_ID) as i32),
        exec_prerun: values.text(key::EXEC_PRERUN).map(str::to_owned),
        exec_postrun: values.text(key::EXEC_POSTRUN).map(str::to_owned),
    }
}

/// Returns the control group. A job with a weight and without a name has a group with the job's name.
fn control_group(values: &Values, job: &str) -> Option<ControlGroup> {
    let weight = values.unsigned(key::CGROUP_WEIGHT) as u32;
    let name = values.text(key::CGROUP).or((weight > 0).then_some(job))?;
    Some(ControlGroup { name: name.to_owned(), weight, keep: values.flag(key::CGROUP_NODELETE) })
}

fn io_priority(values: &Values) -> Option<IoPrio> {
    let is_set = [key::PRIO, key::PRIOCLASS, key::PRIOHINT].iter().any(|key| values.is_set(key));
    is_set.then(|| IoPrio {
        // A level without a class is in the best-effort class.
        class: if values.is_set(&key::PRIOCLASS) { values.unsigned(key::PRIOCLASS) as u8 } else { BEST_EFFORT },
        level: values.unsigned(key::PRIO) as u8,
        hint: values.unsigned(key::PRIOHINT) as u16,
    })
}

fn cpus(values: &Values, worker_number: u32, machine: &dyn Machine) -> Vec<u32> {
    let allowed: Vec<u32> = match (values.cpus(key::CPUS_ALLOWED), values.is_set(&key::CPUMASK)) {
        (Some(list), _) => list.0.iter().cloned().flatten().collect(),
        (None, true) => {
            let mask = values.number(key::CPUMASK) as u32;
            (0..u32::BITS).filter(|cpu| mask & (1 << cpu) != 0).collect()
        }
        (None, false) => return Vec::new(),
    };
    let online = machine.online_cpus();
    let mut usable: Vec<u32> = allowed.iter().copied().filter(|cpu| online.contains(cpu)).collect();
    usable.sort_unstable();
    usable.dedup();
    // If none of the CPUs is online, the list stays unchanged, so that the run reports the error of the kernel.
    if usable.is_empty() {
        return allowed;
    }
    if values.keyword(key::CPUS_ALLOWED_POLICY) == "split" {
        return vec![usable[(worker_number as usize - 1) % usable.len()]];
    }
    usable
}

fn numa_memory(values: &Values) -> Option<NumaMemory> {
    let nodes = || match values.keyword_argument(key::NUMA_MEM_POLICY) {
        KeywordArgument::Text(text) => node_list(&text),
        _ => Vec::new(),
    };
    match values.keyword(key::NUMA_MEM_POLICY) {
        "default" => Some(NumaMemory::Default),
        "local" => Some(NumaMemory::Local),
        "prefer" => Some(nodes().first().map_or(NumaMemory::Local, |&node| NumaMemory::Prefer(node))),
        "bind" => Some(NumaMemory::Bind(nodes())),
        "interleave" => Some(NumaMemory::Interleave(nodes())),
        _ => None,
    }
}

/// Parses a list of NUMA nodes such as `0-3,8`. Invalid parts and repeated nodes are omitted.
fn node_list(text: &str) -> Vec<u32> {
    const NODES_MAX: u32 = 1024;
    let mut seen = BTreeSet::new();
    text.split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.trim().parse().ok()?..=last.trim().parse::<u32>().ok()?.min(NODES_MAX))
        })
        .flatten()
        .filter(|&node| seen.insert(node))
        .collect()
}
