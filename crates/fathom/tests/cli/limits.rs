//! Extreme numbers of jobs, files, depth, memory, descriptors, and combinations of options. A run works or reports what
//! is missing. It never panics, aborts or hangs.

use crate::stage::{Mount, Outcome, Scratch, fathom, interrupted, outcome, run, wait_for_work};
use serde_json::Value;
use std::process::Command;

#[test]
fn many_jobs_run_together() {
    let scratch = Scratch::new("jobs");
    for jobs in [64, 256, 1000] {
        let job = format!("--name=a --ioengine=null --rw=randread --bs=4k --size=1m --numjobs={jobs}");
        let ended = run(scratch.path(), &format!("{job} --group_reporting --output-format=json"));
        ended.ended_with(0);
        assert_eq!(ended.json()["jobs"][0]["read"]["total_ios"], 256 * jobs);
    }
}

#[test]
fn many_jobs_stop_at_once() {
    let scratch = Scratch::new("stop");
    let job = "--name=a --ioengine=null --rw=read --size=1g --numjobs=200 --thinktime=1ms --time_based --runtime=600";
    let arguments = format!("{job} --group_reporting --output-format=json");
    let child = fathom(scratch.path(), &arguments).spawn().unwrap();
    wait_for_work(&child, 2000);
    let stopped = interrupted(child, &["INT"]);
    assert!(stopped.ended_with(128).json()["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 200);
}

#[test]
fn many_files_and_few_open_ones() {
    let scratch = Scratch::new("files");
    let job =
        "--name=a --nrfiles=500 --filesize=4k --rw=randrw --bs=4k --ioengine=psync --create_fsync=0 --openfiles=20";
    let ended = run(scratch.path(), &format!("{job} --output-format=json"));
    ended.ended_with(0);
    let job = &ended.json()["jobs"][0];
    assert_eq!(job["read"]["total_ios"].as_u64().unwrap() + job["write"]["total_ios"].as_u64().unwrap(), 500);
}

/// Runs under a limit of the shell's `ulimit`.
fn limited(scratch: &Scratch, limit: &str, arguments: &str) -> Outcome {
    let run = fathom(scratch.path(), arguments);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit {limit} && exec \"$0\" \"$@\"")).arg(run.get_program()).args(run.get_args());
    shell.current_dir(scratch.path()).env_remove("RUST_BACKTRACE");
    shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    outcome(shell.spawn().unwrap())
}

#[test]
fn missing_descriptors_are_reported_with_help() {
    let scratch = Scratch::new("descriptors");
    let job = "--name=a --nrfiles=200 --filesize=4k --rw=read --bs=4k --ioengine=psync --create_fsync=0";
    limited(&scratch, "-n 40", job).ended_with(1).complained_of("Too many open files").complained_of("openfiles=");
    limited(&scratch, "-n 40", &format!("{job} --openfiles=8")).ended_with(0);
    // The soft limit is raised to the hard limit.
    limited(&scratch, "-S -n 40", job).ended_with(0);
}

#[test]
fn missing_memory_is_reported() {
    let scratch = Scratch::new("memory");
    for job in [
        "--rw=read --size=1t --bs=2g --iodepth=4096 --ioengine=null",
        "--rw=read --size=1t --bs=64g --ioengine=null",
        "--rw=randread --size=8e --bs=512 --ioengine=null --number_ios=10",
        "--rw=read --size=100p --bs=1m --filename=f",
        "--rw=write --size=4m --bs=4k --ioengine=libaio --iodepth=1000000 --filename=f",
    ] {
        let ended = run(scratch.path(), &format!("--name=a {job} --runtime=1"));
        assert!(matches!(ended.code, Some(0 | 1)), "{job}: {:?}\n{}", ended.code, ended.stderr);
        assert!(ended.code == Some(0) || !ended.stderr.is_empty(), "{job}");
        assert!(!ended.stderr.contains("panicked"), "{job}: {}", ended.stderr);
    }
    let block = "--name=a --rw=read --size=200m --bs=200m --filename=f";
    limited(&scratch, "-v 200000", block).ended_with(1).complained_of("the limit of the address space");
    let map = "--name=a --rw=randread --size=1t --bs=512 --ioengine=null --number_ios=10";
    limited(&scratch, "-v 200000", map).ended_with(1).complained_of("random map");
    assert_eq!(scratch.names(), Vec::<String>::new());
}

#[test]
fn the_deepest_queues_work() {
    let scratch = Scratch::new("depth");
    for engine in ["null", "io_uring", "libaio", "posixaio"] {
        let job = format!("--name=a --ioengine={engine} --iodepth=4096 --rw=randread --bs=4k --size=32m --filename=f");
        let ended = run(scratch.path(), &format!("{job} --output-format=json"));
        if ended.code != Some(0) && ended.stderr.contains("aio-max-nr") {
            crate::stage::skipped(&ended.stderr);
            continue;
        }
        ended.ended_with(0);
        assert_eq!(ended.json()["jobs"][0]["read"]["total_ios"], 8192, "{engine}");
    }
}

/// Options with values that are valid individually, but hardly together.
const OPTIONS: &[(&str, &[&str])] = &[
    ("rw", &["read", "write", "randrw", "randwrite", "trim", "randtrim", "trimwrite", "read:4k", "randrw:3", "rw"]),
    ("bs", &["1", "512", "3", "4097", "64k", "4k,8k", "16k-1m"]),
    ("bsrange", &["1-4k", "512-64k", "1k-3k,2k-8k"]),
    ("bssplit", &["4k/50:8k/50", "512/10:1m/", "4k/0:8k/0"]),
    ("bs_unaligned", &["0", "1"]),
    ("blockalign", &["1", "512", "1m"]),
    ("io_size", &["1", "4k", "50%", "3m"]),
    ("offset", &["0", "1", "4k", "50%", "3m"]),
    ("offset_increment", &["0", "4097", "10%"]),
    ("number_ios", &["0", "1", "1000"]),
    ("numjobs", &["1", "3"]),
    ("nrfiles", &["1", "3", "17"]),
    ("openfiles", &["1", "2"]),
    ("file_service_type", &["random", "roundrobin", "sequential", "zipf:1.2", "pareto:0.3", "normal:50"]),
    ("iodepth", &["1", "2", "16", "256"]),
    ("iodepth_low", &["0", "1", "100"]),
    ("iodepth_batch", &["0", "1", "5", "1000"]),
    ("iodepth_batch_complete_min", &["0", "1", "7", "1000"]),
    ("iodepth_batch_complete_max", &["0", "1", "7", "1000"]),
    ("io_submit_mode", &["inline", "offload"]),
    ("rate", &["1", "4k", "100m,1k"]),
    ("rate_iops", &["1", "10", "100000"]),
    ("rate_process", &["linear", "poisson"]),
    ("rate_min", &["1", "1g"]),
    ("rate_cycle", &["0", "10"]),
    ("thinktime", &["0", "1us", "100ms"]),
    ("thinktime_spin", &["0", "1us", "100ms"]),
    ("thinktime_blocks", &["0", "1", "100"]),
    ("thinktime_iotime", &["0", "10ms"]),
    ("latency_target", &["1us", "1s"]),
    ("latency_window", &["1us", "10ms"]),
    ("latency_percentile", &["50", "100"]),
    ("max_latency", &["1us", "1s"]),
    ("ramp_time", &["0", "50ms", "1s"]),
    ("startdelay", &["0", "50ms"]),
    ("loops", &["0", "3"]),
    (
        "random_distribution",
        &["zipf:1.1", "zipf:5:0.3", "pareto:0.9", "normal:20", "zoned:60/10:40/90", "zoned_abs:50/1t:50/1"],
    ),
    ("percentage_random", &["0", "50", "10,90"]),
    ("random_generator", &["lfsr", "tausworthe64"]),
    ("norandommap", &["0", "1"]),
    ("randrepeat", &["0", "1"]),
    ("rwmixread", &["0", "1", "100"]),
    ("fsync", &["1", "7"]),
    ("sync_file_range", &["write:4", "wait_before,write:2"]),
    ("end_fsync", &["1"]),
    ("zonemode", &["strided"]),
    ("zonesize", &["4k", "1m"]),
    ("zonerange", &["4k", "1m"]),
    ("zoneskip", &["0", "4k", "1m"]),
    ("buffer_compress_percentage", &["50", "100"]),
    ("buffer_pattern", &["0xdeadbeef", "-10"]),
    ("dedupe_percentage", &["50", "100"]),
    ("dedupe_mode", &["working_set"]),
    ("mem", &["mmap", "shm", "mmapshared"]),
    ("gtod_reduce", &["1"]),
    ("unified_rw_reporting", &["mixed", "both"]),
    ("write_lat_log", &["log"]),
    ("log_avg_msec", &["10"]),
    ("overwrite", &["1"]),
    ("create_on_open", &["1"]),
    ("create_only", &["1"]),
    ("continue_on_error", &["all"]),
];
const ENGINES: [&str; 12] = [
    "null",
    "psync",
    "vsync",
    "pvsync2",
    "mmap",
    "posixaio",
    "libaio",
    "io_uring",
    "ftruncate",
    "falloc",
    "filecreate",
    "filestat",
];

/// A random generator with a seed, so that a failure is reproducible.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

const COMBINATIONS: usize = 60;

#[test]
fn no_combination_of_options_panics_or_hangs() {
    let scratch = Scratch::new("options");
    let Some(_mount) = Mount::tmpfs(64, &scratch.file("t")) else { return };
    let place = scratch.file("t");
    let mut dice = Dice(20_261_121);
    let mut finished = 0;
    for _ in 0..COMBINATIONS {
        let engine = ENGINES[dice.throw(ENGINES.len())];
        let mut job = format!("--name=a --ioengine={engine} --runtime=100ms");
        job += [" --size=1m", " --size=64k", " --size=4097", " --size=1m --time_based"][dice.throw(4)];
        for _ in 0..dice.throw(6) {
            let (option, values) = OPTIONS[dice.throw(OPTIONS.len())];
            job += &format!(" --{option}={}", values[dice.throw(values.len())]);
        }
        let ended = run(&place, &format!("{job} --output-format=json"));
        assert!(!ended.stderr.contains("panicked"), "{job}\n{}", ended.stderr);
        assert!(matches!(ended.code, Some(0..=3)), "{job}: {:?}\n{}", ended.code, ended.stderr);
        if ended.code == Some(0) {
            finished += 1;
            assert!(matches!(ended.json()["jobs"], Value::Array(_)), "{job}");
        }
        for name in std::fs::read_dir(&place).unwrap() {
            std::fs::remove_file(name.unwrap().path()).unwrap();
        }
    }
    assert!(finished > 10, "only {finished} runs finished");
}
