//! The search for the load at which latency rises sharply: over rates of an open loop, or over depths of a closed one.

pub mod curve;
mod depths;
mod load;
mod measured;
mod search;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;
mod verdict;

pub use depths::Depths;
pub use load::{Load, Multiples, SearchParams};
pub use measured::Measured;
pub use search::Search;
pub(crate) use verdict::complete;

use std::ops::RangeInclusive;
use std::sync::Arc;

use assessment::{
    Assessment, Cause, Failure, Finding, FindingKind, KneeFigures, KneeLatencies, KneePoint, KneeResult, KneeRun, Like,
    Preparation, PreparationDetail, PreparationReason, Round, Severity, Study as Request, Test,
};
use judge::disturbance::disturbs_search;
use judge::figures::{median, percentile_of_runs};
use plan::{Origin, Plan};
use record::Record;

use crate::findings;
use crate::preconditioning::{Extent, Next, Pass, Step};
use crate::run::{End, Outcome, Refusal, Run, Session, Study, Work};
use crate::suite::Job;

/// A fill ends after this time. On a slow disk the file is then smaller.
const FILL_AT_MOST_S: u64 = 60;
/// Largest number of threads of a search.
const WORKERS_MAX: u64 = 1 << 20;
/// Largest multiple of a captured load, and the shortest run of one.
const MULTIPLE_MAX: f64 = 1000.0;
const MULTIPLE_RUN_MIN_NS: f64 = 0.5e9;
/// Largest number of findings of a search.
const FINDINGS_MAX: usize = 8;

/// Returns the smallest and the largest number of runs of a search: the steps up, and for depths the first ones.
pub fn runs(request: &assessment::Knee) -> RangeInclusive<u64> {
    match (request.iodepth_max, &request.like) {
        (Some(most), _) => depths::runs(most),
        (None, Some(_)) => search::MULTIPLE_RUNS,
        (None, None) => search::RUNS,
    }
}

/// Returns the time of a number of runs in ns, without the preparation.
pub fn time_ns(request: &assessment::Knee, ramp_ns: u64, runs: u64) -> u64 {
    request.runtime_ns.saturating_add(ramp_ns).saturating_mul(runs)
}

/// A search over rates or over depths.
#[expect(clippy::large_enum_variant, reason = "a study has one")]
pub enum Procedure {
    Rate(Search),
    Depth(Depths),
}

impl Procedure {
    /// The search of a request.
    pub fn new(request: &assessment::Knee) -> Procedure {
        let workers = request.workers.clamp(1, WORKERS_MAX);
        let multiples = request.like.as_deref().map(multiples);
        let params = SearchParams { percent: request.percent, bound_ns: request.bound_ns, workers, multiples };
        match request.iodepth_max {
            Some(most) => Procedure::Depth(Depths::new(params, most)),
            None => Procedure::Rate(Search::new(params)),
        }
    }

    /// Returns the next load; `None` at the end.
    pub fn next(&self) -> Option<Load> {
        match self {
            Procedure::Rate(search) => search.next(),
            Procedure::Depth(depths) => depths.next(),
        }
    }

    /// Takes the record of a run of that load.
    pub fn take(&mut self, load: &Load, record: &Record) {
        match self {
            Procedure::Rate(search) => search.take(load, record),
            Procedure::Depth(depths) => depths.take(load, record),
        }
    }

    /// Ends the search: a run failed.
    pub fn take_failed(&mut self, why: Failure) {
        match self {
            Procedure::Rate(search) => search.take_failed(why),
            Procedure::Depth(depths) => depths.take_failed(why),
        }
    }

    /// Returns why the search ended early.
    pub fn failed(&self) -> Option<&Failure> {
        match self {
            Procedure::Rate(search) => search.failed(),
            Procedure::Depth(depths) => depths.failed(),
        }
    }

    /// Returns what the runs so far show.
    pub fn result(&self) -> KneeResult {
        match self {
            Procedure::Rate(search) => of_rates(search),
            Procedure::Depth(depths) => of_depths(depths),
        }
    }
}

fn multiples(like: &Like) -> Multiples {
    let percent = |multiple: f64| units::number::whole((multiple * 100.0).clamp(1.0, MULTIPLE_MAX * 100.0));
    Multiples {
        bounds_ns: like.bounds_ns,
        margin_percent: like.margin_percent(),
        percent_max: percent(like.length_ns as f64 / MULTIPLE_RUN_MIN_NS).max(like.margin_percent().unwrap_or(0)),
    }
}

fn of_rates(search: &Search) -> KneeResult {
    let is_good = |run: &Measured| search.is_met(run);
    let points: Vec<KneePoint> = search.rates().iter().map(|(rate, runs)| point(*rate, runs, is_good)).collect();
    let index = |rate: Option<u64>| points.iter().position(|point| Some(point.load) == rate);
    KneeResult {
        closed_loop: search.capacity().map(|capacity| capacity.figures),
        knee: index(search.knee()),
        sustained: index(search.met()),
        missed: index(search.missed()),
        is_settled: search.is_settled(),
        load_generator: search.load_generator().cloned(),
        failed: search.failed().cloned(),
        points,
    }
}

fn of_depths(depths: &Depths) -> KneeResult {
    let bound_ns = depths.params.bound_ns.map(|ns| ns as f64);
    let is_good =
        |run: &Measured| bound_ns.is_none_or(|bound_ns| run.figures.percentile_ns.is_some_and(|ns| ns <= bound_ns));
    let of_depth = |(depth, run): &(u32, Measured)| point(u64::from(*depth), std::slice::from_ref(run), is_good);
    let points: Vec<KneePoint> = depths.depths().iter().map(of_depth).collect();
    let most = points.iter().max_by(|one, other| one.figures.iops.total_cmp(&other.figures.iops));
    KneeResult {
        closed_loop: None,
        knee: depths.knee(),
        sustained: depths.within(),
        missed: None,
        is_settled: depths.failed().is_none() && depths.next().is_none(),
        load_generator: most.and_then(|point| point.runs.first()?.load_generator.clone()),
        failed: depths.failed().cloned(),
        points,
    }
}

fn point(load: u64, runs: &[Measured], is_good: impl Fn(&Measured) -> bool) -> KneePoint {
    let run = |measured: &Measured| KneeRun {
        figures: measured.figures,
        is_good: is_good(measured),
        arrivals: measured.arrivals,
        load_generator: measured.load_generator.clone(),
    };
    let of = |figure: fn(&KneeFigures) -> f64| median(runs.iter().map(|run| figure(&run.figures)));
    let percentile =
        |figure: fn(&KneeFigures) -> Option<f64>| percentile_of_runs(runs.iter().map(|run| figure(&run.figures)));
    let figures = KneeFigures {
        iops: of(|figures| figures.iops),
        latency: KneeLatencies {
            mean_ns: of(|figures| figures.latency.mean_ns),
            p50_ns: percentile(|figures| figures.latency.p50_ns),
            p99_ns: percentile(|figures| figures.latency.p99_ns),
            p99_9_ns: percentile(|figures| figures.latency.p99_9_ns),
        },
        percentile_ns: percentile(|figures| figures.percentile_ns),
        late_percent: of(|figures| figures.late_percent),
    };
    KneePoint { load, figures, runs: runs.iter().map(run).collect() }
}

/// The target of a search.
#[derive(Clone, Debug)]
pub struct KneeTarget {
    /// File or device of the job.
    pub path: String,
    /// Bytes of it; `None` is all.
    pub bytes: Option<u64>,
    /// The file is new: blocks that were never written are read without the disk.
    pub is_new: bool,
    /// The file system has direct I/O.
    pub has_direct_io: bool,
}

/// The replay of a captured load.
#[derive(Clone, Debug)]
pub struct CapturedLoad {
    /// The plan at the captured speed.
    pub plan: Arc<Plan>,
    /// Log with the writes that fill the part of the target that the load uses.
    pub fill_log: Option<String>,
    /// Log with the writes that fill the places of discards again, before each further run.
    pub refill_log: Option<String>,
}

/// A search that runs.
pub struct Knee {
    session: Session,
    request: assessment::Knee,
    target: KneeTarget,
    captured: Option<CapturedLoad>,
    fill: Option<Pass>,
    /// A run has discarded places that the next run reads.
    needs_refill: bool,
    preparation: Vec<Preparation>,
    procedure: Procedure,
    load: Option<Load>,
    runs: Vec<(Load, Record)>,
    findings: Vec<Finding>,
}

impl Knee {
    /// A search on a target, which it fills first if it is new.
    pub fn new(session: Session, request: assessment::Knee, target: KneeTarget) -> Knee {
        let fill = target.is_new.then(|| fill(&request, &target));
        let mut findings = Vec::new();
        if !target.has_direct_io {
            findings.push(findings::no_direct_io());
        }
        findings.extend(findings::short_steps(&request));
        let procedure = Procedure::new(&request);
        let (preparation, runs) = (Vec::new(), Vec::new());
        Knee {
            session,
            request,
            target,
            captured: None,
            fill,
            needs_refill: false,
            preparation,
            procedure,
            load: None,
            runs,
            findings,
        }
    }

    /// A search over multiples of a captured load.
    pub fn of_captured(
        session: Session,
        request: assessment::Knee,
        target: KneeTarget,
        captured: CapturedLoad,
    ) -> Knee {
        let fill = captured.fill_log.as_ref().map(|log| fill_from_log(&request, &target, log));
        Knee { fill, captured: Some(captured), ..Knee::new(session, request, target) }
    }

    /// Returns the work of a load.
    fn work(&self, load: &Load) -> Work {
        let (Some(captured), Load::Captured { percent }, Some(like)) = (&self.captured, load, &self.request.like)
        else {
            return Work::Job(Knee::job(&self.request, load));
        };
        let mut plan = Plan::clone(&captured.plan);
        for worker in &mut plan.workers {
            worker.limits.runtime_ns = like.run_ns(*percent);
            if let Some(replay) = worker.job_mut().and_then(|job| job.replay.as_mut()) {
                replay.rules.is_open_loop = true;
                replay.rules.time_scale_percent = u32::try_from(*percent).unwrap_or(u32::MAX);
            }
        }
        Work::Plan(Arc::new(plan))
    }

    /// Returns the job of a load.
    pub fn job(request: &assessment::Knee, load: &Load) -> Job {
        let options = request.job.iter().cloned().chain(load.options(request.poisson)).collect();
        Job::fio("knee.fio", vec![("knee".to_owned(), options)])
    }

    /// Returns the findings about the target. A search over rates expects missed rates.
    fn note(&mut self, load: &Load, record: &Record) {
        let is_open = matches!(load, Load::Open { .. } | Load::Captured { .. });
        // The fill writes all parts that a captured load reads.
        let is_filled = self.captured.as_ref().is_some_and(|captured| captured.fill_log.is_some());
        for finding in judge::findings(record) {
            let is_wanted = match finding.severity {
                _ if is_filled && matches!(finding.kind, FindingKind::Unwritten { .. }) => false,
                Severity::Invalid => true,
                Severity::Warning => !is_open || disturbs_search(&finding),
                // Others are for example that a step was short, as requested.
                Severity::Info => matches!(finding.kind, FindingKind::InMemory),
            };
            let is_known = self.findings.iter().any(|known| known.is_repeat_of(&finding));
            let has_room = finding.severity == Severity::Invalid || self.findings.len() < FINDINGS_MAX;
            if is_wanted && !is_known && has_room {
                self.findings.push(finding);
            }
        }
    }

    /// Returns the run that fills the places of discards again; `None` if it is not needed.
    fn refill(&mut self) -> Option<Run> {
        if !std::mem::take(&mut self.needs_refill) {
            return None;
        }
        let log = self.captured.as_ref()?.refill_log.as_ref()?;
        let mut fill = fill_from_log(&self.request, &self.target, log);
        let Next::Run(job) = fill.next() else { return None };
        self.fill = Some(fill);
        Some(fill_run(job))
    }

    fn take_fill(&mut self, fill: &mut Pass, outcome: Outcome) {
        match outcome {
            Outcome::Completed { record, .. } | Outcome::Interrupted(record) => fill.take(&record),
            Outcome::Refused(Refusal { failure, .. }) | Outcome::PrepareFailed(failure) => fill.take_failed(failure),
        }
        let Next::Done(done) = fill.next() else { return };
        if let PreparationDetail::Failed(failure) = &done.detail {
            self.procedure.take_failed(Failure::Fill(Box::new(failure.clone())));
        }
        // The places of discards are filled before each run.
        if !self.runs.is_empty() {
            return;
        }
        // The job takes no more than the file holds.
        if fill.bytes() > 0 && self.target.bytes.is_some_and(|bytes| fill.bytes() < bytes) {
            self.target.bytes = Some(fill.bytes());
            let size = self.request.job.iter_mut().filter(|(name, _)| name == "size");
            size.for_each(|(_, value)| *value = fill.bytes().to_string());
        }
        self.preparation.push(done);
    }
}

fn fill(request: &assessment::Knee, target: &KneeTarget) -> Pass {
    let options = [("rw", "write"), ("bs", "1m"), ("ioengine", "libaio"), ("iodepth", "16"), ("end_fsync", "1")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter();
    let direct = request.job.iter().find(|(name, _)| name == "direct").cloned();
    let extent = Extent { path: target.path.clone(), bytes: target.bytes };
    let reason = PreparationReason::Needed { tests: Vec::new() };
    Pass::fill(vec![extent], options.chain(direct).collect(), Some(FILL_AT_MOST_S), reason)
}

fn fill_from_log(request: &assessment::Knee, target: &KneeTarget, log: &str) -> Pass {
    let options = [
        ("read_iolog", log),
        ("replay_redirect", &target.path),
        ("replay_no_stall", "1"),
        ("ioengine", "libaio"),
        ("iodepth", "16"),
        ("end_fsync", "1"),
    ];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter();
    let direct = request.job.iter().find(|(name, _)| name == "direct").cloned();
    let extent = Extent { path: target.path.clone(), bytes: None };
    let reason = PreparationReason::Needed { tests: Vec::new() };
    Pass::fill(vec![extent], options.chain(direct).collect(), None, reason)
}

fn fill_run(job: Job) -> Run {
    Run { name: "fill".to_owned(), ..Run::new(Work::Job(job), "[fill]") }
}

/// Replaces the name of the temporary log by that of the capture. Hosts have their parts under other names.
fn name_capture(record: &mut Record, planned: &Plan, like: &Like) {
    let Some(log) = planned.workers.iter().find_map(|worker| Some(&worker.job()?.load.replay.as_ref()?.log)) else {
        return;
    };
    let Plan { workers, origin, .. } = Arc::make_mut(&mut record.plan);
    let name = like.capture.to_string();
    for worker in workers {
        if let Some(replay) = worker.job_mut().and_then(|job| job.replay.as_mut()) {
            replay.log.clone_from(&name);
        }
        let options = Arc::make_mut(&mut worker.echo).options.iter_mut();
        options.filter(|(_, value)| value == log).for_each(|(_, value)| value.clone_from(&name));
    }
    if let Origin::Fio(words) = origin {
        words.job_files.iter_mut().for_each(|file| file.text = file.text.replace(log, &name));
    }
}

impl Study for Knee {
    fn next(&mut self) -> Option<Run> {
        if let Some(fill) = &mut self.fill {
            match fill.next() {
                Next::Run(job) => return Some(fill_run(job)),
                Next::Done(_) => self.fill = None,
            }
        }
        let load = self.procedure.next()?;
        if let Some(run) = self.refill() {
            return Some(run);
        }
        let run = Run::new(self.work(&load), load.label());
        let name = if self.captured.is_some() { "like" } else { "knee" };
        let run = Run { name: name.to_owned(), ..run };
        self.load = Some(load);
        Some(run)
    }

    fn take(&mut self, outcome: Outcome) {
        if let Some(mut fill) = self.fill.take() {
            self.take_fill(&mut fill, outcome);
            return;
        }
        let Some(load) = self.load.take() else { return };
        match outcome {
            Outcome::Completed { record, .. } => {
                self.procedure.take(&load, &record);
                self.note(&load, &record);
                let mut record = *record;
                if let Some((captured, like)) = self.captured.as_ref().zip(self.request.like.as_deref()) {
                    name_capture(&mut record, &captured.plan, like);
                }
                self.runs.push((load, record));
                self.needs_refill = true;
            }
            // A run that a signal cut short has no comparable figures.
            Outcome::Interrupted(_) => {}
            Outcome::Refused(Refusal { failure, .. }) | Outcome::PrepareFailed(failure) => {
                self.procedure.take_failed(failure)
            }
        }
    }

    fn finish(self: Box<Self>, end: &End) -> Assessment {
        let Knee { session, request, preparation, procedure, runs, findings, .. } = *self;
        let title = match &request.like {
            None => format!("The load at which the latency of {} rises sharply", request.work),
            Some(_) => format!("How many times the target holds {}", request.work),
        };
        let job = Job::fio("knee.fio", vec![("knee".to_owned(), request.job.clone())]).text();
        let round = |(load, record): (Load, Record)| Round { at: load.settings(), record };
        let (loads, closed): (Vec<Round>, Vec<Round>) =
            runs.into_iter().map(round).partition(|round| !round.at.is_empty());
        let test = |name: &str, title: String, rounds: Vec<Round>| {
            Test::of_rounds(name.to_owned(), title, job.clone(), rounds)
        };
        let arrivals = if request.poisson { "at random times" } else { "evenly spaced" };
        let (name, title_of_loads) = match request.iodepth_max {
            None if request.like.is_some() => {
                ("multiples", format!("{} in an open loop, by its multiple", request.work))
            }
            None => ("rates", format!("{} in an open loop, {arrivals}, by rate", request.work)),
            Some(_) => ("depths", format!("{} in a closed loop, by depth", request.work)),
        };
        let closed = Some(test("closed-loop", format!("{} in a closed loop", request.work), closed));
        let loads = Test { findings, error: procedure.failed().cloned(), ..test(name, title_of_loads, loads) };
        let suite = if request.like.is_some() { "like" } else { "knee" };
        let mut assessment = session.assessment(suite, title, Request::Knee(request));
        assessment.cause = Cause::Result;
        assessment.preparation = preparation;
        assessment.tests.extend(closed.filter(|test| !test.rounds.is_empty()));
        assessment.tests.push(loads);
        // The search made these rounds, so they have a result.
        end.conclude(&mut assessment, |assessment| drop(complete(assessment)));
        assessment
    }
}
