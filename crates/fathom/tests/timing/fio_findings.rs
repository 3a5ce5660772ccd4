//! What fathom says of a job of fio's that fio doesn't: what an I/O cost, who was the limit, and what makes the figures
//! worthless.

use crate::stage::{Scratch, Throttle, Zram, fathom, outcome, patiently, run, signal};
use serde_json::Value;
use std::process::Child;
use std::time::Duration;

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
    let limit = |job: &Value| job["load_generator"]["limit"].clone();
    assert_eq!((limit(&free), limit(&held)), ("limit".into(), "not_limit".into()), "{free}\n{held}");
    let of = |key: &str| free[key].as_f64().unwrap();
    // One job has at most one CPU.
    let wall_ns_per_io = 1e9 / document["jobs"][0]["read"]["iops"].as_f64().unwrap();
    assert!(of("cpu_ns_per_io") > 1.0 && of("cpu_ns_per_io") < 1.1 * wall_ns_per_io, "{free}");
    assert!((of("cpu_ns_per_io") - of("user_ns_per_io") - of("system_ns_per_io")).abs() < 0.01, "{free}");
    assert_eq!(document["fathom"]["findings"][0]["kind"], "load-generator-limit", "{}", document["fathom"]);

    let told = run(scratch.path(), jobs).ended_with(0).stderr.clone();
    let line = |start: &str| told.lines().any(|line| line.starts_with(start));
    assert!(line("free: CPU time per I/O ") && line("held: CPU time per I/O "), "{told}");
    assert!(told.contains("warning: free: ") && told.contains(" was the limit, not the target"), "{told}");
}

/// A job whose I/Os come whether or not those before are done.
fn open_loop(scratch: &Scratch, rate: u32, runtime: Duration, rest: &str) -> Child {
    let job = "--name=j --rw=randread --bs=4k --time_based --output-format=json";
    let line = format!("{job} --rate_iops={rate} --runtime={}ms {rest}", runtime.as_millis());
    fathom(scratch.path(), &line).spawn().unwrap()
}

/// What a run's document has by way of findings.
fn findings(run: Child) -> Value {
    outcome(run).ended_with(0).json()["fathom"]["findings"].clone()
}

fn found<'a>(findings: &'a Value, id: &str) -> Option<&'a Value> {
    findings.as_array().unwrap().iter().find(|finding| finding["kind"] == id)
}

/// Whether a finding is there, with these words.
fn tells(findings: &Value, id: &str, evidence: &str, advice: &str) -> Result<(), String> {
    let has = |finding: &Value, key: &str, words: &str| finding[key].as_str().unwrap().contains(words);
    let right = |finding: &Value| has(finding, "message", evidence) && has(finding, "advice", advice);
    if found(findings, id).is_some_and(right) {
        return Ok(());
    }
    Err(format!("no {id} with `{evidence}` and `{advice}` in {findings}"))
}

fn is_silent(findings: &Value, ids: &[&str]) -> Result<(), String> {
    match ids.iter().find_map(|id| found(findings, id)) {
        Some(wrong) => Err(format!("nothing was in the way: {wrong}")),
        None => Ok(()),
    }
}

#[test]
fn a_rate_that_the_target_cannot_keep_and_ios_that_come_too_late_are_told_with_who_held_them_up() {
    let Some(zram) = Zram::new(64) else { return };
    let (Some(slow), Some(stalls)) = (Throttle::new(&zram), Throttle::new(&zram)) else { return };
    let scratch = [(); 4].map(|()| Scratch::new("fio-rates"));
    let device = format!("--ioengine=io_uring --iodepth=4 --direct=1 --filename={}", zram.device);
    let null = "--ioengine=null --size=1g --iodepth=16";
    let tried = |times: u32| {
        let runtime = Duration::from_millis(1200) * times;
        [&slow, &stalls].into_iter().for_each(|throttle| throttle.ios_per_s(50));
        let missed = open_loop(&scratch[0], 1000, runtime, &device);
        slow.add_process(missed.id());
        let stalled = open_loop(&scratch[1], 1000, runtime, &device);
        stalls.add_process(stalled.id());
        let stopped = open_loop(&scratch[2], 1000, runtime, null);
        // So few that a busy machine leaves them alone in one of the tries.
        let met = open_loop(&scratch[3], 10, Duration::from_millis(400), null);
        std::thread::sleep(runtime / 3);
        signal(&stopped, "STOP");
        std::thread::sleep(runtime / 6);
        signal(&stopped, "CONT");
        stalls.ios_per_s(0);
        let [missed, stalled, stopped, met] = [missed, stalled, stopped, met].map(findings);
        tells(&missed, "rate-missed", "not submitted", "a larger iodepth")?;
        tells(&stalled, "late-arrivals", "with the queue full", "a larger iodepth")?;
        tells(&stopped, "late-arrivals", "more than 1 ms late", "numjobs")?;
        is_silent(&met, &["rate-missed", "late-arrivals"])
    };
    patiently(tried, Result::is_ok).unwrap();
}

/// Threads that do nothing but keep the first processor busy.
struct Hogs(Child);

impl Hogs {
    fn new(scratch: &Scratch) -> Self {
        let job = "--name=hogs --ioengine=cpuio --cpuload=100 --cpus_allowed=0 --numjobs=4 --time_based --runtime=60";
        Hogs(fathom(scratch.path(), job).spawn().unwrap())
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn threads_that_wait_for_a_processor_are_told_and_those_that_have_one_not() {
    let scratch = [(); 2].map(|()| Scratch::new("fio-busy"));
    let tried = |times: u32| {
        let job = "--ioengine=null --size=1g --cpus_allowed=0";
        let of = |rate, ms| findings(open_loop(&scratch[0], rate, Duration::from_millis(ms), job));
        is_silent(&of(10, 400), &["cpu-wait", "load-generator-limit"])?;
        let hogs = Hogs::new(&scratch[1]);
        let busy = of(200, 1000 * u64::from(times));
        drop(hogs);
        tells(&busy, "cpu-wait", "threads waited for a CPU", "stop other programs")
    };
    patiently(tried, Result::is_ok).unwrap();
}
