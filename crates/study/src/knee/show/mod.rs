//! What a search found, for people and for programs. Pure: the same search gives the same bytes.

mod json;
mod sentence;
mod text;

use super::{Search, Study};
use crate::show::{Ink, in_ascii};

pub use text::time;

/// What was asked for, which reports repeat.
#[derive(Clone, Debug)]
pub struct Asked {
    pub target: String,
    /// As sentences call the I/Os: `random 4 KiB reads`.
    pub work: String,
    /// The percentile's name: `p99`.
    pub percentile: String,
    /// The bound as it was written: `5 ms`.
    pub bound: Option<String>,
    pub is_poisson: bool,
    pub runtime_ns: u64,
    /// The job's options.
    pub job: Vec<(String, String)>,
    pub program: String,
    /// What speaks against the figures.
    pub notes: Vec<String>,
    /// It was stopped before its end.
    pub is_stopped: bool,
}

pub fn text(study: &Study, asked: &Asked, ink: Ink) -> String {
    let text = text::write(study, asked);
    if ink == Ink::Ascii { in_ascii(&text) } else { text }
}

pub fn json(study: &Study, asked: &Asked) -> String {
    json::write(study, asked)
}

/// Where the curve bends.
pub fn bend(search: &Search, asked: &Asked) -> Option<String> {
    sentence::of_knee(search, asked)
}

/// What it comes to.
pub fn sentence(study: &Study, asked: &Asked) -> String {
    match study {
        Study::Rate(search) => sentence::of_rates(search, asked),
        Study::Depth(depths) => sentence::of_depths(depths, asked),
    }
}
