//! What pauses take of the machine. That they are kept to the I/O is shown on a simulated device, in the tests of `engine`.

use crate::stage::{Scratch, patiently, run};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs a job in a scratch folder.
fn job(scratch: &Scratch, args: &str) -> Value {
    run(scratch.path(), &format!("--output-format=json {NULL} {args}")).json()["jobs"][0].clone()
}

const NULL: &str = "--name=a --ioengine=null --size=4g --time_based";

fn ios(job: &Value) -> (u64, u64) {
    (job["read"]["total_ios"].as_u64().unwrap(), job["write"]["total_ios"].as_u64().unwrap())
}

/// I/Os of half a second with these args, or of longer where they are not `enough`.
fn ios_in_time(scratch: &Scratch, args: &str, enough: impl Fn((u64, u64), u64) -> bool) -> ((u64, u64), u64) {
    let once = |times: u32| {
        let runtime_ms = 500 * times;
        (ios(&job(scratch, &format!("--runtime={runtime_ms}ms {args}"))), u64::from(times))
    };
    patiently(once, |(ios, times)| enough(*ios, *times))
}

#[test]
fn a_spinning_pause_uses_the_cpu_and_a_sleeping_one_does_not() {
    let scratch = Scratch::new("pauses");
    let used = |more: &str| -> f64 {
        let job = job(&scratch, &format!("--runtime=300ms --thinktime=20ms {more}"));
        job["usr_cpu"].as_f64().unwrap()
    };
    // Either has little of a busy machine.
    let shows = |used: &[f64; 2]| used[0] > 1.0 && used[0] > 5.0 * used[1];
    let used = patiently(|_| ["--thinktime_spin=20ms", ""].map(used), shows);
    assert!(shows(&used), "spinning and sleeping: {used:?}");
}

#[test]
fn short_pauses_are_short() {
    let scratch = Scratch::new("short");
    // A thread with the kernel's default timer slack sleeps for 50 µs longer than requested.
    let sleeps_per_half_second = || {
        let start = Instant::now();
        let sleeps = std::iter::repeat_with(|| std::thread::sleep(Duration::from_micros(10)));
        5 * sleeps.take_while(|()| start.elapsed() < Duration::from_millis(100)).count() as u64
    };
    let is_short = |(read, _), times: u64| read > sleeps_per_half_second() * times * 5 / 4;
    let (read, times) = ios_in_time(&scratch, "--thinktime=10", is_short);
    assert!(is_short(read, times), "{read:?} I/Os in {times} half seconds: a plain thread sleeps as often");
}
