//! A target that comes into use after the check is not changed: devices are held until the run ends, and files are checked
//! again.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Child;

use crate::stage::{
    Loop, MIB, Mount, Scratch, Zram, command, diskspd, fathom, needs, outcome, run, shell, signal, system,
    wait_for_silence, wait_until,
};

fn hash(path: impl AsRef<Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// A job that makes a file when the checks are done.
const STARTED: &str = "--name=started --filename=started";

/// Starts jobs that include [`STARTED`], and waits until the checks are done.
fn start(scratch: &Scratch, jobs: &str) -> Child {
    drop(std::fs::remove_file(scratch.file("started")));
    let child = fathom(scratch.path(), jobs).spawn().unwrap();
    wait_until("the checks are done", || scratch.file("started").exists());
    child
}

/// Makes a device with a file system that is not mounted.
fn formatted() -> Option<Zram> {
    let device = Zram::new(16)?;
    needs(&format!("mkfs.ext4 -q {}", device.device))?;
    Some(device)
}

/// Returns the text of a program that does `command` and succeeds.
fn script(scratch: &Scratch, command: &str) -> String {
    let path = scratch.file("script");
    std::fs::write(&path, format!("#!/bin/sh\n{command}\ntrue\n")).unwrap();
    system(&format!("chmod +x {}", path.display())).unwrap();
    path.display().to_string()
}

#[test]
fn device_cannot_be_mounted_from_the_check_to_the_end_of_the_run() {
    let scratch = Scratch::new("lease-mount");
    let Some(device) = formatted() else { return };
    let (name, at) = (&device.device, scratch.file("mnt"));
    std::fs::create_dir(&at).unwrap();
    let mount = format!("mount -t ext4 {name} {}", at.display());
    let before = hash(name);
    let job = format!("--rw=write --bs=4k --size=64k {STARTED}");
    for jobs in [
        format!("{job} --name=b --filename={name} --startdelay=600"),
        format!("{job} --startdelay=600 --name=b --filename=f --name=c --stonewall --filename={name}"),
    ] {
        let child = start(&scratch, &jobs);
        let mounted = shell(&mount);
        signal(&child, "INT");
        outcome(child);
        if mounted.is_ok() {
            system(&format!("umount {}", at.display()));
        }
        assert!(mounted.unwrap_err().contains("busy"));
        assert_eq!(before, hash(name));
    }
    drop(Mount::new(&format!("-t ext4 {name}"), &at).expect("the run has ended"));
    let writes = device.writes();
    let child = diskspd(scratch.path(), &format!("-d600 -W0 -w100 -b4K -Sh {name}")).spawn().unwrap();
    wait_until("the device is written", || device.writes() > writes);
    let (mounted, other) =
        (shell(&mount), run(scratch.path(), &format!("--name=a --filename={name} --rw=write --size=1m")));
    let reader = run(scratch.path(), &format!("--name=a --filename={name} --rw=read --size=1m"));
    signal(&child, "INT");
    outcome(child);
    assert!(mounted.unwrap_err().contains("busy"));
    other.ended_with(1).complained_of("opened exclusively; open in fathom");
    reader.ended_with(0);
}

#[test]
fn command_before_a_job_cannot_mount_its_device() {
    let scratch = Scratch::new("lease-prerun");
    let Some(device) = formatted() else { return };
    let (name, at) = (&device.device, scratch.file("mnt"));
    std::fs::create_dir(&at).unwrap();
    let mount = script(&scratch, &format!("mount -t ext4 {name} {}", at.display()));
    let job = format!("--name=a --filename={name} --rw=write --bs=4k --size=64k --exec_prerun={mount}");
    run(scratch.path(), &job).ended_with(0);
    let is_mounted = std::fs::read_to_string("/proc/mounts").unwrap().contains(name);
    if is_mounted {
        system(&format!("umount {}", at.display()));
    }
    assert!(!is_mounted, "the run writes a mounted device");
    // A mount that the user allows is possible, and writes continue.
    system(&format!("mkfs.ext4 -qF {name}"));
    run(scratch.path(), &format!("{job} --allow_mounted_write=1")).ended_with(0);
    system(&format!("umount {}", at.display())).expect("the device was mounted");
}

#[test]
fn partition_cannot_be_mounted_while_its_disk_is_written() {
    let scratch = Scratch::new("lease-partition");
    let Some(device) = Loop::new(&scratch, 64, "--partscan") else { return };
    let disk = &device.device;
    let Some(_) = device.make_partitions() else { return };
    let at = scratch.file("mnt");
    std::fs::create_dir(&at).unwrap();
    for part in [format!("{disk}p1"), format!("{disk}p2")] {
        system(&format!("mkfs.ext4 -q {part}")).unwrap();
    }
    let mount = |part: &str| {
        let mounted = shell(&format!("mount -t ext4 {disk}{part} {}", at.display()));
        mounted.map(|_| system(&format!("umount {}", at.display())))
    };
    let job = format!("--rw=write --bs=4k --size=64k {STARTED} --startdelay=600");
    for (targets, free) in [
        (format!("--name=a --filename={disk}p1 --name=b --filename={disk}"), false),
        (format!("--name=a --filename={disk} --name=b --filename={disk}p1"), false),
        (format!("--name=a --filename={disk}p1"), true),
    ] {
        let child = start(&scratch, &format!("{job} {targets}"));
        let mounted = [mount("p1"), mount("p2")];
        signal(&child, "INT");
        outcome(child);
        assert_eq!((mounted[0].is_ok(), mounted[1].is_ok()), (false, free), "{targets}: {mounted:?}");
    }
    // Writes through normal opens succeed.
    let both =
        format!("--rw=write --bs=4k --size=64k --numjobs=2 --name=a --filename={disk}p1 --name=b --filename={disk}");
    run(scratch.path(), &both).ended_with(0);
    system(&format!("partx --delete {disk}"));
}

#[test]
fn file_that_comes_into_use_before_its_job_starts_is_not_changed() {
    let scratch = Scratch::new("lease-file");
    let mounted = Zram::new(16);
    let Some(device) = Loop::new(&scratch, 4, "") else { return };
    let image = device.image.clone();
    drop(device);
    std::fs::write(&image, vec![0x5a; 4 * MIB as usize]).unwrap();
    let before = hash(&image);
    let attach = script(&scratch, &format!("losetup -f {}", image.display()));
    let late = [
        format!("--name=a --filename=image --exec_prerun={attach}"),
        format!("--name=a --filename=f --exec_postrun={attach} --name=b --stonewall --filename=image"),
        format!("--name=a --filename=f --exec_postrun={attach} --name=b --wait_for=a --filename=image"),
    ];
    for jobs in late {
        let ended = run(scratch.path(), &format!("--rw=write --bs=4k --size=1m {jobs}"));
        system(&format!("losetup -j {} -O NAME -n | xargs -r losetup -d", image.display()));
        ended.ended_with(1).complained_of("loop device");
        assert_eq!(before, hash(&image), "{jobs}");
    }
    let Some(mounted) = mounted else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", mounted.device)) else { return };
    let Some(_mount) = Mount::new(&format!("-o ro {}", mounted.device), &scratch.file("mnt")) else { return };
    let replace = script(&scratch, &format!("ln -sfn {} {}", mounted.device, image.display()));
    let before = hash(&mounted.device);
    let job = format!("--name=a --filename=image --rw=write --bs=4k --size=1m --exec_prerun={replace}");
    run(scratch.path(), &job).ended_with(1).complained_of("mounted on");
    assert_eq!(before, hash(&mounted.device));
}

#[test]
fn device_cannot_be_mounted_between_two_runs_of_a_study() {
    let scratch = Scratch::new("lease-study");
    let Some(device) = formatted() else { return };
    let (name, at) = (&device.device, scratch.file("mnt"));
    std::fs::create_dir(&at).unwrap();
    let mount = format!("mount -t ext4 {name} {}", at.display());
    // The write is behind the file system's structures that a mount reads.
    let line = format!(
        "--repeat 2 --cooldown 600 fio --name=a --filename={name} --rw=write --bs=4k --offset=12m --size=64k --end_fsync=1"
    );
    let formatted = device.writes();
    let child = command(scratch.path(), "run", &line).spawn().unwrap();
    wait_until("the first run writes", || device.writes() > formatted);
    wait_for_silence(&device);
    let mounted = shell(&mount);
    let reader = run(scratch.path(), &format!("--name=a --filename={name} --rw=read --size=1m"));
    signal(&child, "INT");
    outcome(child);
    if mounted.is_ok() {
        system(&format!("umount {}", at.display()));
    }
    assert!(mounted.unwrap_err().contains("busy"));
    reader.ended_with(0);
    drop(Mount::new(&format!("-t ext4 {name}"), &at).expect("the study has ended"));
}
