//! Studies as they are kept, and told again: the same runs in the same order come to the same answer.

use assessment::{Assessment, LatencyKind, Metric, Round, Statistic};

use crate::knee::{self, Depths, Load, Search, Study, Terms};
use crate::{Axis, Order, Sweep, show};

/// More threads than any machine has, and few enough to count with.
const WORKERS_MAX: u64 = 1 << 20;

impl Study {
    pub fn new(asked: &assessment::Knee) -> Study {
        let workers = asked.workers.clamp(1, WORKERS_MAX);
        let terms = Terms { percent: asked.percent, bound_ns: asked.bound_ns, workers };
        match asked.iodepth_max {
            Some(most) => Study::Depth(Depths::new(terms, most)),
            None => Study::Rate(Search::new(terms)),
        }
    }
}

impl knee::show::Asked {
    /// `fathom` is the version that measured.
    pub fn new(asked: &assessment::Knee, target: &str, fathom: &str, is_stopped: bool) -> knee::show::Asked {
        knee::show::Asked {
            target: target.to_owned(),
            work: asked.work.clone(),
            percentile: asked.percentile.clone(),
            bound: asked.bound_ns.map(|ns| knee::show::time(ns as f64)),
            is_poisson: asked.poisson,
            runtime_ns: asked.runtime_ns,
            job: asked.job.clone(),
            program: format!("fathom {fathom}"),
            notes: asked.notes.clone(),
            is_stopped,
        }
    }
}

/// The setting that says the load of a round.
const RATE: &str = "rate_iops";
const DEPTH: &str = "iodepth";

/// A load as the setting of a round.
pub fn setting(load: &Load) -> Vec<(String, String)> {
    match load {
        Load::Closed { depth: None } => Vec::new(),
        Load::Closed { depth: Some(depth) } => vec![(DEPTH.to_owned(), depth.to_string())],
        Load::Open { offered, .. } => vec![(RATE.to_owned(), offered.to_string())],
    }
}

fn load(round: &Round) -> Option<Load> {
    Some(match round.at.first().map(|(name, value)| (name.as_str(), value)) {
        None => Load::Closed { depth: None },
        Some((DEPTH, depth)) => Load::Closed { depth: Some(depth.parse().ok()?) },
        // How threads shared it is of no matter afterwards.
        Some((RATE, rate)) => Load::Open { offered: rate.parse().ok()?, per_worker: [0; 3] },
        Some(_) => return None,
    })
}

/// A search that was kept.
pub fn knee(assessment: &Assessment, asked: &assessment::Knee) -> Result<(Study, knee::show::Asked), String> {
    if !(asked.percent > 0.0 && asked.percent < 100.0) {
        return Err(format!("{} is no percentile", asked.percent));
    }
    let mut study = Study::new(asked);
    for round in assessment.tests.iter().flat_map(|test| &test.rounds) {
        let load = load(round).ok_or("a round of this search says no load that is known")?;
        study.take(&load, &round.record);
    }
    let failed = assessment.tests.iter().find_map(|test| test.error.clone());
    if let Some(why) = failed.filter(|_| study.failed().is_none()) {
        study.take_failed(why);
    }
    let told = knee::show::Asked::new(asked, &assessment.target.path, &assessment.fathom, assessment.stopped);
    Ok((study, told))
}

/// A sweep that was kept.
pub fn sweep(assessment: &Assessment, asked: &assessment::Sweep) -> Result<(Sweep, show::Asked), String> {
    let axes = asked.axes.iter().map(|(option, values)| Axis { option: option.clone(), values: values.clone() });
    let order = order(asked).ok_or_else(|| format!("`{}` is no order that is known", asked.order))?;
    let metric = metric(&asked.metric).ok_or_else(|| format!("`{}` is no figure", asked.metric))?;
    let mut sweep = Sweep::new(axes.collect(), asked.repeats, order)?;
    let mut rounds = assessment.tests.iter().flat_map(|test| &test.rounds);
    for at in 0.. {
        let refused = asked.refused.iter().find(|(place, _)| *place == at);
        let round = if refused.is_none() { rounds.next() } else { None };
        if refused.is_none() && round.is_none() {
            break;
        }
        let turn = sweep.next_turn().ok_or("this sweep has more runs than it asked for")?;
        if let Some((_, reason)) = refused {
            sweep.take_failed(turn, reason.clone());
        }
        if let Some(round) = round {
            sweep.take(turn, &round.record);
            for finding in judge::findings(&round.record) {
                sweep.remark(turn, &finding.what, &finding.to_string());
            }
        }
    }
    let told = show::Asked {
        dialect: asked.dialect.clone(),
        line: asked.line.clone(),
        repeats: asked.repeats,
        order,
        metric,
        program: format!("fathom {}", assessment.fathom),
    };
    Ok((sweep, told))
}

/// The metric of a saved sweep. Version 0.1 had names of its own for these.
fn metric(name: &str) -> Option<Metric> {
    let latency = |statistic| Metric::latency(LatencyKind::Total, statistic);
    match name {
        "lat" => Some(latency(Statistic::Mean)),
        "p50" | "p99" | "p99.9" => Statistic::parse(name).map(latency),
        _ => Metric::parse(name).filter(|metric| crate::metric::is_comparable(*metric)),
    }
}

fn order(asked: &assessment::Sweep) -> Option<Order> {
    let orders = [Order::Given, Order::Blocks, Order::Mirrored, Order::Random { seed: asked.seed.unwrap_or_default() }];
    orders.into_iter().find(|order| order.kind() == asked.order)
}
