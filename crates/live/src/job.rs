//! The jobs of a plan: workers with one name, or threads of DiskSpd with the same targets.

use std::collections::HashMap;

use plan::{Plan, Worker};
use units::markup::one_line;

/// Workers whose figures are added up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Job {
    /// On one line, without control characters.
    pub name: String,
    /// The first target, with the number of others; on one line.
    pub target: String,
    /// Number of its workers.
    pub workers: usize,
    /// Sum of the requested queue depths.
    pub depth: u64,
}

/// Returns the jobs of a plan, and the index of each worker's job.
pub fn jobs(plan: &Plan) -> (Vec<Job>, Vec<usize>) {
    let mut known: HashMap<(u32, String), usize> = HashMap::new();
    let mut paths: Vec<Vec<&str>> = Vec::new();
    let mut jobs: Vec<Job> = Vec::new();
    let mut of_worker = Vec::with_capacity(plan.workers.len());
    for worker in &plan.workers {
        let targets: Vec<&str> = worker.paths().collect();
        // Threads of DiskSpd have numbers for names: their targets name them.
        let (key, name) = match worker.streams() {
            Some(_) => (targets.join("\0"), ""),
            None => (worker.name.clone(), worker.name.as_str()),
        };
        let at = *known.entry((worker.phase, key)).or_insert_with(|| {
            jobs.push(Job { name: one_line(name).into_owned(), ..Job::default() });
            paths.push(Vec::new());
            jobs.len() - 1
        });
        of_worker.push(at);
        jobs[at].workers += 1;
        jobs[at].depth += depth(worker);
        for target in targets {
            if paths[at].last() != Some(&target) {
                paths[at].push(target);
            }
        }
    }
    for (job, mut paths) in jobs.iter_mut().zip(paths) {
        paths.sort_unstable();
        paths.dedup();
        job.target = described(&paths);
        if job.name.is_empty() {
            job.name.clone_from(&job.target);
        }
    }
    (jobs, of_worker)
}

fn depth(worker: &Worker) -> u64 {
    u64::from(worker.depth())
}

fn described(paths: &[&str]) -> String {
    match paths {
        [] => String::new(),
        [only] => one_line(only).into_owned(),
        [first, others @ ..] => format!("{} and {} more", one_line(first), others.len()),
    }
}
