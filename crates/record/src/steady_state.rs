//! The steady state of a job: the figures of its last intervals, and what was computed from them.

use plan::{SteadyMeasure, SteadyMetric};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Time series and result of a steady state criterion.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SteadyStateRecord {
    /// The criterion was met. This ended the job.
    pub attained: bool,
    /// Slope of the regression line, per interval. 0 if the criterion does not use it.
    pub slope: f64,
    /// Largest difference of an interval to the mean. 0 if the criterion does not use it.
    pub max_deviation: f64,
    /// The slope or the deviation, in percent of the mean if the limit is.
    pub criterion: f64,
    /// I/Os per second of the last intervals, oldest first.
    pub iops: Vec<u64>,
    /// Bytes per second of the same intervals.
    pub bytes_per_s: Vec<u64>,
    /// Mean completion latencies of the same intervals, in ns.
    pub latency_ns: Vec<u64>,
}

impl SteadyStateRecord {
    /// Returns the values of a metric, oldest first.
    pub fn values(&self, metric: SteadyMetric) -> &[u64] {
        match metric {
            SteadyMetric::Iops => &self.iops,
            SteadyMetric::Bandwidth => &self.bytes_per_s,
            SteadyMetric::Latency => &self.latency_ns,
        }
    }

    /// Adds the figures of an interval, and computes the criterion once there are enough. Keeps the last `intervals`.
    pub fn add(&mut self, settings: &plan::SteadyStateCriterion, [iops, bytes_per_s, latency_ns]: [u64; 3]) {
        for (values, value) in [&mut self.iops, &mut self.bytes_per_s, &mut self.latency_ns].into_iter().zip([
            iops,
            bytes_per_s,
            latency_ns,
        ]) {
            if values.len() >= settings.intervals as usize {
                values.remove(0);
            }
            values.push(value);
        }
        if self.iops.len() >= settings.intervals as usize {
            self.judge(settings);
        }
    }

    fn judge(&mut self, settings: &plan::SteadyStateCriterion) {
        let values = self.values(settings.metric);
        let mean = mean(values);
        let found = match settings.measure {
            SteadyMeasure::Slope => slope(values),
            SteadyMeasure::MaxDeviation => values.iter().map(|&value| (value as f64 - mean).abs()).fold(0.0, f64::max),
        };
        match settings.measure {
            SteadyMeasure::Slope => self.slope = found,
            SteadyMeasure::MaxDeviation => self.max_deviation = found,
        }
        // Without any I/O there is no percentage, and no steady state.
        let has_values = mean > 0.0;
        self.criterion = match settings.is_percent {
            true if has_values => 100.0 * found / mean,
            true => 0.0,
            false => found,
        };
        self.attained = has_values && self.criterion.abs() < settings.limit;
    }
}

fn mean(values: &[u64]) -> f64 {
    values.iter().map(|&value| value as f64).sum::<f64>() / values.len().max(1) as f64
}

/// Returns the slope of the regression line through values at 0, 1, 2 and so on.
fn slope(values: &[u64]) -> f64 {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let distances = || (0..values.len()).map(|at| at as f64 - middle);
    let covariance: f64 = distances().zip(values).map(|(distance, &value)| distance * value as f64).sum();
    let variance: f64 = distances().map(|distance| distance * distance).sum();
    if variance == 0.0 { 0.0 } else { covariance / variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(measure: SteadyMeasure, limit: f64, is_percent: bool) -> plan::SteadyStateCriterion {
        let metric = SteadyMetric::Iops;
        plan::SteadyStateCriterion { metric, measure, limit, is_percent, intervals: 4, interval_s: 1, ramp_s: 0 }
    }

    fn after(settings: &plan::SteadyStateCriterion, iops: &[u64]) -> SteadyStateRecord {
        let mut record = SteadyStateRecord::default();
        iops.iter().for_each(|&iops| record.add(settings, [iops, iops * 4096, 1000]));
        record
    }

    #[test]
    fn a_line_has_its_slope() {
        let percent = settings(SteadyMeasure::Slope, 10.1, true);
        let record = after(&percent, &[70, 80, 90, 100, 110, 120, 130]);
        assert_eq!((record.slope, record.criterion, record.attained), (10.0, 100.0 * 10.0 / 115.0, true));
        assert_eq!(record.iops, [100, 110, 120, 130]);
        assert!(!after(&settings(SteadyMeasure::Slope, 8.0, true), &[100, 110, 120, 130]).attained);
        let falling = after(&settings(SteadyMeasure::Slope, 10.1, false), &[130, 120, 110, 100]);
        assert_eq!((falling.slope, falling.criterion, falling.attained), (-10.0, -10.0, true));
    }

    #[test]
    fn the_deviation_is_the_largest() {
        let record = after(&settings(SteadyMeasure::MaxDeviation, 31.0, true), &[100, 100, 70, 130]);
        assert_eq!((record.max_deviation, record.criterion, record.attained), (30.0, 30.0, true));
        assert!(!after(&settings(SteadyMeasure::MaxDeviation, 30.0, false), &[100, 100, 70, 130]).attained);
    }

    #[test]
    fn nothing_is_steady_before_the_time_or_without_io() {
        let percent = settings(SteadyMeasure::Slope, 10.0, true);
        let early = after(&percent, &[100, 100, 100]);
        assert_eq!((early.attained, early.criterion), (false, 0.0));
        assert!(!after(&percent, &[0, 0, 0, 0, 0]).attained);
    }
}
