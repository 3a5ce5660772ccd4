//! CPU time and timers of pauses. That pauses have their length is tested on a simulated device, in `engine`.

use std::path::Path;

use crate::stage::{Scratch, fathom, interrupted, outcome, wait_for_work, with_realtime_priority};

const NULL: &str = "--name=a --ioengine=null --size=4g --time_based";

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn a_spinning_pause_uses_the_cpu_and_a_sleeping_one_does_not() {
    let scratch = Scratch::new("pauses");
    let used = |more: &str| -> f64 {
        let line = format!("--output-format=json {NULL} --runtime=300ms --thinktime=20ms {more}");
        let run = with_realtime_priority(fathom(scratch.path(), &line)).spawn().unwrap();
        let job = outcome(run).json()["jobs"][0].clone();
        job["usr_cpu"].as_f64().unwrap() + job["sys_cpu"].as_f64().unwrap()
    };
    let (spinning, sleeping) = (used("--thinktime_spin=20ms"), used(""));
    assert!(spinning > 5.0 * sleeping, "CPU time of spinning and sleeping: {spinning} %, {sleeping} %");
}

/// With the kernel's default a thread sleeps for 50 µs longer than requested.
#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn workers_have_a_short_timer_slack() {
    let scratch = Scratch::new("short");
    let child = fathom(scratch.path(), &format!("{NULL} --runtime=600 --thinktime=10")).spawn().unwrap();
    wait_for_work(&child, 100);
    let process = format!("/proc/{}", child.id());
    let workers = std::fs::read_dir(format!("{process}/task")).unwrap().map(|thread| thread.unwrap().path());
    let is_worker = |thread: &Path| std::fs::read_to_string(thread.join("comm")).unwrap() == "a\n";
    let worker = workers.into_iter().find(|thread| is_worker(thread)).unwrap();
    let id = worker.file_name().unwrap().to_str().unwrap();
    let slack_ns: u64 = std::fs::read_to_string(format!("/proc/{id}/timerslack_ns")).unwrap().trim().parse().unwrap();
    interrupted(child, &["INT"]).ended_with(128);
    assert!(slack_ns <= 1000, "{slack_ns} ns");
}
