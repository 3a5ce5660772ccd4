//! Lowers parsed jobs to the plan that the engine runs.
//!
//! Each file lowers one part of a worker. The plan contains no fio options.

pub(crate) mod access;
mod command_priority;
pub(crate) mod engine;
pub(crate) mod limits;
mod machine;
mod measure;
mod misread;
mod passthrough;
mod process;
mod remote;
pub(crate) mod replay;
mod secrets;
mod targets;
pub(crate) mod verify;
mod zoned;

use std::sync::Arc;

use plan::{Echo, Engine, IdleProfile, JobLoad, Load, Net, NetProtocol, Origin, Plan, Remote, Targets, Worker};
use units::system::System;

use crate::options::key;
use crate::parse::settings::IdleProf;
use crate::parse::values::Values;
use crate::parse::{Invocation, Job, JobOption};

pub(crate) use limits::steady_state;
pub use machine::{FixedMachine, Machine};
pub use secrets::{has_url_password, mask_secrets, mask_value, may_have_secrets};

/// Returns the plan of an invocation: one worker per clone of each job.
pub fn lower(invocation: &Invocation, machine: &dyn Machine) -> Plan {
    let mut plan = Plan {
        readonly: invocation.program.readonly,
        aggregate_bandwidth_log: invocation.program.bandwidth_log.clone(),
        idle_profile: match invocation.program.idle_prof {
            None => IdleProfile::Off,
            Some(IdleProf::System) => IdleProfile::System,
            Some(IdleProf::PerCpu) => IdleProfile::PerCpu,
        },
        origin: Origin::Fio(secrets::masked(&invocation.source)),
        ..Plan::default()
    };
    plan.global_options = echoed(&invocation.global_options);
    let mut position = JobPosition::default();
    let exits_all = invocation.jobs.iter().any(|job| job.values.flag(key::EXITALL));
    for job in &invocation.jobs {
        let position = JobPosition { exits_all, ..position.next(job) };
        add_job(&mut plan, job, position, machine, invocation.program.aux_path.as_deref());
    }
    plan
}

/// Returns the report group of each job.
pub(crate) fn report_groups(jobs: &[Job]) -> Vec<u32> {
    let mut position = JobPosition::default();
    jobs.iter().map(|job| position.next(job).group).collect()
}

/// Returns options as reports print them. The value of an option without one is empty.
fn echoed(options: &[JobOption]) -> Vec<(String, String)> {
    options
        .iter()
        .map(|option| {
            (option.name.to_owned(), secrets::mask_value(option.name, option.value.as_deref().unwrap_or_default()))
        })
        .collect()
}

/// Phase and report group of a job.
#[derive(Clone, Copy, Default)]
struct JobPosition {
    phase: u32,
    group: u32,
    jobs_in_group: u32,
    jobs: u32,
    /// A job of the run has `exitall`.
    exits_all: bool,
}

impl JobPosition {
    /// Returns the position of the next job.
    ///
    /// `stonewall` starts a phase. `stonewall` and `new_group` start a group, unless the current group is empty.
    fn next(&mut self, job: &Job) -> JobPosition {
        let stonewall = job.values.flag(key::STONEWALL);
        if stonewall && self.jobs > 0 {
            self.phase += 1;
        }
        if (stonewall || job.values.flag(key::NEW_GROUP)) && self.jobs_in_group > 0 {
            self.group += 1;
            self.jobs_in_group = 0;
        }
        self.jobs += 1;
        self.jobs_in_group += 1;
        *self
    }
}

fn add_job(plan: &mut Plan, job: &Job, position: JobPosition, machine: &dyn Machine, aux_path: Option<&str>) {
    let values = &job.values;
    let numjobs = values.unsigned(key::NUMJOBS).max(1) as u32;
    let echo = Arc::new(Echo {
        description: values.text(key::DESCRIPTION).map(str::to_owned),
        options: echoed(&job.options),
        // fio on Windows has no processes for jobs.
        thread: values.flag(key::THREAD) || System::HERE.is_windows(),
    });
    // fio numbers the clones after the first in descending order. The number determines file names and offsets.
    for clone in std::iter::once(0).chain((1..numjobs).rev()) {
        let number = plan.workers.len() as u32 + 1;
        let mut worker = worker(job, clone, number, position, machine);
        worker.echo = Arc::clone(&echo);
        let mut load = load(job, values, clone, machine);
        let is_synchronous = worker.engine.is_synchronous();
        if let Some(log) = job.logs.get(clone as usize % job.logs.len().max(1)) {
            replay::replay(&mut load, log, values, plan.readonly);
            if let Some(depth) = replay::depth(log, values, is_synchronous) {
                load.iodepth = depth;
            }
        }
        load.verify = verify::verify(values, &load.access, is_synchronous, aux_path);
        if let Engine::Net(net) = &worker.engine {
            name_links(net, &mut load.targets);
            // The peer verifies what it reads.
            load.verify.iter_mut().for_each(|verify| verify.read_back = false);
        }
        if let Engine::Remote(Remote::Iscsi { urls, .. }) = &mut worker.engine {
            *urls = secrets::take_urls(&mut load.targets.paths);
        }
        worker.load = Load::Job(Box::new(load));
        plan.workers.push(worker);
    }
}

fn worker(job: &Job, clone: u32, number: u32, position: JobPosition, machine: &dyn Machine) -> Worker {
    let values = &job.values;
    let engine = engine::engine(values, clone, &job.placement);
    Worker {
        name: job.name.clone(),
        number,
        clone,
        group: position.group,
        reports_group: values.flag(key::GROUP_REPORTING),
        phase: position.phase,
        wait_for: values.text(key::WAIT_FOR).map(str::to_owned),
        buffers: targets::buffers(values),
        batches: engine::batches(values, &engine),
        limits: limits::limits(values, position.exits_all),
        errors: limits::errors(values),
        process: process::process(values, &job.name, number, machine),
        measure: measure::measure(values, &job.name),
        engine,
        ..Worker::default()
    }
}

/// Returns the load of a job without replay and verification.
fn load(job: &Job, values: &Values, clone: u32, machine: &dyn Machine) -> JobLoad {
    let access = access::access(values);
    JobLoad {
        iodepth: engine::iodepth(values),
        targets: targets::targets(values, &job.section, clone, machine),
        command_priorities: command_priority::command_priorities(values, access.pattern),
        rate: limits::rate(values),
        think: limits::think_time(values),
        flow: limits::flow(values),
        latency_target: limits::latency_target(values),
        steady_state: limits::steady_state(values),
        zoned: zoned::zoned(values),
        access,
        verify: None,
        replay: None,
    }
}

/// Names the links to a peer after it. They have no files.
fn name_links(net: &Net, targets: &mut Targets) {
    let host = net.host.as_deref().unwrap_or_default();
    let name = if net.protocol == NetProtocol::Unix { host.to_owned() } else { format!("{host}:{}", net.port) };
    targets.paths.fill(name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::env::FixedEnv;
    use crate::{Request, parse};
    use units::errno;

    fn plan(line: &str) -> Plan {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match parse(&args, &FixedEnv::default()) {
            Ok(Request::Run(invocation)) => lower(&invocation, &FixedMachine { cpus: 4 }),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn exitall_of_one_job_applies_to_all_jobs() {
        let plan = plan(
            "--size=1m --name=a --exit_what=all --name=b --exitall --name=c --exitall_on_error --exit_what=stonewall",
        );
        let ended = |at: usize| (plan.workers[at].limits.exit_all, plan.workers[at].limits.exit_all_on_error);
        use plan::ExitAll::{All, Group, None, Phase};
        assert_eq!([ended(0), ended(1), ended(2)], [(All, None), (Group, None), (Phase, Phase)]);
    }

    #[test]
    fn a_new_group_starts_a_report_group() {
        let args = ["--size=1m", "--name=a", "--name=b", "--group_reporting", "--new_group", "--name=c"];
        let Ok(Request::Run(invocation)) = parse(&args.map(str::to_owned), &FixedEnv::default()) else {
            panic!("jobs to run")
        };
        let of_plan = lower(&invocation, &FixedMachine { cpus: 4 }).workers.iter().map(|worker| worker.group).collect();
        let groups = report_groups(&invocation.jobs);
        assert_eq!((groups.len(), &groups), (3, &of_plan));
        assert!(groups[1] > groups[0], "{groups:?}");
    }

    #[test]
    fn the_plan_contains_the_arguments_and_job_files() {
        let env = FixedEnv::default().file("a.fio", b"[a]\nsize=1m\ninclude b.inc\n").file("b.inc", b"rw=read\n");
        let Ok(Request::Run(invocation)) = parse(&["a.fio".to_owned()], &env) else { panic!("a job to run") };
        let Origin::Fio(source) = lower(&invocation, &FixedMachine { cpus: 4 }).origin else {
            panic!("a plan from fio")
        };
        assert_eq!(source.words, ["a.fio"]);
        let files: Vec<_> = source.job_files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
        assert_eq!(files, [("a.fio", "[a]\nsize=1m\ninclude b.inc\n"), ("b.inc", "rw=read\n")]);
    }

    #[test]
    fn only_listed_errors_are_ignored() {
        let errors = &plan("--name=a --size=1m --ignore_error=,ENOSPC:5").workers[0].errors;
        assert_eq!((errors.continue_on_read, errors.continue_on_write), (false, true));
        assert_eq!(errors.survivable_errno, [vec![], vec![errno::ENOSPC, errno::EIO], vec![]]);
    }

    #[test]
    fn number_ios_is_per_loop_and_ignored_by_time_based_jobs() {
        let ios = |line: &str| plan(line).workers[0].limits.number_ios;
        assert_eq!(ios("--name=a --size=1m --number_ios=10 --loops=3"), 30);
        assert_eq!(ios("--name=a --size=1m --number_ios=10 --time_based --runtime=1"), 0);
    }
}
