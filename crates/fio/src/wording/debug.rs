//! Lines of `--debug`.

use plan::{SteadyMetric, SteadyStateCriterion};

/// Returns the limit of a steady state, as fio's parser prints it.
pub fn steady_state_threshold(criterion: &SteadyStateCriterion) -> String {
    let limit = criterion.limit;
    match criterion.metric {
        _ if criterion.is_percent => format!("set steady state threshold to {limit:.6}%"),
        SteadyMetric::Iops => format!("set steady state IOPS threshold to {limit:.6}"),
        SteadyMetric::Bandwidth => format!("set steady state BW threshold to {limit}"),
        SteadyMetric::Latency => format!("set steady state latency threshold to {limit} nsec"),
    }
}
