//! A search: a row for each load, bars of the percentile or of IOPS, and the sustained load.

use assessment::{Assessment, Knee, KneeFigures, KneePoint, KneeResult, KneeRun, LoadGeneratorEvidence};
use serde_json::{Map, Value, json as value};
use units::format::{grouped, time_ns};
use units::markup::one_line;

use super::bars::bar;
use super::parts::{Summary, document, failure, findings, with_message};
use super::scale::Scale;
use super::table::{Column, Row, Table, WIDTH};
use crate::findings::dialect;
use crate::text::target_name;
use crate::wording::{self, Dialect};

const SCHEMA: &str = "fathom.knee/2";
const BAR_MAX: usize = 46;
/// Bars of time end at this multiple of the bound, or of the time at the knee. Times beyond it only show how long the
/// step ran.
const BAR_TIMES: f64 = 2.0;
/// Percentiles that every table has.
const USUAL: [&str; 3] = ["p50", "p99", "p99.9"];

pub fn summary(assessment: &Assessment, request: &Knee, result: &KneeResult) -> Summary {
    let runtime = time_ns(request.runtime_ns as f64);
    let how = match (request.iodepth_max, request.poisson) {
        (None, true) => format!("Poisson arrivals, {runtime} per step"),
        (None, false) => format!("even arrivals, {runtime} per step"),
        (Some(_), _) => format!("closed loop, {runtime} per depth"),
    };
    let has_points = !result.points.is_empty();
    Summary {
        head: format!("knee of: {}, {}, {how}", one_line(&target_name(&assessment.target)), one_line(&request.work)),
        tables: has_points.then(|| table(request, result)).into_iter().collect(),
        notes: notes(assessment),
        bars: has_points.then(|| bars(request, result)),
        sentence: Some(match bend(request, result) {
            Some(bend) => format!("{}; {bend}", sentence(assessment, request, result)),
            None => sentence(assessment, request, result),
        }),
    }
}

/// The latency that a search measures.
pub fn latency_name(request: &Knee) -> &'static str {
    if request.iodepth_max.is_none() { "response time" } else { "service time" }
}

/// The unit in which all views of a search show its times.
pub fn scale(result: &KneeResult) -> Scale {
    let times = result.points.iter().flat_map(|point| [point.figures.p99_ns, point.figures.percentile_ns]);
    Scale::of_time(times.flatten().fold(0.0, f64::max))
}

fn notes(assessment: &Assessment) -> Vec<String> {
    let findings = assessment.tests.last().into_iter().flat_map(|test| &test.findings);
    let dialect = assessment.tests.last().map_or(Dialect::Fio, dialect);
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
    let mut columns = vec![Column::number("", if is_rate { "offered/s" } else { "iodepth" })];
    columns.push(Column::number("", "done/s"));
    columns.extend(USUAL.map(|percentile| Column::number(&group, percentile)));
    columns.extend((!is_usual).then(|| Column::number(&group, &request.percentile)));
    columns.extend(is_rate.then(|| Column::number("", "late %")));
    columns.extend(is_rate.then(|| Column::number("", "good")));
    columns.push(Column::text(""));
    let row = |(at, point): (usize, &KneePoint)| {
        let figures = &point.figures;
        let mut cells = vec![grouped(figures.iops)];
        cells.extend([figures.p50_ns, figures.p99_ns, figures.p99_9_ns].map(|ns| shown(ns, scale)));
        cells.extend((!is_usual).then(|| shown(figures.percentile_ns, scale)));
        cells.extend(is_rate.then(|| grouped(figures.late_percent)));
        cells.extend(is_rate.then(|| format!("{} of {}", point.good(), point.runs.len())));
        cells.push(mark(request, result, at).to_owned());
        Row { labels: vec![grouped(point.load as f64)], cells: Ok(cells) }
    };
    let rows = result.points.iter().enumerate().map(row).collect();
    Table { title: String::new(), columns, rows }
}

fn shown(ns: Option<f64>, scale: Scale) -> String {
    ns.map_or("never".to_owned(), |ns| scale.number(ns))
}

/// The percentile by rate, or IOPS by depth.
fn bars(request: &Knee, result: &KneeResult) -> String {
    let load = |point: &KneePoint| grouped(point.load as f64);
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
    let (percentile, unit) = (&request.percentile, scale.unit);
    format!("{percentile} of response time, {unit}, over offered IOPS; bars end at {}\n{lines}", time_ns(end))
}

fn sentence(assessment: &Assessment, request: &Knee, result: &KneeResult) -> String {
    let sentence = match request.iodepth_max {
        None => of_rates(request, result),
        Some(_) => of_depths(request, result),
    };
    let stopped = if assessment.stopped { "stopped early, so far: " } else { "" };
    let failed = result.failed.as_ref().filter(|_| !assessment.stopped);
    let failed = failed
        .map_or_else(String::new, |why| format!("; ended early, because a run failed: {}", wording::failure(why)));
    format!("{stopped}{sentence}{failed}")
}

fn bound(request: &Knee) -> Option<String> {
    Some(format!("{} at most {}", one_line(&request.percentile), time_ns(request.bound_ns? as f64)))
}

fn of_rates(request: &Knee, result: &KneeResult) -> String {
    let work = one_line(&request.work);
    let bound = bound(request);
    let with = bound.as_ref().map_or_else(String::new, |bound| format!(" with {bound}"));
    let here = result.load_generator.as_ref();
    let here = here.map(wording::load_generator_evidence);
    let here = here.map(|why| format!("the limit there was this machine, not the target: {why}"));
    let sustained = result.sustained.and_then(|at| result.points.get(at));
    match (sustained, here, result.points.first()) {
        (None, _, None) => "nothing was measured".to_owned(),
        (None, Some(here), Some(_)) => format!("no rate of {work} was sustained; {here}"),
        (None, None, Some(lowest)) => {
            format!(
                "sustains no measured rate of {work}{with}: the lowest, {} IOPS, was too high",
                grouped(lowest.load as f64)
            )
        }
        (Some(point), here, _) => {
            let is_least = here.is_some() || result.missed.is_none();
            let least = if is_least { "at least " } else { "" };
            let more = match here {
                Some(here) => format!("; {here}"),
                None if result.missed.is_none() => "; no higher rate was tried".to_owned(),
                None => String::new(),
            };
            format!("sustains {least}{} {work}/s{with}{more}", grouped(point.load as f64))
        }
    }
}

/// Returns the sentence about the knee of the curve.
fn bend(request: &Knee, result: &KneeResult) -> Option<String> {
    let point = result.points.get(result.knee?).filter(|_| request.iodepth_max.is_none())?;
    let percentile = point
        .figures
        .percentile_ns
        .map_or_else(String::new, |ns| format!(" ({} {})", request.percentile, scale(result).with_unit(ns)));
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
            "{work}: the knee is at iodepth {}: {} IOPS, {:.0} % of the maximum, mean {}",
            point.load,
            grouped(point.figures.iops),
            point.figures.iops * 100.0 / most.figures.iops,
            scale(result).with_unit(point.figures.mean_ns)
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

pub fn json(assessment: &Assessment, request: &Knee, result: &KneeResult) -> String {
    let is_rate = request.iodepth_max.is_none();
    let load = |at: Option<usize>| at.and_then(|at| result.points.get(at)).map(|point| point.load);
    let found = match is_rate {
        true => value!({
            "sustained_iops": load(result.sustained),
            "too_much_iops": load(result.missed),
            "settled": result.is_settled,
            "knee_iops": load(result.knee),
            "closed_loop": result.closed_loop.as_ref().map(figures),
            "load_generator": result.load_generator.as_ref().map(load_generator),
        }),
        false => value!({
            "knee_iodepth": load(result.knee),
            "within_bound_iodepth": load(result.sustained),
            "load_generator": result.load_generator.as_ref().map(load_generator),
        }),
    };
    let step = |point: &KneePoint| {
        let name = if is_rate { "offered_iops" } else { "iodepth" };
        let runs: Vec<Value> = point.runs.iter().map(|run| run_of(run, is_rate)).collect();
        value!({ name: point.load, "median": figures(&point.figures), "runs": runs })
    };
    let job: Map<String, Value> =
        request.job.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    document(&value!({
        "schema": SCHEMA,
        "program": format!("fathom {}", assessment.fathom),
        "target": assessment.target.path,
        "work": request.work,
        "job": job,
        "loop": if is_rate { "open" } else { "closed" },
        "arrivals": if request.poisson { "poisson" } else { "linear" },
        "metric": request.metric(),
        "percentile": request.percent,
        "bound_ns": request.bound_ns,
        "runtime_ns": request.runtime_ns,
        "steps": result.points.iter().map(step).collect::<Vec<_>>(),
        "found": found,
        "findings": findings(assessment.tests.last()),
        "stopped": assessment.stopped,
        "failed": result.failed.as_ref().map(failure),
        "sentence": sentence(assessment, request, result),
    }))
}

fn figures(figures: &KneeFigures) -> Value {
    value!({
        "iops": figures.iops,
        "latency_ns": {
            "mean": figures.mean_ns,
            "p50": figures.p50_ns,
            "p99": figures.p99_ns,
            "p99.9": figures.p99_9_ns,
        },
        "asked_ns": figures.percentile_ns,
        "late_percent": figures.late_percent,
    })
}

fn run_of(run: &KneeRun, is_rate: bool) -> Value {
    let arrivals = &run.arrivals;
    let mut value = figures(&run.figures);
    if is_rate {
        value["good"] = run.is_good.into();
    }
    value["arrivals"] = value!({
        "due": arrivals.due,
        "late": arrivals.late,
        "queue_full": arrivals.queue_full,
        "unissued": arrivals.unissued,
    });
    value["load_generator"] = run.load_generator.as_ref().map(load_generator).into();
    value
}

fn load_generator(evidence: &LoadGeneratorEvidence) -> Value {
    with_message(evidence, wording::load_generator_evidence(evidence))
}
