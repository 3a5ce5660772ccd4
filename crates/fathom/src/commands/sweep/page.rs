//! What a sweep showed as an assessment, for reports with charts and for the history.

use assessment::{Aim, Assessment, Finding, Metric, Round, SCHEMA, Study, Target, Test, Verdict};
use record::Record;
use study::{Order, Sweep};
use units::shell::quoted;

use super::request::Request;
use crate::run;
use crate::target;

/// The runs, in the order in which they were made.
pub struct Kept {
    command: Vec<String>,
    started_unix_ms: u64,
    rounds: Vec<Round>,
    /// Places of runs that never began, among all, and why.
    refused: Vec<(usize, String)>,
    findings: Vec<Finding>,
}

impl Kept {
    pub fn new(typed: &[String]) -> Kept {
        let command = ["fathom", "sweep"].into_iter().map(str::to_owned).chain(typed.iter().cloned()).collect();
        let (rounds, refused, findings) = Default::default();
        Kept { command, started_unix_ms: run::unix_ms(), rounds, refused, findings }
    }

    pub fn take_refused(&mut self, reason: String) {
        self.refused.push((self.rounds.len() + self.refused.len(), reason));
    }

    pub fn take(&mut self, settings: &[(String, String)], record: Record, findings: Vec<Finding>) {
        for finding in findings {
            // Once is enough: the figures of each run are there.
            if !self.findings.iter().any(|known| (&known.id, &known.what) == (&finding.id, &finding.what)) {
                self.findings.push(finding);
            }
        }
        self.rounds.push(Round { at: settings.to_vec(), record });
    }

    /// `sentence` is what it comes to.
    pub fn assessment(
        self,
        request: &Request,
        sweep: &Sweep,
        metric: Metric,
        sentence: Option<String>,
        is_stopped: bool,
    ) -> Assessment {
        let options: Vec<&str> = request.axes.iter().map(|axis| axis.option.as_str()).collect();
        let program = request.dialect.name();
        let failure = sweep.rows().iter().find_map(study::Row::failure).map(str::to_owned);
        let cause = sentence.unwrap_or_else(|| "it was measured".to_owned());
        let (verdict, cause) = match (is_stopped, &failure) {
            (true, _) => (Verdict::Inconclusive, "it was stopped before its end".to_owned()),
            (false, Some(failure)) => (Verdict::Inconclusive, format!("a run failed: {failure}")),
            (false, None) => (Verdict::Measured, cause),
        };
        let line: Vec<String> = request.line.iter().map(|word| quoted(word)).collect();
        let (target, machine) = (self.target(), self.rounds.first().map(|round| round.record.machine.clone()));
        let study = Some(Study::Sweep(asked(request, metric, self.refused)));
        let test = Test {
            name: options.join("-"),
            title: format!("A line of {program}'s, run for each value of {}", options.join(" and ")),
            aim: Aim::Behaviour,
            volumes: Vec::new(),
            job: format!("{program} {}", line.join(" ")),
            rounds: self.rounds,
            steady: None,
            findings: self.findings,
            judgements: Vec::new(),
            verdict,
            cause: cause.clone(),
            error: failure,
        };
        Assessment {
            schema: SCHEMA.to_owned(),
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            command: self.command,
            started_unix_ms: self.started_unix_ms,
            ended_unix_ms: run::unix_ms(),
            utc_offset_s: os::clock::utc_offset_s(),
            suite: "sweep".to_owned(),
            title: format!("How the figures of a line follow {}", options.join(" and ")),
            target,
            volumes: Vec::new(),
            machine: machine.unwrap_or_else(engine::machine),
            tags: request.tags.clone(),
            preparation: Vec::new(),
            tests: vec![test],
            expectations: Vec::new(),
            applications: Vec::new(),
            verdict,
            cause,
            stopped: is_stopped,
            study,
        }
    }

    /// What the first run worked on; of several targets the facts of the first.
    fn target(&self) -> Target {
        let workers = self.rounds.iter().take(1).flat_map(|round| &round.record.plan.workers);
        let of_worker = |worker: &plan::Worker| {
            let streams = worker.streams.list.iter().map(|stream| stream.path.clone());
            worker.targets.paths.iter().cloned().chain(streams).collect::<Vec<_>>()
        };
        let mut paths: Vec<String> = workers.flat_map(of_worker).collect();
        paths.sort_unstable();
        paths.dedup();
        let Some(first) = paths.first() else { return Target::default() };
        let facts = target::find(Some(first), &[]).map(|found| found.facts).unwrap_or_default();
        let others = if paths.len() > 1 { format!(" and {} more", paths.len() - 1) } else { String::new() };
        Target { path: format!("{first}{others}"), ..facts }
    }
}

fn asked(request: &Request, metric: Metric, refused: Vec<(usize, String)>) -> assessment::Sweep {
    assessment::Sweep {
        dialect: request.dialect.name().to_owned(),
        line: request.line.clone(),
        axes: request.axes.iter().map(|axis| (axis.option.clone(), axis.values.clone())).collect(),
        repeats: request.repeats,
        order: request.order.kind().to_owned(),
        seed: match request.order {
            Order::Random { seed } => Some(seed),
            _ => None,
        },
        metric: metric.to_string(),
        refused,
    }
}
