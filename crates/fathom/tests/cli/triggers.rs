//! `--trigger-file` and `--trigger-timeout` end the jobs, save the state of the verification and run the command.

use std::fs;
use std::time::{Duration, Instant};

use crate::stage::{Scratch, fathom, run, wait_for_work};

const JOB: &str = "--name=j --ioengine=null --size=1g --rw=randread --rate_iops=1000 --time_based --runtime=600";

#[test]
fn a_trigger_file_ends_the_jobs_and_is_removed() {
    let scratch = Scratch::new("trigger-file");
    let mut command = fathom(scratch.path(), &format!("{JOB} --trigger-file=now --no-history"));
    command.arg("--trigger=ls now > listed 2>&1; echo ended > done");
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    wait_for_work(&child, 100);
    assert!(!scratch.file("done").exists(), "the command runs after the event");
    fs::write(scratch.file("now"), "").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("issued rwts: total="));
    assert_eq!(fs::read_to_string(scratch.file("done")).unwrap(), "ended\n");
    assert!(!scratch.file("now").exists());
    assert!(fs::read_to_string(scratch.file("listed")).unwrap().contains("No such file"));
}

#[test]
fn a_trigger_timeout_saves_the_state_of_the_writes() {
    let scratch = Scratch::new("trigger-timeout");
    let job = "--name=j --filename=f --size=64m --rw=write --bs=4k --verify=crc32c --rate_iops=500";
    let started = Instant::now();
    let line = format!("{job} --trigger-timeout=1 --trigger=cp${{IFS}}local-j-0-verify.state${{IFS}}copy --no-history");
    run(scratch.path(), &line).ended_with(0);
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(1), "{took:?}");
    // The command had the state of the verification.
    let state = fs::read(scratch.file("copy")).unwrap();
    let writes = u64::from_le_bytes(state[32..40].try_into().unwrap());
    assert!((1..16384).contains(&writes), "{writes}");
    let load = format!("{job} --verify_only --verify_state_load=1 --output-format=json --no-history");
    let report = run(scratch.path(), &load).ended_with(0).json();
    assert_eq!(report["jobs"][0]["read"]["total_ios"], writes);
}

#[test]
fn without_an_event_the_command_does_not_run() {
    let scratch = Scratch::new("trigger-none");
    let job = "--name=j --ioengine=null --size=1m --trigger=touch${IFS}ran --no-history";
    run(scratch.path(), &format!("{job} --trigger-file=none --trigger-timeout=600")).ended_with(0);
    assert!(!scratch.file("ran").exists());
    run(scratch.path(), &format!("{job} --trigger-remote=reboot"))
        .ended_with(1)
        .complained_of("no server is needed: --trigger runs its command on this machine");
}
