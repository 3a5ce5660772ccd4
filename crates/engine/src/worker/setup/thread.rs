//! Settings of a worker's thread.

use os::cpu::MemoryPolicy;
use os::errno;
use plan::Worker;
use record::RunError;
use units::random::Tausworthe;

use crate::access::{Purpose, SeedTable};
use crate::worker::context::Context;

/// An error of setting up, in fio's form: errno and the call that failed.
pub fn failed(func: &str, error: &std::io::Error) -> RunError {
    RunError {
        errno: error.raw_os_error().unwrap_or(errno::EINVAL),
        func: func.into(),
        message: format!("{func}: {error}", error = errno::reason(error)),
    }
}

/// Sets the I/O scheduler of the disks under the targets. Disks that have none to choose from stay as they are.
fn set_scheduler(worker: &Worker) -> Result<(), RunError> {
    let Some(scheduler) = &worker.targets.ioscheduler else { return Ok(()) };
    for path in &worker.targets.paths {
        for disk in os::device::disks(path.as_ref()).map_err(|error| failed("ioscheduler", &error))? {
            let tunable = |(_, offered): (_, Vec<String>)| offered.iter().any(|name| name != "none");
            if !disk.scheduler().is_ok_and(tunable) {
                continue;
            }
            disk.set_scheduler(scheduler).map_err(|error| failed("ioscheduler", &error))?;
        }
    }
    Ok(())
}

/// How long the worker waits before it starts.
pub fn start_delay_ns(worker: &Worker) -> u64 {
    let (least, most) = worker.limits.start_delay_ns;
    if most <= least {
        return least;
    }
    let wide = worker.access.generator == plan::Generator::Tausworthe64;
    let mut state = Tausworthe::new(SeedTable::of_worker(worker).of(Purpose::StartDelay), wide);
    least.saturating_add((state.fraction() * ((most - least) as f64 + 1.0)) as u64)
}

/// Waits for the worker's start delay.
pub fn delay_start(context: Context) {
    let clock = context.clock();
    context.sleep_until(clock, clock.now().saturating_add(start_delay_ns(context.worker)));
}

/// The kernel's refusal to confine a thread: nearly always because nothing of what is named is there.
fn confined(func: &str, what: &str, named: &[u32], error: &std::io::Error) -> RunError {
    let named: Vec<String> = named.iter().map(u32::to_string).collect();
    let message = format!(
        "{func}: {error}: this machine has no {what} {} that may be used",
        named.join(", "),
        error = errno::reason(error)
    );
    RunError { message, ..failed(func, error) }
}

/// CPU, NUMA and priority settings of the calling thread.
pub fn thread_settings(worker: &Worker) -> Result<(), RunError> {
    let process = &worker.process;
    if !process.cpus.is_empty() {
        os::cpu::set_affinity(&process.cpus)
            .map_err(|error| confined("cpu_set_affinity", "CPU", &process.cpus, &error))?;
    }
    if !process.numa_cpu_nodes.is_empty() {
        let nodes = os::cpu::nodes().map_err(|error| failed("numa_available", &error))?;
        let wanted = nodes.into_iter().filter(|node| process.numa_cpu_nodes.contains(&node.id));
        let cpus: Vec<u32> = wanted.flat_map(|node| node.cpus).collect();
        os::cpu::set_affinity(&cpus)
            .map_err(|error| confined("numa_run_on_node_mask", "node", &process.numa_cpu_nodes, &error))?;
    }
    if let Some(policy) = &process.numa_memory {
        let policy = match policy {
            plan::NumaMemory::Default => MemoryPolicy::Default,
            plan::NumaMemory::Local => MemoryPolicy::Local,
            plan::NumaMemory::Prefer(node) => MemoryPolicy::Prefer(Some(*node)),
            plan::NumaMemory::Bind(nodes) => MemoryPolicy::Bind(nodes.clone()),
            plan::NumaMemory::Interleave(nodes) => MemoryPolicy::Interleave(nodes.clone()),
        };
        os::cpu::set_memory_policy(&policy).map_err(|error| failed("set_mempolicy", &error))?;
    }
    if let Some(prio) = process.ioprio {
        os::process::set_io_priority(prio.word()).map_err(|error| failed("ioprio_set", &error))?;
    }
    if worker.rate.is_limited() || worker.think.pause_us > 0 {
        // Sleeps that end late would make a rate or a pause another than the one asked for.
        os::process::set_timer_slack(1).map_err(|error| failed("prctl", &error))?;
    }
    set_scheduler(worker)?;
    if process.nice != 0 {
        os::process::set_nice(process.nice).map_err(|error| failed("nice", &error))?;
    }
    Ok(())
}
