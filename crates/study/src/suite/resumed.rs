//! Tests of a stopped assessment that need not run again.

use assessment::Test as Measured;
use plan::{Load, Plan};
use record::{HOST_MARK, Record};

use super::site::SCRATCH_PREFIX;

/// The test of this name of an interrupted run, with the same job.
pub(super) fn resumed_test<'a>(resumed: &'a [Measured], name: &str, plan: &Plan) -> Option<&'a Measured> {
    let has_run = |done: &Measured| done.rounds.iter().any(|round| has_same_work(&round.record, plan));
    resumed.iter().find(|done| done.name == name && has_run(done))
}

/// Returns true if a record is of the same job. The record of a fleet has the workers of all hosts: compares those of
/// the first host.
fn has_same_work(record: &Record, plan: &Plan) -> bool {
    match record.host_records().next() {
        Some((host, of_host)) => without_sizes(&of_host.plan, "") == without_sizes(plan, host.name.raw()),
        None => without_sizes(&record.plan, "") == without_sizes(plan, ""),
    }
}

/// Returns the plan without what differs between two runs of one job: the sizes and parts of files, and the ids of runs
/// in the names of folders. A fill with a time limit makes smaller files. `host` replaces [`HOST_MARK`], unless it is
/// empty.
fn without_sizes(plan: &Plan, host: &str) -> Plan {
    let path_of = |path: &str| match host {
        "" => without_run_id(path),
        host => without_run_id(&path.replace(HOST_MARK, host)),
    };
    let mut plan = plan.without_text();
    for worker in &mut plan.workers {
        match &mut worker.load {
            Load::Job(job) => {
                let targets = &mut job.targets;
                (targets.extent.size, targets.file_size, targets.extent.part) = (None, None, None);
                targets.paths.iter_mut().for_each(|path| *path = path_of(path));
            }
            Load::Threads(streams) => streams.list.iter_mut().for_each(|stream| stream.path = path_of(&stream.path)),
        }
    }
    plan
}

fn without_run_id(path: &str) -> String {
    match path.split_once(SCRATCH_PREFIX) {
        Some((before, after)) => {
            before.to_owned() + SCRATCH_PREFIX + after.trim_start_matches(|c: char| c.is_ascii_hexdigit())
        }
        None => path.to_owned(),
    }
}

/// Returns the tests of an interrupted run that have figures.
pub fn resumable(tests: Vec<Measured>) -> Vec<Measured> {
    tests.into_iter().filter(|test| test.error.is_none() && !test.rounds.is_empty()).collect()
}
