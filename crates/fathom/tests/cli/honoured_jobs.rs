//! Options about jobs, their order, ends, errors and commands do what they do in fio. The figures here are fio's, taken
//! from fio 3.42 with the same words.

use crate::stage::{Scratch, patiently, run};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs in a scratch folder.
trait Runs {
    /// Returns the jobs of a run's report, and its standard error.
    fn jobs(&self, words: &str) -> (Vec<Value>, String);
}

impl Runs for Scratch {
    fn jobs(&self, words: &str) -> (Vec<Value>, String) {
        let ended = run(self.path(), &format!("--output-format=json {words}"));
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
    for (words, ios) in [
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
        let (jobs, _) = scratch.jobs(&format!("--name=a --ioengine=null --size=1m {words}"));
        assert_eq!(jobs.iter().map(reads).sum::<u64>(), ios, "{words}");
    }
}

#[test]
fn a_job_by_time_has_no_number_of_ios_and_a_ramp_does_not_count() {
    let scratch = Scratch::new("number-ios");
    let many = |(jobs, _): &(Vec<Value>, String)| reads(&jobs[0]) > 1000;
    let line =
        |times| format!("--name=a --ioengine=null --size=1m --number_ios=10 --time_based --runtime={}ms", 200 * times);
    assert!(many(&patiently(|times| scratch.jobs(&line(times)), many)));
    let (jobs, _) =
        scratch.jobs("--name=a --ioengine=null --size=1m --rate_iops=100 --number_ios=20 --ramp_time=200ms");
    assert_eq!(reads(&jobs[0]), 20);
    let line = "--name=a --ioengine=null --size=1g --bs=64k --rate=10m --ramp_size=2m --runtime=300ms";
    let is_right = |(jobs, _): &(Vec<Value>, String)| (290..400).contains(&runtime_ms(&jobs[0]));
    let (jobs, _) = patiently(|_| scratch.jobs(line), is_right);
    assert!((290..400).contains(&runtime_ms(&jobs[0])), "measured after the ramp: {}", jobs[0]["job_runtime"]);
}

#[test]
fn one_exitall_ends_the_group_of_the_first_job_that_ends() {
    let scratch = Scratch::new("exitall");
    let times = |words: &str| scratch.jobs(&format!("--ioengine=null --size=1g --time_based {words}")).0;
    let jobs = times("--name=a --runtime=200ms --name=b --runtime=60 --exitall");
    assert!(runtime_ms(&jobs[1]) < 20_000, "exitall of one job holds for all");
    let jobs = times("--name=a --runtime=200ms --exitall --name=b --new_group --runtime=1");
    assert!(runtime_ms(&jobs[1]) >= 1000, "another group goes on");
    let jobs = times("--name=a --runtime=200ms --exitall --exit_what=all --name=b --new_group --runtime=60");
    assert!(runtime_ms(&jobs[1]) < 20_000);
}

#[test]
fn jobs_wait_for_one_another_and_are_grouped_as_in_fio() {
    let scratch = Scratch::new("order");
    let began = Instant::now();
    let words = "--ioengine=null --size=1g --time_based --runtime=300ms --name=a --name=b --new_group --name=c --stonewall \
        --name=d --wait_for=c --name=e --startdelay=100ms";
    let (jobs, _) = scratch.jobs(words);
    assert!(began.elapsed() >= Duration::from_millis(900), "three times 300 ms");
    let groups: Vec<u64> = jobs.iter().map(|job| job["groupid"].as_u64().unwrap()).collect();
    assert_eq!(groups, [0, 1, 2, 2, 2]);
    let starts: Vec<u64> = jobs.iter().map(|job| job["job_start"].as_u64().unwrap()).collect();
    assert!(starts[2] >= starts[0] + 300 && starts[3] >= starts[2] + 300, "{starts:?}");
}

#[test]
fn only_listed_errors_are_survived_and_each_is_dumped() {
    let scratch = Scratch::new("errors");
    let full = "--name=a --ioengine=psync --filename=/dev/full --size=40k --rw=write";
    let (jobs, said) = scratch.jobs(&format!("{full} --ignore_error=,ENOSPC --error_dump=1"));
    assert_eq!((&jobs[0]["total_err"], &jobs[0]["first_error"]), (&Value::from(10), &Value::from(28)));
    let line = "fio: io_u error on file /dev/full: No space left on device: write offset=36864, buflen=4096";
    assert!(said.lines().count() == 10 && said.contains(line), "{said}");
    let (_, said) = scratch.jobs(&format!("{full} --ignore_error=,ENOSPC"));
    assert_eq!(said, "");
    // A full device is no error that a job is asked to survive.
    let (jobs, _) = scratch.jobs(&format!("{full} --continue_on_error=all"));
    assert_eq!((&jobs[0]["total_err"], &jobs[0]["error"]), (&Value::from(1), &Value::from(28)));
    let (jobs, said) = scratch.jobs(&format!("{full} --fill_device=1"));
    assert_eq!((&jobs[0]["error"], said.as_str()), (&Value::from(0), ""));
}

#[test]
fn the_exit_code_counts_the_workers_that_failed() {
    let scratch = Scratch::new("code");
    let full = "--ioengine=psync --filename=/dev/full --size=40k --rw=write --create_serialize=0";
    assert_eq!(run(scratch.path(), &format!("{full} --name=a --numjobs=3")).code, Some(3));
    assert_eq!(run(scratch.path(), &format!("{full} --name=a --rw=read")).code, Some(0));
}

#[test]
fn commands_run_before_and_after_a_job_and_their_output_is_kept() {
    let scratch = Scratch::new("exec");
    let job = "--name=a --ioengine=null --size=40k";
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["fio", "--exec_prerun=echo before", "--exec_postrun=echo after; false"])
        .args(job.split(' '))
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "a command after the job doesn't spoil it");
    let said = String::from_utf8(output.stdout).unwrap();
    for line in ["a : Saving output of prerun in a.prerun.txt\n", "a : Saving output of postrun in a.postrun.txt\n"] {
        assert!(said.contains(line), "{said}");
    }
    let kept = |when: &str| std::fs::read_to_string(scratch.file(&format!("a.{when}.txt"))).unwrap();
    assert_eq!((kept("prerun").as_str(), kept("postrun").as_str()), ("before\n", "after\n"));
    let (jobs, _) = scratch.jobs(&format!("{job} --exec_prerun=false"));
    assert_eq!((reads(&jobs[0]), &jobs[0]["error"]), (0, &Value::from(5)));
}

/// What a job's threads are given goes on to the command before it.
#[test]
fn processors_niceness_and_names_are_those_of_the_worker() {
    let scratch = Scratch::new("process");
    let told = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        let prerun = "--exec_prerun=nice; grep Cpus_allowed_list /proc/self/status; ionice 2>&1";
        command.args(["fio", "--name=a", "--ioengine=null", "--size=4k", prerun]).args(words);
        assert!(command.current_dir(scratch.path()).output().unwrap().status.success(), "{words:?}");
        std::fs::read_to_string(scratch.file("a.prerun.txt")).unwrap()
    };
    let plain = told(&["--nice=3", "--cpus_allowed=0"]);
    assert!(plain.starts_with("3\nCpus_allowed_list:\t0\n"), "{plain}");
    assert!(told(&["--cpumask=1"]).contains("Cpus_allowed_list:\t0\n"));
    assert!(told(&["--cpus_allowed=0-3", "--cpus_allowed_policy=split"]).contains("Cpus_allowed_list:\t0\n"));
    let prio = told(&["--prioclass=2", "--prio=6"]);
    assert!(prio.contains("best-effort: prio 6") || prio.contains("not found"), "{prio}");
}

#[test]
fn a_prerun_comes_after_the_start_delay() {
    let scratch = Scratch::new("prerun-delay");
    let left = |times| {
        drop(std::fs::remove_file(scratch.file("x")));
        let delay = format!("--startdelay={}ms", 300 * times);
        let a = ["--ioengine=null", "--size=40k", "--name=a", "--exec_postrun=touch x"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.arg("fio").args(a).args(["--name=b", &delay, "--exec_prerun=ls"]);
        assert!(command.current_dir(scratch.path()).output().unwrap().status.success());
        std::fs::read_to_string(scratch.file("b.prerun.txt")).unwrap()
    };
    let sees_it = |seen: &String| seen.lines().any(|name| name == "x");
    let seen = patiently(left, sees_it);
    assert!(sees_it(&seen), "what the first job left: {seen}");
}

#[test]
fn debug_tells_of_its_subjects_beside_the_report() {
    let scratch = Scratch::new("debug");
    let ended = run(
        scratch.path(),
        "--debug=process,rate --output-format=json --name=a --ioengine=null --size=4k --rate_iops=77",
    );
    ended.json();
    let said = ended.stderr;
    assert!(said.contains("rate     a/0: ") && said.contains("77"), "{said}");
    assert!(said.contains("process  a/0: started as thread ") && said.contains("process  a/0: ended"), "{said}");
    assert!(!said.contains("file     "), "nobody asked for that: {said}");
}

#[test]
fn few_open_files_do_for_many_ios_in_flight() {
    let scratch = Scratch::new("openfiles");
    for engine in ["libaio", "io_uring", "posixaio", "psync"] {
        let words = "--name=a --rw=randrw --size=1m --nrfiles=8 --openfiles=2 --iodepth=16";
        let (jobs, said) = scratch.jobs(&format!("{words} --ioengine={engine}"));
        let done = reads(&jobs[0]) + jobs[0]["write"]["total_ios"].as_u64().unwrap();
        assert_eq!((&jobs[0]["error"], done), (&Value::from(0), 256), "{engine}: {said}");
    }
}

#[test]
fn files_are_unlinked_after_the_job_or_each_pass() {
    let scratch = Scratch::new("unlink");
    let job = "--name=a --size=1m --rw=write --ioengine=psync --loops=2";
    for (words, stays) in [("", true), ("--unlink=1", false), ("--unlink_each_loop=1", true)] {
        let (jobs, _) = scratch.jobs(&format!("{job} {words}"));
        assert_eq!(jobs[0]["write"]["total_ios"], 512, "{words}");
        assert_eq!(scratch.file("a.0.0").exists(), stays, "{words}");
    }
}
