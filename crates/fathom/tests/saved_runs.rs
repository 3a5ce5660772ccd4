//! Runs whose record is kept: it is whole or not there, and `fathom show` prints of it what the run printed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod stage;

use stage::{MIB, Mount, Outcome, Scratch, interrupted, outcome, run};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A job over a file that is there, so that nothing is said of laying it out.
const JOBS: &str = "--filename=f --size=1m --bs=4k --time_based --runtime=1 --ioengine=psync --name=reads --rw=randread \
                    --numjobs=2 --group_reporting --name=mixed --rw=randrw --stonewall --lat_percentiles=1";

fn show(directory: &Path, arguments: &str) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg("show").args(arguments.split_whitespace()).current_dir(directory).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    outcome(command.spawn().unwrap(), Instant::now())
}

fn text(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap()
}

/// A directory with the record `r` of a short run.
fn with_record() -> Scratch {
    let scratch = Scratch::new("saved");
    scratch.filled("f", MIB);
    run(scratch.path(), "--record=r --name=a --filename=f --size=1m --rw=randread --bs=4k").ended_with(0);
    scratch
}

#[test]
fn what_is_shown_is_what_the_run_printed() {
    for (reported, shown) in [
        ("normal", "fio"),
        ("terse --terse-version=4", "fio-terse --terse-version=4"),
        ("json", "fio-json"),
        ("json+", "fio-json+"),
    ] {
        let scratch = Scratch::new("saved");
        scratch.filled("f", MIB);
        let directory = scratch.path();
        let ran = run(directory, &format!("--record=r {JOBS} --output-format={reported}"));
        ran.ended_with(0);
        let first = show(directory, &format!("r --format={shown}"));
        assert_eq!(ran.stdout, first.ended_with(0).stdout, "{reported}");
        assert_eq!(first.stderr, "", "{reported}");
        let second = show(directory, &format!("--format {shown} --output out r"));
        assert_eq!(second.ended_with(0).stdout, "");
        assert_eq!(text(directory, "out"), ran.stdout);
    }
}

#[test]
fn what_was_said_on_the_way_is_shown_again() {
    let scratch = Scratch::new("saved");
    let ran = run(scratch.path(), "--record=r --name=a --size=1m --rw=read --bs=4k");
    assert!(ran.ended_with(0).stdout.contains("a: Laying out IO file"), "{}", ran.stdout);
    assert_eq!(show(scratch.path(), "r").ended_with(0).stdout, ran.stdout);
}

#[test]
fn the_words_and_job_files_of_a_run_are_in_its_record() {
    let scratch = with_record();
    std::fs::write(scratch.file("b.fio"), "[b]\nfilename=f\nsize=1m\nrw=read\n").unwrap();
    run(scratch.path(), "b.fio --record r").ended_with(0);
    let record: serde_json::Value = serde_json::from_str(&text(scratch.path(), "r")).unwrap();
    assert_eq!(record["schema"], "fathom.record/1");
    assert_eq!(record["command_line"], "fio b.fio --record r");
    let origin = &record["plan"]["origin"]["fio"];
    assert_eq!(origin["words"], serde_json::json!(["b.fio", "--record", "r"]));
    assert_eq!(origin["job_files"][0]["text"], "[b]\nfilename=f\nsize=1m\nrw=read\n");
}

#[test]
fn an_interrupted_run_keeps_its_record() {
    let scratch = Scratch::new("saved");
    scratch.filled("f", MIB);
    let job = "--record=r --name=a --filename=f --size=1m --rw=randread --time_based --runtime=60 --output-format=json";
    let ran = interrupted(scratch.path(), job, Duration::from_millis(700), &["INT"]);
    ran.ended_with(128);
    assert_eq!(show(scratch.path(), "r --format=fio-json").ended_with(0).stdout, ran.stdout);
    assert_eq!(scratch.names(), ["f", "r"]);
}

#[test]
fn a_failed_run_keeps_its_record_and_its_error_is_shown_again() {
    let scratch = with_record();
    for (job, code) in [
        ("--name=a --filename=/dev/full --size=64k --rw=write --ioengine=psync --output-format=json", 1),
        ("--name=a --filename=f --size=64k --rw=trim --output-format=json", 1),
    ] {
        let ran = run(scratch.path(), &format!("--record=r {job}"));
        ran.ended_with(code);
        let shown = show(scratch.path(), "r --format=fio-json");
        assert_eq!(shown.ended_with(0).stdout, ran.stdout, "{job}");
        let message = shown.json()["jobs"][0]["error_messages"][0].as_str().unwrap().to_owned();
        shown.complained_of(&message);
        ran.complained_of(&message);
    }
    let ran = run(scratch.path(), "--record=r --name=a --filename=/dev/full --size=64k --rw=write --ioengine=psync");
    let shown = show(scratch.path(), "r");
    assert_eq!(shown.ended_with(0).stdout, ran.ended_with(1).stdout);
    assert_eq!(shown.stderr, ran.stderr);
}

#[test]
fn a_place_that_takes_no_record_is_told_before_the_run() {
    let scratch = Scratch::new("saved");
    scratch.filled("f", 65_536);
    std::os::unix::fs::symlink("f", scratch.file("link")).unwrap();
    for (place, complaint) in [
        ("none/r", "--record=none/r: No such file or directory"),
        (".", "this is a directory"),
        ("f", "the record would take the place of the target f"),
        ("./f", "the record would take the place of the target f"),
        ("sub/../f", "--record=sub/../f"),
    ] {
        let ran = run(scratch.path(), &format!("--record={place} --name=a --filename=f --size=64k --rw=write"));
        ran.ended_with(1).complained_of(complaint);
        assert_eq!(ran.stdout, "");
        assert_eq!(std::fs::read(scratch.file("f")).unwrap(), vec![0x5a; 65_536], "{place}");
    }
    assert_eq!(scratch.names(), ["f", "link"]);
}

#[test]
fn devices_are_never_replaced_by_a_record() {
    let scratch = Scratch::new("saved");
    scratch.filled("f", MIB);
    let job = "--name=a --filename=f --size=1m --rw=read";
    run(scratch.path(), &format!("--record=/dev/null {job}")).ended_with(0);
    let full = run(scratch.path(), &format!("--record=/dev/full {job}"));
    full.ended_with(1).complained_of("the record can't be written: /dev/full: No space left on device");
    assert!(full.stdout.contains("Run status group 0"), "the report comes first");
    for device in ["/dev/null", "/dev/full"] {
        use std::os::unix::fs::FileTypeExt;
        assert!(std::fs::metadata(device).unwrap().file_type().is_char_device(), "{device}");
    }
}

#[test]
fn a_record_that_finds_no_room_leaves_the_one_before() {
    let scratch = Scratch::new("saved");
    let Some(mount) = Mount::tmpfs(1, &scratch.file("small")) else { return };
    let before = run(&mount.0, "--record=r --name=a --ioengine=null --size=64k --rw=read --bs=4k");
    before.ended_with(0);
    let kept = text(&mount.0, "r");
    // The job leaves no room.
    let job = "--record=r --name=a --filename=f --size=2m --rw=write --bs=4k --fill_device=1 --ioengine=psync";
    let ran = run(&mount.0, job);
    ran.complained_of("the record can't be written");
    assert_ne!(ran.code, Some(0));
    assert!(ran.stdout.contains("Run status group 0"), "{}", ran.stdout);
    assert_eq!(text(&mount.0, "r"), kept);
    let names: Vec<_> = std::fs::read_dir(&mount.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_link_to_a_record_goes_on_to_lead_to_it() {
    let scratch = with_record();
    std::fs::create_dir(scratch.file("runs")).unwrap();
    std::os::unix::fs::symlink("runs/last", scratch.file("latest")).unwrap();
    std::fs::rename(scratch.file("r"), scratch.file("runs/last")).unwrap();
    let before = text(scratch.path(), "runs/last");
    run(scratch.path(), "--record=latest --name=a --filename=f --size=1m --rw=read").ended_with(0);
    assert!(scratch.file("latest").is_symlink());
    assert_ne!(text(scratch.path(), "runs/last"), before);
}

#[test]
fn several_records_are_shown_one_after_the_other_and_broken_ones_told() {
    let scratch = with_record();
    std::fs::write(scratch.file("broken"), &text(scratch.path(), "r")[..2000]).unwrap();
    std::fs::write(scratch.file("other"), "{\"schema\": \"fathom.record/2\"}").unwrap();
    let one = show(scratch.path(), "r --format=fio-terse");
    let all = show(scratch.path(), "r broken other none r --format=fio-terse");
    all.ended_with(1).complained_of("fathom: broken:").complained_of(": EOF while parsing");
    all.complained_of("fathom: other: the record is of schema `fathom.record/2`; this fathom reads `fathom.record/1`");
    all.complained_of("fathom: none: No such file or directory");
    assert_eq!(all.stdout, one.stdout.repeat(2));
}

#[test]
fn words_that_make_no_sense_are_told_with_the_usage() {
    let scratch = with_record();
    for (words, complaint) in [
        ("", "name the file of a record"),
        ("r --format=csv", "there is no format `csv`"),
        ("r --terse-version=9", "no version 9"),
        ("r --colour", "--colour"),
    ] {
        show(scratch.path(), words).ended_with(2).complained_of(complaint).complained_of("usage: fathom show FILE");
    }
    assert!(show(scratch.path(), "--help").ended_with(0).stdout.contains("--format"));
}

#[test]
fn a_run_of_fios_reads_as_one_of_diskspds() {
    let scratch = with_record();
    let fio = show(scratch.path(), "r --format=fio-json");
    let reads = &fio.json()["jobs"][0]["read"];
    let diskspd = show(scratch.path(), "r --format=diskspd");
    let report = &diskspd.ended_with(0).stdout;
    let total = report.lines().find(|line| line.starts_with("total:")).unwrap_or_else(|| panic!("{report}"));
    let fields: Vec<&str> = total["total:".len()..].split('|').map(str::trim).collect();
    assert_eq!(fields[..2], [reads["io_bytes"].to_string(), reads["total_ios"].to_string()], "{report}");
    let xml = show(scratch.path(), "r --format=diskspd-xml");
    assert!(xml.ended_with(0).stdout.starts_with("<Results>\n"));
    assert!(xml.stdout.contains(&format!("<ReadCount>{}</ReadCount>", reads["total_ios"])), "{}", xml.stdout);
}
