//! The course of an assessment: preparation, then test after test, through the same runs as the dialects'.

use std::sync::Arc;

use assessment::{
    Aim, Assessment, Finding, LatencyKind, Metric, Preparation, PreparationOutcome, Quantity, Round, SCHEMA, Severity,
    Statistic, Steady, Test as Measured, Verdict,
};
use judge::verdict::NOTHING_EXPECTED;
use os::signal::Interrupts;
use record::Record;
use study::rounds::Goal;
use study::suite::{Cell, Job, Rounds, Suite, Terms, Test};
use study::time::at_most_ns;
use units::format;

use super::ready::{self, Ready, Run};
use super::request::Request;
use super::state::State;
use super::volumes::{self, Volume};
use crate::args;
use crate::plans;
use crate::progress::Progress;
use crate::{output::tell_line, run};

pub struct Course<'a> {
    pub(super) request: &'a Request,
    pub(super) suite: &'a Suite,
    pub(super) volumes: &'a [Volume],
    pub(super) terms: Terms,
    state: State,
    interrupts: Interrupts,
    progress: Progress,
    pub(super) assessment: Assessment,
    /// Tests that were done before.
    done: Vec<Measured>,
}

/// What a run came to.
pub(super) enum Outcome {
    Ran(Box<Record>),
    /// Nothing was touched.
    Refused(String),
}

impl<'a> Course<'a> {
    pub fn new(
        request: &'a Request,
        typed: &[String],
        suite: &'a Suite,
        volumes: &'a [Volume],
        terms: &Terms,
        state: State,
        interrupts: Interrupts,
    ) -> Self {
        let command = ["fathom", "assess"].into_iter().map(str::to_owned).chain(typed.iter().cloned());
        let assessment = Assessment {
            schema: SCHEMA.to_owned(),
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.collect(),
            started_unix_ms: run::unix_ms(),
            ended_unix_ms: 0,
            utc_offset_s: os::clock::utc_offset_s(),
            suite: suite.name.clone(),
            title: suite.title.clone(),
            target: volumes::together(volumes),
            volumes: volumes::each(volumes),
            machine: engine::machine(),
            tags: request.tags.clone(),
            preparation: Vec::new(),
            tests: Vec::new(),
            expectations: Vec::new(),
            applications: Vec::new(),
            verdict: Verdict::Inconclusive,
            cause: String::new(),
            stopped: false,
            study: None,
        };
        let (terms, progress) = (terms.clone(), Progress::new());
        let done = Vec::new();
        Course { request, suite, volumes, terms, state, interrupts, progress, assessment, done }
    }

    /// Takes over what was measured before.
    pub fn resume(&mut self) -> Result<(), String> {
        let kept = self.state.kept()?;
        if let Some(kept) = &kept {
            self.has_the_size_of(&kept.command)?;
        }
        self.done = kept.map(|kept| kept.tests).unwrap_or_default();
        self.done.retain(|test| test.error.is_none() && !test.rounds.is_empty());
        match self.done.len() {
            0 => tell_line!("nothing of this suite on this target was kept: it starts from the beginning"),
            1 => tell_line!("1 test was done before"),
            tests => tell_line!("{tests} tests were done before"),
        }
        Ok(())
    }

    /// Tests on files of two sizes make no whole.
    fn has_the_size_of(&self, command: &[String]) -> Result<(), String> {
        let typed = command.get(2..).unwrap_or_default();
        let Some(stopped) = args::assess::reread(typed) else { return Ok(()) };
        if stopped.size_bytes == self.request.size_bytes {
            return Ok(());
        }
        let told = stopped
            .size_bytes
            .map_or_else(|| "no --size".to_owned(), |bytes| format!("a --size of {}", format::size(bytes)));
        Err(format!("what is to be gone on with had {told}: say the same, or begin anew without --resume"))
    }

    pub fn run(mut self, tests: &[&Test], ready: Vec<Ready>) -> Result<Assessment, String> {
        let todo: Vec<Ready> = ready.into_iter().filter(|ready| self.was_done(ready).is_none()).collect();
        self.prepare(&todo);
        // The files may be smaller than was planned.
        let ready = ready::plan_all(self.suite, tests, &self.terms, &mut Vec::new())?;
        let mut after_ns: u64 = ready.iter().map(rough_ns).sum();
        let tests = ready.len();
        for (nth, ready) in ready.iter().enumerate() {
            after_ns = after_ns.saturating_sub(rough_ns(ready));
            let measured = match self.was_done(ready).cloned() {
                Some(done) => done,
                None if self.is_stopped() => break,
                None => self.test(ready, &format!("[{}/{tests}] {}", nth + 1, ready.test.name), after_ns),
            };
            self.assessment.tests.push(measured);
            if let Err(error) = self.state.keep(&self.assessment) {
                self.progress.line(&format!("what was measured can't be kept for --resume: {error}"));
            }
        }
        Ok(self.finish(tests))
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.interrupts.count() > 0
    }

    /// The same test was measured, with the same job.
    fn was_done(&self, ready: &Ready) -> Option<&Measured> {
        let job = ready.runs.first()?.job.text();
        self.done.iter().find(|done| done.name == ready.test.name && same_work(&done.job, &job))
    }

    fn finish(mut self, tests: usize) -> Assessment {
        let assessment = &mut self.assessment;
        assessment.ended_unix_ms = run::unix_ms();
        assessment.stopped = self.interrupts.count() > 0;
        let worst = assessment.tests.iter().map(|test| test.verdict).max().unwrap_or(Verdict::Inconclusive);
        let of_worst = assessment.tests.iter().find(|test| test.verdict == worst);
        (assessment.verdict, assessment.cause) = match (assessment.stopped, worst, of_worst) {
            (true, ..) => {
                let measured = assessment.tests.iter().filter(|test| test.error.is_none()).count();
                (Verdict::Inconclusive, format!("it was stopped after {measured} of {tests} tests; --resume goes on"))
            }
            (false, Verdict::Measured, _) => (Verdict::Measured, NOTHING_EXPECTED.to_owned()),
            (false, worst, Some(test)) => (worst, format!("{}: {}", test.name, test.cause)),
            (false, worst, None) => (worst, "no test was run".to_owned()),
        };
        if !assessment.stopped {
            self.state.forget();
        }
        self.assessment
    }

    pub(super) fn carry_out_job(&mut self, job: &Job, name: &str) -> Outcome {
        match plans::plan(job) {
            Ok((plan, _)) => self.carry_out(&Arc::new(plan), name, 0),
            Err(told) => Outcome::Refused(plans::told(&told)),
        }
    }

    fn carry_out(&mut self, plan: &Arc<plan::Plan>, name: &str, after_ns: u64) -> Outcome {
        self.progress.begin(name, at_most_ns(plan), after_ns);
        let outcome = run::run(plan, self.interrupts, &run::Terms::default(), &mut self.progress);
        if !outcome.refused.is_empty() {
            let refusals: Vec<String> = outcome.refused.iter().map(|error| error.message.clone()).collect();
            let why = refusals.join("; ");
            self.progress.end(&format!("refused: {why}"));
            return Outcome::Refused(why);
        }
        self.progress.end_of(&outcome.record);
        Outcome::Ran(Box::new(outcome.record))
    }

    fn test(&mut self, ready: &Ready, name: &str, after_ns: u64) -> Measured {
        let test = ready.test;
        let mut measured = Measured {
            name: test.name.clone(),
            title: test.title.clone(),
            aim: test.aim,
            volumes: ready.runs.first().map_or_else(Vec::new, |run| test.used(&run.plan)),
            job: ready.runs.first().map_or_else(String::new, |run| run.job.text()),
            rounds: Vec::new(),
            steady: None,
            findings: Vec::new(),
            judgements: Vec::new(),
            verdict: Verdict::Inconclusive,
            cause: String::new(),
            error: None,
        };
        if let Some(found) = volumes::forbidden(ready, self.volumes, &self.terms) {
            let path = &found.facts.path;
            measured.error = Some(format!("it writes, and {path} may hold data; --overwrite {path} allows it"));
            self.progress.line(&format!("{name}: left out, as it writes"));
        } else {
            self.rounds(ready, name, after_ns, &mut measured);
        }
        self.judge(ready, &mut measured);
        measured
    }

    fn rounds(&mut self, ready: &Ready, name: &str, after_ns: u64, measured: &mut Measured) {
        let (times, rest_s) = match (&ready.test.rounds, self.request.until_steady) {
            (Rounds::Steady { goal, at }, _) => {
                return self.until_steady(ready, goal, at, (name, after_ns), measured);
            }
            (Rounds::Fixed { .. }, Some(rule)) => {
                for run in &ready.runs {
                    let goal = Goal { rule, metrics: followed(ready.test.aim, run), most: judge::steady::ROUNDS_MAX };
                    self.until_steady(ready, &goal, &run.cell, (name, after_ns), measured);
                }
                return;
            }
            (Rounds::Fixed { times, rest_s }, None) => (*times, *rest_s),
        };
        for time in 0..times {
            let rest = std::time::Duration::from_secs(rest_s);
            if time > 0 && self.interrupts.wait(0, rest) {
                measured.error = Some("it was stopped".to_owned());
            }
            for run in &ready.runs {
                if measured.error.is_some() {
                    return;
                }
                let round = if times > 1 { format!(" ({} of {times})", time + 1) } else { String::new() };
                self.round(run, &format!("{name}{}{round}", at(run)), after_ns, measured);
            }
        }
    }

    fn until_steady(
        &mut self,
        ready: &Ready,
        goal: &Goal,
        followed: &Cell,
        (name, after_ns): (&str, u64),
        measured: &mut Measured,
    ) {
        // Where the suite has no rounds of its own, each of its runs is brought to its own steady state.
        let is_own = matches!(ready.test.rounds, Rounds::Steady { .. });
        let runs: Vec<&Run> = ready.runs.iter().filter(|run| is_own || run.cell == *followed).collect();
        let cells: Vec<Cell> = runs.iter().map(|run| run.cell.clone()).collect();
        let Some(mut rounds) = study::rounds::Rounds::new(goal, followed, &cells) else {
            measured.error = Some("what its rounds are followed by is not among its runs".to_owned());
            return;
        };
        while let Some(turn) = rounds.next_turn().filter(|_| measured.error.is_none()) {
            let run = runs[turn.cell];
            self.round(run, &format!("{name} round {}{}", turn.round + 1, at(run)), after_ns, measured);
            if let Some(made) = measured.rounds.last().filter(|_| measured.error.is_none()) {
                rounds.take(turn, &made.record);
            }
        }
        // Of several runs the one that didn't get there.
        let is_missed = |steady: &Steady| steady.from_round.is_none();
        if measured.steady.as_ref().is_none_or(|known| !is_missed(known)) {
            measured.steady = rounds.steady();
        }
    }

    /// One run of a test.
    fn round(&mut self, run: &Run, name: &str, after_ns: u64, measured: &mut Measured) {
        match self.carry_out(&run.plan, name, after_ns) {
            Outcome::Refused(why) => measured.error = Some(why),
            Outcome::Ran(record) => {
                let failed =
                    record.workers.iter().find_map(|worker| worker.error.as_ref()).map(|error| error.message.clone());
                let has_figures = record.totals().all.ios > 0;
                if has_figures {
                    measured.rounds.push(Round { at: run.cell.clone(), record: *record });
                }
                let stopped = self.is_stopped().then(|| "it was stopped before its time".to_owned());
                let nothing = (!has_figures).then(|| "nothing was measured".to_owned());
                measured.error = failed.or(stopped).or(nothing);
            }
        }
    }

    /// What speaks against the figures, and what they come to.
    fn judge(&self, ready: &Ready, measured: &mut Measured) {
        for round in &measured.rounds {
            for finding in judge::findings(&round.record) {
                let is_known = |known: &Finding| known.id == finding.id && known.what == finding.what;
                if !measured.findings.iter().any(is_known) {
                    measured.findings.push(finding);
                }
            }
        }
        if !measured.rounds.is_empty() {
            measured.findings.extend(self.unprepared(ready.test));
        }
        if self.used(ready.test).any(|volume| !volume.has_direct_io) {
            measured.findings.push(no_direct_io());
        }
        if let Some(steady) = measured.steady.as_ref().filter(|steady| steady.from_round.is_none()) {
            measured.findings.push(not_steady(steady));
        }
        let invalid = measured.findings.iter().find(|finding| finding.severity == Severity::Invalid);
        (measured.verdict, measured.cause) = match (&measured.error, invalid) {
            (_, Some(finding)) => (Verdict::Invalid, finding.what.clone()),
            (Some(error), None) => (Verdict::Inconclusive, error.clone()),
            (None, None) => (Verdict::Measured, "nothing was expected of it".to_owned()),
        };
    }

    /// The targets that a test works on.
    fn used(&self, test: &'a Test) -> impl Iterator<Item = &'a Volume> {
        let names = test.volumes();
        let is_used = move |volume: &&Volume| {
            let is_named = |name: &String| names.contains(&name.as_str());
            volume.names.is_empty() || volume.names.iter().any(is_named)
        };
        self.volumes.iter().filter(is_used)
    }

    /// What the test needs and wasn't done.
    fn unprepared(&self, test: &Test) -> Vec<Finding> {
        let needs = [
            (test.needs.filled, "fill", "blocks that were never written may have been read, which needs no disk"),
            (
                test.needs.filled,
                "soak",
                "random writes to a steady state were asked for and did not come to one: the figures may still change",
            ),
            (
                test.needs.initialised,
                "initialise",
                "a volume made from a snapshot is slow until each block was read once",
            ),
            (test.needs.warm, "warm", "a cache that isn't warm was measured, in part, as the disk behind it"),
        ];
        let missing = |(needed, name, what): &(bool, &str, &str)| {
            let is_missing = |step: &&Preparation| {
                let is_here =
                    step.target.as_ref().is_none_or(|target| self.used(test).any(|volume| volume.shown() == *target));
                is_here
                    && step.step == *name
                    && matches!(step.outcome, PreparationOutcome::LeftOut | PreparationOutcome::Failed)
            };
            let step = self.assessment.preparation.iter().find(is_missing).filter(|_| *needed)?;
            Some(Finding {
                id: format!("no-{name}"),
                severity: Severity::Warning,
                what: format!("the target was not prepared as the test needs it ({name}): {what}"),
                evidence: step.detail.clone(),
                advice: "let it be prepared: leave out --no-prepare, and say --overwrite where data may be lost".into(),
            })
        };
        needs.iter().filter_map(missing).collect()
    }
}

fn no_direct_io() -> Finding {
    Finding {
        id: "no-direct-io".into(),
        severity: Severity::Invalid,
        what: "this file system has no direct I/O: what was measured is the page cache, which is memory".into(),
        evidence: "a file can't be opened with O_DIRECT there".into(),
        advice: "assess a directory on a disk: this one lies in memory, or on a file system without direct I/O".into(),
    }
}

fn not_steady(steady: &Steady) -> Finding {
    Finding {
        id: "no-steady-state".into(),
        severity: Severity::Warning,
        what: "the rounds came to no steady state: the figures are of a device that is still changing".into(),
        evidence: steady.detail.clone(),
        advice: "let it run for more rounds, or look for other load on the device".into(),
    }
}

/// What a test is followed by until it is steady: what it is meant to show, of each direction that it has.
fn followed(aim: Aim, run: &Run) -> Vec<Metric> {
    if aim == Aim::FlushLatency && run.plan.workers.iter().any(flushes) {
        return vec![Metric { ddir: None, quantity: Quantity::Fsync(Statistic::Mean) }];
    }
    let quantity = match aim {
        Aim::DiskBandwidth => Quantity::Bandwidth,
        Aim::LatencyFloor | Aim::FlushLatency => Quantity::Latency(LatencyKind::Completion, Statistic::Mean),
        Aim::DiskIops | Aim::VmUncached | Aim::VmCached | Aim::Behaviour => Quantity::Iops,
    };
    study::rounds::directions(&run.plan).into_iter().map(|ddir| Metric { ddir: Some(ddir), quantity }).collect()
}

fn flushes(worker: &plan::Worker) -> bool {
    let syncs = &worker.access.syncs;
    syncs.fsync_every_writes > 0 || syncs.fdatasync_every_writes > 0
}

/// What differs from the test's other runs.
fn at(run: &Run) -> String {
    run.cell.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// What the test's runs take, as far as that is known.
fn rough_ns(ready: &Ready) -> u64 {
    let once: u64 = ready.runs.iter().filter_map(|run| at_most_ns(&run.plan)).sum();
    once.saturating_mul(study::suite::least_rounds(ready.test) as u64)
}

/// Two jobs ask for the same, but for the sizes of their files: a slow disk's are as large as they came to be.
fn same_work(one: &str, other: &str) -> bool {
    let rest = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.starts_with("size=") && !line.starts_with("filesize="))
            .map(str::to_owned)
            .collect()
    };
    rest(one) == rest(other)
}
