//! Settings of jobs that have no effect, or another effect than meant: depths of synchronous engines, files that are removed
//! before they are read, names of targets.

use std::collections::{BTreeMap, BTreeSet};

use assessment::{Finding, FindingKind, Severity, Subject, UnintendedTarget};
use plan::{JobLoad, MisreadName, Worker};
use record::{Record, WorkerRecord};
use units::lookalike;

/// Maximum number of findings on names.
const NAMES_MAX: usize = 16;

/// Finds jobs with a queue depth above 1 and a synchronous engine.
pub fn depths(record: &Record) -> Vec<Finding> {
    let has_no_effect = |worker: &&Worker| worker.engine.does_io() && worker.requested_depth() > worker.depth();
    let mut groups: BTreeMap<(u32, &str), Vec<&Worker>> = BTreeMap::new();
    for worker in record.plan.workers.iter().filter(has_no_effect) {
        groups.entry((worker.phase, worker.engine.name())).or_default().push(worker);
    }
    let finding = |((phase, engine), workers): ((u32, &str), Vec<&Worker>)| {
        let depth = workers.iter().map(|worker| worker.requested_depth()).max().unwrap_or(0);
        Finding {
            kind: FindingKind::SynchronousEngine { depth, engine: engine.to_owned() },
            subject: Subject::jobs(phase, workers.iter().map(|worker| worker.name.as_str())),
            severity: Severity::Warning,
        }
    };
    groups.into_iter().map(finding).collect()
}

/// Finds jobs that remove their files after a pass and read them in the next.
pub fn removals(record: &Record) -> Vec<Finding> {
    let reads_removed = |(worker, counted): &(&Worker, &WorkerRecord)| {
        // A job that ends by its time may not begin a second pass.
        let has_passes = worker.limits.loops > 1 || worker.limits.time_based && counted.error.is_some();
        let removes = |job: &JobLoad| job.targets.unlink_each_loop && job.access.pattern.reads;
        worker.job().is_some_and(|job| removes(job.load)) && worker.engine.moves_data() && has_passes
    };
    let mut phases: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (worker, _) in record.plan.workers.iter().zip(&record.workers).filter(reads_removed) {
        phases.entry(worker.phase).or_default().push(&worker.name);
    }
    let finding = |(phase, names): (u32, Vec<&str>)| Finding {
        kind: FindingKind::RemovedBeforeRead,
        subject: Subject::jobs(phase, names.into_iter()),
        severity: Severity::Invalid,
    };
    phases.into_iter().map(finding).collect()
}

/// Finds names of targets that were probably meant otherwise.
pub fn names(record: &Record) -> Vec<Finding> {
    let mut found: BTreeSet<UnintendedTarget> = BTreeSet::new();
    for worker in &record.plan.workers {
        let misread = worker.job().map(|job| &job.load.targets.misread).into_iter().flatten().map(|name| match name {
            MisreadName::Split { path } => UnintendedTarget::Split { path: path.clone() },
            MisreadName::Joined { path } => UnintendedTarget::Joined { path: path.clone() },
        });
        let typed = worker.paths().filter(|path| is_typographic(path));
        let typographic = typed.map(|path| UnintendedTarget::Typographic { path: path.to_owned() });
        found.extend(misread.chain(typographic));
        if found.len() >= NAMES_MAX {
            break;
        }
    }
    let finding = |name: UnintendedTarget| {
        let (UnintendedTarget::Split { path }
        | UnintendedTarget::Joined { path }
        | UnintendedTarget::Typographic { path }) = &name;
        let subject = Subject::Targets(vec![path.clone()]);
        let severity = Severity::Warning;
        Finding { kind: FindingKind::UnintendedTarget(name), subject, severity }
    };
    found.into_iter().take(NAMES_MAX).map(finding).collect()
}

/// Whether a path or its last name starts or ends with a typographic character.
fn is_typographic(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    lookalike::at_edge(path).or_else(|| lookalike::at_edge(name)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_series::simulated::{run, with};
    use plan::Engine;

    fn record(change: impl FnOnce(&mut Worker)) -> Record {
        with(run(&[5000.0; 20]), change)
    }

    #[test]
    fn a_depth_of_a_synchronous_engine_is_found() {
        let deep = |engine: Engine, offload: bool| {
            record(|worker| {
                worker.engine = engine;
                worker.batches.offload = offload;
                worker.job_mut().unwrap().iodepth = 64;
            })
        };
        let kind = FindingKind::SynchronousEngine { depth: 64, engine: "psync".to_owned() };
        let subject = Subject::Jobs { phase: 0, names: vec!["job".to_owned()] };
        assert_eq!(depths(&deep(Engine::Psync, false)), [Finding { kind, subject, severity: Severity::Warning }]);
        assert_eq!(depths(&deep(Engine::Psync, true)), []);
        assert_eq!(depths(&deep(Engine::Exec(plan::Exec::default()), false)), []);
        assert_eq!(depths(&record(|_| {})), []);
    }

    #[test]
    fn files_that_are_removed_before_the_next_pass_reads_them_are_found() {
        let of = |loops: u32, reads: bool| {
            let record = record(|worker| {
                worker.engine = Engine::Psync;
                worker.job_mut().unwrap().targets.unlink_each_loop = true;
                worker.limits.loops = loops;
                worker.job_mut().unwrap().access.pattern.reads = reads;
            });
            removals(&record).len()
        };
        assert_eq!((of(2, true), of(1, true), of(2, false)), (1, 0, 0));
    }

    #[test]
    fn names_are_found_once() {
        let with_names = |misread: Vec<MisreadName>, paths: &[&str]| {
            let found = names(&record(|worker| {
                worker.job_mut().unwrap().targets.misread = misread;
                worker.job_mut().unwrap().targets.paths = paths.iter().map(|path| (*path).to_owned()).collect();
            }));
            found.into_iter().map(|finding| finding.kind).collect::<Vec<_>>()
        };
        let path = "C:\\x".to_owned();
        assert_eq!(
            with_names(vec![MisreadName::Split { path: path.clone() }], &["C", "\\x"]),
            [FindingKind::UnintendedTarget(UnintendedTarget::Split { path })]
        );
        let path = "/mnt/\u{201c}x\u{201d}".to_owned();
        assert_eq!(
            with_names(Vec::new(), &["/mnt/x", &path, &path]),
            [FindingKind::UnintendedTarget(UnintendedTarget::Typographic { path })]
        );
        assert_eq!(with_names(Vec::new(), &["Jos\u{2013}e", "a,b"]), []);
    }
}
