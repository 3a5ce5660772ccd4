//! Assessments of version 1, as fathom 0.1 saved them: findings and causes are texts there.

use record::Machine;
use serde::Deserialize;
use units::untrusted::UntrustedText;

use crate::{
    Aim, Basis, Cause, Citation, Confidence, Failure, Finding, FindingKind, Judgement, Knee, LatencyKind, Metric,
    Preparation, PreparationDetail, PreparationOutcome, PreparationReason, PreparationStep, Reason, Round,
    SavedFinding, Settings, Severity, Statistic, Steady, SteadyRule, SteadyState, Study, Subject, SuiteRequest, Sweep,
    Target, Test, Threshold, ThresholdBound, Verdict, Volume, VolumeUse,
};

pub const SCHEMA: &str = "fathom.assessment/1";

#[derive(Deserialize)]
pub struct Assessment {
    fathom: UntrustedText,
    command: Vec<String>,
    started_unix_ms: u64,
    ended_unix_ms: u64,
    utc_offset_s: i32,
    suite: UntrustedText,
    title: UntrustedText,
    target: Target,
    #[serde(default)]
    volumes: Vec<Volume>,
    machine: Machine,
    tags: Vec<UntrustedText>,
    preparation: Vec<PreparationV1>,
    tests: Vec<TestV1>,
    expectations: Vec<ExpectedV1>,
    #[serde(default)]
    applications: Vec<ApplicationV1>,
    verdict: Verdict,
    cause: String,
    stopped: bool,
    #[serde(default)]
    study: Option<StudyV1>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StudyV1 {
    Knee(KneeV1),
    Sweep(SweepV1),
}

#[derive(Deserialize)]
struct KneeV1 {
    work: String,
    percentile: String,
    percent: f64,
    bound_ns: Option<u64>,
    workers: u64,
    iodepth_max: Option<u32>,
    poisson: bool,
    runtime_ns: u64,
    job: Settings,
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct SweepV1 {
    dialect: String,
    line: Vec<String>,
    axes: Vec<(String, Vec<String>)>,
    repeats: usize,
    order: String,
    seed: Option<u32>,
    metric: String,
    refused: Vec<(usize, String)>,
}

#[derive(Deserialize)]
struct PreparationV1 {
    step: String,
    target: Option<String>,
    reason: String,
    outcome: PreparationOutcome,
    detail: String,
    bytes: u64,
    took_ms: u64,
}

#[derive(Deserialize)]
struct TestV1 {
    name: String,
    title: String,
    aim: Aim,
    #[serde(default)]
    volumes: Vec<VolumeUse>,
    job: String,
    rounds: Vec<Round>,
    steady: Option<SteadyV1>,
    findings: Vec<FindingV1>,
    judgements: Vec<JudgementV1>,
    verdict: Verdict,
    cause: String,
    error: Option<String>,
}

#[derive(Deserialize)]
struct SteadyV1 {
    rule: String,
    metric: String,
    values: Vec<f64>,
    from_round: Option<usize>,
    detail: String,
}

#[derive(Deserialize)]
struct FindingV1 {
    id: String,
    severity: Severity,
    what: String,
    evidence: String,
    advice: String,
}

#[derive(Deserialize)]
struct JudgementV1 {
    verdict: Verdict,
    metric: String,
    measured: f64,
    expected: Option<f64>,
    interval: Option<(f64, f64)>,
    cause: String,
}

#[derive(Deserialize)]
struct ExpectedV1 {
    words: String,
    limits: Vec<ExpectedLimitV1>,
}

#[derive(Deserialize)]
struct ExpectedLimitV1 {
    metric: String,
    value: f64,
    tolerance: f64,
    source: String,
}

#[derive(Deserialize)]
struct ApplicationV1 {
    name: String,
    title: String,
    verdict: Verdict,
    cause: String,
    source: String,
}

impl TryFrom<Assessment> for crate::Assessment {
    type Error = String;

    fn try_from(old: Assessment) -> Result<crate::Assessment, String> {
        let mut tests: Vec<Test> = old.tests.into_iter().map(test).collect::<Result<_, _>>()?;
        let (study, notes) = study(old.study)?;
        if let Some(test) = tests.last_mut() {
            test.findings.extend(notes);
        }
        Ok(crate::Assessment {
            schema: crate::SCHEMA.to_owned(),
            fathom: old.fathom,
            command: old.command,
            started_unix_ms: old.started_unix_ms,
            ended_unix_ms: old.ended_unix_ms,
            utc_offset_s: old.utc_offset_s,
            suite: old.suite,
            title: old.title,
            target: old.target,
            volumes: old.volumes,
            machine: old.machine,
            tags: old.tags,
            preparation: old.preparation.into_iter().map(preparation).collect::<Result<_, _>>()?,
            tests,
            expectations: old.expectations.into_iter().map(expected).collect::<Result<_, _>>()?,
            applications: old.applications.into_iter().map(application).collect(),
            classes: Vec::new(),
            machine_limits: None,
            verdict: old.verdict,
            cause: Cause::Saved { message: old.cause },
            stopped: old.stopped,
            study,
        })
    }
}

/// Reads the request of a study, and the notes of a search, which are findings now. A suite saved no request.
fn study(old: Option<StudyV1>) -> Result<(Study, Vec<Finding>), String> {
    Ok(match old {
        None => (Study::Suite(SuiteRequest::default()), Vec::new()),
        Some(StudyV1::Knee(knee)) => {
            let notes = knee.notes.iter().cloned().map(note).collect();
            (Study::Knee(self::knee(knee)), notes)
        }
        Some(StudyV1::Sweep(sweep)) => (Study::Sweep(self::sweep(sweep)?), Vec::new()),
    })
}

fn knee(old: KneeV1) -> Knee {
    Knee {
        work: old.work,
        percentile: old.percentile,
        percent: old.percent,
        bound_ns: old.bound_ns,
        workers: old.workers,
        iodepth_max: old.iodepth_max,
        poisson: old.poisson,
        runtime_ns: old.runtime_ns,
        job: old.job,
        result: None,
    }
}

fn note(what: String) -> Finding {
    let saved = SavedFinding { id: "note".to_owned(), what, evidence: String::new(), advice: String::new() };
    Finding { kind: FindingKind::Saved(saved), subject: Subject::Run, severity: Severity::Info }
}

fn sweep(old: SweepV1) -> Result<Sweep, String> {
    // Sweeps had metric names of their own.
    let metric = match old.metric.as_str() {
        "lat" => Some(Metric::latency(LatencyKind::Total, Statistic::Mean)),
        "p50" | "p99" | "p99.9" => {
            Statistic::parse(&old.metric).map(|statistic| Metric::latency(LatencyKind::Total, statistic))
        }
        name => Metric::parse(name),
    };
    let refused = old.refused.into_iter().map(|(at, message)| (at, Failure::Saved { message }));
    Ok(Sweep {
        dialect: old.dialect,
        line: old.line,
        axes: old.axes,
        repeats: old.repeats,
        order: old.order,
        seed: old.seed,
        metric: metric.ok_or_else(|| unknown("metric", &old.metric))?,
        refused: refused.collect(),
        result: None,
    })
}

fn preparation(old: PreparationV1) -> Result<Preparation, String> {
    let known = |step: &PreparationStep| step.name() == old.step;
    let step = PreparationStep::ALL.into_iter().find(known);
    let step = step.or((old.step == "soak").then_some(PreparationStep::Precondition));
    Ok(Preparation {
        step: step.ok_or_else(|| unknown("preparation step", &old.step))?,
        target: old.target,
        reason: PreparationReason::Saved { message: old.reason },
        outcome: old.outcome,
        detail: PreparationDetail::Saved { message: old.detail },
        bytes: old.bytes,
        took_ms: old.took_ms,
    })
}

fn test(old: TestV1) -> Result<Test, String> {
    let judgements = old.judgements.into_iter().map(|judgement| self::judgement(judgement, &old.rounds));
    Ok(Test {
        name: old.name,
        title: old.title,
        aim: old.aim,
        volumes: old.volumes,
        job: old.job,
        judgements: judgements.collect::<Result<_, _>>()?,
        rounds: old.rounds,
        passes: 1,
        steady: old.steady.into_iter().map(steady).collect::<Result<_, _>>()?,
        findings: old.findings.into_iter().map(finding).collect(),
        disturbance: None,
        verdict: old.verdict,
        cause: Cause::Saved { message: old.cause },
        error: old.error.map(|message| Failure::Saved { message }),
    })
}

fn steady(old: SteadyV1) -> Result<Steady, String> {
    Ok(Steady {
        at: None,
        rule: SteadyRule::parse(&old.rule).ok_or_else(|| unknown("rule", &old.rule))?,
        metric: metric(&old.metric)?,
        values: old.values,
        from_round: old.from_round,
        state: SteadyState::Saved { message: old.detail },
    })
}

fn finding(old: FindingV1) -> Finding {
    let FindingV1 { id, severity, what, evidence, advice } = old;
    Finding { kind: FindingKind::Saved(SavedFinding { id, what, evidence, advice }), subject: Subject::Run, severity }
}

fn judgement(old: JudgementV1, rounds: &[Round]) -> Result<Judgement, String> {
    // The settings of the runs followed the metric's name.
    let with_settings = rounds.iter().find_map(|round| {
        let settings: String = round.at.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        Some((Metric::parse(old.metric.strip_suffix(&settings)?)?, round.at.clone()))
    });
    let (metric, at) = with_settings.map_or_else(|| Ok((metric(&old.metric)?, Vec::new())), Ok::<_, String>)?;
    let bound = if metric.is_rate() { ThresholdBound::AtLeast } else { ThresholdBound::AtMost };
    let threshold = old.expected.map(|value| Threshold { value, enough: value, bound, basis: Basis::Unknown });
    Ok(Judgement {
        verdict: old.verdict,
        metric,
        at,
        measured: old.measured,
        whole_run: None,
        threshold,
        interval: old.interval,
        few_intervals: None,
        correction: None,
        can_continue: false,
        reason: Reason::Saved { message: old.cause },
    })
}

fn expected(old: ExpectedV1) -> Result<crate::Expected, String> {
    let limit = |old: ExpectedLimitV1| {
        // The volume stood before the metric.
        let (volume, name) = match old.metric.rsplit_once(':') {
            Some((volume, name)) => (Some(volume.to_owned()), name),
            None => (None, old.metric.as_str()),
        };
        Ok::<_, String>(crate::ExpectedLimit {
            metric: metric(name)?,
            volume,
            value: old.value,
            tolerance: old.tolerance,
            source: citation(old.source),
        })
    };
    Ok(crate::Expected { words: old.words, limits: old.limits.into_iter().map(limit).collect::<Result<_, _>>()? })
}

fn application(old: ApplicationV1) -> crate::Application {
    crate::Application {
        name: old.name,
        title: old.title,
        verdict: old.verdict,
        cause: Cause::Saved { message: old.cause },
        judgements: Vec::new(),
        source: citation(old.source),
    }
}

/// The confidence is part of the text.
fn citation(source: String) -> Option<Citation> {
    (!source.is_empty()).then_some(Citation { of: None, source, date: None, confidence: Confidence::High })
}

fn metric(name: &str) -> Result<Metric, String> {
    Metric::parse(name).ok_or_else(|| unknown("metric", name))
}

fn unknown(what: &str, name: &str) -> String {
    format!("the document has an unknown {what} `{name}`")
}
