//! Wrong command lines, and the command that their errors name.

use std::path::Path;

use crate::stage::{Outcome, Scratch, command, outcome};

fn run(folder: &Path, name: &str, arguments: &str) -> Outcome {
    outcome(command(folder, name, arguments).spawn().unwrap())
}

const JOB: &str = "[a]\nfilename=data\nsize=64k\nrw=read\nbs=4k\n";

#[test]
fn job_files_are_not_saved_runs() {
    let scratch = Scratch::new("wrong-jobs");
    std::fs::write(scratch.file("a.fio"), JOB).unwrap();
    std::fs::write(scratch.file("b.xml"), "<Profile></Profile>").unwrap();
    for (name, line) in [("compare", "a.fio b.xml"), ("show", "a.fio"), ("history", "add a.fio"), ("show", "b.xml")] {
        let run = run(scratch.path(), name, line);
        run.ended_with(2).complained_of("is a job, not a saved run").complained_of("help: `fathom run ");
    }
}

#[test]
fn a_line_of_fio_writes_its_own_report() {
    let scratch = Scratch::new("fio-report");
    std::fs::write(scratch.file("a.fio"), JOB).unwrap();
    let written = run(scratch.path(), "fio", "a.fio --report page.html --report=pull.md");
    written.ended_with(0).complained_of("report: page.html").complained_of("report: pull.md");
    assert!(std::fs::read_to_string(scratch.file("page.html")).unwrap().contains("<svg"));
    run(scratch.path(), "fio", "a.fio --report page.pdf").ended_with(1).complained_of(".html, .md, .xml");
    run(scratch.path(), "fio", "a.fio --report data").ended_with(1).complained_of("expected a name");
    let misplaced = run(scratch.path(), "run", "--repeat 2 fio a.fio --report page.html");
    misplaced.ended_with(2).complained_of("write it before `fio`: fathom run --report page.html");
}

#[test]
fn names_that_lack_something_are_completed() {
    let scratch = Scratch::new("wrong-names");
    run(scratch.path(), "limits", "show P30").ended_with(2).complained_of("did you mean azure:P30?");
    run(scratch.path(), "assess", ". --expect gp3").ended_with(2).complained_of("did you mean aws:gp3?");
    run(scratch.path(), "assess", "etcd").ended_with(2).complained_of("`fathom assess . --suite etcd`");
    run(scratch.path(), "sweep", "bs=4k a.fio").ended_with(2).complained_of("iodepth=1..32 fio job.fio");
    run(scratch.path(), "run", "-- sleep 1").ended_with(2).complained_of("no job file `sleep`");
    run(scratch.path(), "fio", "--json a.fio").ended_with(1).complained_of("--output-format=json");
    run(scratch.path(), "fio", "--repeat 5 a.fio").ended_with(1).complained_of("`fathom run --repeat 5");
}
