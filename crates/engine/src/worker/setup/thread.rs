//! Settings of a worker's thread.

use std::fs::File;

use os::errno;
use plan::{Job, Load, Worker};
use record::{CpuSet, RunError, SetupError, SetupStep};
use targets::{Existing, NamedBy, OutputError, fault};

use crate::start_delay::start_delay_ns;
use crate::worker::context::Context;

/// Returns the error of a step of the set-up.
pub fn failed(step: SetupStep, error: &std::io::Error) -> RunError {
    fault::of_io_or(error, errno::EINVAL, SetupError::Step { step })
}

/// Opens a file for the output of a command or program.
///
/// # Errors
/// It cannot be created, or the output guard refuses it.
pub fn open_output(context: Context, step: SetupStep, path: String) -> Result<File, RunError> {
    let opened = context.lease.output_guard(context.plan).open(path.as_ref(), Existing::Truncate, NamedBy::Program);
    opened.map_err(|error| match error {
        OutputError::Io(error) => failed(step, &error),
        OutputError::Refused(refusal) => {
            RunError::new(errno::EINVAL, SetupError::CommandOutputRefused { step, path, refusal })
        }
    })
}

/// Sets the I/O scheduler of the disks under the targets. Disks without schedulers are not changed.
fn set_scheduler(job: Job<'_>) -> Result<(), RunError> {
    let Some(scheduler) = &job.load.targets.ioscheduler else { return Ok(()) };
    for path in &job.load.targets.paths {
        for disk in os::device::disks(path.as_ref()).map_err(|error| failed(SetupStep::IoScheduler, &error))? {
            let tunable = |(_, offered): (_, Vec<String>)| offered.iter().any(|name| name != "none");
            if !disk.scheduler().is_ok_and(tunable) {
                continue;
            }
            disk.set_scheduler(scheduler).map_err(|error| failed(SetupStep::IoScheduler, &error))?;
        }
    }
    Ok(())
}

/// Whether I/Os of the worker start at set times, or after pauses.
fn is_paced(worker: &Worker) -> bool {
    match &worker.load {
        Load::Job(job) => job.rate.is_limited() || job.think.pause_us > 0,
        Load::Threads(streams) => streams.is_paced(),
    }
}

/// Waits for the worker's start delay.
pub fn delay_start(context: Context) {
    let clock = context.clock();
    context.sleep_until(clock, clock.now().saturating_add(start_delay_ns(context.worker)));
}

/// Returns the error of a thread that may run on none of the CPUs or nodes. Usually they do not exist.
fn confined(what: CpuSet, ids: &[u32], error: &std::io::Error) -> RunError {
    fault::of_io_or(error, errno::EINVAL, SetupError::Confined { what, ids: ids.to_vec() })
}

/// Applies the CPU, NUMA and priority settings to the calling thread.
///
/// # Errors
/// The kernel refuses a setting.
pub fn thread_settings(context: Context) -> Result<(), RunError> {
    let worker = context.worker;
    let process = &worker.process;
    if let Some(id) = process.start_clock {
        context.clock().kernel_clock(id).map_err(|error| failed(SetupStep::StartClock, &error))?;
    }
    if let Some(group) = &process.control_group {
        let entered = context.control_groups.enter(context.plan, group);
        entered.map_err(|error| failed(SetupStep::ControlGroup, &error))?;
    }
    if !process.cpus.is_empty() {
        os::cpu::set_affinity(&process.cpus).map_err(|error| confined(CpuSet::Cpus, &process.cpus, &error))?;
    }
    if !process.numa_cpu_nodes.is_empty() {
        let nodes = os::cpu::nodes().map_err(|error| failed(SetupStep::NumaNodes, &error))?;
        let wanted = nodes.into_iter().filter(|node| process.numa_cpu_nodes.contains(&node.id));
        let cpus: Vec<u32> = wanted.flat_map(|node| node.cpus).collect();
        os::cpu::set_affinity(&cpus).map_err(|error| confined(CpuSet::NumaNodes, &process.numa_cpu_nodes, &error))?;
    }
    if let Some(policy) = &process.numa_memory {
        os::cpu::set_memory_policy(policy).map_err(|error| failed(SetupStep::MemoryPolicy, &error))?;
    }
    if let Some(prio) = process.ioprio {
        os::process::set_io_priority(prio.word()).map_err(|error| failed(SetupStep::IoPriority, &error))?;
    }
    if is_paced(worker) {
        // Late wake-ups would lower the rate and lengthen the pauses.
        os::process::set_timer_slack(1).map_err(|error| failed(SetupStep::TimerSlack, &error))?;
    }
    worker.job().map_or(Ok(()), set_scheduler)?;
    if process.nice != 0 {
        os::process::set_nice(process.nice).map_err(|error| failed(SetupStep::Nice, &error))?;
    }
    if let Some(group) = process.gid {
        os::process::set_thread_group(group).map_err(|error| failed(SetupStep::Group, &error))?;
    }
    if let Some(user) = process.uid {
        os::process::set_thread_user(user).map_err(|error| failed(SetupStep::User, &error))?;
    }
    Ok(())
}
