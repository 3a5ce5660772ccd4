//! A device in use is recognized by its number, under every name and in every mount namespace. Character devices are not
//! written.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::stage::{Mount, Outcome, Scratch, Zram, diskspd, needs, outcome, run, shell, system, wait_until};

/// Makes a device with a file system that is not mounted.
fn formatted() -> Option<Zram> {
    let device = Zram::new(16)?;
    needs(&format!("mkfs.ext4 -q {}", device.device))?;
    Some(device)
}

fn hash(path: impl AsRef<Path>) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// Runs a job that writes `target`, with a descriptor 9 on the device.
fn write(scratch: &Scratch, target: &str, device: &str) -> Outcome {
    let job = format!("fio --name=a --filename={target} --rw=write --bs=4k --size=64k");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("exec \"$0\" {job} 9<{device}")]).arg(env!("CARGO_BIN_EXE_fathom"));
    command.current_dir(scratch.path()).env("FATHOM_NO_HISTORY", "1");
    outcome(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

#[test]
fn mounted_device_is_known_by_its_number() {
    let scratch = Scratch::new("names");
    let Some(device) = formatted() else { return };
    let name = &device.device;
    let Some(_mount) = Mount::new(&format!("-o ro {name}"), &scratch.file("mnt")) else { return };
    let number = device.number().replace(':', " ");
    let Some(_) = needs(&format!("cd {}; mknod node b {number} && ln node hard", scratch.path().display())) else {
        return;
    };
    let before = hash(name);
    for target in ["node", "hard", "/proc/self/fd/9"] {
        write(&scratch, target, name).ended_with(1).complained_of("mounted on");
        let line = format!("-d1 -W0 -w100 -b4K {target}");
        if !target.contains("fd") {
            outcome(diskspd(scratch.path(), &line).spawn().unwrap()).ended_with(1).complained_of("mounted on");
        }
    }
    assert_eq!(before, hash(name));
}

#[test]
fn device_that_is_mounted_in_another_namespace_is_not_written() {
    let scratch = Scratch::new("names-namespace");
    let Some(device) = formatted() else { return };
    let (name, at) = (&device.device, scratch.file("mnt"));
    std::fs::create_dir(&at).unwrap();
    let Some(_) = needs("unshare -m true") else { return };
    let before = hash(name);
    let script =
        format!("mount -o ro {name} {} && touch {}/mounted && read end", at.display(), scratch.path().display());
    let mut child = Command::new("unshare").args(["-m", "sh", "-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
    wait_until("it is mounted", || scratch.file("mounted").exists() || child.try_wait().unwrap().is_some());
    let written = write(&scratch, name, name);
    drop(child.stdin.take());
    child.wait().unwrap();
    written.ended_with(1).complained_of("opened exclusively");
    assert_eq!(before, hash(name));
    // The other way round: the namespace of the run does not have the mount.
    let Some(mount) = Mount::new(&format!("-o ro {name}"), &at) else { return };
    let job = format!("fio --name=a --filename={name} --rw=write --bs=4k --size=64k");
    let script = format!("umount {} && FATHOM_NO_HISTORY=1 {} {job}", at.display(), env!("CARGO_BIN_EXE_fathom"));
    let refused = shell(&format!("cd {} && unshare -m sh -c '{script}'", scratch.path().display())).unwrap_err();
    assert!(refused.contains("opened exclusively"), "{refused}");
    // The page cache of a mounted device is not what is on the device.
    drop(mount);
    assert_eq!(before, hash(name));
}

#[test]
fn character_device_is_not_written() {
    let scratch = Scratch::new("names-character");
    // A number of the SCSI generic driver that no device has: an open would fail.
    let Some(_) = needs(&format!("cd {}; mknod sg c 21 255 && mknod null c 1 3", scratch.path().display())) else {
        return;
    };
    const MESSAGE: &str = "is a character device, and fathom cannot check whether its disk is in use";
    for rw in ["write", "randrw", "write --ioengine=mmap", "read --ioengine=psync --mem=mmap:sg"] {
        let target = if rw.contains("mem=") { "f" } else { "sg" };
        let job = format!("--name=a --filename={target} --bs=4k --size=64k --rw={rw}");
        run(scratch.path(), &job).ended_with(1).complained_of(MESSAGE);
    }
    let job = "--name=a --filename=f --size=64k --rw=read";
    for option in ["--output=sg", "--record=sg", "--write_bw_log=x"] {
        system(&format!("cd {}; ln -sf sg x_bw.1.log", scratch.path().display()));
        run(scratch.path(), &format!("{job} {option}")).ended_with(1).complained_of(MESSAGE);
    }
    run(scratch.path(), &format!("{job} --output=null")).ended_with(0);
    let read = run(scratch.path(), "--name=a --filename=sg --bs=4k --size=64k --rw=read");
    assert!(!read.stderr.contains(MESSAGE), "{}", read.stderr);
    outcome(diskspd(scratch.path(), "-d1 -W0 -w100 sg").spawn().unwrap()).ended_with(1);
    run(scratch.path(), "--name=a --filename=null --bs=4k --size=64k --rw=write").ended_with(0);
    system(&format!("rm {0}/sg {0}/null", scratch.path().display()));
}
