//! What another user puts at the name of a target after the check is not changed: links, files and devices.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use crate::stage::{Loop, Mount, Scratch, Zram, fathom, needs, outcome, run, shell, system, wait_until};

const MESSAGE: &str = "is no longer the target";

pub fn hash(path: impl AsRef<Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// A file of another user.
pub fn victim(scratch: &Scratch) -> PathBuf {
    let path = scratch.file("victim");
    std::fs::write(&path, vec![0x5a; 64 << 10]).unwrap();
    std::os::unix::fs::chown(&path, Some(1234), Some(1234)).unwrap();
    path
}

pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Jobs that open `late/b` when `late/a` is complete.
const JOBS: [&str; 6] = [
    "--rw=write --openfiles=1",
    "--rw=write --openfiles=1 --ioengine=io_uring --iodepth=4",
    "--rw=write --openfiles=1 --ioengine=libaio --iodepth=4",
    "--rw=randwrite --openfiles=1 --unlink=1",
    "--rw=write --openfiles=1 --unlink_each_loop=1 --loops=2",
    "--rw=write --ioengine=filecreate --thinktime=500ms --openfiles=1",
];

#[test]
fn a_link_that_appears_at_the_name_of_a_missing_file_is_not_followed() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("appears");
    let victim = victim(&scratch);
    let mounted = Zram::new(16).filter(|device| needs(&format!("mkfs.ext4 -q {}", device.device)).is_some());
    let at = scratch.file("mnt");
    let _mount = mounted.as_ref().map(|device| Mount::new(&format!("-o ro {}", device.device), &at));
    let destinations = mounted.iter().map(|device| PathBuf::from(&device.device)).chain([victim]);
    for destination in destinations {
        let before = hash(&destination);
        for job in JOBS {
            let late = scratch.file("late");
            drop(std::fs::remove_dir_all(&late));
            std::fs::create_dir(&late).unwrap();
            let job = format!(
                "--name=a --filename=late/a:late/b --size=64k --filesize=32k --bs=4k --rate_iops=8 --create_on_open=1 --file_service_type=sequential {job}"
            );
            let child = fathom(scratch.path(), &job).spawn().unwrap();
            wait_until("the first file exists", || late.join("a").exists());
            // The job may have been faster.
            let has_appeared = symlink(&destination, late.join("b")).is_ok();
            let ended = outcome(child);
            system("sync");
            assert_eq!(hash(&destination), before, "{job}");
            if has_appeared {
                ended.ended_with(1).complained_of(MESSAGE);
            }
        }
    }
}

#[test]
fn a_command_of_one_job_does_not_release_the_targets_of_another() {
    if !is_root() {
        return crate::stage::skipped("files of other users need the super-user");
    }
    let scratch = Scratch::new("appears-command");
    let victim = victim(&scratch);
    let before = hash(&victim);
    for name in ["f1", "f2"] {
        scratch.filled(name, 32 << 10);
    }
    let script = scratch.file("script");
    std::fs::write(&script, "#!/bin/sh\nmv f2 old\nln -s victim f2\nsleep 3\n").unwrap();
    system(&format!("chmod +x {}", script.display())).unwrap();
    let jobs = format!(
        "--bs=4k --name=writer --filename=f1:f2 --size=64k --rw=write --openfiles=1 --file_service_type=sequential --rate_iops=8 --name=other --filename=o --size=4k --rw=write --exec_prerun={}",
        script.display()
    );
    let ended = run(scratch.path(), &jobs);
    assert_ne!(ended.code, Some(0));
    ended.complained_of(MESSAGE);
    assert_eq!(hash(&victim), before);
}

/// The command may replace the targets of its own job.
#[test]
fn a_command_may_replace_the_target_of_its_job() {
    let scratch = Scratch::new("appears-own");
    scratch.filled("f", 64 << 10);
    let script = scratch.file("script");
    std::fs::write(&script, "#!/bin/sh\nmv f old\nmkdir d\nmount -t tmpfs none d && umount d\ncp old f\n").unwrap();
    system(&format!("chmod +x {}", script.display())).unwrap();
    let job = format!("--name=a --filename=f --size=64k --rw=randwrite --bs=4k --exec_prerun={}", script.display());
    run(scratch.path(), &job).ended_with(0);
}

#[test]
fn control_groups_are_only_made_on_their_file_system() {
    let scratch = Scratch::new("appears-group");
    if !Path::new("/sys/fs/cgroup").is_dir() || !is_root() {
        return crate::stage::skipped("no control groups");
    }
    let target = scratch.file("group");
    std::fs::create_dir(&target).unwrap();
    std::fs::write(scratch.file("precious"), "precious").unwrap();
    for name in ["tasks", "cgroup.procs", "blkio.weight"] {
        symlink(scratch.file("precious"), target.join(name)).unwrap();
    }
    let up = "../".repeat(12);
    let null = "--name=j --ioengine=null --size=4k --rw=read";
    for path in [&target, &scratch.file("new")] {
        for name in [format!("{up}{}", path.display()), format!("x/{up}{}", path.display())] {
            let ended = run(scratch.path(), &format!("{null} --cgroup={name}"));
            ended.ended_with(1).complained_of("cgroup");
        }
    }
    assert!(!scratch.file("new").exists());
    assert_eq!(std::fs::read(scratch.file("precious")).unwrap(), b"precious");
}

#[test]
fn without_sysfs_nothing_is_written() {
    let scratch = Scratch::new("appears-sysfs");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &scratch.file("mnt")) else { return };
    let before = hash(&device.image);
    let fathom = env!("CARGO_BIN_EXE_fathom");
    for option in ["--filename=image", "--filename=f --output=image", "--filename=f --write_bw_log=x --bwavgtime=1"] {
        let at = scratch.path().display();
        system(&format!("cd {at}; ln -sf image x_bw.1.log"));
        let job = format!("fio --name=a --size=64k --bs=4k --rw=write {option}");
        let script = format!("mount -t tmpfs none /sys && cd {at} && FATHOM_NO_HISTORY=1 {fathom} {job}");
        let refused = shell(&format!("unshare -m sh -c '{script}'")).unwrap_err();
        assert!(refused.contains("cannot be determined") || refused.contains("cannot check"), "{refused}");
        system("sync");
        assert_eq!(hash(&device.image), before, "{option}");
    }
}
