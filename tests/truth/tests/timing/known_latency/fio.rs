//! Known latencies, measured with fio jobs that log each I/O.

use fathom_truth::timed_files::{Program, TimedFiles};
use fathom_truth::{fio_log, fio_report};

use super::reported::Reported;
use super::{FILE_BYTES, SHARES, compare, nanoseconds};

/// Engines and the tested depths.
const ENGINES: [(&str, &[u32]); 3] = [("psync", &[1]), ("libaio", &[1, 32]), ("io_uring", &[1, 8, 32])];
/// Time of a submission call in which the server preempts the worker. The I/Os of one call share its time.
const CALL_NS: u64 = 250_000;
/// Tolerance for a single I/O: the clocks of server and client are read at different times.
const MOMENT_NS: u64 = 50_000;

pub fn each_engine(test: &str, pattern: &str, program: impl Fn(u32) -> Program) {
    let Some(files) = TimedFiles::mount(test, 1, FILE_BYTES) else { return };
    for (engine, depths) in ENGINES {
        for depth in depths {
            let ios = 200 + 100 * (depth - 1).min(12);
            let job = format!("--ioengine={engine} --rw={pattern} --iodepth={depth} --number_ios={ios}");
            let what = format!("{test}, {job}");
            compare(&files, &what, engine, *depth, || {
                let (reported, ios) = logged(&files, program(*depth), &job);
                let less_ns = if *depth > 1 { CALL_NS } else { MOMENT_NS };
                for (seen, took) in &ios {
                    let is_above = seen + less_ns >= *took;
                    assert!(is_above, "{what}: an I/O of {took} ns was logged with {seen} ns");
                }
                (reported, ios.into_iter().map(|(_, took)| took).collect())
            });
        }
    }
}

/// A job in one direction: the report, the log, and the measurements of the files.
pub fn logged(files: &TimedFiles, program: Program, job: &str) -> (Reported, Vec<(u64, u64)>) {
    files.begin(program);
    let shares = SHARES.map(|share| share.to_string()).join(":");
    let arguments = format!(
        "--name=job --filename={} --size={FILE_BYTES} --direct=1 --bs=4k {job} --output-format=json+ \
         --lat_percentiles=1 --percentile_list={shares} --write_lat_log=job --log_offset=1",
        files.file(0).display()
    );
    let report = fathom_truth::fio(files.beside(), &arguments).assert_success().json();
    let direction = if job.contains("write") { "write" } else { "read" };
    let latency = fio_report::only(&report, direction).lat;
    let served = files.served();
    assert_eq!(latency.count, served.len() as u64, "I/Os reported and I/Os answered");
    let log = fio_log::entries(&files.beside().join("job_lat.1.log"));
    let ios = log.iter().map(|entry| {
        let io = served.iter().find(|io| io.offset == entry.offset).expect("each logged I/O was answered");
        (entry.value, nanoseconds(io))
    });
    let ios: Vec<_> = ios.collect();
    assert_eq!(ios.len(), served.len(), "I/Os logged and I/Os answered");
    (Reported { mean_ns: latency.mean_ns, percentiles_ns: latency.percentiles, step_ns: 1 }, ios)
}
