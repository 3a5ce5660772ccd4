//! Makes the reports of this host about its run.
//!
//! A report has a limited size. It contains the sum of all jobs, then the jobs whose figures have changed. The jobs
//! that do not fit follow in the next report.

use engine::Live;
use plan::Plan;
use record::schema::Layout;
use record::{Event, Record};
use serde::Serialize;

use crate::host_report::{Figures, HostReport, JobChange, REPORT_BYTES_MAX, REPORT_EVERY_NS};
use crate::meter::Meter;
use crate::metrics::counts::{JobCounts, RunCounts};
use crate::view::{Fleet, View};

/// Makes the reports of this host.
pub struct Reporter {
    meter: Meter,
    /// The counts for an endpoint. `None` if there is no endpoint.
    counts: Option<RunCounts>,
    reported: Reported,
}

impl Reporter {
    /// Starts a run. `takes_ns` is its time if it is limited. With `has_counts`, reports also have the counts of the
    /// jobs.
    pub fn new(plan: &Plan, takes_ns: Option<u64>, has_counts: bool) -> Self {
        let mut meter = Meter::with_interval(REPORT_EVERY_NS);
        meter.begin("", plan, (takes_ns, 0), Fleet::default());
        let reported = Reported::new(meter.jobs().len());
        Reporter { meter, counts: has_counts.then(|| RunCounts::new(plan)), reported }
    }

    /// Adds an event. `record` is from before the event.
    pub fn event(&mut self, record: &Record, event: &Event) {
        self.meter.event(record, event);
        if let Some(counts) = &mut self.counts {
            counts.event(event);
        }
    }

    /// Returns a report if one is due.
    pub fn tick(&mut self, live: &Live, now_ns: u64) -> Option<String> {
        if !self.meter.tick(live, now_ns) {
            return None;
        }
        if let Some(counts) = &mut self.counts {
            counts.read(live);
        }
        Some(self.report(REPORT_BYTES_MAX))
    }

    /// Returns the last report of the run, with all changes that are not reported yet. Its size is not limited.
    pub fn end(mut self) -> String {
        self.meter.end();
        self.report(usize::MAX)
    }

    fn report(&mut self, bytes_max: usize) -> String {
        let counts = self.counts.as_ref().map(RunCounts::by_job).unwrap_or_default();
        self.reported.next_report(self.meter.view(), counts, bytes_max)
    }
}

/// The last reported figures and counts of each job.
struct Reported {
    jobs: Vec<(Figures, JobCounts)>,
    /// The job that comes first in the next report.
    next: usize,
}

impl Reported {
    fn new(jobs: usize) -> Self {
        Reported { jobs: vec![Default::default(); jobs], next: 0 }
    }

    /// Returns a report of the changes since the last reports, of at most `bytes_max` bytes. `counts` are those of each
    /// job, or empty.
    fn next_report(&mut self, view: &View, mut counts: Vec<JobCounts>, bytes_max: usize) -> String {
        let all = Figures::of(&view.all());
        let mut report =
            HostReport { stage: view.stage, left_ns: view.left_ns, files: view.files, all, jobs: Vec::new() };
        let mut bytes = text(&report).len();
        counts.resize(self.jobs.len(), JobCounts::default());
        for job in (self.next..self.jobs.len()).chain(0..self.next) {
            let (figures, counted) = &mut self.jobs[job];
            let change = JobChange { job, figures: Figures::of(&view.jobs[job]), counts: counts[job].since(counted) };
            if change.figures == *figures && change.counts.is_empty() {
                continue;
            }
            bytes += text(&change).len() + 1;
            if bytes > bytes_max {
                self.next = job;
                break;
            }
            figures.clone_from(&change.figures);
            counted.clone_from(&counts[job]);
            report.jobs.push(change);
        }
        text(&report)
    }
}

fn text(part: &impl Serialize) -> String {
    // The types have no maps, and no other reason to fail.
    Layout::LINE.format(part).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use plan::Worker;
    use record::{CoarseHistogram, Histogram, Stage, WorkerStats};

    use super::*;
    use crate::view::{JobView, Reporting};

    const JOBS: usize = 100;
    const S: u64 = 1_000_000_000;

    fn plan(jobs: usize) -> Plan {
        let worker = |nth| Worker { name: format!("job{nth}"), ..Worker::default() };
        Plan { workers: (0..jobs).map(worker).collect(), ..Plan::default() }
    }

    /// Statistics with latencies from 1 us to 1 s.
    fn stats(job: usize) -> WorkerStats {
        let mut stats = WorkerStats::default();
        for counts in &mut stats.ddirs {
            (0..200).for_each(|nth| counts.clat.record((1000 << (nth % 20)) | (77 * nth)));
            (counts.ios, counts.bytes) = (2_000_000 + job as u64, 16_000_000_000_000);
        }
        stats
    }

    fn view(jobs: usize) -> View {
        let job = |nth| JobView {
            running: 1,
            ios_per_s: [1_234_567.0, 234_567.0, nth as f64],
            bytes_per_s: [9_876_543_210.0; 3],
            lat: CoarseHistogram::between(&Histogram::default(), &stats(nth).ddirs[0].clat.histogram).unwrap(),
            in_flight: 1234.5,
            ..JobView::default()
        };
        let jobs = (0..jobs).map(job).collect();
        View { jobs, stage: Some(Stage::Measuring), left_ns: Some(3600 * S), ..View::default() }
    }

    /// A meter and the counts of a fleet of two hosts.
    fn fleet(jobs: usize) -> (Meter, RunCounts) {
        let mut meter = Meter::default();
        meter.begin("run", &plan(jobs), (None, 0), Fleet { hosts: 2, is_quiet: false });
        (meter, RunCounts::new(&plan(jobs)))
    }

    #[test]
    fn many_jobs_come_in_reports_of_a_limited_size_until_all_have_come() {
        let (view, counts) = (view(JOBS), (0..JOBS).map(|job| JobCounts::of(&stats(job))).collect::<Vec<_>>());
        let (mut reported, (mut meter, mut sums)) = (Reported::new(JOBS), fleet(JOBS));
        let mut reports = 0;
        loop {
            let text = reported.next_report(&view, counts.clone(), REPORT_BYTES_MAX);
            assert!(text.len() <= REPORT_BYTES_MAX, "{} bytes", text.len());
            let report = HostReport::parse(&text).unwrap();
            if report.jobs.is_empty() {
                break;
            }
            reports += 1;
            let from = Reporting { rank: 1, name: "b" };
            meter.take_report(from, &report, S);
            sums.take_report(from, report.counts());
        }
        assert!((10..JOBS).contains(&reports), "{reports} reports");
        assert!(meter.add_hosts(2 * S));
        for (job, (sum, of)) in meter.view().jobs.iter().zip(&view.jobs).enumerate() {
            let rates = (sum.ios_per_s, sum.bytes_per_s, sum.in_flight, sum.lat.total());
            assert_eq!(rates, (of.ios_per_s, of.bytes_per_s, of.in_flight, of.lat.total()), "{job}");
        }
        for (sum, of) in sums.by_job().iter().zip(&counts) {
            assert_eq!((sum.ios, sum.bytes, sum.clat[2].below()), (of.ios, of.bytes, of.clat[2].below()));
            assert!((sum.clat[0].sum_s - of.clat[0].sum_s).abs() < 1e-6);
        }
        let (host, by_host) = (&meter.view().hosts[0], sums.by_host());
        assert_eq!((host.name.as_str(), by_host[0].0.as_str()), ("b", "b"));
        assert_eq!(by_host[0].1.ios[0], counts.iter().map(|job| job.ios[0]).sum::<u64>());
    }

    #[test]
    fn one_job_with_all_kinds_of_figures_fits_into_a_report() {
        let mut reported = Reported::new(1);
        let text = reported.next_report(&view(1), vec![JobCounts::of(&stats(0))], REPORT_BYTES_MAX);
        assert_eq!(HostReport::parse(&text).unwrap().jobs.len(), 1);
    }

    #[test]
    fn the_views_show_the_sum_of_the_hosts_that_report() {
        let (mut meter, _) = fleet(2);
        let jobs = view(2);
        let text = Reported::new(2).next_report(&jobs, Vec::new(), REPORT_BYTES_MAX);
        let mut report = HostReport::parse(&text).unwrap();
        meter.take_report(Reporting { rank: 0, name: "a\n" }, &report, S);
        // The second host is slower, and has not begun to measure.
        let mut slow = view(2);
        slow.jobs.iter_mut().for_each(|job| job.bytes_per_s = [1.0; 3]);
        (slow.stage, slow.left_ns) = (Some(Stage::WarmingUp), Some(7 * S));
        report = HostReport::parse(&Reported::new(2).next_report(&slow, Vec::new(), REPORT_BYTES_MAX)).unwrap();
        meter.take_report(Reporting { rank: 1, name: "b" }, &report, S);
        assert!(meter.add_hosts(2 * S) && !meter.add_hosts(2 * S));
        let shown = meter.view();
        let all = shown.all();
        assert_eq!((all.ios_per_s[0], all.running), (4.0 * 1_234_567.0, 4));
        assert_eq!(shown.jobs[1].ios_per_s[2], 2.0);
        assert_eq!((shown.stage, shown.left_ns, shown.slowest()), (Some(Stage::WarmingUp), Some(3600 * S), Some(1)));
        assert_eq!(meter.jobs()[0].workers, 2);
        // The first host is silent, and the second reports on.
        meter.take_report(Reporting { rank: 1, name: "b" }, &report, 9 * S);
        assert!(meter.add_hosts(10 * S));
        let shown = meter.view();
        assert_eq!((shown.hosts[0].is_silent, shown.hosts[0].name.contains('\n')), (true, false));
        assert_eq!((shown.all().ios_per_s[0], shown.slowest()), (2.0 * 1_234_567.0, None));
        assert_eq!(shown.reporting(), "1 of 2 hosts");
    }

    #[test]
    fn reports_of_another_plan_or_without_sense_are_ignored() {
        assert!(HostReport::parse("{}").is_err() && HostReport::parse("[1,2]").is_err());
        let (mut meter, mut sums) = fleet(1);
        let text = Reported::new(3).next_report(&view(3), vec![JobCounts::of(&stats(0)); 3], usize::MAX);
        let report = HostReport::parse(&text).unwrap();
        let from = Reporting { rank: 0, name: "a" };
        meter.take_report(from, &report, S);
        sums.take_report(from, report.counts());
        assert!(meter.add_hosts(2 * S));
        assert_eq!((meter.view().jobs.len(), sums.by_job().len()), (1, 1));
    }
}
