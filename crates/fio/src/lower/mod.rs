//! From parsed jobs to the plan that the engine carries out: what the words mean.
//!
//! Each file here lowers one part of a worker. Everything is decided at this point; the engine sees no option.

mod access;
mod engine;
#[cfg(test)]
mod honoured;
mod limits;
mod measure;
mod process;
mod targets;

use std::sync::Arc;

use plan::{Echo, Plan, Worker};

use crate::parse::values::Values;
use crate::parse::{Invocation, Job, JobOption};

/// What lowering has to know of the machine.
pub trait Machine {
    /// Something that isn't a regular file has this path: a job of that name works on it.
    fn is_special_file(&self, path: &str) -> bool;
    /// The CPUs that a worker may run on.
    fn online_cpus(&self) -> Vec<u32>;
}

/// The plan of an invocation: one worker for each clone of each job.
pub fn lower(invocation: &Invocation, machine: &dyn Machine) -> Plan {
    let mut plan = Plan {
        readonly: invocation.program.readonly,
        aggregate_bandwidth_log: invocation.program.bandwidth_log.clone(),
        ..Plan::default()
    };
    plan.global_options = as_typed(&invocation.global_options);
    let mut places = Places::default();
    for job in &invocation.jobs {
        let place = places.next(job);
        add_job(&mut plan, job, place, machine);
    }
    plan
}

/// Options as reports repeat them: a bare one with an empty value.
fn as_typed(options: &[JobOption]) -> Vec<(String, String)> {
    options.iter().map(|option| (option.name.clone(), option.value.clone().unwrap_or_default())).collect()
}

/// Where a job stands among the others.
#[derive(Clone, Copy, Default)]
struct Places {
    phase: u32,
    group: u32,
    jobs_in_group: u32,
    jobs: u32,
}

impl Places {
    /// A stonewalled job begins a phase; it and a `new_group` begin a group, unless the present one is empty.
    fn next(&mut self, job: &Job) -> Places {
        let stonewall = job.values.flag("stonewall");
        if stonewall && self.jobs > 0 {
            self.phase += 1;
        }
        if (stonewall || job.values.flag("new_group")) && self.jobs_in_group > 0 {
            self.group += 1;
            self.jobs_in_group = 0;
        }
        self.jobs += 1;
        self.jobs_in_group += 1;
        *self
    }
}

fn add_job(plan: &mut Plan, job: &Job, place: Places, machine: &dyn Machine) {
    let values = &job.values;
    let numjobs = values.unsigned("numjobs").max(1) as u32;
    let echo = Arc::new(Echo {
        description: values.text("description").map(str::to_owned),
        options: as_typed(&job.options),
        ioengine: values.text("ioengine").unwrap_or("psync").to_owned(),
        rw: values.word("rw").to_owned(),
        group_reporting: values.flag("group_reporting"),
        numjobs,
        thread: values.flag("thread"),
    });
    // fio numbers the clones downwards after the first, and the number is in file names and offsets.
    for clone in std::iter::once(0).chain((1..numjobs).rev()) {
        let number = plan.workers.len() as u32 + 1;
        plan.workers.push(worker(job, values, number, clone, place, &echo, machine));
    }
}

fn worker(
    job: &Job,
    values: &Values,
    number: u32,
    clone: u32,
    place: Places,
    echo: &Arc<Echo>,
    machine: &dyn Machine,
) -> Worker {
    let engine = engine::engine(values);
    let access = access::access(values);
    let depth = engine::depth(values, &engine);
    Worker {
        name: job.name.clone(),
        number,
        clone,
        group: place.group,
        phase: place.phase,
        wait_for: values.text("wait_for").map(str::to_owned),
        targets: targets::targets(values, &job.section, clone, machine),
        buffers: targets::buffers(values),
        depth,
        limits: limits::limits(values),
        rate: limits::rate(values),
        think: limits::think_time(values),
        latency_target: limits::latency_target(values),
        errors: limits::errors(values),
        process: process::process(values, number, machine),
        measure: measure::measure(values, &job.name),
        echo: Arc::clone(echo),
        access,
        engine,
    }
}
