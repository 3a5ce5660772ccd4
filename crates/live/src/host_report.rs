//! Reports of a host about its run, for the machine that shows the figures of all hosts.

use std::io;

use record::{CoarseHistogram, Stage};
use serde::{Deserialize, Serialize};

use crate::metrics::counts::CountsIncrease;
use crate::view::JobView;

/// Interval between two reports of a host.
pub const REPORT_EVERY_NS: u64 = 1_000_000_000;
/// Maximum size of a report during the run. With the headers of messages and packets, a host sends less than 5 kB per
/// second.
pub const REPORT_BYTES_MAX: usize = 4_700;
/// Maximum number of bins in the histogram of the latencies of a job.
const BINS_MAX: usize = 32;

/// The figures of a host.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct HostReport {
    pub stage: Option<Stage>,
    /// Remaining time of the run. `None` if it is not known.
    pub left_ns: Option<u64>,
    /// Bytes of the files that are laid out: written so far, and in total.
    pub files: (u64, u64),
    /// The sum of all jobs.
    pub all: Figures,
    pub jobs: Vec<JobChange>,
}

impl HostReport {
    /// Parses a report.
    ///
    /// # Errors
    /// The text is not a report.
    pub fn parse(text: &str) -> io::Result<Self> {
        // As bytes, for which the deserializer exists already.
        Ok(serde_json::from_slice(text.as_bytes())?)
    }

    /// Iterates over the increases of the counts, with the index of the job.
    pub fn counts(&self) -> impl Iterator<Item = (usize, &CountsIncrease)> {
        self.jobs.iter().map(|change| (change.job, &change.counts))
    }
}

/// Changes of a job since its last report. The names in JSON are short because the size of a report is limited.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JobChange {
    /// Index of the job.
    #[serde(rename = "j")]
    pub job: usize,
    #[serde(rename = "f")]
    pub figures: Figures,
    #[serde(rename = "c", default, skip_serializing_if = "CountsIncrease::is_empty")]
    pub counts: CountsIncrease,
}

/// The figures of a [`JobView`], rounded. In order: threads that run, threads that have ended, I/Os per second and
/// bytes per second by direction, tenths of I/Os in flight, latencies, latencies of flushes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Figures(usize, usize, [u64; 3], [u64; 3], u64, CoarseHistogram, CoarseHistogram);

impl Figures {
    /// Returns the figures of a job.
    pub fn of(job: &JobView) -> Figures {
        let rounded = |rates: [f64; 3]| rates.map(|rate| rate.round() as u64);
        let in_flight = (job.in_flight * 10.0).round() as u64;
        let [lat, flush] = [&job.lat, &job.flush].map(|latencies| latencies.with_bins_at_most(BINS_MAX));
        Figures(job.running, job.ended, rounded(job.ios_per_s), rounded(job.bytes_per_s), in_flight, lat, flush)
    }

    /// Returns the figures for a view.
    pub fn view(&self) -> JobView {
        let Figures(running, ended, ios_per_s, bytes_per_s, in_flight, lat, flush) = self;
        JobView {
            running: *running,
            ended: *ended,
            ios_per_s: ios_per_s.map(|rate| rate as f64),
            bytes_per_s: bytes_per_s.map(|rate| rate as f64),
            lat: lat.clone(),
            flush: flush.clone(),
            in_flight: *in_flight as f64 / 10.0,
        }
    }
}
