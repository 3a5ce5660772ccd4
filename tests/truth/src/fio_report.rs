//! Reads fio's JSON report.

use serde_json::Value;

/// One direction of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    pub ios: u64,
    pub bytes: u64,
    pub iops: f64,
    pub bytes_per_s: f64,
    pub runtime_ms: u64,
    /// From the intended start to the submission.
    pub slat: Latency,
    /// From the submission to the completion.
    pub clat: Latency,
    pub lat: Latency,
}

/// Statistics of a latency.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    pub count: u64,
    pub min_ns: u64,
    pub max_ns: u64,
    pub mean_ns: f64,
    pub deviation_ns: f64,
    /// Percentiles (50 for the median) and their values, if the report has them.
    pub percentiles: Vec<(f64, u64)>,
    /// Middles and counts of histogram bins, in json+.
    pub bins: Vec<(u64, u64)>,
}

impl Latency {
    /// Returns the value of a percentile.
    pub fn percentile_ns(&self, share: f64) -> u64 {
        let found = self.percentiles.iter().find(|(shown, _)| (shown - share).abs() < 1e-6);
        found.unwrap_or_else(|| panic!("no percentile {share} in {:?}", self.percentiles)).1
    }
}

/// I/Os of a direction with a rate, by their fate. Only fathom reports them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenLoop {
    pub due: u64,
    pub late: u64,
    pub queue_full: u64,
    pub unissued: u64,
}

/// Returns the response time, from the intended start, of the only job.
pub fn only_response(report: &Value, name: &str) -> Latency {
    assert_eq!(jobs(report).len(), 1, "expected one job: {report:#}");
    latency(&jobs(report)[0]["fathom"][name]["response_ns"])
}

/// Returns the open-loop counts of the only job.
pub fn only_open_loop(report: &Value, name: &str) -> OpenLoop {
    assert_eq!(jobs(report).len(), 1, "expected one job: {report:#}");
    let arrivals = &jobs(report)[0]["fathom"][name]["arrivals"];
    let count = |name: &str| integer(&arrivals[name]);
    OpenLoop { due: count("due"), late: count("late"), queue_full: count("queue_full"), unissued: count("unissued") }
}

/// Returns the names of the kinds of findings.
pub fn findings(report: &Value) -> Vec<String> {
    let found = report["fathom"]["findings"].as_array().expect("a report has a list of findings");
    found.iter().map(|finding| finding["kind"].as_str().unwrap().to_owned()).collect()
}

/// Returns the jobs.
pub fn jobs(report: &Value) -> &[Value] {
    report["jobs"].as_array().expect("a report has a list of jobs")
}

/// Returns a direction (`read`, `write`, `trim`, `mixed`) of a job.
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

/// Returns a direction of the only job.
pub fn only(report: &Value, name: &str) -> Direction {
    assert_eq!(jobs(report).len(), 1, "expected one job: {report:#}");
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
        // A percentile of I/Os that were never submitted is null.
        percentiles: percentiles
            .iter()
            .filter_map(|(share, ns)| Some((share.parse().unwrap(), ns.as_u64()?)))
            .collect(),
        bins: pairs(&of["bins"]).iter().map(|(ns, count)| (ns.parse().unwrap(), integer(count))).collect(),
    }
}

fn integer(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("not an integer: {of}"))
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("not a number: {of}"))
}
