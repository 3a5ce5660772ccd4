//! What a search came to as an assessment, for reports with charts and for the history.

use assessment::{
    Aim, Assessment, Finding, Judgement, Knee, Preparation, PreparationOutcome, Round, SCHEMA, Target, Test, Verdict,
};
use record::Record;
use study::knee::show::{Asked, bend, sentence};
use study::knee::{Load, Search, Study};
use study::retold::setting;
use study::suite::Job;
use units::format;

use super::request::Request;
use crate::run;

/// The runs of a search, as they were made.
pub struct Kept {
    command: Vec<String>,
    started_unix_ms: u64,
    pub filled: Option<Preparation>,
    pub runs: Vec<(Load, Record)>,
    pub findings: Vec<Finding>,
}

impl Kept {
    pub fn new(typed: &[String]) -> Kept {
        let command = ["fathom", "knee"].into_iter().map(str::to_owned).chain(typed.iter().cloned()).collect();
        Kept { command, started_unix_ms: run::unix_ms(), filled: None, runs: Vec::new(), findings: Vec::new() }
    }

    pub fn assessment(
        self,
        request: &Request,
        study: &Study,
        knee: Knee,
        asked: &Asked,
        target: &Target,
    ) -> Assessment {
        let verdict = verdict(request, study, asked);
        let cause = sentence(study, asked);
        let machine = self.runs.first().map_or_else(engine::machine, |(_, record)| record.machine.clone());
        let (command, started_unix_ms) = (self.command.clone(), self.started_unix_ms);
        Assessment {
            schema: SCHEMA.to_owned(),
            fathom: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            started_unix_ms,
            ended_unix_ms: run::unix_ms(),
            utc_offset_s: os::clock::utc_offset_s(),
            suite: "knee".to_owned(),
            title: format!("The load at which the latency of {} breaks", asked.work),
            target: target.clone(),
            volumes: Vec::new(),
            machine,
            tags: request.tags.clone(),
            preparation: self.filled.clone().into_iter().collect(),
            tests: self.tests(request, study, asked, verdict),
            expectations: Vec::new(),
            applications: Vec::new(),
            verdict,
            cause,
            stopped: asked.is_stopped,
            study: Some(assessment::Study::Knee(knee)),
        }
    }

    /// The loads, and before them what goes without any.
    fn tests(self, request: &Request, study: &Study, asked: &Asked, verdict: Verdict) -> Vec<Test> {
        let (mut without, mut rounds) = (Vec::new(), Vec::new());
        for (load, record) in self.runs {
            let round = Round { at: setting(&load), record };
            if round.at.is_empty() { without.push(round) } else { rounds.push(round) }
        }
        let job = Job::fio("knee.fio", vec![("knee".to_owned(), asked.job.clone())]).text();
        let test = |name: &str, title: String, rounds: Vec<Round>| Test {
            name: name.to_owned(),
            title,
            aim: Aim::Behaviour,
            volumes: Vec::new(),
            job: job.clone(),
            rounds,
            steady: None,
            findings: Vec::new(),
            judgements: Vec::new(),
            verdict: Verdict::Measured,
            cause: "it was measured".to_owned(),
            error: None,
        };
        let arrivals = if asked.is_poisson { "due at random times" } else { "evenly due" };
        let (name, title, judgements, more) = match study {
            Study::Rate(search) => {
                let title = format!("{} at rates of an open loop, {arrivals}", asked.work);
                ("rates", title, of_rates(request, search, verdict), bend(search, asked))
            }
            Study::Depth(_) => ("depths", format!("{}, so many at a time", asked.work), Vec::new(), None),
        };
        let cause = [Some(sentence(study, asked)), more].into_iter().flatten().collect::<Vec<_>>().join("; ");
        let loads = Test {
            findings: self.findings,
            judgements,
            verdict,
            cause,
            error: study.failed().map(str::to_owned),
            ..test(name, title, rounds)
        };
        let closed = test("closed-loop", format!("{} as fast as they go", asked.work), without);
        [closed, loads].into_iter().filter(|test| !test.rounds.is_empty() || test.error.is_some()).collect()
    }
}

fn verdict(request: &Request, study: &Study, asked: &Asked) -> Verdict {
    let (is_met, is_own) = match study {
        Study::Rate(search) => (search.met().is_some(), search.generator().is_some()),
        Study::Depth(depths) => (request.bound_ns.is_none() || depths.within().is_some(), false),
    };
    match (asked.is_stopped || study.failed().is_some() || is_own, is_met) {
        (true, _) => Verdict::Inconclusive,
        (false, true) if request.bound_ns.is_none() => Verdict::Measured,
        (false, true) => Verdict::Pass,
        (false, false) => Verdict::Fail,
    }
}

/// The rate that was sustained, and the latency there against its bound.
fn of_rates(request: &Request, search: &Search, verdict: Verdict) -> Vec<Judgement> {
    let rate = search.met().or_else(|| search.rates().keys().next().copied());
    let Some((rate, runs)) = rate.and_then(|rate| Some((rate, search.rates().get(&rate)?))) else { return Vec::new() };
    let judgement = |metric: String, measured: f64, unit: &str, cause: &str| Judgement {
        verdict,
        metric,
        measured,
        expected: None,
        unit: unit.to_owned(),
        ratio: None,
        interval: None,
        cause: cause.to_owned(),
    };
    let mut judgements = Vec::new();
    if search.met().is_some() {
        judgements.push(judgement("iops".to_owned(), rate as f64, "IOPS", "the highest rate that was sustained"));
    }
    let mut asked: Vec<f64> = runs.iter().filter_map(|run| run.asked_ns).collect();
    asked.sort_by(f64::total_cmp);
    if let (Some(bound_ns), Some(measured)) = (request.bound_ns, asked.get(asked.len() / 2)) {
        let cause = if search.met().is_some() { "at that rate" } else { "at the lowest rate that was tried" };
        judgements.push(Judgement {
            expected: Some(bound_ns as f64),
            ratio: Some(measured / bound_ns as f64),
            ..judgement(format!("response.{}", request.percentile), *measured, "ns", cause)
        });
    }
    judgements
}

/// The file that was made for it.
pub fn filled(bytes: u64, took_ms: u64) -> Preparation {
    let per_s = bytes as f64 * 1000.0 / took_ms.max(1) as f64;
    Preparation {
        step: "fill".to_owned(),
        target: None,
        reason: "blocks that were never written are read without the disk".to_owned(),
        outcome: PreparationOutcome::Done,
        detail: format!("wrote {} ({})", format::size(bytes), format::bandwidth(per_s)),
        bytes,
        took_ms,
    }
}
