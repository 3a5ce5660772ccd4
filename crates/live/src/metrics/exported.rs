//! The data of a response.

use std::borrow::Cow;

use super::counts::{IoCounts, JobCounts};
use crate::job::Job;
use crate::view::View;

/// What a response contains.
#[derive(Default)]
pub struct Exported {
    pub version: String,
    /// Ended runs, the oldest first. No two have the same name.
    pub ended: Vec<ExportedRun>,
    pub active: ExportedRun,
    pub view: View,
}

impl Exported {
    /// Returns the runs. Those of one name are added up.
    pub fn runs(&self) -> Vec<Cow<'_, ExportedRun>> {
        let (same, others): (Vec<_>, Vec<_>) = self.ended.iter().partition(|ended| ended.name == self.active.name);
        let mut active = Cow::Borrowed(&self.active);
        same.into_iter().for_each(|ended| active.to_mut().add(ended));
        others.into_iter().map(Cow::Borrowed).chain([active]).collect()
    }
}

/// A run, by job, by target and by host.
#[derive(Clone, Default)]
pub struct ExportedRun {
    pub name: String,
    pub jobs: Vec<(Job, JobCounts)>,
    pub targets: Vec<(String, IoCounts)>,
    pub hosts: Vec<(String, IoCounts)>,
}

impl ExportedRun {
    /// Returns the number of its series, by name.
    pub fn series(&self) -> usize {
        self.jobs.len().max(self.targets.len()).max(self.hosts.len())
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &ExportedRun) {
        for (job, counts) in &other.jobs {
            match self.jobs.iter_mut().find(|(known, _)| (&known.name, &known.target) == (&job.name, &job.target)) {
                Some((_, sum)) => sum.add(counts),
                None => self.jobs.push((job.clone(), counts.clone())),
            }
        }
        for (sums, more) in [(&mut self.targets, &other.targets), (&mut self.hosts, &other.hosts)] {
            for (name, counts) in more {
                match sums.iter_mut().find(|(known, _)| known == name) {
                    Some((_, sum)) => sum.add(*counts),
                    None => sums.push((name.clone(), *counts)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, target: &str, ios: u64) -> ExportedRun {
        let job = Job { name: "a".to_owned(), target: target.to_owned(), ..Job::default() };
        let counts = JobCounts { ios: [ios; 3], ..JobCounts::default() };
        let io = IoCounts { ios: [ios; 3], bytes: [0; 3] };
        ExportedRun {
            name: name.to_owned(),
            jobs: vec![(job, counts)],
            targets: vec![(target.to_owned(), io)],
            hosts: Vec::new(),
        }
    }

    #[test]
    fn runs_of_one_name_are_one_series() {
        let ended = vec![run("fill", "x", 1), run("A", "x", 10)];
        let exported = Exported { ended, active: run("A", "x", 5), ..Exported::default() };
        let runs = exported.runs();
        let counts: Vec<_> = runs.iter().map(|run| (run.name.as_str(), run.jobs.len(), run.jobs[0].1.ios[0])).collect();
        assert_eq!(counts, [("fill", 1, 1), ("A", 1, 15)]);
        assert_eq!((runs[1].targets.len(), runs[1].targets[0].1.ios[0]), (1, 15));
        let mut two = run("A", "x", 1);
        two.add(&run("A", "y", 2));
        assert_eq!((two.jobs.len(), two.targets.len()), (2, 2));
    }
}
