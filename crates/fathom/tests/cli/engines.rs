//! Engines without files: programs (`exec`) and anonymous memory (`page_fault`).

use std::process::Command;
use std::time::{Duration, Instant};

use crate::stage::{Scratch, run, skipped};

fn read(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.path().join(name)).unwrap()
}

#[test]
fn a_program_runs_beside_the_jobs_and_its_output_is_saved() {
    let scratch = Scratch::new("exec-program");
    let jobs = "[a]\nioengine=exec\nprogram=/bin/echo\narguments=%n 1 \"2\"\n[b]\nioengine=null\nsize=64k\n";
    std::fs::write(scratch.path().join("jobs.fio"), jobs).unwrap();
    let ended = run(scratch.path(), "jobs.fio");
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let line = "a : Saving output of /bin/echo a 1 \"2\" : stdout=a.stdout stderr=a.stderr";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
    assert_eq!((read(&scratch, "a.stdout").as_str(), read(&scratch, "a.stderr").as_str()), ("a 1 \"2\"\n", ""));
}

#[test]
fn a_program_ends_with_its_job_and_is_killed_after_its_grace_time() {
    let scratch = Scratch::new("exec-grace");
    // The program ignores SIGTERM.
    let script = "trap '' TERM\necho $$ $1\nwhile :; do sleep 0.05; done\n";
    std::fs::write(scratch.path().join("s"), script).unwrap();
    let began = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_fathom"))
        .args(["fio", "--name=a", "--ioengine=exec", "--program=/bin/sh", "--arguments=s %r", "--runtime=1"])
        .args(["--grace_time=0", "--output-format=json"])
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(began.elapsed() >= Duration::from_secs(1));
    let text = read(&scratch, "a.stdout");
    let Some((pid, seconds)) = text.trim().split_once(' ') else {
        return skipped("the shell did not start within a second");
    };
    assert_eq!(seconds, "1");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "the program still runs");
}

#[test]
fn a_program_that_is_missing_is_an_error_and_one_that_fails_a_warning() {
    let scratch = Scratch::new("exec-missing");
    let ended = run(scratch.path(), "--name=a --ioengine=exec --program=/nonexistent/tool");
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("exec: /nonexistent/tool: No such file or directory"), "{}", ended.stderr);
    let ended = run(scratch.path(), "--name=b --ioengine=exec --program=/bin/false --std_redirect=0");
    assert_eq!(ended.code, Some(0));
    assert!(ended.stdout.contains("b: exec: /bin/false ended with exit status: 1"), "{}", ended.stdout);
    assert!(!scratch.path().join("b.stdout").exists());
    let ended = run(scratch.path(), "--name=a --ioengine=exec");
    assert!(ended.code == Some(1) && ended.stderr.contains("no program is defined"), "{}", ended.stderr);
    let ended = run(
        scratch.path(),
        "--name=a --ioengine=exec --filename=a.stdout --program=true --name=b --filename=a.stdout --ioengine=psync --rw=write --size=4k",
    );
    assert!(ended.code == Some(1) && ended.stderr.contains("a.stdout"), "{}", ended.stderr);
}

#[test]
fn page_fault_touches_memory_of_the_jobs_size() {
    let scratch = Scratch::new("page-fault");
    let job = "--output-format=json --name=a --ioengine=page_fault --size=1m";
    let job_of = |arguments: &str| run(scratch.path(), &format!("{job} {arguments}")).json()["jobs"][0].clone();
    let report = job_of("--rw=write");
    assert_eq!(report["write"]["total_ios"], 256);
    assert!(report["minf"].as_u64().unwrap() >= 256, "{}", report["minf"]);
    let report = job_of("--rw=randwrite --verify=crc32c");
    assert_eq!((&report["read"]["total_ios"], &report["error"]), (&256.into(), &0.into()));
    assert_eq!(job_of("--rw=trim")["error"], 22);
    assert!(!scratch.path().join("a.0.0").exists(), "it has no files");
    for (arguments, message) in [("--nrfiles=2", "no multiple files"), ("--offset=4k", "no offset")] {
        let ended = run(scratch.path(), &format!("{job} {arguments}"));
        assert!(ended.code == Some(1) && ended.stderr.contains(message), "{}", ended.stderr);
    }
}
