//! What fathom says of a job of fio's that fio doesn't: what an I/O cost, who was the limit, and what makes the figures
//! worthless.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod stage;

use stage::{Scratch, run};

#[test]
fn the_cost_of_an_io_and_who_was_the_limit_are_in_the_document_and_beside_the_report() {
    let scratch = Scratch::new("fio-generator");
    let jobs = "--size=1g --bs=4k --time_based --runtime=1 --ioengine=null --iodepth=16 --rw=randread --name=free \
                --name=held --stonewall --rate_iops=1000";
    let ended = run(scratch.path(), &format!("{jobs} --output-format=json"));
    assert_eq!(ended.ended_with(0).stderr, "", "programs take any word there for a failure");
    let document = ended.json();
    let [free, held] = [0, 1].map(|job| {
        let job = document["jobs"][job].as_object().unwrap();
        assert_eq!(job.keys().next_back().unwrap(), "fathom");
        job["fathom"].clone()
    });
    assert_eq!((&free["generator"], &held["generator"]), (&"limit".into(), &"not the limit".into()), "{free}\n{held}");
    let of = |key: &str| free[key].as_f64().unwrap();
    assert!(of("cpu_ns_per_io") > 1.0 && of("cpu_ns_per_io") < 10_000.0, "{free}");
    assert!((of("cpu_ns_per_io") - of("user_ns_per_io") - of("system_ns_per_io")).abs() < 0.01, "{free}");
    assert_eq!(document["fathom"]["findings"][0]["id"], "generator-limit", "{}", document["fathom"]);

    let told = run(scratch.path(), jobs).ended_with(0).stderr.clone();
    let line = |start: &str| told.lines().any(|line| line.starts_with(start));
    assert!(line("free: an I/O took ") && line("held: an I/O took "), "{told}");
    assert!(told.contains("warning: free: the limit was not the target"), "{told}");
}
