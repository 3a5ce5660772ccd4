//! Lowers the options of CPUs, NUMA nodes, priorities and commands around a job.

use std::collections::BTreeSet;

use plan::{ControlGroup, IoPrio, NumaMemory, Process};

use super::Machine;
use crate::parse::value::KeywordArgument;
use crate::parse::values::Values;

const BEST_EFFORT: u8 = 2;

pub fn process(values: &Values, job: &str, worker_number: u32, machine: &dyn Machine) -> Process {
    Process {
        nice: values.number("nice") as i32,
        ioprio: io_priority(values),
        cpus: cpus(values, worker_number, machine),
        numa_cpu_nodes: values.text("numa_cpu_nodes").map(node_list).unwrap_or_default(),
        numa_memory: numa_memory(values),
        lock_memory_bytes: values.unsigned("lockmem"),
        thread_name: values.text("comm").map(str::to_owned),
        uid: values.is_set("uid").then(|| values.unsigned("uid") as u32),
        gid: values.is_set("gid").then(|| values.unsigned("gid") as u32),
        control_group: control_group(values, job),
        start_clock: values.is_set("job_start_clock_id").then(|| values.number("job_start_clock_id") as i32),
        exec_prerun: values.text("exec_prerun").map(str::to_owned),
        exec_postrun: values.text("exec_postrun").map(str::to_owned),
    }
}

/// Returns the control group. A job with a weight and without a name has a group with the job's name.
fn control_group(values: &Values, job: &str) -> Option<ControlGroup> {
    let weight = values.unsigned("cgroup_weight") as u32;
    let name = values.text("cgroup").or((weight > 0).then_some(job))?;
    Some(ControlGroup { name: name.to_owned(), weight, keep: values.flag("cgroup_nodelete") })
}

fn io_priority(values: &Values) -> Option<IoPrio> {
    let is_set = ["prio", "prioclass", "priohint"].iter().any(|name| values.is_set(name));
    is_set.then(|| IoPrio {
        // A level without a class is in the best-effort class.
        class: if values.is_set("prioclass") { values.unsigned("prioclass") as u8 } else { BEST_EFFORT },
        level: values.unsigned("prio") as u8,
        hint: values.unsigned("priohint") as u16,
    })
}

fn cpus(values: &Values, worker_number: u32, machine: &dyn Machine) -> Vec<u32> {
    let allowed: Vec<u32> = match (values.cpus("cpus_allowed"), values.is_set("cpumask")) {
        (Some(list), _) => list.0.iter().cloned().flatten().collect(),
        (None, true) => {
            let mask = values.number("cpumask") as u32;
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
    if values.keyword("cpus_allowed_policy") == "split" {
        return vec![usable[(worker_number as usize - 1) % usable.len()]];
    }
    usable
}

fn numa_memory(values: &Values) -> Option<NumaMemory> {
    let nodes = || match values.keyword_argument("numa_mem_policy") {
        KeywordArgument::Text(text) => node_list(&text),
        _ => Vec::new(),
    };
    match values.keyword("numa_mem_policy") {
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
