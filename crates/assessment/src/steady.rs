//! Steady states of rounds: the rules, and what they found.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::tagged::tagged;
use crate::{Metric, Settings};

tagged! { SteadyState }

/// A rule for a steady state.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Debug,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
    IntoStaticStr,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum SteadyRule {
    /// Five consecutive rounds within 20 % of their mean, and a straight line through them that changes by at most 10 % of it
    /// (SNIA PTS).
    #[default]
    Snia,
    /// Eight rounds or more up to the last one, without a drift beyond noise, and with a mean that is known well: for shared
    /// disks.
    Cloud,
}

/// The steady state of a test's rounds, or its absence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Steady {
    /// The runs that it is about; `None`: all runs of the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Settings>,
    pub rule: SteadyRule,
    pub metric: Metric,
    /// The value of each round.
    pub values: Vec<f64>,
    /// The first steady round, counted from 0; `None` without a steady state.
    pub from_round: Option<usize>,
    pub state: SteadyState,
}

impl Steady {
    /// Returns the rounds that the rule judged, counted from 0: the steady ones, else the last ones.
    pub fn window(&self) -> Range<usize> {
        let (count, rounds) = (self.values.len(), self.rule.rounds());
        let from = self.from_round.unwrap_or_else(|| count.saturating_sub(rounds)).min(count);
        from..if self.rule == SteadyRule::Snia { count.min(from + rounds) } else { count }
    }

    /// Returns the mean of the window, which is the figure of the steady state (SNIA PTS). `None` without rounds.
    pub fn mean(&self) -> Option<f64> {
        let window = &self.values[self.window()];
        (!window.is_empty()).then(|| window.iter().sum::<f64>() / window.len() as f64)
    }
}

/// What a rule found. Rounds are counted from 1. Shares are of the mean; changes of the rule for shared disks are of the median.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "kind", content = "data", rename_all = "kebab-case")]
pub enum SteadyState {
    TooFewRounds {
        rounds: u64,
        needed: u64,
        /// The last round without I/O; the rounds after it count.
        idle_round: Option<u64>,
    },
    /// The first steady window, or the last one that was looked at.
    Window { first: u64, last: u64, range_share: f64, slope_share: f64 },
    /// A steady row of rounds.
    Row { first: u64, last: u64, change_share: f64, precision_share: f64, outliers: u64 },
    /// The row begins with a round far from the others.
    StartsFarOff { first: u64 },
    /// The row rises (above 0) or falls.
    Drifts { first: u64, change_share: f64 },
    /// The mean of the row is not known well enough.
    Varies { first: u64, precision_share: f64 },
}

impl SteadyRule {
    /// Rounds in SNIA's window.
    pub const SNIA_ROUNDS: usize = 5;
    /// The largest difference between two rounds of SNIA's window, as a share of their mean.
    pub const SNIA_RANGE: f64 = 0.2;
    /// The largest change of the line through SNIA's window, as a share of the mean.
    pub const SNIA_SLOPE: f64 = 0.1;
    /// The fewest rounds in a row.
    pub const CLOUD_ROUNDS: usize = 8;
    /// A smaller change over the row is no drift, as a share of the median.
    pub const CLOUD_DRIFT: f64 = 0.1;
    /// The largest half-width of the confidence interval of the mean, as a share of the mean.
    pub const CLOUD_PRECISION: f64 = 0.075;

    /// Returns the name in options and documents.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The fewest rounds that the rule looks at.
    pub fn rounds(self) -> usize {
        match self {
            SteadyRule::Snia => Self::SNIA_ROUNDS,
            SteadyRule::Cloud => Self::CLOUD_ROUNDS,
        }
    }

    /// The largest distance of a round from the mean, as a share of it, if the rule has one.
    pub fn distance_share(self) -> Option<f64> {
        (self == SteadyRule::Snia).then_some(Self::SNIA_RANGE / 2.0)
    }

    /// The largest change of the line through the rounds, as a share of the mean, if the rule has one.
    pub fn slope_share(self) -> Option<f64> {
        (self == SteadyRule::Snia).then_some(Self::SNIA_SLOPE)
    }
}
