//! `--readonly`: what existed before the run is the same after it.

use crate::stage::{Scratch, command, outcome, run};
use std::path::Path;

const JOB: &str = "--name=j --filename=f --size=64k --rw=read";
/// Options of a job that changes files without writes.
const CHANGES: [&str; 12] = [
    "--unlink=1",
    "--unlink=1 --ioengine=io_uring",
    "--unlink_each_loop=1",
    "--unlink_each_loop=1 --loops=2",
    "--ioengine=filedelete",
    "--ioengine=filedelete --unlink=1",
    "--ioengine=filecreate",
    "--ioengine=dirdelete",
    "--ioengine=dircreate",
    "--ioengine=falloc",
    "--ioengine=ftruncate",
    "--mem=mmapshared:kept",
];

/// Runs a line, which must be refused and leave the files as they are.
fn refused(scratch: &Scratch, word: &str, line: &str) {
    let before = scratch.names();
    let data = ["f", "kept"].map(|name| std::fs::read(scratch.file(name)).unwrap());
    let run = outcome(command(scratch.path(), word, line).spawn().unwrap());
    assert_ne!(run.code, Some(0), "{line}: {}", run.stderr);
    assert!(run.stderr.contains("--readonly"), "{line}: {}", run.stderr);
    assert_eq!(scratch.names(), before, "{line}");
    assert_eq!(["f", "kept"].map(|name| std::fs::read(scratch.file(name)).unwrap()), data, "{line}");
}

fn with_files(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    scratch.filled("f", 64 << 10);
    scratch.filled("kept", 8 << 10);
    scratch
}

fn as_job_file(path: &Path, options: &str) {
    let lines: Vec<&str> = JOB.split(' ').chain(options.split(' ')).map(|option| &option[2..]).collect();
    std::fs::write(path, format!("[j]\n{}\n", lines[1..].join("\n"))).unwrap();
}

#[test]
fn a_read_only_run_removes_creates_and_resizes_nothing() {
    let scratch = with_files("readonly");
    for change in CHANGES {
        refused(&scratch, "fio", &format!("--readonly {JOB} {change}"));
        refused(&scratch, "fio", &format!("{JOB} {change} --readonly"));
        as_job_file(&scratch.file("job.fio"), change);
        refused(&scratch, "fio", "--readonly job.fio");
        std::fs::remove_file(scratch.file("job.fio")).unwrap();
    }
    refused(&scratch, "fio", "--readonly --name=j --ioengine=net --protocol=unix --hostname=s --rw=read --size=4k");
}

#[test]
fn a_study_of_a_read_only_line_removes_nothing() {
    let scratch = with_files("readonly-study");
    refused(&scratch, "sweep", &format!("bs=4k,8k fio --readonly {JOB} --unlink=1"));
    refused(&scratch, "sweep", &format!("unlink=0,1 fio --readonly {JOB}"));
    refused(&scratch, "run", &format!("--repeat 2 fio --readonly {JOB} --ioengine=filedelete"));
}

#[test]
fn a_read_only_run_reads() {
    let scratch = with_files("readonly-reads");
    let job = run(scratch.path(), &format!("--readonly {JOB} --unlink=0 --output-format=json")).ended_with(0).json();
    assert_eq!(job["jobs"][0]["read"]["total_ios"], 16);
    run(scratch.path(), &format!("--readonly {JOB} --mem=mmapshared:buffers")).ended_with(0);
    assert_eq!(scratch.names(), ["f", "kept"], "a new file for buffers is removed after the job");
}
