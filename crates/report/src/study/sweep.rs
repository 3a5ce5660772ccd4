//! A sweep: a row for each point, bars by the first axis, and the best point.

use assessment::{
    Assessment, Best, CpuOf, Failure, Figures, Finding, FindingKind, Latencies, Metric, Rates, Remark, Severity, Sweep,
    SweepPoint, SweepResult, SweepRun, Verdict,
};
use judge::disturbance::disturbs_search;
use schemars::JsonSchema;
use serde::Serialize;
use units::format;
use units::markup::{csv_cell, one_line};
use units::quantity::option_value;

use super::bars::bar;
use super::parts::{SettingsObject, Summary, document};
use super::scale::Scale;
use super::table::{Column, LABEL_MAX, Row, Table, WIDTH, tail};
use crate::text::NONE;
use crate::worded::{AdvisedFinding, Worded, failure, finding};
use crate::wording::{self, Dialect};

type RatesOf = fn(&Figures) -> &Rates;
type StatisticOf = fn(&Latencies) -> f64;

const SCHEMA: &str = "fathom.sweep/1";
const BEST: &str = "  best";
const INVALID: &str = "  INVALID";
/// Most points named in a note.
const NAMED_MAX: usize = 4;
/// Most points named in the sentence.
const NEAR_NAMED_MAX: usize = 5;

pub fn summary(assessment: &Assessment, request: &Sweep, result: &SweepResult) -> Summary {
    Summary {
        head: one_line(&format!("sweep of: {} {}", request.dialect, request.line.join(" "))).into_owned(),
        tables: vec![table(request, result)],
        notes: notes(request, result),
        findings: result.remarks.iter().map(|remark| note(remark, request, result)).collect(),
        bars: (largest(request, result) > 0.0).then(|| bars(request, result)),
        undecided: None,
        sentence: sentence(assessment, request, result).map(|sentence| one_line(&sentence).into_owned()),
    }
}

/// The unit in which all views show the metric.
pub fn scale(request: &Sweep, result: &SweepResult) -> Scale {
    Scale::of(request.metric, largest(request, result))
}

fn largest(request: &Sweep, result: &SweepResult) -> f64 {
    result.points.iter().filter_map(|point| point.value(request.metric)).fold(0.0, f64::max)
}

/// The metric with its unit: `bandwidth, MiB/s`.
pub fn metric_title(request: &Sweep, result: &SweepResult) -> String {
    let unit = scale(request, result).unit;
    let title = request.metric.title();
    if unit.is_empty() { title } else { format!("{title}, {unit}") }
}

/// The points by the first axis: a name and the indexes of the points for each combination of the other axes.
pub fn series(result: &SweepResult) -> Vec<(String, Vec<usize>)> {
    let mut series: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, point) in result.points.iter().enumerate() {
        let others = point.settings.iter().skip(1).map(|(option, value)| format!("{option}={value}"));
        let name = others.collect::<Vec<_>>().join(" ");
        match series.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(at),
            None => series.push((name, vec![at])),
        }
    }
    series
}

/// A column with the figure that it shows.
type Shown = (Column, Box<dyn Fn(&Figures) -> String>);

fn table(request: &Sweep, result: &SweepResult) -> Table {
    let shown = shown(result);
    let is_repeated = request.repeats > 1;
    let has_invalid = (0..result.points.len()).any(|at| result.invalid(at).is_some());
    let row = |(at, point): (usize, &SweepPoint)| {
        let labels = point.settings.iter().map(|(_, value)| value.clone()).collect();
        let cells = match (&point.median, point.failure()) {
            (Some(figures), _) => {
                let mut cells: Vec<String> = shown.iter().map(|(_, write)| write(figures)).collect();
                if is_repeated {
                    cells.push(point.spread_percent.map_or(NONE.to_owned(), format::grouped));
                }
                if has_invalid {
                    cells.push(if result.invalid(at).is_some() { INVALID.trim().to_owned() } else { String::new() });
                }
                Ok(cells)
            }
            (None, Some(failure)) => Err(format!("failed: {}", wording::failure(failure))),
            (None, None) => Err("not run".to_owned()),
        };
        Row { labels, cells }
    };
    let rows = result.points.iter().enumerate().map(row).collect();
    let axes = request.axes.iter().map(|(option, _)| Column::number("", option));
    let spread = is_repeated.then(|| Column::number("spread", "%"));
    let columns = axes.chain(shown.into_iter().map(|(column, _)| column)).chain(spread);
    let columns = columns.chain(has_invalid.then(|| Column::text("figures"))).collect();
    Table { title: String::new(), columns, rows }
}

/// The figures that some point has.
fn shown(result: &SweepResult) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let medians = || result.points.iter().filter_map(|point| point.median.as_ref());
    let directions: [(&str, RatesOf); 3] =
        [("read", |figures| &figures.read), ("write", |figures| &figures.write), ("trim", |figures| &figures.trim)];
    for (name, of) in directions.into_iter().filter(|(_, of)| medians().any(|figures| of(figures).iops > 0.0)) {
        let write = move |figures: &Figures| Scale::COUNT.number(of(figures).iops);
        shown.push((Column::number("IOPS", name), Box::new(write)));
    }
    if medians().next().is_some() {
        let write = |figures: &Figures| Scale::MEBIBYTES.number(figures.total.bytes_per_s);
        shown.push((Column::number("", Scale::MEBIBYTES.unit), Box::new(write)));
    }
    if let Some(scale) = latency_scale(result) {
        let group = format!("service time (lat), {}", scale.unit);
        let statistics: [(&str, StatisticOf); 4] = [
            ("mean", |latency| latency.mean_ns),
            ("p50", |latency| latency.p50_ns),
            ("p99", |latency| latency.p99_ns),
            ("p99.9", |latency| latency.p99_9_ns),
        ];
        for (head, of) in statistics {
            let write = move |figures: &Figures| {
                figures.total.latency.as_ref().map_or(NONE.to_owned(), |latency| scale.number(of(latency)))
            };
            let column = Column::number(&group, head).labelled(&format!("{head} ({})", scale.unit));
            shown.push((column, Box::new(write)));
        }
    }
    if medians().any(|figures| figures.cpu.is_some()) {
        let write = |figures: &Figures| figures.cpu.map_or(NONE.to_owned(), |cpu| format::grouped(cpu.percent));
        shown.push((Column::number("CPU", "%"), Box::new(write)));
    }
    shown
}

/// One unit for all times of the table, in which the smallest keeps its digits.
fn latency_scale(result: &SweepResult) -> Option<Scale> {
    let latencies = result.points.iter().filter_map(|point| point.median.as_ref()?.total.latency);
    let least = latencies.map(|latency| latency.p50_ns.min(latency.mean_ns)).reduce(f64::min)?;
    Some(if least < 1e6 { Scale::MICROSECONDS } else { Scale::MILLISECONDS })
}

fn notes(request: &Sweep, result: &SweepResult) -> Vec<String> {
    let mut notes = Vec::new();
    match result.points.iter().find_map(|point| point.median.as_ref()?.cpu).map(|cpu| cpu.of) {
        Some(CpuOf::Machine) => notes.push("CPU: mean over the CPUs of the machine".to_owned()),
        Some(CpuOf::Threads) => notes.push("CPU: the threads of the jobs; 100 % is one CPU".to_owned()),
        None => {}
    }
    if request.repeats > 1 {
        let how = format!("figures are medians of {} runs", request.repeats);
        let title = request.metric.title();
        notes.push(format!("{how}; spread: from the lowest to the highest {title}, in % of the median"));
    }
    for point in result.points.iter().filter(|point| point.median.is_some()) {
        if let Some(failure) = point.failure() {
            let (failed, all) = (point.failures(), point.runs.len());
            let failure = wording::failure(failure);
            notes.push(format!("{}: {failed} of {all} runs failed: {failure}", one_line(&point.name())));
        }
    }
    let (made, all) = (runs_made(result), runs_requested(request, result));
    if made < all {
        notes.push(format!("ended early, after {made} of {all} runs"));
    }
    notes
}

fn note(remark: &Remark, request: &Sweep, result: &SweepResult) -> String {
    format!("{}: {}", places(&remark.points, result), wording::finding(&remark.finding, dialect(request)))
}

/// Returns the points that have a finding.
pub fn place(result: &SweepResult, finding: &Finding) -> Option<String> {
    let remark = result.remarks.iter().find(|remark| remark.finding == *finding)?;
    Some(places(&remark.points, result))
}

fn dialect(request: &Sweep) -> Dialect {
    if request.dialect == "diskspd" { Dialect::DiskSpd } else { Dialect::Fio }
}

fn runs_made(result: &SweepResult) -> usize {
    result.points.iter().map(|point| point.runs.len()).sum()
}

fn runs_requested(request: &Sweep, result: &SweepResult) -> usize {
    result.points.len() * request.repeats
}

/// Names points: `all points`, `bs=4k, bs=8k`, `5 of 12 points`.
fn places(points: &[usize], result: &SweepResult) -> String {
    let names = points.iter().filter_map(|at| result.points.get(*at)).map(SweepPoint::name);
    match points.len() {
        all if all == result.points.len() => "all points".to_owned(),
        ..=NAMED_MAX => one_line(&names.collect::<Vec<_>>().join(", ")).into_owned(),
        more => format!("{more} of {} points", result.points.len()),
    }
}

/// Draws bars by the first axis. Each combination of the other axes has a group of bars.
fn bars(request: &Sweep, result: &SweepResult) -> String {
    let (option, values) = match request.axes.first() {
        Some((option, values)) => (option.as_str(), values.as_slice()),
        None => ("", &[][..]),
    };
    let mut text = format!("{}, over {}\n", metric_title(request, result), one_line(option));
    let is_named = request.axes.len() > 1;
    let indent = if is_named { 4 } else { 2 };
    let label_width = values.iter().map(|value| value.chars().count()).max().unwrap_or(0).min(LABEL_MAX);
    let (scale, largest) = (scale(request, result), largest(request, result));
    let value = |at: usize| result.points[at].value(request.metric);
    let numbers = (0..result.points.len()).filter_map(value).map(|value| scale.number(value).chars().count());
    let number_width = numbers.max().unwrap_or(0);
    let room = WIDTH.saturating_sub(indent + label_width + 2 + 1 + number_width + INVALID.len()).max(10);
    for (name, points) in series(result) {
        if is_named {
            text.push_str(&format!("  {}\n", one_line(&name)));
        }
        for at in points {
            let point = &result.points[at];
            let label = point.settings.first().map_or_else(String::new, |(_, value)| tail(value, LABEL_MAX));
            let label = one_line(&label);
            let shown = match value(at) {
                Some(value) => {
                    let is_best = result.best.as_ref().is_some_and(|best| best.point == at);
                    let mark = match result.invalid(at) {
                        Some(_) => INVALID,
                        None if is_best => BEST,
                        None => "",
                    };
                    format!("{} {}{mark}", bar(value, largest, room), scale.number(value))
                }
                None if point.failure().is_some() => "failed".to_owned(),
                None => "not run".to_owned(),
            };
            text.push_str(&format!("{:indent$}{label:>label_width$}  {shown}\n", ""));
        }
    }
    text
}

fn sentence(assessment: &Assessment, request: &Sweep, result: &SweepResult) -> Option<String> {
    let best = result.best.as_ref()?;
    let metric = request.metric;
    let scale = scale(request, result);
    let rank = if metric.is_rate() { "highest" } else { "lowest" };
    let point = result.points.get(best.point)?;
    let first = format!("{rank} {} {} at {}", metric.title(), scale.with_unit(best.value), point.name());
    let within = match best.is_spread {
        true => format!("within {} % (the spread of its repeats)", format::grouped(best.near_percent)),
        false => format!("within {} %", format::grouped(best.near_percent)),
    };
    let rest = match best.near.len() {
        1 => best.next.and_then(|next| next_best(metric, best, result.points.get(next)?, scale)),
        several if several == result.points.len() => Some(format!("all others {within}")),
        _ => Some(format!("{within} {}", neighbours(request, result, best))),
    };
    let parts = [Some(first), rest, unsteady(result, best), disturbed(result)];
    let sentence = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Some(if assessment.stopped { format!("stopped early, so far: {sentence}") } else { sentence })
}

/// Says that the order of the best points is not certain, because their rates changed during the run.
fn unsteady(result: &SweepResult, best: &Best) -> Option<String> {
    let mut changing: Vec<usize> = best.near.iter().copied().chain([best.point]).chain(best.next).collect();
    let is_unsteady = |kind: &FindingKind| {
        matches!(
            kind,
            FindingKind::NotSteady(_) | FindingKind::StepDown(_) | FindingKind::StepUp(_) | FindingKind::Levels(_)
        )
    };
    let unsteady = || result.remarks.iter().filter(|remark| is_unsteady(&remark.finding.kind));
    changing.retain(|at| unsteady().any(|remark| remark.points.contains(at)));
    changing.sort_unstable();
    changing.dedup();
    let places = places(&changing, result);
    (!changing.is_empty()).then(|| format!("not steady ({places}): the order is uncertain, repeat with --repeat 3"))
}

/// Says that the order is not certain, because points were disturbed: each of them may be the best.
fn disturbed(result: &SweepResult) -> Option<String> {
    let disturbs = |remark: &&Remark| remark.finding.severity > Severity::Info && disturbs_search(&remark.finding);
    let mut points: Vec<usize> =
        result.remarks.iter().filter(disturbs).flat_map(|remark| remark.points.clone()).collect();
    points.sort_unstable();
    points.dedup();
    let places = places(&points, result);
    (!points.is_empty()).then(|| format!("disturbed ({places}): the order is uncertain, repeat the sweep"))
}

fn next_best(metric: Metric, best: &Best, next: &SweepPoint, scale: Scale) -> Option<String> {
    let value = next.value(metric)?;
    let apart = format::percent((value - best.value).abs() / best.value);
    let side = if metric.is_rate() { "less" } else { "more" };
    Some(format!("next is {} at {}, {apart} {side}", scale.with_unit(value), next.name()))
}

/// The points that are as good as the best: a range if they are adjacent on one ordered axis, else their names.
fn neighbours(request: &Sweep, result: &SweepResult, best: &Best) -> String {
    let settings = |at: usize| &result.points[at].settings;
    let differ_only_in = |axis: usize, at: usize| {
        let mut pairs = settings(at).iter().zip(settings(best.point)).enumerate();
        pairs.all(|(nth, (mine, theirs))| nth == axis || mine == theirs)
    };
    let along = (0..request.axes.len()).find(|axis| best.near.iter().all(|at| differ_only_in(*axis, *at)));
    if let Some((axis, (option, values))) =
        along.map(|axis| (axis, &request.axes[axis])).filter(|(_, (_, values))| is_ordered(values))
    {
        let place = |at: &usize| values.iter().position(|value| *value == settings(*at)[axis].1).unwrap_or(0);
        let places: Vec<usize> = best.near.iter().map(place).collect();
        let (low, high) = (places.iter().min().copied().unwrap_or(0), places.iter().max().copied().unwrap_or(0));
        let name = |place: usize| format!("{option}={}", values[place]);
        if high - low + 1 == places.len() {
            return match (low == 0, high + 1 == values.len()) {
                (true, true) => format!("for all values of {option}"),
                (true, false) => format!("up to {}", name(high)),
                (false, true) => format!("from {} on", name(low)),
                (false, false) => format!("from {} to {}", name(low), name(high)),
            };
        }
    }
    let others: Vec<String> =
        best.near.iter().filter(|at| **at != best.point).map(|at| result.points[*at].name()).collect();
    let more = others.len().saturating_sub(NEAR_NAMED_MAX);
    let named = others[..others.len() - more].join(", ");
    if more > 0 { format!("at {named} and {more} more") } else { format!("at {named}") }
}

/// Whether the values are growing quantities.
pub fn is_ordered(values: &[String]) -> bool {
    let sizes: Option<Vec<f64>> = values.iter().map(|value| option_value(value)).collect();
    sizes.is_some_and(|sizes| sizes.windows(2).all(|pair| pair[0] < pair[1]))
}

/// The JSON of `fathom sweep`.
#[derive(Serialize, JsonSchema)]
pub struct SweepDocument<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// `fathom` and its version.
    program: String,
    /// The program of the line: `fio` or `diskspd`.
    dialect: &'a str,
    /// The command line that is run at each point.
    line: &'a [String],
    axes: Vec<Axis<'a>>,
    order: Order<'a>,
    /// Runs of each point.
    repeats: usize,
    /// Runs that were started.
    runs_made: usize,
    /// Runs that were requested.
    #[serde(rename = "runs_asked")]
    runs_requested: usize,
    /// The metric that ranks the points.
    metric: Metric,
    points: Vec<PointDocument<'a>>,
    remarks: Vec<RemarkDocument<'a>>,
    /// A finding makes figures worthless. Its points are in `remarks`; none of them is the best.
    is_invalid: bool,
    /// The best point. `null` if no point has valid figures.
    verdict: Option<VerdictDocument>,
}

/// A swept option.
#[derive(Serialize, JsonSchema)]
struct Axis<'a> {
    /// Name of the option.
    option: &'a str,
    /// Its values, as typed.
    values: &'a [String],
}

/// The order of the runs.
#[derive(Serialize, JsonSchema)]
struct Order<'a> {
    /// `given` or `random`.
    kind: &'a str,
    /// Seed of a random order.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
}

/// A combination of values.
#[derive(Serialize, JsonSchema)]
struct PointDocument<'a> {
    /// The value of each axis, by option.
    settings: SettingsObject,
    runs: Vec<RunDocument<'a>>,
    /// Median of the runs for each figure. `null` if no run has figures.
    median: &'a Option<Figures>,
    /// From the least to the highest value of the metric, in percent of the median. `null` for one run.
    spread_percent: Option<f64>,
}

/// The figures of a run, or why it has none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum RunDocument<'a> {
    Figures(&'a Figures),
    Failed { failed: Worded<'a, Failure> },
}

/// A finding, and the points that have it.
#[derive(Serialize, JsonSchema)]
struct RemarkDocument<'a> {
    #[serde(flatten)]
    finding: AdvisedFinding<'a>,
    /// Settings of the points that the finding is about.
    points: Vec<SettingsObject>,
}

/// The best point, and the points near it.
#[derive(Serialize, JsonSchema)]
struct VerdictDocument {
    /// Settings of the best point.
    best: Option<SettingsObject>,
    /// Its median of the metric, in the metric's unit.
    value: f64,
    /// Points within this distance of the best one count as equal, in percent of its value.
    near_percent: f64,
    /// Settings of the points that count as equal.
    near: Vec<SettingsObject>,
    /// The result in words. The text can change with any version.
    sentence: Option<String>,
}

pub fn json(assessment: &Assessment, request: &Sweep, result: &SweepResult) -> String {
    let axes = request.axes.iter().map(|(option, values)| Axis { option, values });
    document(&SweepDocument {
        schema: SCHEMA,
        program: format!("fathom {}", assessment.fathom),
        dialect: &request.dialect,
        line: &request.line,
        axes: axes.collect(),
        order: Order { kind: &request.order, seed: request.seed },
        repeats: request.repeats,
        runs_made: runs_made(result),
        runs_requested: runs_requested(request, result),
        metric: request.metric,
        points: result.points.iter().map(PointDocument::from).collect(),
        remarks: result.remarks.iter().map(|remark| RemarkDocument::new(request, result, remark)).collect(),
        is_invalid: assessment.verdict == Verdict::Invalid,
        verdict: result.best.as_ref().map(|best| VerdictDocument::new(assessment, request, result, best)),
    })
}

impl<'a> From<&'a SweepPoint> for PointDocument<'a> {
    fn from(point: &'a SweepPoint) -> PointDocument<'a> {
        let run = |run: &'a SweepRun| match run {
            SweepRun::Figures(figures) => RunDocument::Figures(figures),
            SweepRun::Failed(reason) => RunDocument::Failed { failed: failure(reason) },
        };
        PointDocument {
            settings: (&point.settings).into(),
            runs: point.runs.iter().map(run).collect(),
            median: &point.median,
            spread_percent: point.spread_percent,
        }
    }
}

impl<'a> RemarkDocument<'a> {
    fn new(request: &Sweep, result: &SweepResult, remark: &'a Remark) -> RemarkDocument<'a> {
        let points = remark.points.iter().filter_map(|at| result.points.get(*at));
        let points = points.map(|point| SettingsObject::from(&point.settings)).collect();
        RemarkDocument { finding: finding(&remark.finding, dialect(request)), points }
    }
}

impl VerdictDocument {
    fn new(assessment: &Assessment, request: &Sweep, result: &SweepResult, best: &Best) -> VerdictDocument {
        let settings = |at: &usize| result.points.get(*at).map(|point| SettingsObject::from(&point.settings));
        VerdictDocument {
            best: settings(&best.point),
            value: best.value,
            near_percent: best.near_percent,
            near: best.near.iter().filter_map(settings).collect(),
            sentence: sentence(assessment, request, result),
        }
    }
}

/// Columns of the CSV after the axes.
const HEADS: [&str; 18] = [
    "runs",
    "failed_runs",
    "iops",
    "bytes_per_s",
    "read_iops",
    "read_bytes_per_s",
    "write_iops",
    "write_bytes_per_s",
    "trim_iops",
    "trim_bytes_per_s",
    "lat_mean_ns",
    "lat_p50_ns",
    "lat_p99_ns",
    "lat_p99_9_ns",
    "cpu_percent",
    "spread_metric",
    "spread_percent",
    "error",
];

/// Formats a line for each point. Figures have their base units.
pub fn csv(request: &Sweep, result: &SweepResult) -> String {
    let axes = request.axes.iter().map(|(option, _)| option.clone());
    let mut text = csv_line(axes.chain(HEADS.map(str::to_owned)));
    for (at, point) in result.points.iter().enumerate() {
        let settings = point.settings.iter().map(|(_, value)| value.clone());
        let counts = [point.runs.len().to_string(), point.failures().to_string()];
        let spread = point.spread_percent.map_or_else(String::new, |percent| format!("{percent:.3}"));
        let invalid = |found| format!("INVALID: {}", wording::finding(found, dialect(request)));
        let error = point.failure().map(wording::failure).or_else(|| result.invalid(at).map(invalid));
        let rest = [request.metric.to_string(), spread, error.unwrap_or_default()];
        text.push_str(&csv_line(settings.chain(counts).chain(csv_figures(point.median.as_ref())).chain(rest)));
    }
    text
}

/// Returns the cells of figures; a missing figure is empty.
fn csv_figures(figures: Option<&Figures>) -> Vec<String> {
    let number = |of: &dyn Fn(&Figures) -> Option<f64>| {
        figures.and_then(of).map_or_else(String::new, |value| format!("{value:.3}"))
    };
    let sides: [fn(&Figures) -> &Rates; 4] =
        [|figures| &figures.total, |figures| &figures.read, |figures| &figures.write, |figures| &figures.trim];
    let latencies: [fn(&Latencies) -> f64; 4] =
        [|latency| latency.mean_ns, |latency| latency.p50_ns, |latency| latency.p99_ns, |latency| latency.p99_9_ns];
    let rates = sides.iter().flat_map(|side| {
        [number(&|figures| Some(side(figures).iops)), number(&|figures| Some(side(figures).bytes_per_s))]
    });
    let latencies = latencies.iter().map(|of| number(&|figures| figures.total.latency.as_ref().map(of)));
    rates.chain(latencies).chain([number(&|figures| figures.cpu.map(|cpu| cpu.percent))]).collect()
}

fn csv_line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|cell| csv_cell(&cell)).collect();
    format!("{}\n", cells.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_growing_quantities_are_ordered() {
        let is_ordered =
            |values: &[&str]| is_ordered(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
        assert!(is_ordered(&["512", "4k", "1m"]) && is_ordered(&["0", "30", "100"]) && is_ordered(&["1.5m", "2m"]));
        assert!(!is_ordered(&["16k", "4k"]) && !is_ordered(&["psync", "libaio"]) && !is_ordered(&["4k", "4096"]));
    }
}
