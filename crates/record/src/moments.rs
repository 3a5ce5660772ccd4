//! Mean and standard deviation of samples, updated sample by sample.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Count, range, mean and variance of samples.
#[derive(Clone, Copy, PartialEq, Debug, Default, JsonSchema)]
#[schemars(with = "Option<Saved>")]
pub struct Moments {
    pub count: u64,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Adds one sample.
    pub fn record(&mut self, value: f64) {
        self.merge(&Moments { count: 1, min: value, max: value, mean: value, squares: 0.0 });
    }

    /// Adds another set of samples, as if they were recorded here.
    pub fn merge(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (mine, theirs) = (self.count as f64, other.count as f64);
        let distance = other.mean - self.mean;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.squares += other.squares + distance * distance * mine * theirs / (mine + theirs);
        self.mean += distance * theirs / (mine + theirs);
        self.count = self.count.saturating_add(other.count);
    }

    /// Adds the samples of a worker that ran at the same time: means, minima and maxima are added.
    ///
    /// The deviation becomes that of a sum of independent values.
    pub fn add_concurrent(&mut self, other: &Moments) {
        if other.count == 0 {
            return;
        }
        let variance = self.variance() + other.variance();
        self.count = self.count.saturating_add(other.count);
        self.mean += other.mean;
        self.min += other.min;
        self.max += other.max;
        self.squares = variance * self.count.saturating_sub(1) as f64;
    }

    fn variance(&self) -> f64 {
        if self.count > 1 { self.squares / (self.count - 1) as f64 } else { 0.0 }
    }

    /// Returns the standard deviation of a sample (divided by n - 1).
    pub fn deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Returns the standard deviation of a population (divided by n).
    pub fn population_deviation(&self) -> f64 {
        if self.count == 0 { 0.0 } else { (self.squares / self.count as f64).sqrt() }
    }
}

/// The saved form of a set with at least one sample.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Samples")]
struct Saved {
    count: u64,
    min: f64,
    max: f64,
    mean: f64,
    squares: f64,
}

impl Serialize for Moments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Moments { count, min, max, mean, squares } = *self;
        (count > 0).then_some(Saved { count, min, max, mean, squares }).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Moments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Some(saved) = Option::<Saved>::deserialize(deserializer)? else { return Ok(Moments::default()) };
        let Saved { count, min, max, mean, squares } = saved;
        if count == 0 || min > max || squares < 0.0 {
            return Err(D::Error::custom(format!(
                "{count} samples from {min} to {max} with squares {squares} contradict each other"
            )));
        }
        Ok(Moments { count, min, max, mean, squares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_samples_equal_samples_recorded_together() {
        let (mut whole, mut left, mut right) = (Moments::default(), Moments::default(), Moments::default());
        for value in [3.0, 9.0, 4.0, 1.5, 700.0] {
            whole.record(value);
            if value < 5.0 { left.record(value) } else { right.record(value) }
        }
        left.merge(&right);
        assert_eq!((left.count, left.min, left.max), (5, 1.5, 700.0));
        assert!((left.mean - whole.mean).abs() < 1e-9 && (left.deviation() - whole.deviation()).abs() < 1e-9);
    }

    #[test]
    fn samples_of_concurrent_workers_add_up() {
        let of = |values: [f64; 4]| {
            let mut moments = Moments::default();
            values.into_iter().for_each(|value| moments.record(value));
            moments
        };
        let (mut sum, second) = (of([3.0, 5.0, 4.0, 4.0]), of([30.0, 50.0, 40.0, 40.0]));
        let variance = sum.deviation().powi(2) + second.deviation().powi(2);
        sum.add_concurrent(&second);
        sum.add_concurrent(&Moments::default());
        assert_eq!((sum.count, sum.min, sum.max, sum.mean), (8, 33.0, 55.0, 44.0));
        assert!((sum.deviation().powi(2) - variance).abs() < 1e-9);
        let mut alone = Moments::default();
        alone.add_concurrent(&second);
        assert_eq!(alone, second);
    }
}
