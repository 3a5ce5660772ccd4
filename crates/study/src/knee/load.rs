//! The load of a run of a search, and the parameters of the search.

use assessment::Settings;
use plan::PerDdir;
use units::format::grouped;

/// Setting of a round with a rate.
const RATE: &str = "rate_iops";
/// Setting of a round with a depth.
const DEPTH: &str = "iodepth";
/// Setting of a round with a captured load: its speed in percent.
const SPEED: &str = "replay_time_scale";

/// Parameters of a search.
#[derive(Clone, Debug)]
pub struct SearchParams {
    /// The judged percentile.
    pub percent: f64,
    /// Upper bound of the percentile. Without one a load is good if its rate is met.
    pub bound_ns: Option<u64>,
    /// Threads that share the load.
    pub workers: u64,
    /// The loads are multiples of a captured one.
    pub multiples: Option<Multiples>,
}

/// Parameters of a search over multiples of a captured load.
#[derive(Clone, Copy, Debug)]
pub struct Multiples {
    /// Upper bounds of the percentile by direction.
    pub bounds_ns: PerDdir<Option<u64>>,
    /// The margin in percent: it is one of the steps. `None` if none is judged.
    pub margin_percent: Option<u64>,
    /// The highest step: faster runs are too short.
    pub percent_max: u64,
}

/// The load of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Load {
    /// As many I/Os as complete; `None` is the depth of the job.
    Closed { depth: Option<u32> },
    /// I/Os per second: of all threads, and of each thread by direction.
    Open { offered: u64, per_worker: [u64; 3] },
    /// The captured load, at this speed.
    Captured { percent: u64 },
}

impl Load {
    /// Returns the job options of the load.
    pub fn options(&self, is_poisson: bool) -> Settings {
        let option = |name: &str, value: String| (name.to_owned(), value);
        match self {
            Load::Closed { depth } => depth.iter().map(|depth| option(DEPTH, depth.to_string())).collect(),
            Load::Open { per_worker: [reads, writes, trims], .. } => {
                let process = if is_poisson { "poisson" } else { "linear" };
                vec![option(RATE, format!("{reads},{writes},{trims}")), option("rate_process", process.to_owned())]
            }
            Load::Captured { percent } => vec![option(SPEED, percent.to_string())],
        }
    }

    /// Returns the load as the settings of a round.
    pub(super) fn settings(&self) -> Settings {
        match self {
            Load::Closed { depth: None } => Settings::new(),
            Load::Closed { depth: Some(depth) } => vec![(DEPTH.to_owned(), depth.to_string())],
            Load::Open { offered, .. } => vec![(RATE.to_owned(), offered.to_string())],
            Load::Captured { percent } => vec![(SPEED.to_owned(), percent.to_string())],
        }
    }

    /// Parses the settings of a round; `None` if no search has such a round.
    pub(super) fn of_settings(settings: &Settings) -> Option<Load> {
        Some(match settings.first().map(|(name, value)| (name.as_str(), value)) {
            None => Load::Closed { depth: None },
            Some((DEPTH, depth)) => Load::Closed { depth: Some(depth.parse().ok()?) },
            // A saved round does not say how the threads shared the rate, and no result depends on it.
            Some((SPEED, percent)) => Load::Captured { percent: percent.parse().ok()? },
            Some((RATE, rate)) => Load::Open { offered: rate.parse().ok()?, per_worker: [0; 3] },
            Some(_) => return None,
        })
    }

    /// Returns the name of the load on progress lines.
    pub(super) fn label(&self) -> String {
        match self {
            Load::Closed { depth: None } => "closed loop".to_owned(),
            Load::Closed { depth: Some(depth) } => format!("iodepth {depth}"),
            Load::Open { offered, .. } => format!("{}/s", grouped(*offered as f64)),
            Load::Captured { percent } => format!("{} times the load", grouped(*percent as f64 / 100.0)),
        }
    }
}
