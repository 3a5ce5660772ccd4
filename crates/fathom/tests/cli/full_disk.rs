//! Outputs that do not fit on their disk: an error names the file, and the exit code is not 0.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::stage::{Mount, Outcome, Scratch, command, outcome};

fn start(directory: &Path, word: &str, line: &str) -> Command {
    let mut command = command(directory, word, line);
    command.env("FATHOM_NO_HISTORY", "1");
    command
}

fn run(directory: &Path, word: &str, line: &str) -> Outcome {
    outcome(start(directory, word, line).spawn().unwrap())
}

/// Fills a disk.
fn fill(disk: &Path) {
    let mut ballast = std::fs::File::create(disk.join("ballast")).unwrap();
    while ballast.write_all(&[1; 4 << 10]).is_ok() {}
}

#[test]
fn logs_that_do_not_fit_fail_the_run_and_are_named() {
    let scratch = Scratch::new("full-logs");
    let full = scratch.file("full");
    let Some(_mount) = Mount::tmpfs(1, &full) else { return };
    fill(&full);
    let job = "--name=a --ioengine=null --size=64m --bs=4k --rw=randwrite";
    for (options, logs) in [
        ("--write_lat_log=full/x", vec!["full/x_lat.1.log", "full/x_clat.1.log"]),
        ("--write_bw_log=full/y --write_iops_log=full/z", vec!["full/y_bw.1.log", "full/z_iops.1.log"]),
        ("--write_hist_log=full/h --log_hist_msec=1 --log_hist_coarseness=0 --time_based --runtime=200ms", Vec::new()),
    ] {
        for format in ["normal", "json"] {
            let ended = run(scratch.path(), "fio", &format!("{job} {options} --output-format={format}"));
            ended.ended_with(1).complained_of("No space left on device");
            for log in &logs {
                ended.complained_of(&format!("the logs are not complete: {log}: No space left on device"));
            }
        }
    }
    let repeated = run(scratch.path(), "run", &format!("--repeat 1 fio {job} --write_lat_log=full/r"));
    repeated.ended_with(1).complained_of("the logs are not complete: full/r_");
}

#[test]
fn reports_that_do_not_fit_fail_the_command_and_keep_the_old_file() {
    let scratch = Scratch::new("full-reports");
    scratch.filled("data", 1 << 20);
    let job = "--name=a --filename=data --size=64k --bs=4k --rw=read";
    run(scratch.path(), "fio", &format!("{job} --record=run.json")).ended_with(0);
    run(scratch.path(), "sweep", &format!("--save sweep bs=4k,8k fio {job}")).ended_with(0);
    let full = scratch.file("full");
    let Some(_mount) = Mount::tmpfs(1, &full) else { return };
    for name in ["a.json", "a.html", "a.md", "a.svg", "a.png"] {
        std::fs::write(full.join(name), "old").unwrap();
    }
    fill(&full);
    let lines = [
        ("fio", format!("{job} --record=full/a.json"), 1),
        ("diskspd", "-d1 -b4K -Rrecord=full/a.json data".to_owned(), 1),
        ("show", "run.json --format json --output full/a.json".to_owned(), 1),
        ("show", "run.json --report full/a.html".to_owned(), 1),
        ("show", "run.json --format html --output full/a.html".to_owned(), 1),
        ("show", "run.json --format png --output full/a.png".to_owned(), 1),
        ("sweep", format!("--save full/sweep bs=4k,8k fio {job}"), 1),
        ("sweep", format!("--report full/a.html bs=4k,8k fio {job}"), 1),
        ("run", format!("--save full/run --repeat 2 fio {job}"), 1),
    ];
    for (word, line, code) in lines {
        let ended = run(scratch.path(), word, &line);
        ended.ended_with(code).complained_of("No space left on device").complained_of("full/");
    }
    for name in ["a.json", "a.html", "a.png"] {
        assert_eq!(std::fs::read(full.join(name)).unwrap(), b"old", "{name}");
    }
    let names: Vec<String> = std::fs::read_dir(&full)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(names.is_empty(), "incomplete files stay: {names:?}");
}

#[test]
fn full_standard_output_fails_the_command() {
    let scratch = Scratch::new("full-stdout");
    scratch.filled("data", 1 << 20);
    let job = "--name=a --filename=data --size=64k --bs=4k --rw=read";
    run(scratch.path(), "fio", &format!("{job} --record=run.json")).ended_with(0);
    for (word, line) in
        [("fio", job), ("diskspd", "-d1 -b4K data"), ("show", "run.json"), ("compare", "run.json run.json")]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ended = outcome(start(scratch.path(), word, line).stdout(full).spawn().unwrap());
        ended.ended_with(1).complained_of("standard output can't be written: No space left on device");
    }
    let ended = run(scratch.path(), "fio", &format!("{job} --output=/dev/full"));
    ended.ended_with(1).complained_of("--output=/dev/full: No space left on device; the file is not complete");
}
