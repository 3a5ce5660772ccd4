//! `fathom capture` of a process or a control group: its I/Os on a disk that others use, too.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::capture::{figures, started};
use crate::stage::{Loop, Outcome, Scratch, Zram, binary, command, needs, outcome, shell, skipped, wait_until};

/// A shell that runs each line of its standard input.
struct Shell(Child);

impl Shell {
    fn new(folder: &Path) -> Shell {
        let child = Command::new("sh").current_dir(folder).env("FATHOM_NO_HISTORY", "1").stdin(Stdio::piped()).spawn();
        Shell(child.unwrap())
    }

    fn target(&self) -> String {
        format!("pid:{}", self.0.id())
    }

    fn run(&mut self, line: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

/// Returns a job with a number of writes of 4 KiB.
fn writes(zram: &Zram, number: u32, options: &str) -> String {
    format!(
        "--name=a --rw=randwrite --bs=4k --number_ios={number} --rate_iops=1000 --direct=1 --ioengine=psync --filename={} {options}",
        zram.device
    )
}

/// Another program that writes to the disk until the file `stop` exists. It counts its writes in the file `others`.
fn other(scratch: &Scratch, zram: &Zram) -> Child {
    let write = format!("dd if=/dev/zero of={} bs=8k count=100 oflag=direct status=none", zram.device);
    let line = format!("until test -e stop; do {write} && echo 100 >> others; sleep 0.05; done");
    let child = Command::new("sh").args(["-c", &line]).current_dir(scratch.path()).spawn().unwrap();
    wait_until("the other program writes", || scratch.file("others").exists());
    child
}

/// Ends the other program, and returns the number of its writes.
fn ended(scratch: &Scratch, mut other: Child) -> u64 {
    std::fs::write(scratch.file("stop"), "").unwrap();
    other.wait().unwrap();
    std::fs::read_to_string(scratch.file("others")).unwrap().lines().map(|line| line.parse::<u64>().unwrap()).sum()
}

/// Asserts that a capture has the writes of its program only.
fn has_only(found: &Value, ios: u64, others: u64) {
    assert_eq!(
        (&found["write"]["ios"], &found["write"]["sizes"][0]["bytes"]),
        (&ios.into(), &4096.into()),
        "{found:#}"
    );
    assert_eq!(found["write"]["sizes"].as_array().unwrap().len(), 1, "{found:#}");
    assert_eq!(found["losses"]["lost_events"], 0);
    // The system may read a device that is closed.
    let left_out = found["left_out"]["programs"].as_u64().unwrap();
    assert!(left_out >= others, "{left_out} instead of {others}");
}

#[test]
fn a_capture_of_a_process_has_its_own_ios_and_those_of_its_children() {
    let Some(zram) = Zram::new(64) else { return };
    let scratch = Scratch::new("captured-process");
    let mut shell = Shell::new(scratch.path());
    let options = format!("--on {}", zram.device);
    let Some(capture) = started(&scratch, &shell.target(), "c", &options) else { return };
    let other = other(&scratch, &zram);
    let binary = binary().display().to_string();
    // Processes of a few milliseconds, threads, and threads of io_uring.
    shell.run(&format!(
        "for i in 1 2 3 4 5 6 7 8 9 10; do dd if=/dev/zero of={} bs=4k count=5 oflag=direct status=none; done",
        zram.device
    ));
    shell.run(&format!("{binary} fio {} > /dev/null", writes(&zram, 100, "--thread --numjobs=3")));
    let of_ring = writes(&zram, 200, "").replace("psync", "io_uring --force_async=1");
    shell.run(&format!("{binary} fio {of_ring} > ring; touch done"));
    wait_until("the end of the jobs", || scratch.file("done").exists());
    let others = ended(&scratch, other);
    drop(shell);
    let capture = outcome(capture).assert_success();
    capture.complained_of(" has ended");
    assert!(
        capture.stdout.contains("only I/Os that pid:") && !capture.stderr.contains("in flight"),
        "{}",
        capture.stdout
    );
    let found = figures(&scratch, "c");
    assert_eq!(found["end"], "exit");
    let has_ring = std::fs::read_to_string(scratch.file("ring")).unwrap().contains("ios=");
    if !has_ring {
        skipped("no io_uring");
    }
    has_only(&found, 50 + 300 + if has_ring { 200 } else { 0 }, others);
}

/// A control group, with another one below it.
struct Group(PathBuf);

impl Group {
    fn new() -> Option<Group> {
        let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
        let mounted = |kind: &str| {
            mounts.lines().find(|line| line.split(' ').nth(2) == Some(kind))?.split(' ').nth(1).map(PathBuf::from)
        };
        let group = mounted("cgroup2")
            .or_else(|| mounted("cgroup"))
            .map(|mount| mount.join(format!("fathom-{}", std::process::id())));
        let made = group.filter(|group| std::fs::create_dir_all(group.join("below")).is_ok());
        if made.is_none() {
            skipped("no control group can be made");
        }
        made.map(Group)
    }

    fn remove(&self) {
        wait_until("the group is removed", || {
            [self.0.join("below"), self.0.clone()]
                .iter()
                .all(|group| std::fs::remove_dir(group).is_ok() || !group.exists())
        });
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.remove();
    }
}

#[test]
fn a_capture_of_a_control_group_has_the_ios_of_the_processes_in_it_and_below_it() {
    let (Some(zram), Some(group)) = (Zram::new(64), Group::new()) else { return };
    let scratch = Scratch::new("captured-group");
    let name = group.0.file_name().unwrap().to_str().unwrap();
    let options = format!("--on {}", zram.device);
    let Some(capture) = started(&scratch, &format!("cgroup:/{name}"), "c", &options) else { return };
    let other = other(&scratch, &zram);
    for (folder, number) in [(&group.0, 300), (&group.0.join("below"), 200)] {
        let job = format!("fio {}", writes(&zram, number, "--output-format=json"));
        let line = format!("echo $$ > {}/cgroup.procs && exec {} {job}", folder.display(), binary().display());
        needs(&line).unwrap();
    }
    let others = ended(&scratch, other);
    group.remove();
    outcome(capture).assert_success().complained_of(&format!("note: cgroup:{} has ended", group.0.display()));
    let found = figures(&scratch, "c");
    assert_eq!(found["capture"]["target"], format!("cgroup:{}", group.0.display()));
    has_only(&found, 500, others);
}

/// Captures for a short time, with a name that a test can choose.
fn captured(scratch: &Scratch, target: &str) -> Outcome {
    outcome(command(scratch.path(), "capture", &format!("{target} -o c --for 100ms")).spawn().unwrap())
}

#[test]
fn the_disk_of_a_process_is_that_of_its_open_files() {
    let scratch = Scratch::new("captured-disk");
    let (Some(first), Some(second)) = (Loop::new(&scratch, 8, ""), Loop::new(&scratch, 8, "")) else { return };
    let mut shell = Shell::new(scratch.path());
    // Its output is none of the test's files.
    shell.run("exec > /dev/null 2>&1; touch none");
    wait_until("the shell runs", || scratch.file("none").exists());
    captured(&scratch, &shell.target()).ended_with(2).complained_of("has no open file on a block device");
    shell.run(&format!("exec 3< {}; touch one", first.device));
    wait_until("the file is open", || scratch.file("one").exists());
    let ended = captured(&scratch, &shell.target());
    if ended.stderr.contains("the block layer can be traced") || ended.stderr.contains("tracefs") {
        return skipped(&ended.stderr);
    }
    ended.ended_with(0);
    let found = figures(&scratch, "c");
    assert_eq!(format!("/dev/{}", found["capture"]["device"]["name"].as_str().unwrap()), first.device);
    shell.run(&format!("exec 4< {0} 5< {0}; touch two", second.device));
    wait_until("the files are open", || scratch.file("two").exists());
    let ended = captured(&scratch, &shell.target());
    ended
        .ended_with(2)
        .complained_of(&format!("has open files on 2 disks: {} (2), {} (1)", second.device, first.device));
    ended.complained_of(&format!("--on {}", second.device));
    captured(&scratch, &format!("{} --on {}", shell.target(), second.device)).ended_with(0);
}

#[test]
fn control_groups_are_found_beside_a_mount_whose_name_has_any_bytes() {
    let (Some(group), Some(_)) = (Group::new(), needs("unshare -m true")) else { return };
    let scratch = Scratch::new("captured-bytes");
    let name = group.0.file_name().unwrap().to_str().unwrap();
    let mount = "d=$(printf \"B\\374\") && mkdir $d && mount -t tmpfs none $d";
    let line = format!("{mount} && exec {} capture cgroup:/{name} -o c --for 100ms", binary().display());
    let message = shell(&format!("cd {} && unshare -m sh -c '{line}'", scratch.path().display())).unwrap_err();
    assert!(message.contains(&format!("cgroup:/{name} has no open file on a block device")), "{message}");
}

#[test]
fn a_process_or_group_that_does_not_exist_is_refused_with_a_sentence() {
    let scratch = Scratch::new("captured-refused");
    let refused = |target: &str, why: &str| {
        captured(&scratch, target).ended_with(2).complained_of(why);
        assert!(!scratch.file("c").exists());
    };
    refused("pid:4000000000", "pid:4000000000: there is no such process");
    refused("pid:x", "pid:x: expected pid:NUMBER");
    refused("cgroup:", "cgroup:: expected cgroup:PATH");
    refused("cgroup:/no-such-group", "cgroup:/no-such-group: there is no such control group");
    refused("/ --on /", "--on needs a TARGET pid:NUMBER or cgroup:PATH");
    let own = std::process::id();
    refused(&format!("pid:{own} --on /proc"), "/proc is on no block device");
    let as_another = "setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all";
    let line = format!("exec 9<{}; {as_another} /proc/self/fd/9 capture pid:{own} 2>&1", binary().display());
    match shell(&format!("{line} || true")) {
        Ok(message) if !message.contains("setpriv") => {
            assert_eq!(message, format!("error: pid:{own}: its open files can be read by root only"));
        }
        other => skipped(&other.unwrap_or_else(|why| why)),
    }
}
