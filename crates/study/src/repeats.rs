//! Repeats: one or two workloads, each run several times.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use assessment::{
    Assessment, Cause, Failure, RepeatsFinding, RepeatsResult, RepeatsRun, Round, Settings, Study as Request, Test,
    Verdict,
};
use judge::compare::{self, ChangeLimit};
use judge::verdict::{Conclusion, keep_invalid};
use plan::Plan;
use record::Record;
use units::order::OrderBy;

use crate::error::StudyError;
use crate::run::{End, Outcome, PrepareCommand, Refusal, Run, Session, Study, Work};
use crate::time;
use crate::turns::{self, Order, Turn};

/// Names of the workloads, in the order of the command line.
pub const NAMES: [&str; 2] = ["A", "B"];

/// Repeats of one or two workloads.
pub struct Repeats {
    session: Session,
    request: assessment::Repeats,
    /// The plan of each workload.
    plans: Vec<Arc<Plan>>,
    /// Time of each plan, if it is fixed.
    plans_ns: Vec<Option<u64>>,
    turns: Vec<Turn>,
    /// Turns that `next` returned.
    started: usize,
    cooldown: Duration,
    /// Records of each workload.
    rounds: Vec<Vec<Round>>,
    /// A preparation failed.
    has_ended: bool,
}

impl Repeats {
    /// A study that repeats `plans`, one for each workload of the request, with a pause between runs.
    ///
    /// # Errors
    ///
    /// The order or the number of runs makes no study.
    pub fn new(
        session: Session,
        request: assessment::Repeats,
        plans: Vec<Arc<Plan>>,
        cooldown: Duration,
    ) -> Result<Repeats, StudyError> {
        let order = Order::parse(&request.order, request.seed)
            .ok_or_else(|| StudyError::UnknownOrder(request.order.clone()))?;
        let turns = turns::turns(plans.len(), request.repeats, order)?;
        let rounds = vec![Vec::new(); plans.len()];
        let plans_ns = plans.iter().map(|plan| time::at_most_ns(plan)).collect();
        Ok(Repeats { session, request, plans, plans_ns, turns, started: 0, cooldown, rounds, has_ended: false })
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

    fn keep(&mut self, turn: Turn, started_unix_ms: Option<u64>, kept: Option<i64>, error: Option<Failure>) {
        let (workload, repeat) = (turn.point, turn.repeat + 1);
        self.request.runs.push(RepeatsRun { workload, repeat, started_unix_ms, kept, error });
    }
}

impl Study for Repeats {
    fn next(&mut self) -> Option<Run> {
        let turn = *self.turns.get(self.started).filter(|_| !self.has_ended)?;
        let workload = self.request.workloads.get(turn.point)?;
        let repeat = if self.request.repeats > 1 { format!(" (run {})", turn.repeat + 1) } else { String::new() };
        self.started += 1;
        let label = format!("{}/{} {}{repeat}", self.started, self.turns.len(), workload.name);
        let prepare = workload.prepare.as_ref().map(|command| PrepareCommand {
            command: command.clone(),
            workload: workload.name.clone(),
            repeat: turn.repeat + 1,
        });
        let rest = if self.started > 1 { self.cooldown } else { Duration::ZERO };
        let work = Work::Plan(Arc::clone(self.plans.get(turn.point)?));
        let remaining_ns = time::of_turns_ns(&self.turns[self.started..], &self.plans_ns, self.cooldown);
        let run = Run { remaining_ns, ..Run::new(work, label) };
        Some(Run { rest, prepare, name: workload.name.clone(), point: turn.point, repeat: turn.repeat, ..run })
    }

    fn take(&mut self, outcome: Outcome) {
        let at = self.started.checked_sub(1).and_then(|at| self.turns.get(at));
        let Some(turn) = at.copied() else { return };
        match outcome {
            Outcome::Completed { record, history_id } => {
                let error = Failure::of_figures(&record);
                self.keep(turn, Some(record.started_unix_ms), history_id, error.clone());
                if error.is_none() {
                    self.rounds[turn.point].push(Round { at: Settings::new(), record: *record });
                }
            }
            // A run that a signal cut short has no comparable figures.
            Outcome::Interrupted(_) => {}
            Outcome::Refused(Refusal { failure, .. }) => self.keep(turn, None, None, Some(failure)),
            Outcome::PrepareFailed(failure) => {
                self.keep(turn, None, None, Some(failure));
                self.has_ended = true;
            }
        }
    }

    fn finish(self: Box<Self>, end: &End) -> Assessment {
        let Repeats { session, request, rounds, .. } = *self;
        let mut assessment = assessment(&session, request, rounds);
        end.conclude(&mut assessment, complete);
        assessment
    }
}

/// Returns an assessment of the rounds of each workload, without a result.
pub fn assessment(session: &Session, request: assessment::Repeats, rounds: Vec<Vec<Round>>) -> Assessment {
    let test = |(workload, rounds): (&assessment::Workload, Vec<Round>)| {
        Test::of_rounds(workload.name.clone(), workload.line.clone(), workload.line.clone(), rounds)
    };
    let tests = request.workloads.iter().zip(rounds).map(test).collect();
    let title = match request.workloads.len() {
        1 => "Repeats of a workload",
        _ => "Repeats of two workloads",
    };
    let mut assessment = session.assessment("repeats", title.to_owned(), Request::Repeats(request));
    (assessment.tests, assessment.cause) = (tests, Cause::Result);
    assessment
}

/// Computes the result, the findings and the verdict of an assessment of repeats.
pub(crate) fn complete(assessment: &mut Assessment) {
    let Request::Repeats(request) = &mut assessment.study else { return };
    let limits: Vec<ChangeLimit> =
        request.fail_on.iter().filter_map(|text| ChangeLimit::parse_all(text).ok()).flatten().collect();
    let sides: Vec<Vec<compare::Run>> = assessment.tests.iter().map(runs).collect();
    let mut comparison = match sides.as_slice() {
        [_, _] => Some(compare::compare(&sides, &[], &limits)).filter(|found| !found.lines.is_empty()),
        _ => None,
    };
    let applied = comparison.as_mut().map(|comparison| compare::apply(comparison, &limits)).transpose();
    let figures = sides.iter().map(|runs| compare::repeated(runs, &limits)).collect();
    let findings = findings(&assessment.tests);
    let not_measured = applied.err().map(|missing| missing.limit);
    let decided = comparison.as_ref().map_or(Conclusion::Done, compare::conclusion);
    let is_whole = !assessment.stopped && not_measured.is_none() && request.runs.iter().all(|run| run.error.is_none());
    let is_invalid = request.runs.iter().any(|run| run.error.as_ref().is_some_and(Failure::is_invalid));
    assessment.verdict = match (decided, is_whole) {
        (Conclusion::Invalid, _) => Verdict::Invalid,
        _ if is_invalid => Verdict::Invalid,
        (Conclusion::Failed, _) => Verdict::Fail,
        (Conclusion::Inconclusive, _) | (_, false) => Verdict::Inconclusive,
        (_, true) if limits.is_empty() => Verdict::Measured,
        (_, true) => Verdict::Pass,
    };
    for (at, test) in assessment.tests.iter_mut().enumerate() {
        let of_test = findings.iter().filter(|finding| finding.runs.get(at).is_some_and(|runs| *runs > 0));
        test.findings = of_test.map(|finding| finding.finding.clone()).collect();
        test.error = request.runs.iter().filter(|run| run.workload == at).find_map(|run| run.error.clone());
        test.verdict = test.error.as_ref().map_or(Verdict::Measured, Verdict::of_failure);
    }
    request.result = Some(RepeatsResult { figures, comparison, findings, not_measured });
}

fn runs(test: &Test) -> Vec<compare::Run<'_>> {
    test.rounds.iter().map(|round| compare::Run::Record(&round.record)).collect()
}

/// The findings, each once, with the number of runs of each workload.
fn findings(tests: &[Test]) -> Vec<RepeatsFinding> {
    let mut known: Vec<RepeatsFinding> = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        for round in &test.rounds {
            for finding in judge::findings(&round.record) {
                let place = known.iter().position(|known| known.finding.is_repeat_of(&finding)).unwrap_or_else(|| {
                    known.push(RepeatsFinding { finding, runs: vec![0; tests.len()] });
                    known.len() - 1
                });
                known[place].runs[at] += 1;
            }
        }
    }
    known
}

/// Returns the repeats that consist of saved records of one or two workloads. The first element of a pair is the number
/// in the history. Failed runs and commands before runs are missing, as no record holds them.
///
/// # Errors
///
/// The records of one workload are of different command lines.
pub fn of_records(
    session: &Session,
    set: &str,
    sides: Vec<Vec<(Option<i64>, Record)>>,
) -> Result<Assessment, StudyError> {
    let mut order: Vec<(u64, usize)> = Vec::new();
    let mut workloads = Vec::new();
    for (side, (records, name)) in sides.iter().zip(NAMES).enumerate() {
        let mut lines = records.iter().map(|(_, record)| record.plan.origin.command_line());
        let line = lines.next().unwrap_or_default();
        if lines.any(|other| other != line) {
            return Err(StudyError::SeveralLines);
        }
        workloads.push(assessment::Workload { name: name.to_owned(), line, prepare: None });
        order.extend(records.iter().map(|(_, record)| (record.started_unix_ms, side)));
    }
    order.sort_unstable();
    let changes = order.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    let mut runs: Vec<RepeatsRun> = Vec::new();
    let mut rounds = Vec::new();
    for (workload, records) in sides.into_iter().enumerate() {
        for (nth, (kept, record)) in records.iter().enumerate() {
            let started_unix_ms = Some(record.started_unix_ms);
            runs.push(RepeatsRun { workload, repeat: nth + 1, started_unix_ms, kept: *kept, error: None });
        }
        rounds.push(records.into_iter().map(|(_, record)| Round { at: Settings::new(), record }).collect::<Vec<_>>());
    }
    runs.order_by_key(|run| (run.started_unix_ms, run.workload));
    let request = assessment::Repeats {
        workloads,
        repeats: rounds.iter().map(Vec::len).max().unwrap_or(0),
        order: if changes > 1 { Order::Given } else { Order::Blocks }.kind().to_owned(),
        seed: None,
        fail_on: Vec::new(),
        set: Some(set.to_owned()),
        runs,
        result: None,
    };
    let command = command(&request);
    let mut repeats = assessment(session, request, rounds);
    repeats.command = command;
    let records = || repeats.tests.iter().flat_map(|test| &test.rounds).map(|round| &round.record);
    let ended_unix_ms = records().map(|record| record.ended_unix_ms).max().unwrap_or(0);
    if let Some(first) = records().min_by_key(|record| record.started_unix_ms).cloned() {
        repeats.target = judge::single::target(&first);
        repeats.utc_offset_s = first.utc_offset_s;
        (repeats.machine, repeats.started_unix_ms) = (first.machine, first.started_unix_ms);
    }
    repeats.ended_unix_ms = ended_unix_ms;
    complete(&mut repeats);
    keep_invalid(&mut repeats);
    Ok(repeats)
}

/// Returns the arguments that make such repeats again.
fn command(request: &assessment::Repeats) -> Vec<String> {
    let order = if request.order == Order::Given.kind() { &["--interleave"][..] } else { &[] };
    let repeats = request.repeats.to_string();
    let options = ["fathom", "run", "--repeat", &repeats].into_iter().chain(order.iter().copied());
    options.map(str::to_owned).chain(request.workloads.iter().map(|workload| workload.line.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn request(workloads: usize, repeats: usize, order: Order, fail_on: &[&str]) -> assessment::Repeats {
        let workload =
            |name: &&str| assessment::Workload { name: (*name).into(), line: "fio job.fio".into(), prepare: None };
        assessment::Repeats {
            workloads: NAMES.iter().take(workloads).map(workload).collect(),
            repeats,
            order: order.kind().to_owned(),
            seed: order.seed(),
            fail_on: fail_on.iter().map(|text| (*text).to_owned()).collect(),
            set: None,
            runs: Vec::new(),
            result: None,
        }
    }

    fn study(request: assessment::Repeats) -> Box<Repeats> {
        let plan = || Arc::new(sample::plan_of("--name=a --size=1m"));
        let plans = request.workloads.iter().map(|_| plan()).collect();
        Box::new(Repeats::new(Session::default(), request, plans, Duration::from_secs(1)).unwrap())
    }

    fn reads(ios: u64) -> Outcome {
        Outcome::completed(sample::record(&[(ios, 4096, 1000)]))
    }

    fn driven(request: assessment::Repeats, mut ios: impl FnMut(&str) -> u64) -> Assessment {
        let mut study = study(request);
        while let Some(run) = study.next() {
            study.take(reads(ios(&run.label)));
        }
        study.finish(&End::default())
    }

    fn result(assessment: &Assessment) -> &RepeatsResult {
        let Request::Repeats(request) = &assessment.study else { panic!("repeats") };
        request.result.as_ref().unwrap()
    }

    #[test]
    fn two_workloads_alternate_with_pauses_between_the_runs() {
        let mut study = study(request(2, 2, Order::Mirrored, &[]));
        let runs: Vec<Run> = std::iter::from_fn(|| study.next()).collect();
        let labels: Vec<&str> = runs.iter().map(|run| run.label.as_str()).collect();
        assert_eq!(labels, ["1/4 A (run 1)", "2/4 B (run 1)", "3/4 B (run 2)", "4/4 A (run 2)"]);
        assert_eq!((runs[0].rest, runs[1].rest), (Duration::ZERO, Duration::from_secs(1)));
    }

    #[test]
    fn a_difference_beyond_the_limit_fails() {
        let ios = |label: &str| if label.contains('A') { 1000 } else { 800 } + label.len() as u64 % 3;
        let failed = driven(request(2, 5, Order::Given, &["read.iops<-5%"]), ios);
        assert_eq!(failed.verdict, Verdict::Fail);
        let broken = &result(&failed).comparison.as_ref().unwrap().failed;
        assert!((broken[0].difference + 0.2).abs() < 0.01, "{broken:?}");
        assert_eq!(driven(request(2, 5, Order::Given, &["read.iops<-50%"]), ios).verdict, Verdict::Pass);
        assert_eq!(driven(request(2, 5, Order::Given, &[]), ios).verdict, Verdict::Measured);
        let missing = driven(request(2, 5, Order::Given, &["write.iops<-5%"]), ios);
        assert_eq!(missing.verdict, Verdict::Inconclusive);
    }

    #[test]
    fn a_failed_preparation_ends_the_study_and_a_failed_run_does_not() {
        let mut repeats = study(request(1, 3, Order::Blocks, &[]));
        assert!(repeats.next().is_some());
        repeats.take(Outcome::completed(sample::failed("disk is full")));
        assert!(repeats.next().is_some());
        let failure = Failure::PrepareCommand { command: "false".into(), message: "exit status: 1".into() };
        repeats.take(Outcome::PrepareFailed(failure));
        assert!(repeats.next().is_none());
        let assessment = repeats.finish(&End::default());
        assert_eq!((assessment.verdict, assessment.tests[0].rounds.len()), (Verdict::Inconclusive, 0));
        let Some(Failure::Job { error, .. }) = &assessment.tests[0].error else { panic!("a failed job") };
        assert_eq!(fio::wording::error(error), "disk is full");
    }

    #[test]
    fn saved_records_make_the_same_figures_again() {
        let assessment = driven(request(2, 4, Order::Given, &[]), |label| 900 + 10 * label.len() as u64);
        let records = |test: &Test| test.rounds.iter().map(|round| (Some(1), round.record.clone())).collect();
        let again = of_records(&Session::default(), "set", assessment.tests.iter().map(records).collect()).unwrap();
        assert_eq!(result(&again).figures, result(&assessment).figures);
        assert_eq!(result(&again).comparison, result(&assessment).comparison);
    }
}
