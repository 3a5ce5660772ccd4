//! Options about jobs, their order, ends, errors and commands work as in fio. The figures are those of fio 3.42 for the
//! same arguments.

use crate::stage::{Scratch, run};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs in a scratch folder.
trait Runs {
    /// Returns the jobs of a run's report, and its standard error.
    fn jobs(&self, arguments: &str) -> (Vec<Value>, String);
}

impl Runs for Scratch {
    fn jobs(&self, arguments: &str) -> (Vec<Value>, String) {
        let ended = run(self.path(), &format!("--output-format=json {arguments}"));
        (ended.json()["jobs"].as_array().unwrap().clone(), ended.stderr)
    }
}

fn reads(job: &Value) -> u64 {
    job["read"]["total_ios"].as_u64().unwrap()
}

fn runtime_ms(job: &Value) -> u64 {
    job["job_runtime"].as_u64().unwrap()
}

#[test]
fn loops_number_ios_and_io_size_end_jobs_where_fio_does() {
    let scratch = Scratch::new("counts");
    for (arguments, ios) in [
        ("--number_ios=10", 10),
        ("--number_ios=10 --loops=3", 30),
        ("--number_ios=1000", 256),
        ("--number_ios=1000 --io_size=10m --iodepth=8", 1000),
        ("--loops=3", 768),
        ("--io_size=2500k", 625),
        ("--io_size=2500k --loops=2", 768),
        ("--io_size=50%", 128),
        ("--runtime=1", 256),
        ("--numjobs=3 --group_reporting", 768),
    ] {
        let (jobs, _) = scratch.jobs(&format!("--name=a --ioengine=null --size=1m {arguments}"));
        assert_eq!(jobs.iter().map(reads).sum::<u64>(), ios, "{arguments}");
    }
}

#[test]
fn one_exitall_ends_the_group_of_the_first_job_that_ends() {
    let scratch = Scratch::new("exitall");
    let times = |arguments: &str| scratch.jobs(&format!("--ioengine=null --size=1g --time_based {arguments}")).0;
    let jobs = times("--name=a --runtime=200ms --name=b --runtime=60 --exitall");
    assert!(runtime_ms(&jobs[1]) < 20_000, "exitall of one job ends all");
    let jobs = times("--name=a --runtime=200ms --exitall --name=b --new_group --runtime=1");
    assert!(runtime_ms(&jobs[1]) >= 1000, "another group continues");
    let jobs = times("--name=a --runtime=200ms --exitall --exit_what=all --name=b --new_group --runtime=60");
    assert!(runtime_ms(&jobs[1]) < 20_000);
}

#[test]
fn jobs_wait_for_one_another_and_are_grouped_as_in_fio() {
    let scratch = Scratch::new("order");
    let began = Instant::now();
    let arguments = "--ioengine=null --size=1g --time_based --runtime=300ms --name=a --name=b --new_group --name=c --stonewall \
        --name=d --wait_for=c --name=e --startdelay=100ms";
    let (jobs, _) = scratch.jobs(arguments);
    assert!(began.elapsed() >= Duration::from_millis(900), "three times 300 ms");
    let groups: Vec<u64> = jobs.iter().map(|job| job["groupid"].as_u64().unwrap()).collect();
    assert_eq!(groups, [0, 1, 2, 2, 2]);
    let starts: Vec<u64> = jobs.iter().map(|job| job["job_start"].as_u64().unwrap()).collect();
    assert!(starts[2] >= starts[0] + 300 && starts[3] >= starts[2] + 300, "{starts:?}");
}

#[test]
fn ignored_errors_continue_the_job_and_are_dumped() {
    let scratch = Scratch::new("errors");
    let full = "--name=a --ioengine=psync --filename=/dev/full --size=40k --rw=write";
    let (jobs, message) = scratch.jobs(&format!("{full} --ignore_error=,ENOSPC --error_dump=1"));
    assert_eq!((&jobs[0]["total_err"], &jobs[0]["first_error"]), (&Value::from(10), &Value::from(28)));
    let line = "fio: io_u error on file /dev/full: No space left on device: write offset=36864, buflen=4096";
    assert!(message.lines().count() == 10 && message.contains(line), "{message}");
    let (_, message) = scratch.jobs(&format!("{full} --ignore_error=,ENOSPC"));
    assert_eq!(message, "");
    // ENOSPC is not an error for `continue_on_error`.
    let (jobs, _) = scratch.jobs(&format!("{full} --continue_on_error=all"));
    assert_eq!((&jobs[0]["total_err"], &jobs[0]["error"]), (&Value::from(1), &Value::from(28)));
    let (jobs, message) = scratch.jobs(&format!("{full} --fill_device=1"));
    assert_eq!((&jobs[0]["error"], message.as_str()), (&Value::from(0), ""));
}

#[test]
fn the_exit_code_counts_the_workers_that_failed() {
    let scratch = Scratch::new("code");
    let full = "--ioengine=psync --filename=/dev/full --size=40k --rw=write --create_serialize=0";
    assert_eq!(run(scratch.path(), &format!("{full} --name=a --numjobs=3")).code, Some(3));
    assert_eq!(run(scratch.path(), &format!("{full} --name=a --rw=read")).code, Some(0));
}

#[test]
fn commands_run_before_and_after_a_job_and_their_output_is_saved() {
    let scratch = Scratch::new("exec");
    let job = "--name=a --ioengine=null --size=40k";
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["fio", "--exec_prerun=echo before", "--exec_postrun=echo after; false"])
        .args(job.split(' '))
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "a failed command after the job is not an error of the job");
    let message = String::from_utf8(output.stdout).unwrap();
    for line in ["a : Saving output of prerun in a.prerun.txt\n", "a : Saving output of postrun in a.postrun.txt\n"] {
        assert!(message.contains(line), "{message}");
    }
    let kept = |when: &str| std::fs::read_to_string(scratch.file(&format!("a.{when}.txt"))).unwrap();
    assert_eq!((kept("prerun").as_str(), kept("postrun").as_str()), ("before\n", "after\n"));
    let (jobs, _) = scratch.jobs(&format!("{job} --exec_prerun=false"));
    assert_eq!((reads(&jobs[0]), &jobs[0]["error"]), (0, &Value::from(5)));
}

/// The command before a job inherits the settings of the job's thread.
#[test]
fn cpus_niceness_and_thread_names_are_set() {
    let scratch = Scratch::new("process");
    let printed = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        let prerun = "--exec_prerun=nice; grep Cpus_allowed_list /proc/self/status; ionice 2>&1";
        command.args(["fio", "--name=a", "--ioengine=null", "--size=4k", prerun]).args(arguments);
        assert!(command.current_dir(scratch.path()).output().unwrap().status.success(), "{arguments:?}");
        std::fs::read_to_string(scratch.file("a.prerun.txt")).unwrap()
    };
    let plain = printed(&["--nice=3", "--cpus_allowed=0"]);
    assert!(plain.starts_with("3\nCpus_allowed_list:\t0\n"), "{plain}");
    assert!(printed(&["--cpumask=1"]).contains("Cpus_allowed_list:\t0\n"));
    assert!(printed(&["--cpus_allowed=0-3", "--cpus_allowed_policy=split"]).contains("Cpus_allowed_list:\t0\n"));
    let prio = printed(&["--prioclass=2", "--prio=6"]);
    assert!(prio.contains("best-effort: prio 6") || prio.contains("not found"), "{prio}");
}

#[test]
fn a_prerun_comes_after_the_start_delay() {
    let scratch = Scratch::new("prerun-delay");
    let unix_ms = || std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() as u64;
    let before_ms = unix_ms();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.args(["fio", "--ioengine=null", "--size=40k", "--name=b", "--startdelay=300ms"]);
    command.arg("--exec_prerun=date +%s%3N").current_dir(scratch.path());
    assert!(command.output().unwrap().status.success());
    let at_ms: u64 = std::fs::read_to_string(scratch.file("b.prerun.txt")).unwrap().trim().parse().unwrap();
    assert!(at_ms >= before_ms + 300, "{} ms after the start", at_ms - before_ms);
}

#[test]
fn debug_output_does_not_disturb_the_report() {
    let scratch = Scratch::new("debug");
    let ended = run(
        scratch.path(),
        "--debug=process,rate --output-format=json --name=a --ioengine=null --size=4k --rate_iops=77",
    );
    ended.json();
    let message = ended.stderr;
    assert!(message.contains("rate     a/0: ") && message.contains("77"), "{message}");
    assert!(
        message.contains("process  a/0: started as thread ") && message.contains("process  a/0: ended"),
        "{message}"
    );
    assert!(!message.contains("file     "), "not requested: {message}");
}

#[test]
fn debug_output_has_the_seeds_of_random_numbers() {
    let scratch = Scratch::new("debug-seeds");
    let seeds = |options: &str| {
        let text = run(scratch.path(), &format!("--debug=random --name=a --ioengine=null --size=4k {options}")).stdout;
        let lines = text.lines().filter_map(|line| line.split_once("rand_seeds["));
        lines.map(|(_, seed)| seed.to_owned()).collect::<Vec<_>>()
    };
    let [repeated, other, of_system] = ["--randseed=7", "--randseed=8", "--randrepeat=0"].map(seeds);
    assert!(repeated.len() > 20, "{repeated:?}");
    assert_eq!(repeated, seeds("--randseed=7"));
    assert!(repeated != other && of_system != seeds("--randrepeat=0"));
}

#[test]
fn few_open_files_suffice_for_many_ios_in_flight() {
    let scratch = Scratch::new("openfiles");
    for engine in ["libaio", "io_uring", "posixaio", "psync"] {
        let arguments = "--name=a --rw=randrw --size=1m --nrfiles=8 --openfiles=2 --iodepth=16";
        let (jobs, message) = scratch.jobs(&format!("{arguments} --ioengine={engine}"));
        let done = reads(&jobs[0]) + jobs[0]["write"]["total_ios"].as_u64().unwrap();
        assert_eq!((&jobs[0]["error"], done), (&Value::from(0), 256), "{engine}: {message}");
    }
}

#[test]
fn files_are_unlinked_after_the_job_or_each_pass() {
    let scratch = Scratch::new("unlink");
    let job = "--name=a --size=1m --rw=write --ioengine=psync --loops=2";
    for (arguments, stays) in [("", true), ("--unlink=1", false), ("--unlink_each_loop=1", true)] {
        let (jobs, _) = scratch.jobs(&format!("{job} {arguments}"));
        assert_eq!(jobs[0]["write"]["total_ios"], 512, "{arguments}");
        assert_eq!(scratch.file("a.0.0").exists(), stays, "{arguments}");
    }
}
