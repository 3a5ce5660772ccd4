//! Steady states in fio's reports.

use plan::{SteadyMeasure, SteadyMetric, SteadyStateCriterion};
use record::SteadyStateRecord;
use serde_json::{Value, json};

use super::entry::Entry;
use super::number::{Prefix, Unit, short};

/// Returns the criterion of an entry and its result.
fn of_entry<'a>(entry: &Entry<'a>) -> Option<(&'a SteadyStateCriterion, &'a SteadyStateRecord)> {
    let criterion = entry.last.job()?.load.steady_state.as_ref()?;
    let record = entry.members.iter().find_map(|(_, outcome)| outcome.steady_state.as_ref())?;
    Some((criterion, record))
}

/// Returns the line of the normal format. Empty without a steady state.
pub(super) fn line(entry: &Entry) -> String {
    let Some((criterion, record)) = of_entry(entry) else { return String::new() };
    let measure = &entry.first.measure;
    let digits = measure.significant_figures as usize;
    let prefix = Prefix::of_base(measure.kb_base);
    let mean = |metric| mean(criterion, record, metric);
    let bandwidth = |prefix| short(mean(SteadyMetric::Bandwidth), digits, 0, prefix, Unit::of_bandwidth(measure.bits));
    let latency = match criterion.metric {
        SteadyMetric::Latency => {
            format!(", lat={}nsec", short(mean(SteadyMetric::Latency), digits, 0, Prefix::Decimal, Unit::None))
        }
        SteadyMetric::Iops | SteadyMetric::Bandwidth => String::new(),
    };
    format!(
        "  steadystate  : attained={}, bw={} ({}), iops={}{latency}, {}{}={:.3}{}\n",
        if record.attained { "yes" } else { "no" },
        bandwidth(prefix),
        bandwidth(prefix.other()),
        short(mean(SteadyMetric::Iops), digits, 0, Prefix::Decimal, Unit::None),
        name(criterion.metric),
        match criterion.measure {
            SteadyMeasure::Slope => " slope",
            SteadyMeasure::MaxDeviation => " mean dev",
        },
        record.criterion,
        percent_sign(criterion),
    )
}

/// Returns the object of the JSON format.
pub(super) fn object(entry: &Entry) -> Option<Value> {
    let (criterion, record) = of_entry(entry)?;
    let slope = match criterion.measure {
        SteadyMeasure::Slope => "_slope",
        SteadyMeasure::MaxDeviation => "",
    };
    let percent = percent_sign(criterion);
    let mut data = json!({
        "bw_mean": mean(criterion, record, SteadyMetric::Bandwidth),
        "iops_mean": mean(criterion, record, SteadyMetric::Iops),
    });
    if criterion.metric == SteadyMetric::Latency {
        data["lat_mean"] = mean(criterion, record, SteadyMetric::Latency).into();
        data["lat_ns"] = record.latency_ns.as_slice().into();
    }
    data["iops"] = record.iops.as_slice().into();
    data["bw"] = record.bytes_per_s.as_slice().into();
    Some(json!({
        "ss": format!("{}{slope}:{:.6}{percent}", name(criterion.metric), criterion.limit),
        "duration": criterion.duration_s(),
        "attained": u8::from(record.attained),
        "criterion": format!("{:.6}{percent}", record.criterion),
        "max_deviation": record.max_deviation,
        "slope": record.slope,
        "data": data,
    }))
}

fn name(metric: SteadyMetric) -> &'static str {
    match metric {
        SteadyMetric::Iops => "iops",
        SteadyMetric::Bandwidth => "bw",
        SteadyMetric::Latency => "lat",
    }
}

fn percent_sign(criterion: &SteadyStateCriterion) -> &'static str {
    if criterion.is_percent { "%" } else { "" }
}

/// Returns the mean over all intervals. As in fio, intervals that are not over count as 0.
fn mean(criterion: &SteadyStateCriterion, record: &SteadyStateRecord, metric: SteadyMetric) -> u64 {
    let sum: u128 = record.values(metric).iter().copied().map(u128::from).sum();
    u64::try_from(sum / u128::from(criterion.intervals).max(1)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_the_largest_values_of_a_record_does_not_overflow() {
        let criterion = SteadyStateCriterion {
            metric: SteadyMetric::Iops,
            measure: SteadyMeasure::Slope,
            limit: 1.0,
            is_percent: true,
            intervals: 2,
            interval_s: 1,
            ramp_s: 0,
        };
        let record = SteadyStateRecord { iops: vec![u64::MAX; 2], ..SteadyStateRecord::default() };
        assert_eq!(mean(&criterion, &record, SteadyMetric::Iops), u64::MAX);
    }
}
