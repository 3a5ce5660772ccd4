//! A suite that runs: preconditioning, then test after test.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use assessment::{
    Aim, Assessment, Cause, Failure, Finding, LatencyKind, Metric, Preparation, PreparationOutcome, PreparationStep,
    Quantity, Round, Settings, Statistic, Steady, SteadyRule, Study as Request, SuiteRequest, Test as Measured,
    Verdict,
};
use judge::limits::Expectation;
use judge::requirements::Requirements;
use judge::steady::ROUNDS_MAX;
use plan::Plan;
use record::Record;

use super::preparing::{Planner, SuiteTarget};
use super::resumed::resumed_test;
use super::{Job, Rounds, Site, Suite, SuiteParams, Test, least_rounds};
use crate::preconditioning::Preconditioning;
use crate::rounds::{Goal, RoundCell, SteadyRounds};
use crate::run::{End, Outcome, Refusal, Run, Session, Study, Work};
use crate::{findings, time, usage};

const MIB: u64 = 1 << 20;
/// Length of an extended test, as a multiple of its length.
const EXTENDED_PASSES: usize = 3;

/// A test with the plans of its runs.
#[derive(Clone, Debug)]
pub struct Ready {
    pub test: Test,
    pub runs: Vec<ReadyRun>,
}

impl Ready {
    /// Returns the same test of an interrupted run.
    fn of_resumed<'a>(&self, resumed: &'a [Measured]) -> Option<&'a Measured> {
        resumed_test(resumed, &self.test.name, &self.runs.first()?.plan)
    }
}

/// One run of a test: a combination of what the test varies.
#[derive(Clone, Debug)]
pub struct ReadyRun {
    pub cell: Settings,
    pub job: Job,
    pub plan: Arc<Plan>,
}

/// Options of a run of a suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteOptions {
    /// Repeats each test in rounds until its figures are steady by this rule.
    pub until_steady: Option<SteadyRule>,
    /// How long a test without a decision is continued.
    pub extension: Extension,
    /// Precondition the targets.
    pub prepare: bool,
    /// Discard the targets' data first.
    pub purge: bool,
    /// Bytes that the tests may take of each target, as requested.
    pub size_bytes: Option<u64>,
}

/// How long a test is continued that its intervals do not decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Extension {
    #[default]
    Off,
    /// Up to three times its length.
    Threefold,
    /// Until its runs took this time together.
    Until(Duration),
}

/// What the user expects of the target: published limits, and requirements.
#[derive(Clone, Debug, Default)]
pub struct Criteria {
    pub expectations: Vec<Expectation>,
    pub requirements: Vec<Requirements>,
}

impl Criteria {
    /// Whether anything is expected.
    pub fn is_given(&self) -> bool {
        !self.expectations.is_empty() || !self.requirements.is_empty()
    }
}

/// A suite that runs.
pub struct SuiteRun {
    suite: Suite,
    params: SuiteParams,
    options: SuiteOptions,
    criteria: Criteria,
    targets: Vec<SuiteTarget>,
    ready: Vec<Ready>,
    /// Tests of an interrupted run that this one resumes.
    resumed: Vec<Measured>,
    preconditioning: Option<Preconditioning>,
    assessment: Assessment,
    current: Option<Current>,
    is_checkpoint_due: bool,
}

/// A suite with its tests planned on targets.
pub struct PlannedSuite {
    pub suite: Suite,
    pub params: SuiteParams,
    pub options: SuiteOptions,
    /// Those of the sites of `params`, in the same order.
    pub targets: Vec<SuiteTarget>,
    pub ready: Vec<Ready>,
    pub criteria: Criteria,
    /// Tests of an interrupted run. Those with the same job are not repeated.
    pub resumed: Vec<Measured>,
}

/// The test that runs.
struct Current {
    measured: Measured,
    sequence: Sequence,
    /// Index of the run that `next` returned.
    pending: Option<usize>,
    /// Number of times that all runs were made, with the current one. Each run continues the one before.
    passes: usize,
    /// Number of the runs of the current pass that were made.
    made: usize,
    /// Findings of the single runs of a continued test. In all of them together, other load of one run is diluted.
    of_parts: Vec<Finding>,
}

/// The order of a test's runs.
enum Sequence {
    /// A number of rounds: round and run, from 0.
    Fixed { times: usize, rest: Duration, left: VecDeque<(usize, usize)> },
    /// Rounds until they are steady, one group of runs after another.
    Steady { groups: VecDeque<Group> },
}

/// Runs that are repeated together until they are steady.
struct Group {
    rounds: SteadyRounds,
    /// Indexes of the runs.
    runs: Vec<usize>,
    /// The settings of the runs, if it is not the only group.
    at: Option<Settings>,
    turn: Option<RoundCell>,
}

impl Group {
    fn steady(&self) -> Option<Steady> {
        Some(Steady { at: self.at.clone(), ..self.rounds.steady()? })
    }
}

impl SuiteRun {
    /// Returns the study of a planned suite.
    pub fn new(session: &Session, planned: PlannedSuite) -> SuiteRun {
        let PlannedSuite { suite, params, options, targets, ready, criteria, resumed } = planned;
        let request = SuiteRequest { size_bytes: options.size_bytes, tests: ready.len() };
        let assessment = session.assessment(&suite.name, suite.title.clone(), Request::Suite(request));
        let todo: Vec<&Ready> = ready.iter().filter(|ready| ready.of_resumed(&resumed).is_none()).collect();
        let planner = Planner { suite: &suite, params: &params, options: &options, targets: &targets, ready: &todo };
        let preconditioning = Some(Preconditioning::new(Session::default(), planner.steps()));
        SuiteRun {
            suite,
            params,
            options,
            criteria,
            targets,
            ready,
            resumed,
            preconditioning,
            assessment,
            current: None,
            is_checkpoint_due: false,
        }
    }

    /// Index of the test that runs or comes next.
    fn at(&self) -> usize {
        self.assessment.tests.len()
    }

    /// Saves the completed steps. Limits the tests to the bytes that a fill wrote.
    fn end_preconditioning(&mut self) {
        let Some(mut preconditioning) = self.preconditioning.take() else { return };
        self.assessment.preparation = preconditioning.end();
        for (target, bytes) in preconditioning.limits() {
            let written = bytes / MIB * MIB;
            let site = self.params.sites.iter_mut().nth(*target);
            if let Some(site) = site.filter(|site| written > 0 && site.size_bytes.is_some_and(|bytes| written < bytes))
            {
                site.size_bytes = Some(written);
            }
        }
    }

    /// Starts the next test, or completes it at once if it needs no run.
    fn start(&mut self, at: usize) {
        let ready = &self.ready[at];
        if let Some(resumed) = ready.of_resumed(&self.resumed).cloned() {
            return self.keep(resumed);
        }
        let job = ready.runs.first().map(|run| self.suite.job(&ready.test, &run.cell, &self.params));
        let mut measured = Measured {
            name: ready.test.name.clone(),
            title: ready.test.title.clone(),
            aim: ready.test.aim,
            volumes: ready.runs.first().map_or_else(Vec::new, |run| ready.test.used(&run.plan)),
            job: job.map_or_else(String::new, |job| job.text()),
            rounds: Vec::new(),
            passes: 1,
            steady: Vec::new(),
            findings: Vec::new(),
            disturbance: None,
            judgements: Vec::new(),
            verdict: Verdict::Inconclusive,
            cause: Cause::NothingMeasured,
            error: None,
        };
        if let Some(target) = self.forbidden(ready) {
            measured.error = Some(Failure::NotOverwritable { path: target.given.clone() });
            return self.complete(measured, &[]);
        }
        match sequence(ready, self.options.until_steady) {
            Some(sequence) => {
                let of_parts = Vec::new();
                self.current = Some(Current { measured, sequence, pending: None, passes: 1, made: 0, of_parts });
            }
            None => {
                measured.error = Some(Failure::NoFollowedRun);
                self.complete(measured, &[]);
            }
        }
    }

    /// Returns the target that a test writes to without consent.
    fn forbidden(&self, ready: &Ready) -> Option<&SuiteTarget> {
        forbidden(ready, &self.targets, &self.params)
    }

    /// Starts another pass of a test that its intervals do not decide, if there is time for it. The measured time doubles from one
    /// decision to the next: each can be wrong.
    fn is_continued(&self, current: &mut Current) -> bool {
        let ready = &self.ready[self.at()];
        let has_time = match self.options.extension {
            Extension::Off => false,
            Extension::Threefold => current.passes < EXTENDED_PASSES,
            Extension::Until(limit) => {
                let measured = Duration::from_nanos(current.measured_ns());
                measured + measured.div_f64(current.passes as f64) <= limit
            }
        };
        let Criteria { expectations, requirements } = &self.criteria;
        let aims: Vec<Aim> = self.ready.iter().map(|ready| ready.test.aim).collect();
        if !has_time || current.measured.error.is_some() {
            return false;
        }
        if !current.passes.is_power_of_two() {
            return current.start_pass(ready);
        }
        self.find(&mut current.measured, &current.of_parts);
        judge::verdict::lacks_intervals(&current.measured, &aims, expectations, requirements)
            && current.start_pass(ready)
    }

    /// Stores a test with its findings.
    fn complete(&mut self, mut measured: Measured, of_parts: &[Finding]) {
        self.find(&mut measured, of_parts);
        self.keep(measured);
    }

    /// Sets the findings of a test: those of its rounds, and of their parts.
    fn find(&self, measured: &mut Measured, of_parts: &[Finding]) {
        let ready = &self.ready[self.at()];
        measured.findings.clear();
        let of_rounds = measured.rounds.iter().flat_map(|round| judge::findings(&round.record));
        for finding in of_rounds.chain(of_parts.iter().cloned()) {
            if !measured.findings.iter().any(|known| known.includes(&finding)) {
                // One pass can show more than all together.
                measured.findings.retain(|known| !finding.includes(known));
                measured.findings.push(finding);
            }
        }
        if !measured.rounds.is_empty() {
            measured.findings.extend(self.unprepared(&ready.test, &measured.rounds));
        }
        if self.used(&ready.test).any(|target| !target.has_direct_io) {
            measured.findings.push(findings::no_direct_io());
        }
        let unsteady = measured.steady.iter().filter(|steady| steady.from_round.is_none());
        measured.findings.extend(unsteady.map(findings::not_steady));
    }

    fn keep(&mut self, measured: Measured) {
        self.assessment.tests.push(measured);
        self.is_checkpoint_due = true;
    }

    /// The targets that a test works on.
    fn used(&self, test: &Test) -> impl Iterator<Item = &SuiteTarget> {
        let names: Vec<String> = test.volumes().into_iter().map(str::to_owned).collect();
        let is_used = move |target: &&SuiteTarget| {
            target.names.is_empty() || target.names.iter().any(|name| names.contains(name))
        };
        self.targets.iter().filter(is_used)
    }

    /// Returns a finding for each preparation that the test needs and that was skipped or failed. Reads of blocks that
    /// are all written need no fill.
    fn unprepared(&self, test: &Test, rounds: &[Round]) -> Vec<Finding> {
        let is_written = rounds.iter().all(|round| judge::reads_only_written(&round.record));
        let needs = [
            (test.needs.filled && !is_written, PreparationStep::Fill),
            (test.needs.filled, PreparationStep::Precondition),
            (test.needs.initialised, PreparationStep::Initialise),
            (test.needs.warm, PreparationStep::Warm),
        ];
        let missing = |&(is_needed, step): &(bool, PreparationStep)| {
            let is_missing = |done: &&Preparation| {
                let is_here =
                    done.target.as_ref().is_none_or(|shown| self.used(test).any(|target| target.shown == *shown));
                is_here
                    && done.step == step
                    && matches!(done.outcome, PreparationOutcome::LeftOut | PreparationOutcome::Failed)
            };
            let done = self.assessment.preparation.iter().find(is_missing).filter(|_| is_needed)?;
            findings::not_prepared(step, done.detail.clone())
        };
        needs.iter().filter_map(missing).collect()
    }

    /// Time of the tests after the one that runs.
    fn remaining_ns(&self) -> u64 {
        let rest = self.ready.iter().skip(self.at() + 1);
        rest.filter(|ready| ready.of_resumed(&self.resumed).is_none()).map(rough_ns).sum()
    }
}

impl Study for SuiteRun {
    fn next(&mut self) -> Option<Run> {
        if let Some(run) = self.preconditioning.as_mut().and_then(Study::next) {
            return Some(run);
        }
        self.end_preconditioning();
        loop {
            let at = self.at();
            if let Some(mut current) = self.current.take() {
                let ready = &self.ready[at];
                let name = format!("[{}/{}] {}", at + 1, self.ready.len(), ready.test.name);
                let Some((nth, label, rest)) = current.next(ready, &name) else {
                    match self.is_continued(&mut current) {
                        true => self.current = Some(current),
                        false => self.complete(current.measured, &current.of_parts),
                    }
                    continue;
                };
                current.pending = Some(nth);
                let mut job = self.suite.job(&ready.test, &ready.runs[nth].cell, &self.params);
                job.pass = current.passes as u64 - 1;
                let name = format!("{}{}", ready.test.name, settings(&ready.runs[nth]));
                let run = Run { name, rest, remaining_ns: self.remaining_ns(), ..Run::new(Work::Job(job), label) };
                self.current = Some(current);
                return Some(run);
            }
            if at == self.ready.len() {
                return None;
            }
            self.start(at);
        }
    }

    fn take(&mut self, outcome: Outcome) {
        if let Some(preconditioning) = &mut self.preconditioning {
            return preconditioning.take(outcome);
        }
        let ready = self.ready.get(self.assessment.tests.len());
        if let (Some(current), Some(ready)) = (&mut self.current, ready) {
            current.take(ready, outcome);
        }
    }

    fn checkpoint(&mut self) -> Option<&Assessment> {
        std::mem::take(&mut self.is_checkpoint_due).then_some(&self.assessment)
    }

    fn finish(mut self: Box<Self>, end: &End) -> Assessment {
        self.end_preconditioning();
        if let Some(mut current) = self.current.take()
            && (!current.measured.rounds.is_empty() || current.measured.error.is_some())
        {
            let is_over = self.ready.get(self.at()).is_none_or(|ready| current.next(ready, "").is_none());
            // A stopped continuation leaves what was measured before.
            if !is_over && current.passes == 1 {
                current.measured.error = Some(Failure::Stopped);
            }
            self.complete(current.measured, &current.of_parts);
        }
        let mut assessment = self.assessment;
        end.close(&mut assessment);
        if judge::classes::describe_a_disk(&assessment.tests) {
            assessment.applications = judge::applications::judge(&assessment.tests);
        }
        judge::verdict::judge(&mut assessment, &self.criteria.expectations, &self.criteria.requirements);
        judge::classes::describe(&mut assessment, &self.criteria.expectations);
        assessment
    }
}

impl Current {
    /// Returns the next run, its label and the pause before it; `None` at the end of the test.
    fn next(&mut self, ready: &Ready, name: &str) -> Option<(usize, String, Duration)> {
        if self.measured.error.is_some() {
            self.end_groups();
            return None;
        }
        match &mut self.sequence {
            Sequence::Fixed { times, rest, left } => {
                let (time, nth) = left.pop_front()?;
                let round = if *times > 1 { format!(" ({} of {times})", time + 1) } else { String::new() };
                let more = match self.passes {
                    1 => String::new(),
                    pass => format!(", not decided yet: {pass} times its length"),
                };
                let rest = if time > 0 && nth == 0 { *rest } else { Duration::ZERO };
                Some((nth, format!("{name}{}{round}{more}", settings(&ready.runs[nth])), rest))
            }
            Sequence::Steady { groups } => loop {
                let group = groups.front_mut()?;
                if let Some(turn) = group.rounds.next_turn() {
                    let nth = *group.runs.get(turn.cell)?;
                    group.turn = Some(turn);
                    let label = format!("{name} round {}{}", turn.round + 1, settings(&ready.runs[nth]));
                    return Some((nth, label, Duration::ZERO));
                }
                let ended = groups.pop_front();
                self.measured.steady.extend(ended.and_then(|group| group.steady()));
            },
        }
    }

    /// Starts to make all runs again, as the continuation of those before.
    fn start_pass(&mut self, ready: &Ready) -> bool {
        let Sequence::Fixed { times, left, .. } = &mut self.sequence else { return false };
        let count = *times * ready.runs.len();
        if self.made != count || self.measured.rounds.len() != count {
            return false;
        }
        *left = turns(*times, ready);
        self.passes += 1;
        self.made = 0;
        true
    }

    /// Returns the measured time of all phases of all runs, in ns.
    fn measured_ns(&self) -> u64 {
        let of_phase = |record: &Record, phase: u32| {
            let both = record.plan.workers.iter().zip(&record.workers).filter(|(worker, _)| worker.phase == phase);
            both.map(|(_, measured)| measured.stats.runtime_ns).max().unwrap_or(0)
        };
        let of_run = |round: &Round| {
            let phases: BTreeSet<u32> = round.record.plan.workers.iter().map(|worker| worker.phase).collect();
            phases.into_iter().map(|phase| of_phase(&round.record, phase)).sum::<u64>()
        };
        self.measured.rounds.iter().map(of_run).sum()
    }

    /// Saves the steady state of the running group.
    fn end_groups(&mut self) {
        if let Sequence::Steady { groups } = &mut self.sequence
            && let Some(group) = groups.pop_front()
        {
            groups.clear();
            self.measured.steady.extend(group.steady());
        }
    }

    /// Whether a run continues the round of the passes before. A stopped run, or one without a lost host, does not.
    fn can_append(&self, record: &Record, is_interrupted: bool) -> bool {
        let round = self.measured.rounds.get(self.made);
        !is_interrupted && round.is_some_and(|round| round.record.has_same_workers(record))
    }

    fn take(&mut self, ready: &Ready, outcome: Outcome) {
        let Some(run) = self.pending.take().and_then(|nth| ready.runs.get(nth)) else { return };
        let (record, is_interrupted) = match outcome {
            Outcome::Completed { record, .. } => (record, false),
            Outcome::Interrupted(record) => (record, true),
            Outcome::Refused(Refusal { failure, .. }) | Outcome::PrepareFailed(failure) => {
                self.measured.error = Some(failure);
                return;
            }
        };
        if self.passes > 1 && !self.can_append(&record, is_interrupted) {
            if let Sequence::Fixed { left, .. } = &mut self.sequence {
                left.clear();
            }
            return;
        }
        self.measured.error = failure(&record, is_interrupted);
        if self.measured.error.is_none()
            && let Sequence::Steady { groups } = &mut self.sequence
            && let Some(group) = groups.front_mut()
            && let Some(turn) = group.turn.take()
        {
            group.rounds.take(turn, &record);
        }
        let continued = if self.passes > 1 { self.measured.rounds.get_mut(self.made) } else { None };
        self.made += 1;
        if let Some(round) = continued {
            if self.passes == 2 {
                self.of_parts.extend(judge::findings(&round.record));
            }
            self.of_parts.extend(judge::findings(&record));
            round.record.append(*record);
            self.measured.passes = self.passes as u64;
        } else if record.totals().all.ios > 0 {
            self.measured.rounds.push(Round { at: run.cell.clone(), record: *record });
        }
    }
}

/// Why a test ends with a run.
fn failure(record: &Record, is_interrupted: bool) -> Option<Failure> {
    let stopped = is_interrupted.then_some(Failure::Stopped);
    Failure::of_run(record).or(stopped).or_else(|| Failure::of_figures(record))
}

/// `None` if the followed run is missing.
fn sequence(ready: &Ready, until_steady: Option<SteadyRule>) -> Option<Sequence> {
    let group = |goal: &Goal, followed: &Settings, runs: Vec<usize>| {
        let cells: Vec<Settings> = runs.iter().map(|nth| ready.runs[*nth].cell.clone()).collect();
        let at = (cells.len() < ready.runs.len()).then(|| followed.clone());
        Some(Group { rounds: SteadyRounds::new(goal, followed, &cells)?, runs, at, turn: None })
    };
    let all = || 0..ready.runs.len();
    match (&ready.test.rounds, until_steady) {
        (Rounds::Steady { goal, at }, _) => {
            Some(Sequence::Steady { groups: [group(goal, at, all().collect())?].into() })
        }
        // Each run reaches its own steady state.
        (Rounds::Fixed { .. }, Some(rule)) => {
            let of_run = |nth: usize| {
                let run = &ready.runs[nth];
                let goal = Goal { rule, metrics: followed(ready.test.aim, run), most: ROUNDS_MAX };
                group(&goal, &run.cell, vec![nth])
            };
            Some(Sequence::Steady { groups: all().map(of_run).collect::<Option<_>>()? })
        }
        (Rounds::Fixed { times, rest_s }, None) => {
            let rest = Duration::from_secs(*rest_s);
            Some(Sequence::Fixed { times: *times, rest, left: turns(*times, ready) })
        }
    }
}

/// Returns the rounds and runs of one pass, in their order.
fn turns(times: usize, ready: &Ready) -> VecDeque<(usize, usize)> {
    (0..times).flat_map(|time| (0..ready.runs.len()).map(move |nth| (time, nth))).collect()
}

/// Returns the metrics that are tracked over the rounds: those of the test's aim, in each of its directions.
fn followed(aim: Aim, run: &ReadyRun) -> Vec<Metric> {
    if aim == Aim::FlushLatency && run.plan.jobs().any(flushes) {
        return vec![Metric { ddir: None, quantity: Quantity::Fsync(Statistic::Mean) }];
    }
    let quantity = match aim {
        Aim::DiskBandwidth => Quantity::Bandwidth,
        Aim::LatencyFloor | Aim::FlushLatency => Quantity::Latency(LatencyKind::Completion, Statistic::Mean),
        Aim::DiskIops | Aim::VmUncached | Aim::VmCached | Aim::Behaviour => Quantity::Iops,
    };
    usage::directions(&run.plan).into_iter().map(|ddir| Metric { ddir: Some(ddir), quantity }).collect()
}

fn flushes(job: plan::Job<'_>) -> bool {
    let syncs = &job.load.access.syncs;
    syncs.fsync_every_writes > 0 || syncs.fdatasync_every_writes > 0
}

/// The settings of a run, for its label.
fn settings(run: &ReadyRun) -> String {
    run.cell.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// Time of a test's runs, as far as it is known.
fn rough_ns(ready: &Ready) -> u64 {
    let once: u64 = ready.runs.iter().filter_map(|run| time::at_most_ns(&run.plan)).sum();
    once.saturating_mul(least_rounds(&ready.test) as u64)
}

/// Returns the target that a test writes to without consent.
pub fn forbidden<'a>(ready: &Ready, targets: &'a [SuiteTarget], params: &SuiteParams) -> Option<&'a SuiteTarget> {
    let is_written = |site: &Site| ready.runs.iter().any(|run| site.is_written_by(&run.plan));
    let mut pairs = targets.iter().zip(params.sites.iter());
    pairs.find(|(target, site)| !target.may_write && is_written(site)).map(|(target, _)| target)
}
