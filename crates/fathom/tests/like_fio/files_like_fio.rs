//! The same command lines leave the same files, move the same bytes and have the same exit code in fio and fathom.
//!
//! Requires fio (`$FIO`, or in the path), else the test is skipped.

use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use crate::pair::real_fio;
use crate::stage::{Scratch, skipped};

/// Size of `f0` before the run, and the arguments.
type Job = (Option<u64>, &'static str);

/// Jobs with `create_only` show the layout, others the complete run.
const JOBS: &[Job] = &[
    (None, "--filename=f0 --size=1m --create_only=1"),
    (None, "--filename=f0 --size=1m --rw=write --create_only=1"),
    (None, "--filename=f0 --size=1m --rw=write --create_only=1 --fallocate=none"),
    (None, "--filename=f0 --size=1m --rw=write --create_only=1 --fallocate=keep"),
    (None, "--filename=f0 --size=1m --rw=write --create_only=1 --fallocate=posix"),
    (None, "--filename=f0 --size=1m --rw=write --create_only=1 --fallocate=truncate"),
    (None, "--filename=f0 --size=1m --rw=write --create_only=1 --overwrite=1"),
    (None, "--filename=f0 --size=1m --rw=randwrite --create_only=1 --ioengine=mmap"),
    (None, "--filename=f0 --size=1m --create_only=1 --create_on_open=1"),
    (None, "--filename=f0:f1:f2 --size=10m --create_only=1"),
    (None, "--nrfiles=7 --size=10m --rw=randwrite --create_only=1"),
    (None, "--nrfiles=4 --filesize=300k --rw=write --create_only=1"),
    (None, "--nrfiles=5 --filesize=100k-1m --rw=write --create_only=1"),
    (None, "--nrfiles=5 --filesize=100k-1m --size=3m --random_generator=tausworthe64 --create_only=1"),
    (None, "--filename=sub/dir/f --size=1m --rw=write --create_only=1"),
    (None, "--filename=f0 --numjobs=3 --offset_increment=1m --size=1m --create_only=1"),
    (Some(600_000), "--filename=f0 --size=1m --create_only=1"),
    (Some(600_000), "--filename=f0 --size=1m --rw=write --create_only=1"),
    (Some(3 << 20), "--filename=f0 --size=1m --rw=write --create_only=1"),
    (Some(700_000), "--filename=f0 --size=1m --offset=33% --create_only=1"),
    (None, "--filename=f0 --size=1m"),
    (None, "--filename=f0 --size=1m --rw=write"),
    (None, "--filename=f0 --size=1m --rw=randrw --randseed=3"),
    (None, "--filename=f0 --size=1m --rw=write --fallocate=none"),
    (None, "--filename=f0:f1:f2 --size=10m --rw=write --bs=64k"),
    (None, "--nrfiles=5 --filesize=100k-1m --rw=randread"),
    (None, "--filename=f0 --filesize=1m --size=50%"),
    (None, "--filename=f0 --size=1m --io_size=50%"),
    (None, "--filename=f0 --size=2m --io_size=1m --loops=3"),
    (None, "--filename=f0 --size=1m --io_size=3m --rw=write"),
    (None, "--filename=f0 --size=1m --loops=2 --rw=randwrite"),
    (None, "--filename=f0 --size=1m --offset=512k"),
    (Some(3 << 20), "--filename=f0 --size=40%"),
    (Some(3 << 20), "--filename=f0 --offset=33% --offset_align=64k"),
    (Some(3 << 20), "--filename=f0 --numjobs=3 --size=1m --offset_increment=33%"),
    (Some(600_000), "--filename=f0"),
    (Some(100_000), "--filename=f0 --size=1m --rw=write --file_append=1"),
    (None, "--filename=f0 --size=1m --rw=write --unlink=1"),
    (None, "--filename=f0 --size=1m --rw=write --loops=2 --unlink_each_loop=1"),
    (None, "--filename=f0 --size=1m --ioengine=falloc --rw=randwrite"),
    (None, "--filename=f0 --size=1m --ioengine=falloc --rw=read"),
    (None, "--filename=f0 --size=1m --ioengine=falloc --rw=trim"),
    (None, "--filename=f0 --size=1m --ioengine=ftruncate --rw=write"),
    (None, "--filename=f0 --size=1m --ioengine=mmap --rw=randwrite"),
    (None, "--size=1m --ioengine=null --nrfiles=2"),
    (None, "--filename=/dev/zero --size=1m"),
    (None, "--filename=/dev/null --size=1m --rw=write"),
    (None, "--nrfiles=20 --filesize=8k --ioengine=filecreate --rw=write"),
    (None, "--nrfiles=20 --filesize=8k --ioengine=filestat --rw=read"),
    (None, "--nrfiles=20 --filesize=8k --ioengine=filedelete --rw=write"),
    (None, "--nrfiles=20 --filesize=8k --ioengine=dircreate --rw=write"),
    (None, "--nrfiles=20 --filesize=8k --ioengine=dirstat --rw=read"),
    (None, "--nrfiles=20 --filesize=8k --ioengine=dirdelete --rw=write"),
    (Some(100_000), "--opendir=. --rw=read"),
    (None, "--filename=f0 --size=1m --pre_read=1"),
    (None, "--filename=f0 --size=1m --rw=write --create_on_open=1"),
    (None, "--filename=f0 --size=1m --fill_device=1 --create_only=1 --rw=write"),
    (None, "--filename=f0"),
    (None, "--filename=f0 --size=1k"),
    (Some(4096), "--filename=f0 --offset=1m"),
    (None, "--filename=f0 --size=1m --allow_file_create=0"),
    (None, "--filename=f0 --size=1m --rw=write --readonly"),
    (None, "--filename=. --size=1m"),
];

/// Result of a command line.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    succeeded: bool,
    /// Name, size and blocks of 4 KiB of each remaining file.
    files: Vec<(String, u64, u64)>,
    /// Bytes and I/Os read, written and trimmed, over all jobs.
    moved: Vec<(u64, u64)>,
}

fn run(program: &[&str], folder: &Path, before: Option<u64>, line: &str) -> Outcome {
    std::fs::create_dir_all(folder).unwrap();
    if let Some(bytes) = before {
        let path = folder.join("f0");
        std::fs::write(&path, vec![3; bytes as usize]).unwrap();
        std::fs::File::open(&path).unwrap().sync_all().unwrap();
    }
    let mut command = harness::in_own_group(program[0]);
    // With another clock fio calibrates it at each start. This takes longer than most jobs.
    command.args(&program[1..]).args(["--name=job", "--bs=4k", "--output-format=json"]);
    command.arg("--clocksource=clock_gettime").args(line.split(' '));
    let output = harness::run_fio(command.current_dir(folder)).unwrap();
    let mut files = Vec::new();
    list(folder, folder, &mut files);
    files.sort();
    let message = String::from_utf8_lossy(&output.stdout);
    let report = message.find('{').and_then(|start| serde_json::from_str::<Value>(&message[start..]).ok());
    Outcome { succeeded: output.status.success(), files, moved: report.map_or_else(Vec::new, |report| moved(&report)) }
}

fn moved(report: &Value) -> Vec<(u64, u64)> {
    let jobs = report["jobs"].as_array().cloned().unwrap_or_default();
    let sum = |ddir: &str, key: &str| jobs.iter().filter_map(|job| job[ddir][key].as_u64()).sum();
    ["read", "write", "trim"].iter().map(|ddir| (sum(ddir, "io_bytes"), sum(ddir, "total_ios"))).collect()
}

fn list(top: &Path, folder: &Path, files: &mut Vec<(String, u64, u64)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let state = std::fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(top).unwrap().display().to_string();
        if state.is_dir() {
            files.push((name, 0, 0));
            list(top, &path, files);
        } else {
            // Written data can have no allocated blocks yet.
            std::fs::File::open(&path).unwrap().sync_all().unwrap();
            let blocks = std::fs::metadata(&path).unwrap().blocks() / 8;
            files.push((name, state.len(), blocks));
        }
    }
}

#[test]
fn command_lines_leave_the_same_files_and_move_the_same_bytes() {
    let Some((fio, _)) = real_fio() else { return };
    all_alike(fio, JOBS.iter().filter(|(_, line)| !line.contains("ioengine=dir")));
}

#[test]
fn command_lines_leave_the_same_folders() {
    let Some((fio, _)) = real_fio() else { return };
    let help = Command::new(fio).arg("--enghelp=dircreate").output().unwrap();
    if String::from_utf8_lossy(&help.stdout).contains("not found") {
        return skipped("this fio has no engines for folders");
    }
    all_alike(fio, JOBS.iter().filter(|(_, line)| line.contains("ioengine=dir")));
}

fn all_alike<'a>(fio: &str, jobs: impl Iterator<Item = &'a Job> + Send) {
    let scratch = Scratch::new("files-like-fio");
    let (jobs, wrong) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    let next = || jobs.lock().unwrap().next();
    // fio mostly sleeps.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((before, line)) = next() {
                    wrong.lock().unwrap().extend(compare(fio, scratch.path(), *before, line));
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Runs the arguments in both programs and returns the difference.
fn compare(fio: &str, scratch: &Path, before: Option<u64>, line: &str) -> Option<String> {
    let folder = |name: &str| scratch.join(line.replace(['/', ' '], "_")).join(name);
    let theirs = run(&[fio], &folder("fio"), before, line);
    let ours = run(&[env!("CARGO_BIN_EXE_fathom"), "fio"], &folder("fathom"), before, line);
    let same_figures = theirs.moved == ours.moved || !theirs.succeeded;
    let same = theirs.succeeded == ours.succeeded && theirs.files == ours.files && same_figures;
    (!same).then(|| format!("{line}\n  fio    {theirs:?}\n  fathom {ours:?}"))
}
