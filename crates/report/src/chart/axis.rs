//! Axes of charts: scales and ticks.

use units::format::grouped;

/// Approximate number of ticks of a linear axis.
const STEPS: f64 = 5.0;
/// Most labels along the bottom.
const PLACES_MOST: usize = 12;
/// The quantity of an axis of time.
const TIME: &str = "time (s)";
/// The smallest and the largest ratio on an axis of ratios.
pub const RATIOS: (f64, f64) = (0.01, 100.0);

#[derive(Clone)]
pub struct Axis {
    scale: Scale,
    pub ticks: Vec<(f64, String)>,
    pub name: String,
    /// The quantity of its values, with their unit.
    pub column: String,
    /// The labels of all positions, if it has positions instead of values.
    pub places: Vec<String>,
}

#[derive(Clone, Copy)]
enum Scale {
    Linear {
        from: f64,
        to: f64,
    },
    Log {
        from: f64,
        to: f64,
    },
    /// Percentiles, by the number of nines.
    Nines {
        most: f64,
    },
}

impl Axis {
    /// A linear axis from 0 to a round number above the largest value.
    pub fn counts(name: &str, most: f64) -> Axis {
        let step = round_step(most / STEPS);
        let top = ((most / step).ceil() * step).max(step);
        let ticks = (0..=(top / step).round() as usize).map(|at| at as f64 * step);
        let ticks = ticks.map(|value| (value, compact(value))).collect();
        Axis {
            scale: Scale::Linear { from: 0.0, to: top },
            ticks,
            name: name.to_owned(),
            column: name.to_owned(),
            places: Vec::new(),
        }
    }

    /// A linear axis from below the smallest value to above the largest.
    pub fn between(name: &str, least: f64, most: f64) -> Axis {
        let step = round_step((most - least).max(most.abs() * 0.02) / STEPS);
        let (from, to) = ((least / step).floor() * step, (most / step).ceil() * step);
        let to = to.max(from + step);
        let ticks = (0..=((to - from) / step).round() as usize).map(|at| from + at as f64 * step);
        let ticks = ticks.map(|value| (value, compact(value))).collect();
        Axis {
            scale: Scale::Linear { from, to },
            ticks,
            name: name.to_owned(),
            column: name.to_owned(),
            places: Vec::new(),
        }
    }

    /// A logarithmic axis of ratios. 1 is on it. It has at most [`RATIOS`].
    pub fn ratios(least: f64, most: f64) -> Axis {
        let (from, to) = (least.clamp(RATIOS.0, 1.0) / 1.02, most.clamp(1.0, RATIOS.1) * 1.02);
        let percents: &[u32] = match to / from {
            ..1.25 => &[85, 90, 95, 100, 105, 110, 115],
            ..3.0 => &[50, 60, 70, 80, 90, 100, 120, 140, 160, 200, 250],
            _ => &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000],
        };
        let ticks = percents.iter().map(|percent| f64::from(*percent) / 100.0).filter(|at| (from..=to).contains(at));
        let ticks = ticks.map(|at| (at, at.to_string())).collect();
        Axis {
            scale: Scale::Log { from, to },
            ticks,
            name: "ratio".to_owned(),
            column: "ratio".to_owned(),
            places: Vec::new(),
        }
    }

    /// An axis of time from 0, in seconds, minutes or hours.
    pub fn time(most_s: f64) -> Axis {
        let (unit_s, unit) = match most_s {
            14_400.0.. => (3600.0, "h"),
            300.0.. => (60.0, "min"),
            _ => (1.0, "s"),
        };
        let step = round_step(most_s / unit_s / STEPS) * unit_s;
        let ticks = (0..=(most_s / step * 1.000_001).floor() as usize).map(|at| at as f64 * step);
        let ticks = ticks.map(|at_s| (at_s, compact(at_s / unit_s))).collect();
        Axis {
            scale: Scale::Linear { from: 0.0, to: most_s.max(1e-9) },
            ticks,
            name: format!("time ({unit})"),
            column: TIME.to_owned(),
            places: Vec::new(),
        }
    }

    /// Returns the end of an axis of time, in s; `None` for another axis.
    pub fn end_s(&self) -> Option<f64> {
        match self.scale {
            Scale::Linear { to, .. } if self.column == TIME => Some(to),
            _ => None,
        }
    }

    /// A logarithmic axis of times in ns.
    pub fn latency(name: &str, least_ns: f64, most_ns: f64) -> Axis {
        let least = least_ns.max(1.0);
        let most = most_ns.max(least * 1.01);
        let (from, to) = (least / 1.15, most * 1.15);
        let decades = (to / from).log10();
        let within: &[f64] = match decades {
            ..1.2 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
            ..2.6 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let first = from.log10().floor() as i32;
        let powers = first..=to.log10().ceil() as i32;
        let values = powers.flat_map(|power| within.iter().map(move |times| times * 10f64.powi(power)));
        let ticks = values.filter(|ns| (from..=to).contains(ns)).map(|ns| (ns, units::format::time_ns(ns))).collect();
        Axis {
            scale: Scale::Log { from, to },
            ticks,
            name: name.to_owned(),
            column: format!("{name} (ns)"),
            places: Vec::new(),
        }
    }

    /// An axis of percentiles, up to the highest that `values` I/Os can show.
    pub fn percentiles(values: u64) -> Axis {
        let most = (values.max(10) as f64).log10().min(6.0);
        let ticks = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999];
        let ticks = ticks.into_iter().filter(|percent| nines(*percent) <= most + 1e-6);
        let ticks = ticks.map(|percent| (percent, format!("{percent}"))).collect();
        Axis {
            scale: Scale::Nines { most },
            ticks,
            name: "percentile".to_owned(),
            column: "percentile".to_owned(),
            places: Vec::new(),
        }
    }

    /// An axis of labelled positions, counted from 0.
    pub fn places(name: &str, labels: &[String]) -> Axis {
        let every = labels.len().div_ceil(PLACES_MOST).max(1);
        let ticks = labels.iter().enumerate().filter(|(at, _)| at % every == 0);
        let ticks = ticks.map(|(at, label)| (at as f64, label.clone())).collect();
        let to = labels.len().max(1) as f64 - 0.5;
        Axis {
            scale: Scale::Linear { from: -0.5, to },
            ticks,
            name: name.to_owned(),
            column: name.to_owned(),
            places: labels.to_vec(),
        }
    }

    /// Returns the position of a value, from 0 to 1. Values beyond the ends are at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear { from, to } => (value - from) / (to - from),
            Scale::Log { from, to } => (value.max(1e-9) / from).ln() / (to / from).ln(),
            Scale::Nines { most } => nines(value) / most,
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }
}

/// Returns the least and the greatest value; `None` without values.
pub fn span(mut values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let first = values.next()?;
    Some(values.fold((first, first), |(least, most), value| (least.min(value), most.max(value))))
}

/// Returns the number of nines of a percentile: 2 for 99, 0.3 for 50.
fn nines(percent: f64) -> f64 {
    -(1.0 - percent / 100.0).max(1e-12).log10()
}

/// Rounds a step up to 1, 2, 2.5 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|times| times * power >= step * 0.999).unwrap_or(10.0);
    times * power
}

/// Formats a number of a tick: `12k`, `2.5M`.
pub fn compact(value: f64) -> String {
    match value.abs() {
        1e9.. => format!("{}G", grouped(value / 1e9)),
        1e6.. => format!("{}M", grouped(value / 1e6)),
        1e3.. => format!("{}k", grouped(value / 1e3)),
        _ => grouped(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_from_zero_to_a_round_number() {
        let axis = Axis::counts("IOPS", 12_811.0);
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["0", "5k", "10k", "15k"]);
        assert_eq!((axis.at(0.0), axis.at(15_000.0), axis.at(f64::NAN)), (0.0, 1.0, 0.0));
    }

    #[test]
    fn latencies_have_ticks_whatever_their_range() {
        for (least, most) in [(1.0, 1.0), (0.0, 0.0), (90_000.0, 95_000.0), (800.0, 3e9), (5e5, 2e7)] {
            let axis = Axis::latency("latency", least, most);
            assert!(axis.ticks.len() <= 12 && axis.at(most) <= 1.0, "{least} to {most}: {:?}", axis.ticks);
        }
        assert_eq!(Axis::latency("", 5e5, 2e7).ticks[0].1, "500 us");
    }

    #[test]
    fn percentiles_end_at_the_number_of_ios() {
        let axis = Axis::percentiles(20_000);
        assert_eq!(axis.ticks.last().map(|tick| tick.1.as_str()), Some("99.99"));
        assert!((axis.at(90.0) - 1.0 / 20_000f64.log10()).abs() < 1e-9);
    }
}
