//! The hosts of a run that have reported, and the sums of their figures.

use std::collections::BTreeMap;

use units::markup::one_line;

use crate::host_report::{HostReport, REPORT_EVERY_NS};
use crate::view::{HostView, JobView, Reporting, View};

/// Time without a report after which the figures of a host are unknown.
const SILENT_AFTER_NS: u64 = 5 * REPORT_EVERY_NS;

/// Hosts by rank.
#[derive(Default)]
pub struct Hosts(BTreeMap<usize, Host>);

struct Host {
    name: String,
    last: HostReport,
    /// Time of the last report.
    at_ns: u64,
    /// The last figures of each job.
    jobs: Vec<JobView>,
}

impl Hosts {
    /// Takes a report. Jobs that are not in it have not changed, or follow in a later report. `jobs` is the number of
    /// jobs of the plan: jobs with a larger index are ignored.
    pub fn take(&mut self, from: Reporting, report: &HostReport, jobs: usize, now_ns: u64) {
        let host = self.0.entry(from.rank).or_insert_with(|| Host {
            name: one_line(from.name).into_owned(),
            last: HostReport::default(),
            at_ns: now_ns,
            jobs: vec![JobView::default(); jobs],
        });
        for change in &report.jobs {
            if let Some(job) = host.jobs.get_mut(change.job) {
                *job = change.figures.view();
            }
        }
        (host.last, host.at_ns) = (HostReport { jobs: Vec::new(), ..report.clone() }, now_ns);
    }

    /// Writes the sums of all hosts to the view.
    pub fn add_to(&self, view: &mut View, now_ns: u64) {
        view.jobs.iter_mut().for_each(|job| *job = JobView::default());
        view.hosts.clear();
        for host in self.0.values() {
            let is_silent = now_ns.saturating_sub(host.at_ns) > SILENT_AFTER_NS;
            let all = if is_silent { JobView::default() } else { host.last.all.view() };
            if !is_silent {
                view.jobs.iter_mut().zip(&host.jobs).for_each(|(sum, job)| sum.add(job));
            }
            view.hosts.push(HostView { name: host.name.clone(), all, is_silent });
        }
        let last = || self.0.values().map(|host| &host.last);
        // The earliest stage of all hosts, and the longest remaining time if all are known.
        view.stage = last().filter_map(|report| report.stage).min();
        view.left_ns =
            last().map(|report| report.left_ns).collect::<Option<Vec<u64>>>().and_then(|left| left.into_iter().max());
        view.files = last().fold((0, 0), |sum, report| (sum.0 + report.files.0, sum.1 + report.files.1));
    }
}
