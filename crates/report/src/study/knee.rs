//! A search: a row for each load, bars of the percentile or of IOPS, and the sustained load.

use assessment::{
    Assessment, Failure, Finding, Knee, KneeFigures, KneeLatencies, KneePoint, KneeResult, KneeRun, Like,
    LoadGeneratorEvidence, Metric, Test, Verdict,
};
use judge::disturbance::disturbs_search;
use record::Arrivals;
use schemars::JsonSchema;
use serde::Serialize;
use units::format::{grouped, percent, time_ns};
use units::markup::one_line;
use units::untrusted::UntrustedText;

use super::bars::bar;
use super::knee_hosts::{self, HostDocument};
use super::like;
use super::parts::{SettingsObject, Summary, document};
use super::scale::Scale;
use super::table::{Column, Row, Table, WIDTH};
use crate::text::target_name;
use crate::worded::{AdvisedFinding, Worded, failure, finding, worded};
use crate::wording::{self, Dialect};

const SCHEMA: &str = "fathom.knee/1";
const BAR_MAX: usize = 46;
/// Bars of time end at this multiple of the bound, or of the time at the knee. Times beyond it only show how long the
/// step ran.
const BAR_TIMES: f64 = 2.0;
/// Percentiles that every table has.
const USUAL: [&str; 3] = ["p50", "p99", "p99.9"];

pub fn summary(assessment: &Assessment, request: &Knee, result: &KneeResult) -> Summary {
    let runtime = time_ns(request.runtime_ns as f64);
    let how = match (request.iodepth_max, request.poisson) {
        _ if request.like.is_some() => "at the times of the capture".to_owned(),
        (None, true) => format!("Poisson arrivals, {runtime} per step"),
        (None, false) => format!("even arrivals, {runtime} per step"),
        (Some(_), _) => format!("closed loop, {runtime} per depth"),
    };
    let has_points = !result.points.is_empty();
    Summary {
        head: head(assessment, request, &how),
        tables: has_points
            .then(|| table(request, result))
            .into_iter()
            .chain(knee_hosts::table(assessment, request, result))
            .collect(),
        notes: request.like.as_deref().into_iter().flat_map(like::notes).chain(notes(result)).collect(),
        findings: findings_of(assessment),
        bars: has_points.then(|| bars(request, result)),
        undecided: undecided(assessment, request, result),
        sentence: Some(conclusion(assessment, request, result)),
    }
}

/// Returns why an INCONCLUSIVE search decides nothing; `None` if it was only stopped.
fn undecided(assessment: &Assessment, request: &Knee, result: &KneeResult) -> Option<String> {
    if assessment.verdict != Verdict::Inconclusive {
        return None;
    }
    let here = result.load_generator.as_ref().map(|found| {
        format!("the limit was this machine, not the target: {}", wording::load_generator_evidence(found))
    });
    let like = request.like.as_deref();
    let disturbed = disturbances(assessment).map(wording::headline);
    let margin = like.and_then(|like| like::below_margin(like, result));
    let mut reasons: Vec<String> = here.into_iter().chain(disturbed).chain(margin).collect();
    if reasons.is_empty() && !assessment.stopped && result.failed.is_none() {
        reasons.extend(crate::disturbed::sentence(assessment));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn disturbances(assessment: &Assessment) -> impl Iterator<Item = &Finding> {
    let findings = assessment.tests.last().into_iter().flat_map(|test| &test.findings);
    findings.filter(|finding| disturbs_search(finding))
}

fn head(assessment: &Assessment, request: &Knee, how: &str) -> String {
    let kind = if request.like.is_some() { "load of" } else { "knee of" };
    format!("{kind}: {}, {}, {how}", one_line(&target_name(&assessment.target)), one_line(&request.work))
}

/// Returns the load of a point: a rate, a depth, or a multiple of the captured load.
pub(super) fn load_text(request: &Knee, load: u64) -> String {
    if request.like.is_some() { like::multiple(load) } else { grouped(load as f64) }
}

/// The sustained load and the knee.
fn conclusion(assessment: &Assessment, request: &Knee, result: &KneeResult) -> String {
    let bend = bend(request, result).map(|bend| format!("; {bend}")).unwrap_or_default();
    sentence(assessment, request, result) + &bend
}

/// The latency that a search measures.
pub fn latency_name(request: &Knee) -> &'static str {
    if request.iodepth_max.is_none() { "response time" } else { "service time" }
}

/// The unit in which all views of a search show its times.
pub fn scale(result: &KneeResult) -> Scale {
    let times = result.points.iter().flat_map(|point| [point.figures.latency.p99_ns, point.figures.percentile_ns]);
    Scale::of_time(times.flatten().fold(0.0, f64::max))
}

/// What a missing percentile means.
fn notes(result: &KneeResult) -> Vec<String> {
    let has_never = |point: &KneePoint| {
        let KneeLatencies { p50_ns, p99_ns, p99_9_ns, .. } = point.figures.latency;
        [p50_ns, p99_ns, p99_9_ns, point.figures.percentile_ns].contains(&None)
    };
    let note = "never: the percentile lies among I/Os that were due and not submitted before the end";
    result.points.iter().any(has_never).then(|| note.to_owned()).into_iter().collect()
}

fn findings_of(assessment: &Assessment) -> Vec<String> {
    let findings = assessment.tests.last().into_iter().flat_map(|test| &test.findings);
    let dialect = assessment.tests.last().map_or(Dialect::Fio, wording::dialect);
    findings.map(|finding| wording::finding(finding, dialect)).collect()
}

/// Returns the mark of a row: the highest good load, the knee.
fn mark(request: &Knee, result: &KneeResult, at: usize) -> &'static str {
    let (is_sustained, is_knee) = (result.sustained == Some(at), result.knee == Some(at));
    match (is_sustained, is_knee, request.iodepth_max) {
        (true, true, _) => "highest, knee",
        (true, false, _) => "highest",
        (false, true, _) => "knee",
        (false, false, _) => "",
    }
}

fn table(request: &Knee, result: &KneeResult) -> Table {
    let is_rate = request.iodepth_max.is_none();
    let is_usual = USUAL.contains(&request.percentile.as_str());
    let scale = scale(result);
    let group = format!("{}, {}", latency_name(request), scale.unit);
    let load = match (&request.like, is_rate) {
        (Some(_), _) => "multiple",
        (None, true) => "offered/s",
        (None, false) => "iodepth",
    };
    let mut columns = vec![Column::number("", load)];
    columns.push(Column::number("", "done/s"));
    let time = |head: &str| Column::number(&group, head).labelled(&format!("{head} ({})", scale.unit));
    columns.extend(USUAL.map(time));
    columns.extend((!is_usual).then(|| time(&request.percentile)));
    columns.extend(is_rate.then(|| Column::number("", "late %")));
    columns.extend(is_rate.then(|| Column::number("", "good")));
    columns.push(Column::text(""));
    let row = |(at, point): (usize, &KneePoint)| {
        let (figures, latency) = (&point.figures, &point.figures.latency);
        let mut cells = vec![grouped(figures.iops)];
        cells.extend([latency.p50_ns, latency.p99_ns, latency.p99_9_ns].map(|ns| shown(ns, scale)));
        cells.extend((!is_usual).then(|| shown(figures.percentile_ns, scale)));
        cells.extend(is_rate.then(|| grouped(figures.late_percent)));
        cells.extend(is_rate.then(|| format!("{} of {}", point.good(), point.runs.len())));
        cells.push(mark(request, result, at).to_owned());
        Row { labels: vec![load_text(request, point.load)], cells: Ok(cells) }
    };
    let rows = result.points.iter().enumerate().map(row).collect();
    Table { title: String::new(), columns, rows }
}

fn shown(ns: Option<f64>, scale: Scale) -> String {
    ns.map_or("never".to_owned(), |ns| scale.number(ns))
}

/// The percentile by rate, or IOPS by depth.
fn bars(request: &Knee, result: &KneeResult) -> String {
    let load = |point: &KneePoint| load_text(request, point.load);
    let label_width = result.points.iter().map(|point| load(point).chars().count()).max().unwrap_or(0);
    let room = BAR_MAX.min(WIDTH.saturating_sub(label_width + 30));
    let line = |at: usize, bar: String, number: String| {
        let label = load(&result.points[at]);
        let mark = mark(request, result, at);
        format!("  {label:>label_width$}  {bar} {number}  {mark}").trim_end().to_owned() + "\n"
    };
    let points = || result.points.iter().map(|point| &point.figures).enumerate();
    if request.iodepth_max.is_some() {
        let largest = points().map(|(_, figures)| figures.iops).fold(0.0, f64::max);
        let lines = points().map(|(at, figures)| line(at, bar(figures.iops, largest, room), grouped(figures.iops)));
        return format!("IOPS over iodepth\n{}", lines.collect::<String>());
    }
    let scale = scale(result);
    let known = || points().filter_map(|(_, figures)| figures.percentile_ns);
    let of_knee = result.knee.and_then(|at| result.points.get(at)?.figures.percentile_ns);
    let reach = request.bound_ns.map(|ns| ns as f64).or(of_knee);
    let highest = known().fold(1.0, f64::max);
    let end = reach.map_or(highest, |reach| (reach * BAR_TIMES).min(highest.max(reach)));
    let lines = points().map(|(at, figures)| {
        let ns = figures.percentile_ns.unwrap_or(f64::INFINITY).min(end);
        line(at, bar(ns, end, room), shown(figures.percentile_ns, scale))
    });
    let lines = lines.collect::<String>();
    let (percentile, unit) = (one_line(&request.percentile), scale.unit);
    let load = if request.like.is_some() { "the multiple" } else { "offered IOPS" };
    format!("{percentile} of response time, {unit}, over {load}; bars end at {}\n{lines}", time_ns(end))
}

fn sentence(assessment: &Assessment, request: &Knee, result: &KneeResult) -> String {
    let sentence = match (request.iodepth_max, &request.like) {
        (_, Some(like)) => like::sentence(request, like, result),
        (None, None) => of_rates(assessment, request, result),
        (Some(_), None) => of_depths(request, result),
    };
    let stopped = if assessment.stopped { "stopped early, so far: " } else { "" };
    let failed = result.failed.as_ref().filter(|_| !assessment.stopped);
    let failed = failed
        .map_or_else(String::new, |why| format!("; ended early, because a run failed: {}", wording::failure(why)));
    // The reason of an INCONCLUSIVE search is first.
    let is_named = request.iodepth_max.is_none() && assessment.verdict != Verdict::Inconclusive;
    let here = result.load_generator.as_ref().filter(|_| is_named).map_or_else(String::new, |found| {
        format!("; the limit there was this machine, not the target: {}", wording::load_generator_evidence(found))
    });
    format!("{stopped}{sentence}{here}{failed}")
}

fn bound(request: &Knee) -> Option<String> {
    Some(format!("{} at most {}", one_line(&request.percentile), time_ns(request.bound_ns? as f64)))
}

fn of_rates(assessment: &Assessment, request: &Knee, result: &KneeResult) -> String {
    let work = one_line(&request.work);
    let bound = bound(request);
    let with = bound.as_ref().map_or_else(String::new, |bound| format!(" with {bound}"));
    let is_limited_here = result.load_generator.is_some() || disturbances(assessment).next().is_some();
    let sustained = result.sustained.and_then(|at| result.points.get(at));
    match (sustained, result.points.first()) {
        (None, None) => "nothing was measured".to_owned(),
        (None, Some(_)) if is_limited_here => format!("no rate of {work} was sustained"),
        (None, Some(lowest)) => {
            format!(
                "sustains no measured rate of {work}{with}: the lowest, {} IOPS, was too high",
                grouped(lowest.load as f64)
            )
        }
        (Some(point), _) => {
            let least = if is_limited_here || result.missed.is_none() { "at least " } else { "" };
            let is_highest = !is_limited_here && result.missed.is_none();
            let more = if is_highest { "; no higher rate was tried" } else { "" };
            format!("sustains {least}{} {work}/s{with}{more}", grouped(point.load as f64))
        }
    }
}

/// Returns the sentence about the knee of the curve.
fn bend(request: &Knee, result: &KneeResult) -> Option<String> {
    let point = result.points.get(result.knee?).filter(|_| request.iodepth_max.is_none() && request.like.is_none())?;
    let of_percentile = |ns| format!(" ({} {})", one_line(&request.percentile), scale(result).with_unit(ns));
    let percentile = point.figures.percentile_ns.map_or_else(String::new, of_percentile);
    Some(format!(
        "the knee of the curve is at {}/s{percentile}: above it response time grows faster than load",
        grouped(point.load as f64)
    ))
}

fn of_depths(request: &Knee, result: &KneeResult) -> String {
    let work = one_line(&request.work);
    let most = result.points.iter().max_by(|one, other| one.figures.iops.total_cmp(&other.figures.iops));
    let Some(most) = most else { return "nothing was measured".to_owned() };
    let mut sentence = match result.knee.and_then(|at| result.points.get(at)) {
        Some(point) => format!(
            "{work}: the knee is at iodepth {}: {} IOPS, {} of the maximum, mean {}",
            point.load,
            grouped(point.figures.iops),
            percent(point.figures.iops / most.figures.iops),
            scale(result).with_unit(point.figures.latency.mean_ns)
        ),
        None => format!(
            "no knee: {work} do not level off at one depth; maximum {} IOPS at iodepth {}",
            grouped(most.figures.iops),
            most.load
        ),
    };
    if let Some(bound) = bound(request) {
        sentence += &match result.sustained.and_then(|at| result.points.get(at)) {
            Some(point) => format!("; {bound} up to iodepth {} ({} IOPS)", point.load, grouped(point.figures.iops)),
            None => format!("; {bound} at no depth"),
        };
    }
    if let Some(why) = result.load_generator.as_ref().map(wording::load_generator_evidence) {
        sentence += &format!("; the limit was this machine, not the target: {why}");
    }
    sentence
}

/// The JSON of `fathom knee`.
#[derive(Serialize, JsonSchema)]
pub struct KneeDocument<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// `fathom` and its version.
    program: String,
    /// Path of the target, from the root.
    target: &'a UntrustedText,
    /// The I/Os in words: `random 4 KiB reads`.
    work: &'a str,
    /// Options of the fio job.
    job: SettingsObject,
    /// `open`: a search over rates. `closed`: a search over depths.
    #[schemars(extend("enum" = ["open", "closed"]))]
    r#loop: &'static str,
    /// `linear`: at equal distances. `poisson`: at random times. `captured`: at the times of a capture.
    #[schemars(extend("enum" = ["linear", "poisson", "captured"]))]
    arrivals: &'static str,
    /// The judged metric.
    metric: Metric,
    /// The judged percentile, in percent.
    percentile: f64,
    /// Upper bound of that percentile. `null` without a bound.
    bound_ns: Option<u64>,
    /// Measured time of each step.
    runtime_ns: u64,
    /// By rising load.
    steps: Vec<StepDocument<'a>>,
    found: FoundDocument<'a>,
    /// What each host made in the last run at the highest load that was good, or else at the lowest one that was not. Empty on one
    /// machine.
    hosts: Vec<HostDocument<'a>>,
    findings: Vec<AdvisedFinding<'a>>,
    /// A finding makes the figures worthless.
    is_invalid: bool,
    /// A signal stopped the search.
    stopped: bool,
    /// Why the search ended early.
    failed: Option<Worded<'a, Failure>>,
    /// The result in words. The text can change with any version.
    sentence: String,
}

/// A load, and its runs.
#[derive(Serialize, JsonSchema)]
struct StepDocument<'a> {
    #[serde(flatten)]
    load: Load,
    /// Median of the runs for each figure.
    median: &'a KneeFigures,
    runs: Vec<RunDocument<'a>>,
}

/// The load of a step.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Load {
    /// Open loop: I/Os that arrive per second.
    OfferedIops(u64),
    /// Closed loop: I/Os in flight.
    Iodepth(u64),
    /// Multiple of a captured load.
    Multiple(f64),
}

/// A run at a load.
#[derive(Serialize, JsonSchema)]
struct RunDocument<'a> {
    #[serde(flatten)]
    figures: &'a KneeFigures,
    /// Open loop: the rate was met, and the percentile is within the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    good: Option<bool>,
    arrivals: &'a Arrivals,
    /// Evidence that the load generator limited this run.
    load_generator: Option<Worded<'a, LoadGeneratorEvidence>>,
}

/// The result of a search.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum FoundDocument<'a> {
    Rates(FoundRates<'a>),
    Depths(FoundDepths<'a>),
    Multiples(FoundMultiples<'a>),
}

/// The result of a search over rates.
#[derive(Serialize, JsonSchema)]
struct FoundRates<'a> {
    /// The highest rate that was sustained.
    sustained_iops: Option<u64>,
    /// The lowest rate above it that was not sustained.
    too_much_iops: Option<u64>,
    /// Both rates were confirmed by repeated runs.
    settled: bool,
    /// The rate at which the curve bends.
    knee_iops: Option<u64>,
    /// Figures of the closed loop that the search starts with.
    closed_loop: &'a Option<KneeFigures>,
    /// Evidence that the load generator, not the target, limited the missed rate.
    load_generator: Option<Worded<'a, LoadGeneratorEvidence>>,
}

/// The result of a search over multiples of a captured load.
#[derive(Serialize, JsonSchema)]
struct FoundMultiples<'a> {
    /// The captured load, and how it is replayed.
    like: &'a Like,
    /// The highest multiple that was held.
    held_multiple: Option<f64>,
    /// The lowest multiple above it that was not held.
    missed_multiple: Option<f64>,
    /// Both were confirmed by repeated runs.
    settled: bool,
    /// Evidence that the load generator, not the target, limited the missed multiple.
    load_generator: Option<Worded<'a, LoadGeneratorEvidence>>,
}

/// The result of a search over depths.
#[derive(Serialize, JsonSchema)]
struct FoundDepths<'a> {
    /// The depth at which the curve bends, in I/Os.
    knee_iodepth: Option<u64>,
    /// The largest depth within the bound, in I/Os.
    within_bound_iodepth: Option<u64>,
    /// Evidence that the load generator, not the target, limited the missed depth.
    load_generator: Option<Worded<'a, LoadGeneratorEvidence>>,
}

pub fn json(assessment: &Assessment, request: &Knee, result: &KneeResult) -> String {
    let is_rate = request.iodepth_max.is_none();
    document(&KneeDocument {
        schema: SCHEMA,
        program: format!("fathom {}", assessment.fathom),
        target: &assessment.target.path,
        work: &request.work,
        job: (&request.job).into(),
        r#loop: if is_rate { "open" } else { "closed" },
        arrivals: match (&request.like, request.poisson) {
            (Some(_), _) => "captured",
            (None, true) => "poisson",
            (None, false) => "linear",
        },
        metric: request.metric(),
        percentile: request.percent,
        bound_ns: request.bound_ns,
        runtime_ns: request.runtime_ns,
        steps: result.points.iter().map(|point| StepDocument::new(point, request)).collect(),
        found: found(request, result),
        hosts: knee_hosts::documents(assessment, request, result),
        findings: assessment.tests.last().map(findings).unwrap_or_default(),
        is_invalid: assessment.verdict == Verdict::Invalid,
        stopped: assessment.stopped,
        failed: result.failed.as_ref().map(failure),
        sentence: summary(assessment, request, result)
            .whole_sentence(assessment)
            .unwrap_or_default()
            .replace('\n', "; "),
    })
}

fn findings(test: &Test) -> Vec<AdvisedFinding<'_>> {
    let dialect = wording::dialect(test);
    test.findings.iter().map(|part| finding(part, dialect)).collect()
}

fn found<'a>(request: &'a Knee, result: &'a KneeResult) -> FoundDocument<'a> {
    let load = |at: Option<usize>| at.and_then(|at| result.points.get(at)).map(|point| point.load);
    let load_generator = result.load_generator.as_ref().map(load_generator);
    if let Some(like) = &request.like {
        let multiple = |at| load(at).map(|percent| percent as f64 / 100.0);
        return FoundDocument::Multiples(FoundMultiples {
            like,
            held_multiple: multiple(result.sustained),
            missed_multiple: multiple(result.missed),
            settled: result.is_settled,
            load_generator,
        });
    }
    if request.iodepth_max.is_some() {
        return FoundDocument::Depths(FoundDepths {
            knee_iodepth: load(result.knee),
            within_bound_iodepth: load(result.sustained),
            load_generator,
        });
    }
    FoundDocument::Rates(FoundRates {
        sustained_iops: load(result.sustained),
        too_much_iops: load(result.missed),
        settled: result.is_settled,
        knee_iops: load(result.knee),
        closed_loop: &result.closed_loop,
        load_generator,
    })
}

impl<'a> StepDocument<'a> {
    fn new(point: &'a KneePoint, request: &Knee) -> StepDocument<'a> {
        let is_rate = request.iodepth_max.is_none();
        let run = |run: &'a KneeRun| RunDocument {
            figures: &run.figures,
            good: is_rate.then_some(run.is_good),
            arrivals: &run.arrivals,
            load_generator: run.load_generator.as_ref().map(load_generator),
        };
        StepDocument {
            load: match (&request.like, is_rate) {
                (Some(_), _) => Load::Multiple(point.load as f64 / 100.0),
                (None, true) => Load::OfferedIops(point.load),
                (None, false) => Load::Iodepth(point.load),
            },
            median: &point.figures,
            runs: point.runs.iter().map(run).collect(),
        }
    }
}

fn load_generator(evidence: &LoadGeneratorEvidence) -> Worded<'_, LoadGeneratorEvidence> {
    worded(evidence, wording::load_generator_evidence(evidence))
}
