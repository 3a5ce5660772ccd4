//! Known latencies, measured with fio jobs that log each I/O. That the figures of a report are those of its log is shown in
//! `tests/figures`.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use fathom_truth::slots::Slots;
use fathom_truth::timed_files::{Program, Served, TimedFiles};
use fathom_truth::{fio_log, fio_report};

use super::{FILE_BYTES, is_within, nanoseconds};

/// Engines and the tested depths.
const ENGINES: [(&str, &[usize]); 3] = [("psync", &[1]), ("libaio", &[1, 32]), ("io_uring", &[8])];

pub fn each_engine(test: &str, pattern: &str, program: impl Fn(u32) -> Program) {
    let Some(files) = TimedFiles::mount(test, 1, FILE_BYTES) else { return };
    for (engine, depths) in ENGINES {
        for depth in depths {
            let ios = 200 + 100 * (depth - 1).min(12);
            let job = format!("--ioengine={engine} --rw={pattern} --iodepth={depth} --number_ios={ios}");
            files.begin(program(*depth as u32));
            let arguments = format!(
                "--name=job --filename={} --size={FILE_BYTES} --direct=1 --bs=4k {job} --output-format=json \
                 --write_lat_log=job --log_offset=1",
                files.file(0).display()
            );
            let report = fathom_truth::fio(files.beside(), &arguments).assert_success().json();
            let direction = fio_report::only(&report, pattern.trim_start_matches("rand"));
            let served = files.served();
            assert_eq!((direction.ios, served.len()), (ios as u64, ios), "{job}: I/Os reported and I/Os answered");
            let apart = assert_latencies(&job, files.beside(), &served, *depth);
            println!("{test}, {job}: each latency is within bounds that are {apart:?} apart on average");
        }
    }
}

/// Compares each latency in the log with its bounds. Returns the mean distance of the bounds.
fn assert_latencies(job: &str, folder: &Path, served: &[Served], depth: usize) -> Duration {
    let served_at: HashMap<u64, &Served> = served.iter().map(|request| (request.offset, request)).collect();
    let completed = fio_log::entries(&folder.join("job_lat.1.log"));
    // A synchronous engine has no time of submission: it submits in the order of completion.
    let submitted = fio_log::entries(&folder.join("job_slat.1.log"));
    let is_synchronous = submitted.is_empty();
    let submitted = if is_synchronous { &completed } else { &submitted };
    assert_eq!(
        (completed.len(), submitted.len()),
        (served.len(), served.len()),
        "{job}: I/Os logged and I/Os answered"
    );
    let nth_submitted: HashMap<u64, usize> = (0..).zip(submitted).map(|(nth, entry)| (entry.offset, nth)).collect();
    let slots = Slots::of(served, depth);
    let mut apart = Vec::new();
    for (nth, entry) in completed.iter().enumerate() {
        let request = served_at.get(&entry.offset).expect("each logged I/O was answered");
        let nth_submitted = nth_submitted[&entry.offset];
        // The I/Os of one call share its time: an I/O can start as much later as those before it took.
        let call = &submitted[(nth_submitted + 1).saturating_sub(depth)..nth_submitted];
        let call_ns: u64 = call.iter().filter(|_| !is_synchronous).map(|entry| entry.value).sum();
        let least_ns = nanoseconds(request).saturating_sub(call_ns);
        let most = match (slots.earliest_start(nth_submitted), slots.latest_completion(nth)) {
            (Some(start), Some(completion)) => completion.saturating_sub(start),
            _ => Duration::MAX,
        };
        let most_ns = most.as_nanos() as u64;
        assert!(
            is_within(entry.value as f64, least_ns as f64, most.as_secs_f64() * 1e9),
            "{job}: an I/O of {least_ns} ns to {most_ns} ns was logged with {} ns",
            entry.value
        );
        if most < Duration::MAX {
            apart.push(most_ns - least_ns);
        }
    }
    Duration::from_nanos(fathom_truth::arithmetic::mean(&apart) as u64)
}
