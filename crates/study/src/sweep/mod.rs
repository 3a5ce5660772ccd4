//! The sweep: a command line, run for each combination of the values of its axes.

mod best;

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use assessment::{
    Assessment, Cause, Cpu, CpuOf, Failure, Figures, Latencies, Metric, Rates, Remark, Round, Settings,
    Study as Request, SweepPoint, SweepResult, SweepRun, Test, Verdict,
};
use judge::figures;
use plan::Plan;
use record::Record;
use units::shell::quoted;

use crate::error::StudyError;
use crate::run::{End, Outcome, Refusal, Run, Session, Study, Work};
use crate::turns::{self, Order, RUNS_MAX, Turn};
use crate::{Axis, time};

/// A sweep of a command line.
pub struct Sweep {
    session: Session,
    request: assessment::Sweep,
    points: Vec<Settings>,
    /// The plan of each point.
    plans: Vec<Arc<Plan>>,
    /// Time of each plan, if it is fixed.
    plans_ns: Vec<Option<u64>>,
    turns: Vec<Turn>,
    /// Turns that `next` returned.
    started: usize,
    cooldown: Duration,
    rounds: Vec<Round>,
}

impl Sweep {
    /// A sweep of `plans`, one for each of the request's [`points`], with a pause between runs.
    ///
    /// # Errors
    ///
    /// The axes, the order or the number of runs make no sweep.
    pub fn new(
        session: Session,
        request: assessment::Sweep,
        plans: Vec<Arc<Plan>>,
        cooldown: Duration,
    ) -> Result<Sweep, StudyError> {
        let points = points(&request.axes)?;
        let turns = turns::turns(points.len(), request.repeats, order(&request)?)?;
        let rounds = Vec::with_capacity(turns.len());
        let plans_ns = plans.iter().map(|plan| time::at_most_ns(plan)).collect();
        Ok(Sweep { session, request, points, plans, plans_ns, turns, started: 0, cooldown, rounds })
    }

    /// Returns the number of runs.
    pub fn runs(&self) -> RangeInclusive<u64> {
        let runs = self.turns.len() as u64;
        runs..=runs
    }

    /// Returns the time of all runs and pauses in ns; `None` if a plan has no fixed time.
    pub fn at_most_ns(&self) -> Option<u64> {
        time::of_repeats_ns(&self.plans, self.request.repeats, self.cooldown)
    }

    fn label(&self, turn: Turn) -> String {
        let repeat = if self.request.repeats > 1 { format!(" (run {})", turn.repeat + 1) } else { String::new() };
        format!("{}/{} {}{repeat}", self.started, self.turns.len(), name(&self.points[turn.point]))
    }

    /// Runs that were made or refused.
    fn tried(&self) -> usize {
        self.rounds.len() + self.request.refused.len()
    }
}

impl Study for Sweep {
    fn next(&mut self) -> Option<Run> {
        let turn = *self.turns.get(self.started)?;
        self.started += 1;
        let run = Run::new(Work::Plan(Arc::clone(self.plans.get(turn.point)?)), self.label(turn));
        let rest = if self.started > 1 { self.cooldown } else { Duration::ZERO };
        let name = name(&self.points[turn.point]);
        let remaining_ns = time::of_turns_ns(&self.turns[self.started..], &self.plans_ns, self.cooldown);
        Some(Run { rest, name, point: turn.point, repeat: turn.repeat, remaining_ns, ..run })
    }

    fn take(&mut self, outcome: Outcome) {
        let at = self.started.checked_sub(1).and_then(|at| self.turns.get(at));
        let Some(turn) = at else { return };
        match outcome {
            Outcome::Completed { record, .. } => {
                self.rounds.push(Round { at: self.points[turn.point].clone(), record: *record });
            }
            // A run that a signal cut short has no comparable figures.
            Outcome::Interrupted(_) => {}
            Outcome::Refused(Refusal { failure, .. }) | Outcome::PrepareFailed(failure) => {
                self.request.refused.push((self.tried(), failure));
            }
        }
    }

    fn finish(self: Box<Self>, end: &End) -> Assessment {
        let Sweep { session, request, rounds, .. } = *self;
        let options: Vec<&str> = request.axes.iter().map(|(option, _)| option.as_str()).collect();
        let line: Vec<String> = request.line.iter().map(|word| quoted(word)).collect();
        let test = Test::of_rounds(
            options.join("-"),
            format!("A {} command line for each value of {}", request.dialect, options.join(" and ")),
            format!("{} {}", request.dialect, line.join(" ")),
            rounds,
        );
        let title = format!("Figures of a command line by {}", options.join(" and "));
        let mut assessment = session.assessment("sweep", title, Request::Sweep(request));
        assessment.cause = Cause::Result;
        assessment.tests.push(test);
        // The request made this sweep, so it has a result.
        end.conclude(&mut assessment, |assessment| drop(complete(assessment)));
        assessment
    }
}

/// Computes the result, the findings and the verdict of an assessment that is a sweep.
///
/// # Errors
///
/// The assessment is not one that a sweep of its request can have made.
pub(crate) fn complete(assessment: &mut Assessment) -> Result<(), StudyError> {
    let Request::Sweep(request) = &mut assessment.study else { return Ok(()) };
    let Some(test) = assessment.tests.first_mut() else { return Err(StudyError::NothingToVary) };
    let result = result(request, &test.rounds)?;
    test.findings = result.remarks.iter().map(|remark| remark.finding.clone()).collect();
    test.error = result.points.iter().find_map(SweepPoint::failure).cloned();
    let replaced = request.refused.iter().map(|(_, failure)| failure).find(|failure| failure.is_invalid());
    test.error = replaced.or(test.error.as_ref()).cloned();
    test.verdict = match &test.error {
        Some(failure) => Verdict::of_failure(failure),
        None if assessment.stopped => Verdict::Skipped,
        None => Verdict::Measured,
    };
    // The sweep's question is open.
    assessment.verdict = if test.verdict == Verdict::Skipped { Verdict::Inconclusive } else { test.verdict };
    request.result = Some(result);
    Ok(())
}

/// Folds the rounds, in the order in which they ran, into the result.
fn result(request: &assessment::Sweep, rounds: &[Round]) -> Result<SweepResult, StudyError> {
    let points = points(&request.axes)?;
    let turns = turns::turns(points.len(), request.repeats, order(request)?)?;
    let mut runs: Vec<Vec<SweepRun>> = vec![Vec::new(); points.len()];
    let mut remarks: Vec<Remark> = Vec::new();
    let mut rounds = rounds.iter();
    for (at, turn) in turns.iter().enumerate() {
        if let Some((_, failure)) = request.refused.iter().find(|(place, _)| *place == at) {
            runs[turn.point].push(SweepRun::Failed(failure.clone()));
            continue;
        }
        let Some(round) = rounds.next() else { break };
        runs[turn.point].push(run_of(&round.record));
        remark(&mut remarks, turn.point, &round.record);
    }
    if rounds.next().is_some() {
        return Err(StudyError::TooManyRounds);
    }
    let points = points.into_iter().zip(runs).map(|(settings, runs)| point(settings, runs, request.metric));
    let points: Vec<SweepPoint> = points.collect();
    let mut result = SweepResult { best: None, points, remarks };
    result.best = best::best(&result.points, request.metric, |at| result.invalid(at).is_none());
    Ok(result)
}

fn run_of(record: &Record) -> SweepRun {
    match Failure::of_figures(record) {
        Some(failure) => SweepRun::Failed(failure),
        None => SweepRun::Figures(figures::of_record(record)),
    }
}

/// Notes the findings of a run. A finding on several points is one remark.
fn remark(remarks: &mut Vec<Remark>, point: usize, record: &Record) {
    for finding in judge::findings(record) {
        match remarks.iter_mut().find(|known| known.finding.is_repeat_of(&finding)) {
            Some(known) if known.points.contains(&point) => {}
            Some(known) => known.points.push(point),
            None => remarks.push(Remark { finding, points: vec![point] }),
        }
    }
}

fn point(settings: Settings, runs: Vec<SweepRun>, metric: Metric) -> SweepPoint {
    let good: Vec<&Figures> = runs.iter().filter_map(good).collect();
    let median = figures::median_of(&good);
    let values: Vec<f64> = good.iter().filter_map(|figures| figures.value(metric)).collect();
    let range = (values.len() > 1).then(|| {
        (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    });
    let middle = median.as_ref().and_then(|figures| figures.value(metric)).filter(|middle| *middle > 0.0);
    let spread_percent = range.zip(middle).map(|((least, most), middle)| (most - least) * 100.0 / middle);
    SweepPoint { settings, runs, median, range, spread_percent }
}

fn good(run: &SweepRun) -> Option<&Figures> {
    match run {
        SweepRun::Figures(figures) => Some(figures),
        SweepRun::Failed(_) => None,
    }
}

/// Metrics that can rank the points of a sweep, for messages.
pub const METRICS: &str = "bw, iops, lat.mean, lat.p50, lat.p99, lat.p99.9, cpu, or one direction: read.iops";

/// Whether a sweep has figures of the metric.
pub fn is_comparable(metric: Metric) -> bool {
    let every = Rates { latency: Some(Latencies::default()), ..Rates::default() };
    let cpu = Some(Cpu { percent: 0.0, of: CpuOf::Machine });
    let [read, write, trim, total] = std::array::from_fn(|_| every.clone());
    Figures { read, write, trim, total, cpu }.value(metric).is_some()
}

/// Returns all combinations of the axes' values; the last axis changes fastest.
///
/// # Errors
///
/// There is no axis, an option is varied twice, or there are too many points.
pub fn points(axes: &[(String, Vec<String>)]) -> Result<Vec<Settings>, StudyError> {
    if axes.is_empty() {
        return Err(StudyError::NothingToVary);
    }
    for (at, (option, _)) in axes.iter().enumerate() {
        if axes[..at].iter().any(|(before, _)| before == option) {
            return Err(StudyError::VariedTwice(option.clone()));
        }
    }
    let total = axes.iter().try_fold(1usize, |product, (_, values)| product.checked_mul(values.len()));
    if total.is_none_or(|total| total > RUNS_MAX) {
        return Err(StudyError::TooManyRuns);
    }
    let mut points = vec![Settings::new()];
    for (option, values) in axes {
        let longer = |point: &Settings, value: &String| {
            point.iter().cloned().chain([(option.clone(), value.clone())]).collect::<Settings>()
        };
        points = points.iter().flat_map(|point| values.iter().map(move |value| longer(point, value))).collect();
    }
    Ok(points)
}

/// Formats settings: `b=64K o=8`.
pub fn name(settings: &Settings) -> String {
    settings.iter().map(|(option, value)| format!("{option}={value}")).collect::<Vec<_>>().join(" ")
}

/// Returns the axes of a request, as they were parsed.
pub fn axes(request: &assessment::Sweep) -> Vec<Axis> {
    request.axes.iter().map(|(option, values)| Axis { option: option.clone(), values: values.clone() }).collect()
}

fn order(request: &assessment::Sweep) -> Result<Order, StudyError> {
    Order::parse(&request.order, request.seed).ok_or_else(|| StudyError::UnknownOrder(request.order.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    pub(super) fn request(axes: &[&str], repeats: usize, order: Order) -> assessment::Sweep {
        let axes = axes.iter().map(|word| Axis::parse(word).unwrap()).map(|axis| (axis.option, axis.values));
        assessment::Sweep {
            dialect: "fio".into(),
            line: vec!["job.fio".into()],
            axes: axes.collect(),
            repeats,
            order: order.kind().to_owned(),
            seed: order.seed(),
            metric: Metric::IOPS,
            refused: Vec::new(),
            result: None,
        }
    }

    fn sweep(axes: &[&str], repeats: usize, order: Order) -> Result<Sweep, StudyError> {
        let request = request(axes, repeats, order);
        let plan = Arc::new(sample::plan_of("--name=a --size=1m"));
        let plans = vec![plan; points(&request.axes)?.len()];
        Sweep::new(Session::default(), request, plans, Duration::ZERO)
    }

    fn labels(axes: &[&str], repeats: usize, order: Order) -> Vec<String> {
        let mut sweep = sweep(axes, repeats, order).unwrap();
        std::iter::from_fn(|| sweep.next()).map(|run| run.label).collect()
    }

    /// The result of runs with these outcomes.
    fn result_of(axes: &[&str], repeats: usize, outcomes: Vec<Outcome>) -> (Assessment, SweepResult) {
        let mut sweep = sweep(axes, repeats, Order::Given).unwrap();
        for outcome in outcomes {
            assert!(sweep.next().is_some());
            sweep.take(outcome);
        }
        let assessment = Box::new(sweep).finish(&End::default());
        let Request::Sweep(request) = &assessment.study else { panic!("a sweep") };
        let result = request.result.clone().unwrap();
        (assessment, result)
    }

    fn reads(ios: u64) -> Outcome {
        Outcome::completed(sample::record(&[(ios, 4096, 1000)]))
    }

    #[test]
    fn every_combination_is_a_point_and_repeats_are_rounds() {
        let made = labels(&["bs=4k,8k", "iodepth=1,2"], 2, Order::Given);
        assert_eq!(made[..2], ["1/8 bs=4k iodepth=1 (run 1)", "2/8 bs=4k iodepth=2 (run 1)"]);
        assert_eq!(made[4..6], ["5/8 bs=4k iodepth=1 (run 2)", "6/8 bs=4k iodepth=2 (run 2)"]);
        assert_eq!(made.len(), 8);
    }

    #[test]
    fn a_seed_gives_one_order_of_all_runs() {
        let order = |seed| labels(&["o=1..512"], 3, Order::Random { seed });
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let mut names: Vec<String> = order(7).iter().map(|label| label.split_once(' ').unwrap().1.to_owned()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 30);
    }

    #[test]
    fn axes_that_make_no_sense_are_refused() {
        let refused = |axes: &[&str], repeats| sweep(axes, repeats, Order::Given).err();
        assert_eq!(refused(&[], 1), Some(StudyError::NothingToVary));
        assert_eq!(refused(&["bs=1,2", "bs=4"], 1), Some(StudyError::VariedTwice("bs".into())));
        assert_eq!(refused(&["a=1..512", "b=1..512", "c=1..512"], 11), Some(StudyError::TooManyRuns));
    }

    #[test]
    fn failed_and_idle_runs_leave_a_reason_in_their_point() {
        let failed = Outcome::completed(sample::failed("disk is full"));
        let idle = Outcome::completed(sample::record(&[]));
        let refused = Outcome::Refused(Refusal::new(vec!["no such device".into()]));
        let (assessment, result) = result_of(&["bs=4k,8k,16k"], 2, vec![reads(100), failed, idle, refused]);
        let points = &result.points;
        assert_eq!((points[0].value(Metric::IOPS), points[0].failures()), (Some(100.0), 1));
        assert!(matches!(points[0].failure(), Some(Failure::Refused { messages }) if messages == &["no such device"]));
        assert!(
            matches!(points[1].failure(), Some(Failure::Job { error, .. }) if fio::wording::error(error) == "disk is full")
        );
        assert_eq!(points[2].failure(), Some(&Failure::NoIo));
        assert_eq!(points.iter().map(|point| point.runs.len()).sum::<usize>(), 4);
        assert_eq!((assessment.verdict, assessment.tests[0].rounds.len()), (Verdict::Inconclusive, 3));
    }

    #[test]
    fn the_spread_is_the_range_of_the_runs() {
        let (assessment, result) = result_of(&["bs=4k"], 3, vec![reads(90), reads(100), reads(120)]);
        assert_eq!((result.points[0].range, result.points[0].spread_percent), (Some((90.0, 120.0)), Some(30.0)));
        assert_eq!(assessment.verdict, Verdict::Measured);
    }

    #[test]
    fn only_metrics_that_figures_hold_rank_points() {
        let is_comparable = |name: &str| Metric::parse(name).is_some_and(is_comparable);
        for name in ["bw", "iops", "read.iops", "lat.mean", "lat.p50", "write.lat.p99", "lat.p99.9", "cpu"] {
            assert!(is_comparable(name), "{name}");
        }
        assert!(!is_comparable("lat.p95") && !is_comparable("response.p99") && !is_comparable("fsync.p99"));
    }

    #[test]
    fn a_saved_sweep_with_other_rounds_than_its_request_is_refused() {
        let (mut assessment, _) = result_of(&["bs=4k"], 1, vec![reads(90)]);
        let round = assessment.tests[0].rounds[0].clone();
        assessment.tests[0].rounds.push(round);
        assert_eq!(complete(&mut assessment), Err(StudyError::TooManyRounds));
    }
}
