//! `fathom assess` uses only the free space, removes files of killed runs, and does not disturb other assessments.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::stage::{
    MIB, Mount, Outcome, Scratch, Throttle, Zram, command, needs, outcome, run_folder, signal, wait_until,
};
use serde_json::Value;

fn assess(directory: &Path, arguments: &str) -> Command {
    let mut command = command(directory, "assess", arguments);
    command.env("XDG_STATE_HOME", directory.join("state")).env("XDG_CONFIG_HOME", directory.join("config"));
    command
}

fn run(directory: &Path, arguments: &str) -> Outcome {
    outcome(assess(directory, arguments).spawn().unwrap())
}

/// Starts a long run and waits until it has created its files.
fn begun(directory: &Path) -> (Child, PathBuf) {
    let mut line = assess(directory, "--size 16M --runtime 60 --test write-latency");
    let child = line.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("its files are created", || run_folder(directory).is_some_and(|folder| folder.join("data").exists()));
    (child, run_folder(directory).unwrap())
}

#[test]
fn file_system_keeps_free_space() {
    let scratch = Scratch::new("assess-room");
    let Some(_mount) = Mount::tmpfs(200, &scratch.file("mnt")) else { return };
    let line = "mnt --yes --size 2G --runtime 1 --test read-latency --format json";
    let taken = |outcome: &Outcome| outcome.json()["preparation"][0]["bytes"].as_u64().unwrap();
    let clamped = run(scratch.path(), line);
    clamped
        .complained_of("the tests take 180 MiB instead of 2 GiB: 10 % of the file system, at most 10 GiB, stays free");
    assert_eq!(taken(&clamped), 180 * MIB);
    let more = run(scratch.path(), &format!("{line} --keep-free 50%"));
    more.complained_of("the tests take 100 MiB instead of 2 GiB: 50 % of the file system stays free");
    assert_eq!(taken(&more), 100 * MIB);
    assert!(std::fs::read_dir(scratch.file("mnt")).unwrap().count() == 0, "its files are removed");

    let none = "there is room for 0 bytes of the tests' 2 GiB (1 GiB of the file system stays free)";
    run(scratch.path(), "mnt --size 2G --runtime 1 --keep-free 1G").ended_with(2).complained_of(none);
    let knee = outcome(command(scratch.path(), "knee", "mnt --keep-free 1G").spawn().unwrap());
    knee.ended_with(2).complained_of("1 GiB of the file system stays free").complained_of("--keep-free");
    assert!(std::fs::read_dir(scratch.file("mnt")).unwrap().count() == 0, "its files are removed");
}

#[test]
fn the_default_size_needs_no_consent_on_a_small_file_system() {
    let scratch = Scratch::new("assess-default-size");
    let Some(_mount) = Mount::tmpfs(1500, &scratch.file("mnt")) else { return };
    let outcome = run(scratch.path(), "mnt --runtime 1 --test read-latency --format json");
    assert_eq!(outcome.json()["preparation"][0]["bytes"], 128 * MIB, "at most a tenth, a power of two");
}

#[test]
fn a_small_file_system_takes_small_tests() {
    let scratch = Scratch::new("assess-small");
    let Some(_mount) = Mount::tmpfs(100, &scratch.file("mnt")) else { return };
    let outcome = run(scratch.path(), "mnt --yes --size 64M --runtime 1 --test read-latency --format json");
    assert!(!outcome.stderr.contains("instead of"), "{}", outcome.stderr);
    assert_eq!(outcome.json()["preparation"][0]["bytes"], 64 * MIB);
}

#[test]
fn next_run_removes_files_of_a_killed_run() {
    let scratch = Scratch::new("assess-killed");
    let (mut killed, folder) = begun(scratch.path());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(folder.join("data").exists(), "the killed run left no files: the test has no meaning");
    run(scratch.path(), "--short --size 16M --test read-latency");
    assert_eq!(scratch.names(), ["state"]);
}

#[test]
fn two_assessments_of_one_directory_do_not_mix() {
    let scratch = Scratch::new("assess-two");
    let (first, folder) = begun(scratch.path());
    run(scratch.path(), "--short --test read-latency").ended_with(2).complained_of("another assessment");
    assert!(folder.join("data").exists(), "files of the first assessment were removed");
    signal(&first, "TERM");
    outcome(first).ended_with(143);
    assert!(!folder.exists());
}

#[test]
fn file_on_a_slow_disk_is_limited_by_time() {
    let scratch = Scratch::new("assess-slow");
    let Some(zram) = Zram::new(2048) else { return };
    let Some(_) = needs(&format!("mke2fs -q -t ext4 {} || mkfs.xfs -q {0}", zram.device)) else { return };
    let Some(_mount) = Mount::new(&zram.device, &scratch.file("mnt")) else { return };
    let Some(throttle) = Throttle::new(&zram) else { return };
    throttle.bytes_per_s(8 * MIB);
    let suite = "name = \"s\"\ntitle = \"t\"\nsource = \"s\"\ndate = \"2026\"\nsize = \"64M\"\nneeds = [\"filled\"]\n\
                 fill = { at_most_s = 2 }\n[[test]]\nname = \"read\"\ntitle = \"t\"\n\
                 job = { rw = \"randread\", bs = \"64k\", direct = 1, runtime = 1, time_based = 1, ioengine = \"psync\" }\n";
    std::fs::write(scratch.file("s.toml"), suite).unwrap();
    let line = format!(
        "cd {0} && exec {1} assess {0}/mnt/f --yes --suite s.toml --size 64M --format json",
        scratch.path().display(),
        env!("CARGO_BIN_EXE_fathom")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("echo $$ > {}/cgroup.procs && {line}", throttle.group)]);
    shell
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env("XDG_STATE_HOME", scratch.file("state"));
    let run = outcome(shell.spawn().unwrap());
    let assessment: Value = run.json();
    let filled = assessment["preparation"][0]["bytes"].as_u64().unwrap();
    // 16 MiB in 2 s. A process without CPU time fills less, or looks at the time later.
    assert!((MIB..64 * MIB).contains(&filled), "{assessment}");
    let job = assessment["tests"][0]["job"].as_str().unwrap();
    assert!(job.contains(&format!("filesize={}\n", filled / MIB * MIB)), "{filled}: {job}");
    assert_eq!(assessment["tests"][0]["error"], Value::Null);
}
