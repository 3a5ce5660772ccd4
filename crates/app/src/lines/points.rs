//! The plans of all points of a sweep, made and checked before anything runs.

use std::sync::Arc;

use assessment::{Metric, Settings};
use fio::parse::Output;
use plan::Plan;
use units::diagnostic::Diagnostic;

use super::{Messages, Planned, writes_logs};

/// The plans of all points, or the text that the line prints.
pub enum Points {
    Run { plans: Vec<Arc<Plan>>, warnings: Vec<Diagnostic> },
    Print { printed: Output, warnings: Vec<Diagnostic> },
}

type PlanLine<'a> = dyn Fn(&[(String, String)]) -> Result<Planned, Vec<Diagnostic>> + 'a;

/// Plans every point. A message of several points is listed once.
///
/// # Errors
/// The errors of the dialect, or an option whose values all give the same run.
pub fn plan(points: &[Settings], runs: usize, plan_line: &PlanLine) -> Result<Points, Vec<Diagnostic>> {
    let (mut plans, mut warned, mut refused) = (Vec::new(), Messages::default(), Messages::default());
    for point in points {
        match plan_line(point) {
            Ok(Planned::Run { plan, warnings }) => {
                plans.push(Arc::from(plan));
                warned.add(&warnings);
            }
            Ok(Planned::Print { printed, warnings }) => {
                warned.add(&warnings);
                return Ok(Points::Print { printed, warnings: warned.list });
            }
            Err(diagnostics) => refused.add(&diagnostics),
        }
    }
    refused.list.extend(without_difference(points, &plans).filter(|_| refused.list.is_empty()));
    if !refused.list.is_empty() {
        return Err(refused.list);
    }
    if plans.iter().any(|plan| writes_logs(plan)) && runs > 1 {
        let warning = "each run of the sweep writes the same log files: only those of the last run remain";
        warned.add(&[Diagnostic::warning(warning)]);
    }
    Ok(Points::Run { plans, warnings: warned.list })
}

/// Returns an error for an axis whose values all give the same work, such as a depth for an engine without a queue.
fn without_difference(points: &[Settings], plans: &[Arc<Plan>]) -> Option<Diagnostic> {
    let works: Vec<Plan> = plans.iter().map(|plan| plan.without_text()).collect();
    let others = |point: &Settings, axis: usize| {
        let mut settings = point.clone();
        settings.remove(axis);
        settings
    };
    let first = points.first()?;
    let varies = |axis: &usize| points.iter().any(|point| point[*axis].1 != first[*axis].1);
    let dead = (0..first.len()).filter(varies).find(|axis| {
        let mut first_works: Vec<(Settings, &Plan)> = Vec::new();
        points.iter().zip(&works).all(|(point, work)| {
            let others = others(point, *axis);
            match first_works.iter().find(|(known, _)| *known == others) {
                Some((_, first)) => *first == work,
                None => {
                    first_works.push((others, work));
                    true
                }
            }
        })
    })?;
    let option = &first[dead].0;
    let message = format!("`{option}` has no effect: all its values give the same run");
    let help = "another option of the line may override it, or the engine may ignore it; --repeat runs the same point \
                again";
    Some(Diagnostic::error(message).help(help))
}

/// Returns true if a point measures the metric.
pub fn measures(plans: &[Arc<Plan>], metric: Metric) -> bool {
    let has_latency = |plan: &Plan| plan.workers.iter().any(|worker| worker.measure.lat || worker.measure.clat);
    !metric.is_latency() || plans.iter().any(|plan| has_latency(plan))
}
