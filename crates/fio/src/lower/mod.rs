//! From parsed jobs to the plan that the engine carries out: what the words mean.
//!
//! Each file here lowers one part of a worker. Everything is decided at this point; the engine sees no option.

mod access;
mod engine;
#[cfg(test)]
mod honoured;
mod limits;
mod machine;
mod measure;
mod process;
mod targets;

use std::sync::Arc;

use plan::{Echo, IdleProfile, Origin, Plan, Worker};

use crate::parse::program::IdleProf;
use crate::parse::values::Values;
use crate::parse::{Invocation, Job, JobOption};

pub use machine::{FixedMachine, Machine};

/// The plan of an invocation: one worker for each clone of each job.
pub fn lower(invocation: &Invocation, machine: &dyn Machine) -> Plan {
    let mut plan = Plan {
        readonly: invocation.program.readonly,
        aggregate_bandwidth_log: invocation.program.bandwidth_log.clone(),
        idle_profile: match invocation.program.idle_prof {
            None => IdleProfile::Off,
            Some(IdleProf::System) => IdleProfile::System,
            Some(IdleProf::PerCpu) => IdleProfile::PerCpu,
        },
        origin: Origin::Fio((*invocation.typed).clone()),
        ..Plan::default()
    };
    plan.global_options = as_typed(&invocation.global_options);
    let mut places = Places::default();
    let exits_all = invocation.jobs.iter().any(|job| job.values.flag("exitall"));
    for job in &invocation.jobs {
        let place = Places { exits_all, ..places.next(job) };
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
    /// When one of them ends others do, too.
    exits_all: bool,
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
        iodepth: values.unsigned("iodepth").max(1) as u32,
        group_reporting: values.flag("group_reporting"),
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
        limits: limits::limits(values, place.exits_all),
        rate: limits::rate(values),
        think: limits::think_time(values),
        latency_target: limits::latency_target(values),
        errors: limits::errors(values),
        process: process::process(values, number, machine),
        measure: measure::measure(values, &job.name),
        echo: Arc::clone(echo),
        access,
        streams: plan::Streams::default(),
        engine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::env::FixedEnv;
    use crate::parse::{Request, parse};
    use units::errno;

    fn plan(line: &str) -> Plan {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match parse(&words, &FixedEnv::default()) {
            Ok(Request::Run(invocation)) => lower(&invocation, &FixedMachine { cpus: 4 }),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn one_job_with_exitall_makes_every_jobs_end_count() {
        let plan = plan(
            "--size=1m --name=a --exit_what=all --name=b --exitall --name=c --exitall_on_error --exit_what=stonewall",
        );
        let whom = |at: usize| (plan.workers[at].limits.exit_all, plan.workers[at].limits.exit_all_on_error);
        use plan::ExitAll::{Everybody, Group, Nobody, Phase};
        assert_eq!([whom(0), whom(1), whom(2)], [(Everybody, Nobody), (Group, Nobody), (Phase, Phase)]);
    }

    #[test]
    fn the_plan_keeps_the_words_and_files_that_it_comes_from() {
        let env = FixedEnv::default().file("a.fio", b"[a]\nsize=1m\ninclude b.inc\n").file("b.inc", b"rw=read\n");
        let Ok(Request::Run(invocation)) = parse(&["a.fio".to_owned()], &env) else { panic!("a job to run") };
        let Origin::Fio(typed) = lower(&invocation, &FixedMachine { cpus: 4 }).origin else { panic!("fio's words") };
        assert_eq!(typed.words, ["a.fio"]);
        let files: Vec<_> = typed.job_files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
        assert_eq!(files, [("a.fio", "[a]\nsize=1m\ninclude b.inc\n"), ("b.inc", "rw=read\n")]);
    }

    #[test]
    fn listed_errors_are_gone_on_after_and_no_others() {
        let errors = &plan("--name=a --size=1m --ignore_error=,ENOSPC:5").workers[0].errors;
        assert_eq!((errors.continue_on_read, errors.continue_on_write), (false, true));
        assert_eq!(errors.survivable_errno, [vec![], vec![errno::ENOSPC, errno::EIO], vec![]]);
    }

    #[test]
    fn a_number_of_ios_is_for_each_pass_and_not_for_jobs_that_go_by_time() {
        let ios = |line: &str| plan(line).workers[0].limits.number_ios;
        assert_eq!(ios("--name=a --size=1m --number_ios=10 --loops=3"), 30);
        assert_eq!(ios("--name=a --size=1m --number_ios=10 --time_based --runtime=1"), 0);
    }
}
