//! Steady states in words.

use assessment::{Steady, SteadyRule, SteadyState};
use units::format::percent;

use super::names::line;

/// Returns whether the rounds are steady, with their figure.
pub fn steady_figure(steady: &Steady) -> String {
    let at: String = steady.at.iter().flatten().map(|(name, value)| format!(" {name}={value}")).collect();
    let rounds = steady.values.len();
    match steady.from_round.and_then(|_| steady.mean()) {
        Some(mean) => line(format!("steady{at}: {} after {rounds} rounds", steady.metric.show(mean))),
        None => {
            let last = steady.values.last().map(|last| format!(", the last one with {}", steady.metric.show(*last)));
            line(format!("not steady{at} after {rounds} rounds{}", last.unwrap_or_default()))
        }
    }
}

/// Returns whether the rounds are steady, and what the rule found, after the settings of the runs.
pub fn steady(steady: &Steady) -> String {
    let settings = steady.at.iter().flatten().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let of = if settings.is_empty() { String::new() } else { format!("{}: ", settings.join(" ")) };
    match (&steady.state, steady.from_round) {
        (state, Some(_)) => line(format!("{of}steady, {}", steady_state(state))),
        (state, None) => line(format!("{of}not steady, {}", steady_state(state))),
    }
}

/// Returns what the rule found.
pub fn steady_state(state: &SteadyState) -> String {
    match state {
        SteadyState::TooFewRounds { rounds, needed, idle_round } => {
            let idle = idle_round.map(|round| format!(" after round {round} without I/O"));
            format!("{rounds} of the {needed} rounds that the rule needs{}", idle.unwrap_or_default())
        }
        SteadyState::Window { first, last, range_share, slope_share } => format!(
            "rounds {first} to {last}: range {} ({} allowed), slope {} ({} allowed) of the mean",
            percent(*range_share),
            percent(SteadyRule::SNIA_RANGE),
            percent(*slope_share),
            percent(SteadyRule::SNIA_SLOPE)
        ),
        SteadyState::Row { first, last, change_share, precision_share, outliers } => {
            let outliers = match outliers {
                0 => String::new(),
                1 => ", 1 outlier".to_owned(),
                many => format!(", {many} outliers"),
            };
            let (change, precision) = (percent(change_share.abs()), percent(*precision_share));
            format!("rounds {first} to {last}: change {change}, mean known to ±{precision}{outliers}")
        }
        SteadyState::StartsFarOff { first } => format!("the first of the rounds from {first} on is an outlier"),
        SteadyState::Drifts { first, change_share } => {
            let way = if *change_share > 0.0 { "rise" } else { "fall" };
            let (change, allowed) = (percent(change_share.abs()), percent(SteadyRule::CLOUD_DRIFT));
            format!("the rounds from {first} on {way} by {change} ({allowed} allowed), more than noise")
        }
        SteadyState::Varies { first, precision_share } => {
            let (precision, allowed) = (percent(*precision_share), percent(SteadyRule::CLOUD_PRECISION));
            let rounds = format!("rounds {first} and later");
            format!("half of the 95 % interval of the mean of {rounds} is {precision} of it ({allowed} allowed)")
        }
    }
}
