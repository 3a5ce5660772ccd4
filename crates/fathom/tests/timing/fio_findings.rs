//! Additions of fathom to the report of a fio job: CPU time per I/O, the load generator as limit, and confounders.

use crate::stage::{Outcome, Scratch, Throttle, Zram, fathom, outcome, signal, wait_for_work, with_realtime_priority};
use serde_json::Value;
use std::process::{Child, Command};
use std::time::Duration;

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn cpu_time_per_io_and_the_limit_are_in_the_json_report_and_in_messages() {
    let scratch = Scratch::new("fio-generator");
    let jobs = "--size=1g --bs=4k --time_based --runtime=1 --ioengine=null --iodepth=16 --rw=randread --name=free \
                --name=held --stonewall --rate_iops=1000";
    let run =
        |line: &str| -> Outcome { outcome(with_realtime_priority(fathom(scratch.path(), line)).spawn().unwrap()) };
    let ended = run(&format!("{jobs} --output-format=json"));
    assert_eq!(ended.ended_with(0).stderr, "", "programs read any text there as a failure");
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

    let messages = run(&format!("{jobs} --findings=always")).ended_with(0).stderr.clone();
    let line = |start: &str| messages.lines().any(|line| line.starts_with(start));
    assert!(line("free: CPU time per I/O ") && line("held: CPU time per I/O "), "{messages}");
    assert!(messages.contains("warning: free: ") && messages.contains(" was the limit, not the target"), "{messages}");
}

/// Returns a job whose I/Os have intended starts.
fn open_loop(scratch: &Scratch, rate: u32, runtime: Duration, rest: &str) -> Command {
    let job = "--name=j --rw=randread --bs=4k --time_based --output-format=json";
    fathom(scratch.path(), &format!("{job} --rate_iops={rate} --runtime={}ms {rest}", runtime.as_millis()))
}

/// Returns the findings in the JSON report of a run.
fn findings(run: Child) -> Value {
    outcome(run).ended_with(0).json()["fathom"]["findings"].clone()
}

/// Checks for a finding with these parts of its message and advice.
fn assert_reports(findings: &Value, id: &str, message: &str, advice: &str) {
    let has = |finding: &Value, key: &str, part: &str| finding[key].as_str().unwrap().contains(part);
    let mut of_kind = findings.as_array().unwrap().iter().filter(|finding| finding["kind"] == id);
    let found = of_kind.any(|finding| has(finding, "message", message) && has(finding, "advice", advice));
    assert!(found, "no {id} with `{message}` and `{advice}` in {findings}");
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn missed_rates_and_late_ios_are_reported_with_their_cause() {
    let Some(zram) = Zram::new(64) else { return };
    let (Some(slow), Some(stalls)) = (Throttle::new(&zram), Throttle::new(&zram)) else { return };
    let scratch = [(); 3].map(|()| Scratch::new("fio-rates"));
    let device = format!("--ioengine=io_uring --iodepth=4 --direct=1 --filename={}", zram.device);
    let runtime = Duration::from_secs(2);
    [&slow, &stalls].into_iter().for_each(|throttle| throttle.ios_per_s(50));
    let job = |at: usize, target: &str| with_realtime_priority(open_loop(&scratch[at], 1000, runtime, target));
    let missed = slow.confine(&job(0, &device)).spawn().unwrap();
    // Ends when the job has caught up: all I/Os that are due are issued.
    let catches_up = "--time_based=0 --runtime=60s --number_ios=2000";
    let stalled = job(1, &format!("{device} {catches_up}"));
    let stalled = stalls.confine(&stalled).spawn().unwrap();
    let stopped = job(2, &format!("--ioengine=null --size=1g --iodepth=16 {catches_up}")).spawn().unwrap();
    wait_for_work(&stopped, 100);
    signal(&stopped, "STOP");
    std::thread::sleep(Duration::from_millis(300));
    signal(&stopped, "CONT");
    stalls.ios_per_s(0);
    let [missed, stalled, stopped] = [missed, stalled, stopped].map(findings);
    assert_reports(&missed, "rate-missed", "not submitted", "a larger iodepth");
    assert_reports(&stalled, "late-arrivals", "with the queue full", "a larger iodepth");
    assert_reports(&stopped, "late-arrivals", "more than 1 ms late", "numjobs");
}

/// Threads that do nothing but keep the first CPU busy.
struct Hogs(Child);

impl Hogs {
    fn new(scratch: &Scratch) -> Self {
        let job = "--name=hogs --ioengine=cpuio --cpuload=100 --cpus_allowed=0 --numjobs=4 --time_based --runtime=60";
        let hogs = fathom(scratch.path(), job).spawn().unwrap();
        wait_for_work(&hogs, 10);
        Hogs(hogs)
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
#[ignore = "needs an idle CPU: run by cargo xtask ci"]
fn threads_that_wait_for_a_cpu_are_reported() {
    let scratch = [(); 2].map(|()| Scratch::new("fio-busy"));
    let _hogs = Hogs::new(&scratch[1]);
    // The hogs come first.
    let job = "--ioengine=null --size=1g --cpus_allowed=0 --nice=10";
    let busy = findings(open_loop(&scratch[0], 200, Duration::from_secs(1), job).spawn().unwrap());
    assert_reports(&busy, "cpu-wait", "threads waited for a CPU", "stop other programs");
}
