//! The jobs whose instructions are counted: the plain one, and the plain one with an option.

pub struct Job {
    pub name: &'static str,
    /// fio's words for it, beside the plain job's.
    pub options: &'static [&'static str],
}

/// Limits are set so that they are looked at and never reached: what is counted is the looking.
pub const JOBS: [Job; 12] = [
    Job { name: "plain", options: &[] },
    Job { name: "without percentiles", options: &["--clat_percentiles=0"] },
    Job { name: "without latencies", options: &["--gtod_reduce=1"] },
    Job { name: "without a map", options: &["--norandommap"] },
    Job { name: "one after another", options: &["--rw=read"] },
    Job { name: "one at a time", options: &["--iodepth=1"] },
    Job { name: "a rate", options: &["--rate_iops=1000000000"] },
    Job { name: "think time", options: &["--thinktime=1", "--thinktime_blocks=1000000000"] },
    Job { name: "block sizes", options: &["--bssplit=4k/50:8k/50"] },
    Job { name: "reads and writes", options: &["--rw=randrw"] },
    Job { name: "logged", options: &["--write_lat_log=instructions"] },
    Job { name: "logged each second", options: &["--write_lat_log=instructions", "--log_avg_msec=1000"] },
];

/// Source that is one option's own. Looking whether there is such an option is a comparison in the loop itself.
pub const OWN_FILES: [(&str, &str); 9] = [
    ("logs", "crates/engine/src/logs"),
    ("rates", "crates/engine/src/worker/pace.rs"),
    ("think time", "crates/engine/src/worker/think.rs"),
    ("minimum rates", "crates/engine/src/worker/minimum.rs"),
    ("search for a depth", "crates/engine/src/worker/depth_search.rs"),
    ("fsync and its like", "crates/engine/src/worker/unsynced.rs"),
    ("DiskSpd's streams", "crates/engine/src/worker/io_loop/streams.rs"),
    ("zones", "crates/engine/src/access/zones.rs"),
    ("deduplication", "crates/engine/src/content/dedupe.rs"),
];

/// The command line of a job. Batches are asked for by number, so that none is ended by its time.
pub fn words(job: &Job, ios: u64) -> Vec<String> {
    let plain = ["--name=count", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--iodepth=64"];
    let batches = ["--iodepth_batch=16", "--iodepth_batch_complete_max=16", "--output-format=json"];
    let words = plain.iter().chain(&batches).chain(job.options).map(|word| word.to_string());
    std::iter::once("fio".to_string()).chain(words).chain([format!("--number_ios={ios}")]).collect()
}
