//! The latency that a report shows, and the latency that the block layer saw in the same run. The block layer's part of an I/O
//! is shorter than the whole I/O. By Little's law the mean cannot be longer than the queue depth allows. Both hold on any
//! machine. `cargo bench -p fathom-truth` prints how far the two are apart, beside fio's.

use fathom_truth::arithmetic::{fio_bin, mean, percentile};
use fathom_truth::block_trace::{BlockTrace, Seen};
use fathom_truth::fio_report::{self, Direction};
use harness::{Loop, Scratch, Zram};

const ENGINES: [&str; 3] = ["libaio", "io_uring", "posixaio"];
const DEPTHS: [u64; 3] = [1, 8, 64];
const IOS: u64 = 1000;
const SHARES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];
/// Resolution of the trace's times, and one bin of the report's histogram in 128.
const STEP_NS: f64 = 2000.0;
/// `runtime` is in whole milliseconds.
const RUNTIME_STEP_MS: u64 = 1;

/// Checks a run. An I/O shares the time of its submission call with at most 15 others.
fn assert_between(what: &str, direction: &Direction, seen: &[Seen], depth: u64) {
    assert_eq!((direction.ios, seen.len() as u64), (IOS, IOS), "{what}: I/Os reported and seen by the block layer");
    let seen_ns: Vec<u64> = seen.iter().map(|io| (io.answered - io.arrived).as_nanos() as u64).collect();
    let call_ns = direction.slat.max_ns as f64 * (depth.min(16) - 1) as f64;
    let reported = &direction.lat;
    let most_ns = (depth * (direction.runtime_ms + RUNTIME_STEP_MS)) as f64 * 1e6 / IOS as f64;
    let least_ns = mean(&seen_ns) - call_ns - STEP_NS;
    assert!(
        (least_ns..=most_ns).contains(&reported.mean_ns),
        "{what}: a mean of {least_ns} ns to {most_ns} ns was reported as {} ns",
        reported.mean_ns
    );
    for share in SHARES {
        let least_ns = fio_bin(percentile(&seen_ns, share)).0 as f64 - call_ns - STEP_NS;
        let percentile_ns = reported.percentile_ns(share) as f64;
        assert!(
            percentile_ns >= least_ns,
            "{what}: a {share}th percentile above {least_ns} ns was reported as {percentile_ns}"
        );
    }
}

/// Reads a device with each engine and depth.
fn check_device(test: &str, path: &str, number: &str) {
    let scratch = Scratch::new(test);
    for engine in ENGINES {
        for depth in DEPTHS {
            let line = format!(
                "--name=j --filename={path} --direct=1 --ioengine={engine} --iodepth={depth} --rw=randread --bs=4k \
                 --size=32m --number_ios={IOS} --clat_percentiles=0 --lat_percentiles=1 --output-format=json"
            );
            let Some(trace) = BlockTrace::start(number) else { return };
            let report = fathom_truth::fio(scratch.path(), &line).assert_success().json();
            let seen = trace.end(8);
            assert_between(
                &format!("{test}, {engine}, depth {depth}"),
                &fio_report::only(&report, "read"),
                &seen,
                depth,
            );
        }
    }
}

#[test]
fn of_a_zram_device_is_that_of_the_block_layer_or_longer() {
    let Some(device) = Zram::new(32) else { return };
    check_device("latency-zram", &device.device, &device.number());
}

#[test]
fn of_a_loop_device_is_that_of_the_block_layer_or_longer() {
    let scratch = Scratch::new("latency-loop-image");
    let Some(device) = Loop::new(&scratch, 32, "--direct-io=on") else { return };
    check_device("latency-loop", &device.device, &device.number());
}
