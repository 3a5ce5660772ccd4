//! The jobs whose instructions are counted: a plain one, and the plain one with an option each.

/// A job.
pub struct Job {
    pub name: &'static str,
    /// fio options, in addition to those of the plain job.
    pub options: &'static [&'static str],
    /// The two numbers of I/Os.
    pub ios: [u64; 2],
}

const fn job(name: &'static str, options: &'static [&'static str]) -> Job {
    Job { name, options, ios: [120_000, 240_000] }
}

/// A file in the folder of the jobs, with its size. A run that lays a file out may do it on a thread whose counts callgrind adds to
/// those of the worker.
pub const FILE: (&str, usize) = ("data", 16 << 20);

/// The jobs. With the smaller number of I/Os, all histogram pages are in use, and the worker's thread has many more
/// instructions than the main one, which has 20 million. Limits are never reached, so that only the checks for them are
/// counted. Left out, as two runs differ: io_uring and libaio (the kernel's timing decides how often the ring is read),
/// DiskSpd (a run has no number of I/Os). `zipf` needs a power of the C library, whose code depends on the CPU.
pub const JOBS: [Job; 12] = [
    job("plain", &[]),
    job("depth 1", &["--iodepth=1"]),
    job("without a random map", &["--norandommap"]),
    job("sequential", &["--rw=read"]),
    job("without latencies", &["--gtod_reduce=1"]),
    job("reads and writes", &["--rw=randrw"]),
    job("block sizes", &["--bssplit=4k/50:8k/50"]),
    job("8 files", &["--nrfiles=8"]),
    job("rate", &["--rate_iops=1000000000"]),
    job("latency log", &["--write_lat_log=instructions"]),
    // An I/O needs 10 times the instructions of the others.
    Job {
        ios: [30_000, 60_000],
        ..job("new contents and checksums", &["--rw=randwrite", "--verify=crc32c", "--do_verify=0"])
    },
    job("psync, cached file", &["--ioengine=psync", "--filename=data", "--size=16m", "--io_size=1t", "--invalidate=0"]),
];

/// Source files that belong to one option. The check whether the option is set is in the loop itself.
pub const OPTION_FILES: [(&str, &str); 9] = [
    ("logs", "crates/engine/src/logs"),
    ("rates", "crates/engine/src/worker/pace.rs"),
    ("think time", "crates/engine/src/worker/think.rs"),
    ("minimum rates", "crates/engine/src/worker/minimum.rs"),
    ("depth search", "crates/engine/src/worker/depth_search.rs"),
    ("fsync and similar", "crates/engine/src/worker/unsynced.rs"),
    ("DiskSpd's streams", "crates/engine/src/worker/io_loop/streams.rs"),
    ("zones", "crates/engine/src/access/zones.rs"),
    ("deduplication", "crates/engine/src/content/dedupe.rs"),
];

/// Returns the command line of a job. The batch size is set, so that no batch ends by its time.
pub fn args(job: &Job, ios: u64) -> Vec<String> {
    let plain = ["--name=count", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=2g", "--iodepth=64"];
    let batches = ["--iodepth_batch=16", "--iodepth_batch_complete_max=16", "--output-format=json"];
    let args = plain.iter().chain(&batches).chain(job.options).map(|arg| arg.to_string());
    std::iter::once("fio".to_string()).chain(args).chain([format!("--number_ios={ios}")]).collect()
}
