//! What fio's JSON report says of a job, as figures with their units.

use serde_json::Value;

/// One direction of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    pub ios: u64,
    pub bytes: u64,
    pub iops: f64,
    pub bytes_per_s: f64,
    pub runtime_ms: u64,
    /// From the intended issue to the handing over.
    pub slat: Latency,
    /// From the handing over to the completion.
    pub clat: Latency,
    pub lat: Latency,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    pub count: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    pub mean_ns: f64,
    pub deviation_ns: f64,
    /// Shares (50 for the median) and what is not exceeded by that share, where they were asked for.
    pub percentiles: Vec<(f64, u64)>,
    /// The middles of a histogram's bins and what they count: json+ has them.
    pub bins: Vec<(u64, u64)>,
}

impl Latency {
    pub fn percentile_ns(&self, share: f64) -> u64 {
        let found = self.percentiles.iter().find(|(shown, _)| (shown - share).abs() < 1e-6);
        found.unwrap_or_else(|| panic!("no percentile {share} in {:?}", self.percentiles)).1
    }
}

/// What fathom says besides of a direction with a rate: what became of the I/Os that the rate wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenLoop {
    pub due: u64,
    pub late: u64,
    pub queue_full: u64,
    pub unissued: u64,
}

/// The latency from the time at which the rate wanted an I/O.
pub fn only_response(report: &Value, name: &str) -> Latency {
    assert_eq!(jobs(report).len(), 1, "one job was expected: {report:#}");
    latency(&jobs(report)[0]["fathom"][name]["response_ns"])
}

pub fn only_open_loop(report: &Value, name: &str) -> OpenLoop {
    assert_eq!(jobs(report).len(), 1, "one job was expected: {report:#}");
    let arrivals = &jobs(report)[0]["fathom"][name]["arrivals"];
    let count = |name: &str| integer(&arrivals[name]);
    OpenLoop { due: count("due"), late: count("late"), queue_full: count("queue_full"), unissued: count("unissued") }
}

/// The names of what speaks against the figures.
pub fn findings(report: &Value) -> Vec<String> {
    let found = report["fathom"]["findings"].as_array().expect("a report has a list of findings");
    found.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()).collect()
}

/// The report's jobs.
pub fn jobs(report: &Value) -> &[Value] {
    report["jobs"].as_array().expect("a report has a list of jobs")
}

/// One direction (`read`, `write`, `trim`, `mixed`) of a job.
pub fn direction(job: &Value, name: &str) -> Direction {
    let of = &job[name];
    Direction {
        ios: integer(&of["total_ios"]),
        bytes: integer(&of["io_bytes"]),
        iops: number(&of["iops"]),
        bytes_per_s: number(&of["bw_bytes"]),
        runtime_ms: integer(&of["runtime"]),
        slat: latency(&of["slat_ns"]),
        clat: latency(&of["clat_ns"]),
        lat: latency(&of["lat_ns"]),
    }
}

/// The one job's one direction, where there is but one job.
pub fn only(report: &Value, name: &str) -> Direction {
    assert_eq!(jobs(report).len(), 1, "one job was expected: {report:#}");
    direction(&jobs(report)[0], name)
}

fn latency(of: &Value) -> Latency {
    let pairs = |of: &Value| of.as_object().cloned().unwrap_or_default();
    let percentiles = pairs(&of["percentile"]);
    Latency {
        count: integer(&of["N"]),
        min_ns: integer(&of["min"]),
        max_ns: integer(&of["max"]),
        mean_ns: number(&of["mean"]),
        deviation_ns: number(&of["stddev"]),
        percentiles: percentiles.iter().map(|(share, ns)| (share.parse().unwrap(), integer(ns))).collect(),
        bins: pairs(&of["bins"]).iter().map(|(ns, count)| (ns.parse().unwrap(), integer(count))).collect(),
    }
}

fn integer(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("no whole number: {of}"))
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("no number: {of}"))
}
