//! The figures that lists and trends show of a run.

use assessment::{Cause, Judgement, Knee, Metric, Quantity, Statistic, Study, Sweep, Verdict};
use judge::compare;
use plan::Ddir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::format::{bandwidth, time_ns};
use units::order::OrderBy;
use units::untrusted::UntrustedText;

use crate::{Document, Entry, Summary};

/// From this block size on, bandwidth is shown instead of IOPS.
const LARGE_BLOCK_BYTES: f64 = 65_536.0;

/// A figure of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeyFigure {
    /// The test, workload, point or settings that it is of; empty for a single run and a search.
    pub of: UntrustedText,
    pub metric: Metric,
    /// In the unit of the metric.
    pub value: f64,
    /// What other runs must have in common with this one, so that their figures are comparable: load, depth, length, size.
    pub job: Vec<String>,
}

impl Entry {
    /// Returns false for a stopped run and for the verdict INVALID: their figures are not those of the target.
    pub fn is_usable(&self) -> bool {
        !self.stopped && self.verdict != Some(Verdict::Invalid)
    }
}

/// Returns the figures of a document, the deciding one first: that of the judgement that is the cause of the verdict, the
/// result of a study, or the highest rates.
pub fn of(document: &Document, lines: &[Summary]) -> Vec<KeyFigure> {
    let (study, cause) = match document {
        Document::Assessment(assessment) => (Some(&assessment.study), Some(&assessment.cause)),
        Document::Record(_) => (None, None),
    };
    let mut all = match study {
        Some(study @ (Study::Knee(_) | Study::Sweep(_) | Study::Repeats(_))) => of_study(study),
        Some(Study::Suite(_) | Study::Single | Study::Preconditioning) | None => of_tests(lines, cause),
    };
    let jobs = compare::jobs(document.as_run());
    for figure in &mut all {
        figure.job = match study {
            Some(Study::Knee(knee)) => of_knee(knee),
            Some(Study::Sweep(sweep)) => of_sweep(sweep, &jobs),
            _ => job_of(figure.of.raw(), &jobs),
        };
    }
    all
}

fn of_tests(lines: &[Summary], cause: Option<&Cause>) -> Vec<KeyFigure> {
    let mut all: Vec<KeyFigure> = lines.iter().filter_map(KeyFigure::of_line).collect();
    all.order_by(|one, other| other.rank().total_cmp(&one.rank()));
    if let Some(found) = cause.and_then(judgement) {
        all.retain(|other| (other.of.raw(), other.metric) != (found.of.raw(), found.metric));
        all.insert(0, found);
    }
    all
}

/// Returns the properties of the jobs of a test; of all tests if the figure has none.
fn job_of(test: &str, jobs: &[(String, Vec<String>)]) -> Vec<String> {
    let is_of_test = |name: &str| name.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let of_test = jobs.iter().filter(|(name, _)| is_of_test(name));
    let all = if jobs.iter().any(|(name, _)| is_of_test(name)) { of_test.collect() } else { Vec::from_iter(jobs) };
    let mut parts: Vec<String> = Vec::new();
    for part in all.into_iter().flat_map(|(_, parts)| parts) {
        if !parts.contains(part) {
            parts.push(part.clone());
        }
    }
    parts
}

/// Returns the properties of a search. Its loads depend on what it measures.
fn of_knee(knee: &Knee) -> Vec<String> {
    let settings = knee.job.iter().map(|(name, value)| format!("{name}={value}"));
    let bound = knee.bound_ns.map(|bound| format!("{} <= {}", knee.percentile, time_ns(bound as f64)));
    let depth = knee.iodepth_max.map(|depth| format!("depth up to {depth}"));
    let poisson = knee.poisson.then(|| "Poisson".to_owned());
    let own = [format!("{} jobs", knee.workers), time_ns(knee.runtime_ns as f64)];
    bound.into_iter().chain(depth).chain(poisson).chain(own).chain(settings).collect()
}

/// Returns the axes of a sweep, and the properties of its first point: the axes decide the others.
fn of_sweep(sweep: &Sweep, jobs: &[(String, Vec<String>)]) -> Vec<String> {
    let axes = sweep.axes.iter().map(|(option, values)| format!("{option}={}", values.join(",")));
    let first = jobs.iter().min_by_key(|(name, _)| name).map(|(_, parts)| parts.clone());
    axes.chain(first.unwrap_or_default()).collect()
}

/// Returns the figures of a search, a sweep or repeats: the highest load that was sustained, the best point, and the first
/// figure of each workload.
fn of_study(study: &Study) -> Vec<KeyFigure> {
    let iops = |ddir| Metric { ddir, quantity: Quantity::Iops };
    match study {
        Study::Knee(knee) => {
            let sustained = knee.result.as_ref().and_then(|result| result.points.get(result.sustained?));
            let figure = |point: &assessment::KneePoint| KeyFigure {
                of: UntrustedText::default(),
                metric: iops(None),
                value: match &knee.like {
                    None if knee.iodepth_max.is_none() => point.load as f64,
                    Some(like) => like.ios_per_s() * point.load as f64 / 100.0,
                    None => point.figures.iops,
                },
                job: Vec::new(),
            };
            sustained.map(figure).into_iter().collect()
        }
        Study::Sweep(sweep) => {
            let best = sweep.result.as_ref().and_then(|result| Some((result, result.best.as_ref()?)));
            let figure = |(result, best): (&assessment::SweepResult, &assessment::Best)| {
                let of = result.points.get(best.point).map(assessment::SweepPoint::name).unwrap_or_default();
                KeyFigure { of: of.into(), metric: sweep.metric, value: best.value, job: Vec::new() }
            };
            best.map(figure).into_iter().collect()
        }
        Study::Repeats(repeats) => {
            let figures = repeats.result.iter().flat_map(|result| &result.figures).map(|figures| figures.first());
            let named = repeats.workloads.iter().zip(figures);
            let figure = |(workload, first): (&assessment::Workload, Option<&assessment::RepeatedFigure>)| {
                first.map(|first| KeyFigure {
                    of: workload.name.as_str().into(),
                    metric: first.metric,
                    value: first.mean,
                    job: Vec::new(),
                })
            };
            named.filter_map(figure).collect()
        }
        Study::Suite(_) | Study::Single | Study::Preconditioning => Vec::new(),
    }
}

impl KeyFigure {
    /// Returns the figure of a test and direction: the 99th percentile of its flushes, its bandwidth or its IOPS.
    fn of_line(line: &Summary) -> Option<KeyFigure> {
        let of = match (line.test.raw(), line.at.raw()) {
            (crate::summary::SINGLE, at) => at.to_owned(),
            (test, "") => test.to_owned(),
            (test, at) => format!("{test} {at}"),
        };
        let figure = |ddir, quantity, value| KeyFigure {
            of: of.as_str().into(),
            metric: Metric { ddir, quantity },
            value,
            job: Vec::new(),
        };
        if line.direction.raw() == "flush" {
            return Some(figure(None, Quantity::Fsync(Statistic::Percentile(99.0)), line.p99_ns?));
        }
        let ddir = Ddir::ALL.into_iter().find(|ddir| ddir.name() == line.direction.raw())?;
        let (iops, bytes_per_s) = (line.iops?, line.bytes_per_s?);
        Some(match bytes_per_s / iops >= LARGE_BLOCK_BYTES {
            true => figure(Some(ddir), Quantity::Bandwidth, bytes_per_s),
            false => figure(Some(ddir), Quantity::Iops, iops),
        })
    }

    /// Returns the direction of a rate, or the name of another metric.
    pub fn label(&self) -> String {
        match self.metric.quantity {
            Quantity::Iops | Quantity::Bandwidth => {
                self.metric.ddir.map(|ddir| ddir.name().to_owned()).unwrap_or_default()
            }
            _ => self.metric.to_string(),
        }
    }

    /// Returns the value with its unit.
    pub fn value_text(&self) -> String {
        match self.metric.quantity {
            Quantity::Bandwidth => bandwidth(self.value),
            _ => self.metric.show(self.value),
        }
    }

    /// Orders the figures of a run without a judgement: flushes first, then the highest IOPS.
    fn rank(&self) -> f64 {
        match self.metric.quantity {
            Quantity::Fsync(_) => f64::INFINITY,
            Quantity::Iops => self.value,
            _ => 0.0,
        }
    }
}

/// Returns the figure of the judgement that decided, with its test.
fn judgement(cause: &Cause) -> Option<KeyFigure> {
    let of = |name: &str, judgement: &Judgement| KeyFigure {
        of: name.into(),
        metric: judgement.metric,
        value: judgement.measured,
        job: Vec::new(),
    };
    let found = match cause {
        Cause::Judgement(found) | Cause::Rule(found) | Cause::JudgementAndFailure { judgement: found, .. } => {
            of("", found)
        }
        Cause::Test { name, cause, .. } => KeyFigure { of: name.as_str().into(), ..judgement(cause)? },
        Cause::Passed { example: Some((name, cause)), .. } => {
            KeyFigure { of: name.as_str().into(), ..judgement(cause)? }
        }
        _ => return None,
    };
    found.value.is_finite().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(test: &str, direction: &str, iops: Option<f64>, bytes_per_s: Option<f64>, p99_ns: Option<f64>) -> Summary {
        Summary { test: test.into(), direction: direction.into(), iops, bytes_per_s, p99_ns, ..Summary::default() }
    }

    fn shown(figures: &[KeyFigure]) -> Vec<String> {
        figures.iter().map(|figure| format!("{} {} {}", figure.of.raw(), figure.metric, figure.value_text())).collect()
    }

    #[test]
    fn the_figure_of_a_line_is_the_one_that_its_test_is_about() {
        let lines = [
            line("read-bandwidth", "read", Some(1000.0), Some(1_048_576_000.0), Some(1e6)),
            line("run", "write", Some(5000.0), Some(20_480_000.0), Some(1e5)),
            line("fsync", "flush", None, None, Some(249_000.0)),
            line("empty", "", None, None, None),
        ];
        let figures: Vec<KeyFigure> = lines.iter().filter_map(KeyFigure::of_line).collect();
        let expected = ["read-bandwidth read.bw 1,000 MiB/s", " write.iops 5,000 IOPS", "fsync fsync.p99 249 us"];
        assert_eq!(shown(&figures), expected);
    }
}
