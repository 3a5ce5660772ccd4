//! The parts of a latency: submission and completion.

use crate::stage::{Scratch, fathom, outcome};

#[test]
fn total_latency_is_that_of_submission_and_completion() {
    let scratch = Scratch::new("latency-parts");
    for engine in ["libaio", "io_uring", "posixaio"] {
        let job = format!("--name=j --ioengine={engine} --rw=randread --size=1m --bs=4k --iodepth=4");
        let child = fathom(scratch.path(), &format!("{job} --output-format=json")).spawn().unwrap();
        let read = &outcome(child).assert_success().json()["jobs"][0]["read"];
        let mean = |kind: &str| read[kind]["mean"].as_f64().unwrap();
        let ios = |kind: &str| read[kind]["N"].as_u64().unwrap();
        assert_eq!(["slat_ns", "clat_ns", "lat_ns"].map(ios), [256; 3], "{engine}");
        // A call to the kernel takes time. The report rounds means to 1e-6.
        assert!(mean("slat_ns") > 0.0, "{engine}");
        let sum = mean("slat_ns") + mean("clat_ns");
        assert!((mean("lat_ns") - sum).abs() < 1e-5, "{engine}: {} is not {sum}", mean("lat_ns"));
    }
}
