//! Latency targets, depths, batches, pools and CPU jobs of fio's options, on the machine. That they are kept to the I/O is
//! shown on a simulated device, in the tests of `engine`.

use crate::stage::{Scratch, Zram, run};
use serde_json::Value;

/// Runs in a scratch folder.
trait Runs {
    fn report(&self, args: &str) -> Value;
    fn job(&self, args: &str) -> Value;
}

impl Runs for Scratch {
    fn report(&self, args: &str) -> Value {
        run(self.path(), &format!("--output-format=json {args}")).json()
    }

    fn job(&self, args: &str) -> Value {
        self.report(args)["jobs"][0].clone()
    }
}

const NULL: &str = "--name=a --ioengine=null --size=4g --time_based";

fn ios(job: &Value) -> (u64, u64) {
    (job["read"]["total_ios"].as_u64().unwrap(), job["write"]["total_ios"].as_u64().unwrap())
}

#[test]
fn a_latency_target_finds_a_depth_and_reports_that_alone() {
    let scratch = Scratch::new("target");
    let job = format!("{NULL} --runtime=600 --rw=randread --iodepth=8 --latency_window=50ms --latency_percentile=50");
    let found = scratch.job(&format!("{job} --latency_target=1s"));
    let facts = ["latency_depth", "latency_target", "latency_percentile", "latency_window"].map(|key| &found[key]);
    assert_eq!(facts, [&Value::from(8), &1_000_000_000u64.into(), &50.0.into(), &50_000.into()]);
    let runtime_ms = found["job_runtime"].as_u64().unwrap();
    assert!((50..600_000).contains(&runtime_ms), "one window at the depth found: {runtime_ms}");
    let text = run(scratch.path(), &format!("{job} --latency_target=1s")).stdout;
    let line = "     latency   : target=1000.00ms, window=50.00ms, percentile=50.00%, depth=8\n";
    assert!(text.contains(line), "{text}");
    let missed = scratch
        .job("--name=a --ioengine=psync --size=4m --bs=1m --filename=g --latency_target=1us --latency_window=50ms");
    assert_eq!(missed["error"], 110);
    let file = "--name=a --ioengine=psync --size=1m --filename=f --bs=1m --max_latency=1us";
    assert_eq!(scratch.job(file)["error"], 110);
}

#[test]
fn a_pool_submits_for_engines_that_do_their_io_in_the_call() {
    let scratch = Scratch::new("offload");
    let null = scratch.job("--name=a --ioengine=null --size=1m --iodepth=4 --io_submit_mode=offload");
    assert_eq!((&null["error"], ios(&null).0), (&Value::from(0), 256));
    for engine in ["psync", "sync", "pvsync2", "mmap", "libaio", "io_uring"] {
        let args = "--name=a --rw=randrw --size=1m --bs=4k --iodepth=8 --io_submit_mode=offload --filename=f --loops=2";
        let job = scratch.job(&format!("{args} --ioengine={engine}"));
        assert_eq!((&job["error"], ios(&job).0 + ios(&job).1), (&Value::from(0), 512), "{engine}");
        let level = |depth: &str| job["iodepth_level"][depth].as_f64().unwrap();
        assert_ne!(level("1"), 100.0, "{engine}: some are in flight together: {}", job["iodepth_level"]);
    }
    let inline = scratch.job("--name=a --ioengine=psync --size=1m --iodepth=8 --filename=f");
    assert_eq!(inline["iodepth_level"]["1"], 100.0);
}

#[test]
fn depths_and_batches_are_kept() {
    let scratch = Scratch::new("depths");
    let args = "--name=a --ioengine=libaio --size=4m --filename=f --rw=randread --iodepth=16";
    let job = scratch.job(&format!("{args} --iodepth_batch_submit=4 --iodepth_batch_complete_min=4 --iodepth_low=8"));
    assert_eq!(ios(&job).0, 1024);
    let share = |kind: &str, upto: &str| job[kind][upto].as_f64().unwrap();
    // Up to 4 I/Os per submission, and up to 16 in flight.
    assert_eq!(share("iodepth_submit", "4"), 100.0, "{}", job["iodepth_submit"]);
    let deeper = ["32", ">=64"].map(|depth| share("iodepth_level", depth));
    assert!(deeper == [0.0; 2] && share("iodepth_level", "16") > 0.0, "{}", job["iodepth_level"]);
    let all = scratch.job(&format!("{args} --iodepth_batch=16 --iodepth_batch_complete_min=16"));
    assert_eq!(all["iodepth_submit"]["16"], 100.0, "{}", all["iodepth_submit"]);
    assert_eq!(all["iodepth_complete"]["16"], 100.0, "{}", all["iodepth_complete"]);
}

/// Returns the share of I/Os at each depth: 1, 2, 4, 8, 16, 32, 64.
fn levels(job: &Value) -> [f64; 7] {
    ["1", "2", "4", "8", "16", "32", ">=64"].map(|depth| job["iodepth_level"][depth].as_f64().unwrap())
}

#[test]
fn io_depths_are_those_of_the_queue_as_in_fio() {
    let scratch = Scratch::new("levels");
    let zram = Zram::new(16);
    let targets = ["f".to_owned()].into_iter().chain(zram.iter().map(|zram| zram.device.clone()));
    for target in targets {
        let line =
            format!("--name=a --filename={target} --size=16m --bs=4k --direct=1 --rw=randread --number_ios=2000");
        let job = |options: &str| scratch.job(&format!("{line} {options}"));
        for engine in ["libaio", "io_uring", "posixaio"] {
            for (at, depth) in [(0, 1), (3, 8), (6, 64)] {
                let found = levels(&job(&format!("--ioengine={engine} --iodepth={depth}")));
                // The queue fills once.
                assert!(found[at] >= 95.0, "{target} {engine} {depth}: {found:?}");
            }
        }
        let batches = levels(&job("--ioengine=libaio --iodepth=16 --iodepth_batch=4 --iodepth_batch_complete_min=4"));
        assert_eq!(batches, [0.0, 0.0, 0.2, 0.4, 99.4, 0.0, 0.0], "{target}: each batch counts as a whole");
        let low = levels(&job("--ioengine=libaio --iodepth=16 --iodepth_low=4"));
        assert!((24.0..26.0).contains(&low[2]) && (65.0..68.0).contains(&low[3]), "{target}: 4 to 16 in turn: {low:?}");
        for engine in ["psync", "null"] {
            assert_eq!(levels(&job(&format!("--ioengine={engine} --iodepth=8")))[0], 100.0, "{target} {engine}");
        }
        // Without a rate one of 200 I/Os has no other in flight. After a time without a CPU the queue is full for a while.
        let slow =
            levels(&job("--ioengine=libaio --iodepth=16 --rate_iops=500 --rate_process=poisson --number_ios=200"));
        assert!(slow[0] > 5.0, "{target}: the rate keeps the queue short: {slow:?}");
    }
}

#[test]
fn cpu_jobs_end_with_the_last_io_job_if_requested_and_idleness_is_reported() {
    let scratch = Scratch::new("cpu");
    let args = "--name=io --ioengine=null --size=4g --time_based --runtime=300ms \
        --name=c --ioengine=cpuio --cpuload=5 --cpuchunks=1000 --runtime=600 --exit_on_io_done=1";
    let report = scratch.report(&format!("--idle-prof=percpu {args}"));
    let runtime_ms = report["jobs"][1]["job_runtime"].as_u64().unwrap();
    assert!((1..600_000).contains(&runtime_ms), "the thread may start after that of the other job: {runtime_ms}");
    let idleness = report["cpu_idleness"].as_object().unwrap();
    assert!(idleness.contains_key("system") && idleness.contains_key("cpu-0"), "{idleness:?}");
    assert!(idleness.values().all(|share| (0.0..=100.0).contains(&share.as_f64().unwrap())), "{idleness:?}");
    let text = run(scratch.path(), &format!("--idle-prof=system {args}")).stdout;
    assert!(text.contains("\nCPU idleness:\n  system: "), "{text}");
}
