//! Figures of a test: the runs with the same settings, by direction.

use assessment::{LatencyKind, Metric, Quantity, Reason, Round, Statistic, Test};
use judge::figures::{median, of_runs, service_time};
use judge::verdict::JobRounds;
use plan::{Ddir, Origin, Worker};
use record::{DdirStats, Histogram, Latency, Record};
use units::format::grouped;
use units::quantity::option_value;

use crate::text::{self, NONE};

/// Longer tables of jobs are left out.
const JOBS_MOST: usize = 64;
/// The setting of a search over rates: all I/Os per second that are due.
const SEARCHED_RATE: &str = "rate_iops";

/// Service times of a row of a long table: mean, p50, p99, p99.9 and maximum.
pub const TIMES: [Statistic; 5] = [
    Statistic::Mean,
    Statistic::Percentile(50.0),
    Statistic::Percentile(99.0),
    Statistic::Percentile(99.9),
    Statistic::Max,
];

/// The runs of a test with the same settings: those of the steady state, if there is one.
///
/// Figures of several runs are combined as in every other view.
pub struct Cell<'a> {
    /// What differs from the other cells, as (`bs`, `64k`); empty if there is one cell.
    pub at: Vec<(&'a str, &'a str)>,
    is_searched: bool,
    runs: Vec<Stats>,
    /// The thresholds of its figures.
    thresholds: Vec<(Metric, f64)>,
}

/// One run of a cell.
struct Stats {
    ddirs: [DdirStats; 3],
    all: DdirStats,
    syncs: Latency,
}

impl Stats {
    /// Adds up some of the workers of a run.
    fn of(record: &Record, is_meant: impl Fn(&Worker) -> bool) -> Stats {
        let totals = record.totals_of(&is_meant);
        let mut stats = Stats { ddirs: totals.ddirs, all: totals.all, syncs: Latency::default() };
        let workers = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| is_meant(worker));
        workers.for_each(|(_, counted)| stats.syncs.merge(&counted.stats.sync_lat));
        stats
    }
}

/// Figures of one direction of a cell, or of its flushes.
pub struct Side<'a> {
    pub name: &'static str,
    /// `None` for flushes.
    pub ddir: Option<Ddir>,
    /// Class of the direction's colour in charts.
    pub colour: usize,
    /// `None` for flushes.
    pub rates: Option<Rates>,
    /// Service time, from issue to completion.
    pub latency: Times<'a>,
    thresholds: &'a [(Metric, f64)],
}

impl Side<'_> {
    /// Returns IOPS and MiB/s of the whole runs for a row of a table, as all reports show them.
    pub fn rates_shown(&self) -> [String; 2] {
        let shown = |quantity, of: fn(Rates) -> f64| self.shown(quantity, self.rates.map(of));
        [shown(Quantity::Iops, |rates| rates.iops), shown(Quantity::Bandwidth, |rates| rates.bytes_per_s)]
    }

    /// Returns service times of the whole runs for a row of a table, as all reports show them.
    pub fn times_shown<const N: usize>(&self, statistics: [Statistic; N]) -> [String; N] {
        statistics.map(|statistic| {
            let quantity = match self.ddir {
                Some(_) => Quantity::Latency(LatencyKind::Total, statistic),
                None => Quantity::Fsync(statistic),
            };
            self.shown(quantity, self.latency.value_ns(statistic))
        })
    }

    /// Formats a figure below a heading that has the unit of rates. It has the decimals in which it differs from its threshold.
    fn shown(&self, quantity: Quantity, value: Option<f64>) -> String {
        let Some(value) = value else { return NONE.to_owned() };
        let metric = Metric { ddir: self.ddir, quantity };
        let threshold = self.thresholds.iter().find(|(of, _)| *of == metric).map_or(value, |(_, threshold)| *threshold);
        let text = text::figure_beside(value, threshold, metric.unit());
        text.trim_end_matches(" MiB/s").trim_end_matches(" IOPS").to_owned()
    }
}

#[derive(Clone, Copy)]
pub struct Rates {
    pub iops: f64,
    pub bytes_per_s: f64,
}

/// Times of one kind, in each of several runs.
pub struct Times<'a> {
    /// The times of a run, and the number of I/Os that were due and never submitted. These count as longer than any
    /// other.
    runs: Vec<(&'a Latency, u64)>,
}

impl<'a> Times<'a> {
    pub fn of(runs: impl Iterator<Item = (&'a Latency, u64)>) -> Times<'a> {
        Times { runs: runs.filter(|(latency, _)| latency.count() > 0).collect() }
    }

    /// Returns the number of I/Os with a time.
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|(latency, _)| latency.count()).sum()
    }

    pub fn mean_ns(&self) -> f64 {
        self.of_runs(Statistic::Mean, |latency, _| Some(latency.mean_ns())).unwrap_or(0.0)
    }

    /// Returns a percentile; `None` if it lies among I/Os that were never submitted.
    pub fn percentile_ns(&self, percent: f64) -> Option<f64> {
        self.of_runs(Statistic::Percentile(percent), |latency, unissued| {
            latency.percentile_of_due_ns(unissued, percent).map(|ns| ns as f64)
        })
    }

    pub fn min_ns(&self) -> u64 {
        self.runs.iter().map(|(latency, _)| latency.min_ns()).min().unwrap_or(0)
    }

    pub fn max_ns(&self) -> f64 {
        self.of_runs(Statistic::Max, |latency, _| Some(latency.max_ns() as f64)).unwrap_or(0.0)
    }

    fn value_ns(&self, statistic: Statistic) -> Option<f64> {
        match statistic {
            _ if self.runs.is_empty() => None,
            Statistic::Mean => Some(self.mean_ns()),
            Statistic::Max => Some(self.max_ns()),
            Statistic::Percentile(percent) => self.percentile_ns(percent),
        }
    }

    fn of_runs(&self, statistic: Statistic, of_run: impl Fn(&Latency, u64) -> Option<f64>) -> Option<f64> {
        of_runs(statistic, self.runs.iter().map(|(latency, unissued)| of_run(latency, *unissued)))
    }

    /// Returns the distribution over all runs.
    pub fn histogram(&self) -> Histogram {
        let mut all = Histogram::default();
        self.runs.iter().for_each(|(latency, _)| all.merge(&latency.histogram));
        all
    }
}

impl<'a> Cell<'a> {
    fn of(test: &Test, rounds: JobRounds<'a>, is_searched: bool) -> Cell<'a> {
        let judgements = test.judgements.iter().filter(|judgement| judgement.at == rounds.at);
        let thresholds = judgements.filter_map(|one| Some((one.metric, one.threshold.as_ref()?.value))).collect();
        let at = rounds.at.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let runs = rounds.records.iter().map(|record| Stats::of(record, |_| true)).collect();
        Cell { at, is_searched, runs, thresholds }
    }

    /// Returns the settings: `bs=64k rwmixread=0`, `292 IOPS offered`.
    pub fn name(&self) -> String {
        self.name_without("")
    }

    /// Returns the settings without one of them.
    pub fn name_without(&self, setting: &str) -> String {
        let others = self.at.iter().filter(|(name, _)| *name != setting);
        let words = others.map(|(name, value)| self::setting(name, value, self.is_searched));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns one of the settings, as [`Cell::name`] has it.
    pub fn name_of(&self, setting: &str) -> String {
        self::setting(setting, self.value(setting).unwrap_or_default(), self.is_searched)
    }

    pub fn value(&self, setting: &str) -> Option<&str> {
        self.at.iter().find(|(name, _)| *name == setting).map(|(_, value)| *value)
    }

    /// Returns the number of runs.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Whether any I/O completed.
    pub fn has_ios(&self) -> bool {
        self.runs.iter().any(|run| run.all.ios > 0)
    }

    /// Returns the directions with I/Os, and the flushes.
    pub fn sides(&self) -> Vec<Side<'_>> {
        let mut sides = Vec::new();
        for ddir in Ddir::ALL {
            let stats = || self.runs.iter().map(|run| &run.ddirs[ddir as usize]);
            if stats().any(|stats| stats.ios > 0) {
                let latency = Times::of(stats().map(|stats| (service_time(stats), 0)));
                let rates = Some(rates(stats()));
                let (name, colour) = (ddir.name(), ddir as usize);
                sides.push(Side { name, ddir: Some(ddir), colour, rates, latency, thresholds: &self.thresholds });
            }
        }
        let flushes = Times::of(self.runs.iter().map(|run| (&run.syncs, 0)));
        if flushes.count() > 0 {
            let (latency, thresholds) = (flushes, self.thresholds.as_slice());
            sides.push(Side { name: "flush", ddir: None, colour: 3, rates: None, latency, thresholds });
        }
        sides
    }

    /// Returns the rates over all directions.
    pub fn rates(&self) -> Rates {
        rates(self.runs.iter().map(|run| &run.all))
    }

    /// Returns response times if I/Os had an intended start, else service times.
    pub fn load_latency(&self) -> Times<'_> {
        match self.has_response() {
            true => Times::of(self.runs.iter().map(|run| response(&run.all))),
            false => self.service(),
        }
    }

    /// Returns service times over all directions.
    pub fn service(&self) -> Times<'_> {
        Times::of(self.runs.iter().map(|run| (service_time(&run.all), 0)))
    }

    /// Returns the I/Os per second that were due; `None` if they had no intended start.
    pub fn offered_iops(&self) -> Option<f64> {
        let of_run = |run: &Stats| {
            let due = run.all.arrivals.as_ref()?.due;
            (run.all.ios > 0 && due > 0).then(|| run.all.ios_per_s() * due as f64 / run.all.ios as f64)
        };
        let offered = self.runs.iter().map(of_run).collect::<Option<Vec<f64>>>()?;
        (!offered.is_empty()).then(|| median(offered.into_iter()))
    }

    pub fn has_response(&self) -> bool {
        self.runs.iter().any(|run| run.all.response.count() > 0)
    }

    /// Returns response times by direction.
    pub fn responses(&self) -> Vec<(Ddir, Times<'_>)> {
        let of_ddir =
            |ddir: Ddir| (ddir, Times::of(self.runs.iter().map(move |run| response(&run.ddirs[ddir as usize]))));
        Ddir::ALL.into_iter().map(of_ddir).filter(|(_, times)| times.count() > 0).collect()
    }
}

fn rates<'a>(stats: impl Iterator<Item = &'a DdirStats> + Clone) -> Rates {
    Rates {
        iops: median(stats.clone().map(DdirStats::ios_per_s)),
        bytes_per_s: median(stats.map(DdirStats::bytes_per_s)),
    }
}

fn response(stats: &DdirStats) -> (&Latency, u64) {
    (&stats.response, stats.unissued())
}

/// Returns the number of each round among the rounds with its settings, from 0.
pub fn repeats(test: &Test) -> Vec<usize> {
    let mut seen: Vec<(&[(String, String)], usize)> = Vec::new();
    let mut repeats = Vec::with_capacity(test.rounds.len());
    for round in &test.rounds {
        let known = seen.iter_mut().find(|(at, _)| *at == round.at.as_slice());
        repeats.push(known.as_ref().map_or(0, |(_, times)| *times));
        match known {
            Some((_, times)) => *times += 1,
            None => seen.push((&round.at, 1)),
        }
    }
    repeats
}

/// Whether the settings of the test are the rates of a search.
pub fn is_search(test: &Test) -> bool {
    let is_of_search =
        |reason: &Reason| matches!(reason, Reason::SustainedRate | Reason::AtSustainedRate | Reason::AtLowestRate);
    test.judgements.iter().any(|judgement| is_of_search(&judgement.reason))
}

/// Returns a setting: `bs=64k`; a rate of a search: `292 IOPS offered`.
pub fn setting(name: &str, value: &str, is_searched: bool) -> String {
    match option_value(value).filter(|_| is_searched && name == SEARCHED_RATE) {
        Some(rate) => format!("{} IOPS offered", grouped(rate)),
        None => format!("{name}={value}"),
    }
}

pub fn cells(test: &Test) -> Vec<Cell<'_>> {
    let is_searched = is_search(test);
    JobRounds::of_test(test).into_iter().map(|rounds| Cell::of(test, rounds, is_searched)).collect()
}

/// Groups cells that differ only in a setting. The name of a group is that of its other settings. At most `most` groups are
/// returned.
pub fn grouped_by_others<'c, 'a>(
    cells: &'c [Cell<'a>],
    setting: &str,
    most: usize,
) -> Vec<(String, Vec<&'c Cell<'a>>)> {
    let mut groups: Vec<(String, Vec<&Cell>)> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.value(setting).is_some()) {
        let name = cell.name_without(setting);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(cell),
            None => groups.push((name, vec![cell])),
        }
    }
    groups.truncate(most);
    groups
}

/// Returns the jobs of a test that is one run of several fio jobs; else an empty list.
pub fn jobs(test: &Test) -> Vec<Cell<'_>> {
    let [Round { record, .. }] = test.rounds.as_slice() else { return Vec::new() };
    if !matches!(record.plan.origin, Origin::Fio(_)) {
        return Vec::new();
    }
    let mut names: Vec<&str> = Vec::new();
    for worker in &record.plan.workers {
        if !names.contains(&worker.name.as_str()) {
            names.push(&worker.name);
        }
    }
    if !(2..=JOBS_MOST).contains(&names.len()) {
        return Vec::new();
    }
    let row = |name: &'_ str| Stats::of(record, |worker| worker.name == name);
    let cell =
        |name| Cell { at: vec![("job", name)], is_searched: false, runs: vec![row(name)], thresholds: Vec::new() };
    names.into_iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use assessment::{Metric, Reason, Verdict};
    use judge::requirements::Requirements;
    use judge::verdict::{JobRounds, judge};
    use plan::{Plan, Worker};
    use record::{Arrivals, SlotLatencies, Timeline};
    use units::diagnostic::Source;

    use super::*;

    /// A run with 990 response times of 1 ms each in 20 intervals, and I/Os that were due and never submitted.
    fn open_loop(unissued: u64) -> Test {
        let plan = Plan { workers: vec![Worker::default()], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        let reads = &mut record.workers[0].stats.ddirs[Ddir::Read as usize];
        (reads.ios, reads.runtime_ns) = (990, 1_000_000_000);
        (0..990).for_each(|_| reads.response.record(1_000_000));
        reads.arrivals = Some(Arrivals { due: 990 + unissued, unissued, ..Arrivals::default() });
        let mut response = SlotLatencies::default();
        (0..990).for_each(|_| response.record(1_000_000));
        let mut timeline = Timeline::new(0, 50_000_000, Vec::new());
        timeline.count_response((0, 1_000_000_000), Ddir::Read, &response);
        timeline.end(1_000_000_000, &[(0, 1_000_000_000)]);
        record.timeline = vec![timeline];
        let rounds = vec![Round { at: Vec::new(), record }];
        Test::of_rounds("open-loop".to_owned(), String::new(), String::new(), rounds)
    }

    #[test]
    fn a_job_whose_clones_run_one_after_another_has_the_rate_of_one() {
        let worker = |name: &str| Worker { name: name.to_owned(), ..Worker::default() };
        let plan = Plan { workers: vec![worker("a"), worker("a"), worker("b")], ..Plan::default() };
        let mut record = Record::new(Arc::new(plan), 0);
        for (worker, from_s) in record.workers.iter_mut().zip([100, 110, 100]) {
            worker.stats.measured_from_unix_us = from_s * 1_000_000;
            let reads = &mut worker.stats.ddirs[Ddir::Read as usize];
            (reads.ios, reads.runtime_ns) = (5000, 10_000_000_000);
            worker.stats.sync_lat.record(1000);
        }
        let test = Test::of_rounds("t".into(), String::new(), String::new(), vec![Round { at: Vec::new(), record }]);
        let rows = jobs(&test);
        let rows: Vec<_> =
            rows.iter().map(|job| (job.name(), job.rates().iops, job.sides()[1].latency.count())).collect();
        assert_eq!(rows, [("job=a".to_owned(), 500.0, 2), ("job=b".to_owned(), 500.0, 1)]);
    }

    #[test]
    fn reports_and_verdicts_show_one_response_percentile() {
        for unissued in [0, 5, 9, 11, 990] {
            let test = open_loop(unissued);
            for percent in [50.0, 99.0, 99.9] {
                let metric = Metric::parse(&format!("read.response.p{percent}")).unwrap();
                let judged = JobRounds::of(&test.rounds)[0].figure(metric).unwrap().measured;
                let cells = cells(&test);
                let (_, shown) = cells[0].responses().remove(0);
                assert_eq!(judged, shown.percentile_ns(percent).unwrap_or(f64::INFINITY), "{unissued}, p{percent}");
            }
        }
    }

    #[test]
    fn a_maximum_of_several_runs_is_the_largest_in_tables_and_verdicts() {
        let mut test = open_loop(0);
        let runs = [3_000_000, 9_000_000, 5_000_000].map(|longest_ns| {
            let mut round = test.rounds[0].clone();
            round.record.workers[0].stats.ddirs[Ddir::Read as usize].response.record(longest_ns);
            round
        });
        test.rounds = runs.to_vec();
        let metric = Metric::parse("read.response.max").unwrap();
        let figure = JobRounds::of(&test.rounds)[0].figure(metric).unwrap();
        assert_eq!(figure.measured, 9e6);
        assert_eq!(cells(&test)[0].responses()[0].1.max_ns(), figure.measured);
    }

    #[test]
    fn a_bound_on_response_time_fails_if_its_percentile_was_never_submitted() {
        let rules = Requirements::parse(&Source::new("rules", "read.response.p95<=10ms")).unwrap();
        let judged = |unissued: u64| {
            let mut assessment = judge::single::assessment(&open_loop(unissued).rounds[0].record);
            judge(&mut assessment, &[], std::slice::from_ref(&rules));
            assessment.tests.remove(0)
        };
        assert_eq!(judged(3).verdict, Verdict::Pass);
        let failed = judged(200);
        assert_eq!((failed.verdict, failed.judgements[0].measured), (Verdict::Fail, f64::INFINITY));
        assert!(matches!(failed.judgements[0].reason, Reason::NotEnough(_)), "{:?}", failed.judgements);
        assert!(crate::wording::reason(&failed.judgements[0]).starts_with("never, threshold allowed 10 ms"));
        let saved = serde_json::to_string(&failed.judgements).unwrap();
        let read: Vec<assessment::Judgement> = serde_json::from_str(&saved).unwrap();
        assert_eq!(read, failed.judgements, "{saved}");
    }
}
