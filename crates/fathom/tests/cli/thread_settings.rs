//! Settings of a job's thread: name, user, control group, clock of its start.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use crate::stage::{Scratch, run, skipped};

const NULL: &str = "--name=j --ioengine=null --size=4k";
const OTHER_USER: u32 = 65_534;

#[test]
fn the_thread_has_the_name_of_comm() {
    let scratch = Scratch::new("comm");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.arg("fio").args(NULL.split(' ')).arg("--comm=storage-test").current_dir(scratch.path());
    command.arg("--exec_prerun=cat /proc/$PPID/task/*/comm");
    assert!(command.output().unwrap().status.success());
    let names = fs::read_to_string(scratch.file("j.prerun.txt")).unwrap();
    assert!(names.lines().any(|name| name == "storage-test"), "{names}");
}

#[test]
fn the_start_is_a_time_of_the_requested_clock() {
    let scratch = Scratch::new("start-clock");
    let report = run(scratch.path(), &format!("{NULL} --job_start_clock_id=1 --output-format=json")).json();
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let uptime_s: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    let start_ms = report["jobs"][0]["job_start"].as_f64().unwrap();
    assert!(start_ms > 0.0 && start_ms <= uptime_s * 1000.0 + 1000.0, "{start_ms} ms, up for {uptime_s} s");
    let refused = run(scratch.path(), &format!("{NULL} --job_start_clock_id=15"));
    assert!(refused.code == Some(1) && refused.stderr.contains("job_start_clock_id"), "{}", refused.stderr);
}

#[test]
fn a_job_has_the_permissions_of_its_user() {
    let scratch = Scratch::new("uid");
    let (own, private) = (scratch.file("own"), scratch.file("private"));
    fs::create_dir(&own).unwrap();
    let is_other_user = fs::metadata(&own).unwrap().uid() == OTHER_USER;
    if is_other_user || chown(&own, Some(OTHER_USER), Some(OTHER_USER)).is_err() {
        return skipped("only root can start jobs of another user");
    }
    fs::write(&private, [0; 4096]).unwrap();
    fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let job = format!("--name=j --rw=write --size=4k --uid={OTHER_USER} --gid={OTHER_USER} --create_serialize=0");
    let done = run(scratch.path(), &format!("{job} --filename=own/file"));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let made = fs::metadata(own.join("file")).unwrap();
    assert_eq!((made.uid(), made.gid()), (OTHER_USER, OTHER_USER));
    let refused = run(scratch.path(), &format!("{job} --filename=private"));
    assert!(refused.code == Some(1) && refused.stderr.contains("Permission denied"), "{}", refused.stderr);
}

#[test]
fn a_job_runs_in_its_control_group() {
    let scratch = Scratch::new("cgroup");
    let name = format!("fathom-test-{}", std::process::id());
    let group = Path::new("/sys/fs/cgroup/blkio").join(&name);
    if fs::create_dir(&group).is_err() {
        return skipped("no control groups for block I/O (version 1) that this user can create");
    }
    fs::remove_dir(&group).unwrap();
    for (options, stays) in [("", false), ("--cgroup_nodelete=1", true)] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fathom"));
        command.arg("fio").args(NULL.split(' ')).arg(format!("--cgroup={name}")).current_dir(scratch.path());
        command.args(options.split_whitespace()).arg("--exec_prerun=cat /proc/self/cgroup");
        let ended = command.output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let groups = fs::read_to_string(scratch.file("j.prerun.txt")).unwrap();
        assert!(groups.lines().any(|line| line.ends_with(&format!(":blkio:/{name}"))), "{groups}");
        assert_eq!(group.exists(), stays, "{options}");
    }
    fs::remove_dir(&group).unwrap();
}

#[test]
fn a_control_group_that_the_kernel_refuses_is_an_error() {
    let scratch = Scratch::new("cgroup-refused");
    let refused = run(scratch.path(), &format!("{NULL} --cgroup=no/such/parent"));
    assert!(refused.code == Some(1) && refused.stderr.contains("cgroup"), "{}", refused.stderr);
}
