//! The load at which latency breaks: a search over rates of an open loop, or over depths of a closed one.
//!
//! A state machine: it says which load is next, takes the records of the runs in, and says in the end what it saw.

pub mod curve;
mod depths;
mod measured;
mod search;
pub mod show;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

pub use depths::Depths;
pub use measured::Measured;
pub use search::Search;

use record::Record;

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The percentile that is judged.
    pub percent: f64,
    /// The most that it may be; without a bound a load is good as long as its rate is met.
    pub bound_ns: Option<u64>,
    /// Threads that share the load.
    pub workers: u64,
}

/// What a run is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Load {
    /// As much as goes; `None` is the depth that the job has.
    Closed { depth: Option<u32> },
    /// I/Os per second: of all threads, and of each one by direction.
    Open { offered: u64, per_worker: [u64; 3] },
}

impl Load {
    /// fio's options for it.
    pub fn options(&self, is_poisson: bool) -> Vec<(String, String)> {
        let option = |name: &str, value: String| (name.to_owned(), value);
        match self {
            Load::Closed { depth } => depth.iter().map(|depth| option("iodepth", depth.to_string())).collect(),
            Load::Open { per_worker: [reads, writes, trims], .. } => {
                let process = if is_poisson { "poisson" } else { "linear" };
                vec![
                    option("rate_iops", format!("{reads},{writes},{trims}")),
                    option("rate_process", process.to_owned()),
                ]
            }
        }
    }
}

/// Either search.
pub enum Study {
    Rate(Search),
    Depth(Depths),
}

impl Study {
    /// The next run; none when it is over.
    pub fn next(&self) -> Option<Load> {
        match self {
            Study::Rate(search) => search.next(),
            Study::Depth(depths) => depths.next(),
        }
    }

    /// The run of that load was made.
    pub fn take(&mut self, load: &Load, record: &Record) {
        match self {
            Study::Rate(search) => search.take(load, record),
            Study::Depth(depths) => depths.take(load, record),
        }
    }

    /// It could not be made.
    pub fn take_failed(&mut self, why: String) {
        match self {
            Study::Rate(search) => search.take_failed(why),
            Study::Depth(depths) => depths.take_failed(why),
        }
    }

    pub fn failed(&self) -> Option<&str> {
        match self {
            Study::Rate(search) => search.failed(),
            Study::Depth(depths) => depths.failed(),
        }
    }
}
