//! Targets in use are not written, trimmed, created or removed. The run is rejected before any change, with the holder
//! in the message.

use crate::stage::{Loop, MIB, Mount, Scratch, Zram, needs, run, system};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Everything that changes a target.
const CHANGES: [&str; 7] = [
    "--rw=write",
    "--rw=randwrite --ioengine=io_uring --direct=1",
    "--rw=randrw --ioengine=libaio --rwmixread=99",
    "--rw=trim",
    "--rw=trimwrite",
    "--rw=write --ioengine=mmap",
    "--rw=write --ioengine=falloc",
];

fn hash(path: impl AsRef<Path>) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// Checks that only reads of `target` are possible, and that the rejections contain `by`.
fn only_read(scratch: &Scratch, target: &str, contents: &Path, by: &str) {
    system("sync");
    let before = hash(contents);
    for change in CHANGES {
        let job = format!("--name=a --filename={target} --bs=4k --size=1m {change} --number_ios=4");
        run(scratch.path(), &job).ended_with(1).complained_of(by);
    }
    let job = format!("--name=a --filename={target} --bs=4k --size=1m --rw=read --unlink=0");
    run(scratch.path(), &job).ended_with(0);
    system("sync");
    assert_eq!(before, hash(contents), "{target} has changed");
}

#[test]
fn a_mounted_device_is_only_read_under_any_name() {
    let scratch = Scratch::new("mounted");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let at = scratch.file("mnt");
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    // A writable mount would change the device by itself.
    let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &at) else { return };
    let by = format!("mounted on {}", at.display());
    let link = scratch.file("link");
    std::os::unix::fs::symlink(&device.device, &link).unwrap();
    std::os::unix::fs::symlink("link", scratch.file("link-to-link")).unwrap();
    let number = device.device.trim_start_matches("/dev/loop");
    let node = scratch.file("node");
    system(&format!("mknod {} b 7 {number}", node.display())).unwrap();
    std::fs::write(scratch.file("bound"), "").unwrap();
    let bound = scratch.file("bound");
    let bound = system(&format!("mount --bind {} {}", device.device, bound.display())).map(|_| Mount(bound));
    let names =
        [device.device.as_str(), "link", "link-to-link", "node", "bound", &format!("/dev/../{}", device.device)];
    for name in names {
        if name != "bound" || bound.is_some() {
            only_read(&scratch, name, &device.image, &by);
        }
    }
    let job = format!("--name=a --filename={} --bs=4k --size=64k --offset=8m --rw=write", device.device);
    run(scratch.path(), &job).ended_with(1);
    run(scratch.path(), &format!("{job} --allow_mounted_write=1")).ended_with(0);
}

#[test]
fn disk_with_a_mounted_partition_is_only_read_and_its_other_partition_is_writable() {
    let scratch = Scratch::new("partition");
    let Some(device) = Loop::new(&scratch, 64, "--partscan") else { return };
    let disk = device.device.clone();
    let Some(_) = device.make_partitions() else { return };
    let first = format!("{disk}p1");
    system(&format!("mkfs.ext4 -q {first}")).unwrap();
    {
        let at = scratch.file("mnt");
        let _mount = Mount::new(&format!("-o ro {first}"), &at).unwrap();
        let by = format!("mounted on {}", at.display());
        only_read(&scratch, &first, &device.image, &by);
        only_read(&scratch, &disk, &device.image, &by);
        let free = format!("--name=a --filename={disk}p2 --rw=write --bs=4k --size=64k");
        run(scratch.path(), &free).ended_with(0);
    }
    system(&format!("partx --delete {disk}"));
}

#[test]
fn swap_is_only_read_with_any_option() {
    let Some(device) = Zram::new(16) else { return };
    let scratch = Scratch::new("swap");
    let name = &device.device;
    if system(&format!("mkswap {name} && swapon {name}")).is_none() {
        return;
    }
    for change in CHANGES {
        for allowed in ["", "--allow_mounted_write=1"] {
            let job = format!("--name=a --filename={name} --bs=4k --size=1m {change} {allowed}");
            let ended = run(scratch.path(), &job);
            if ended.code != Some(1) {
                system(&format!("swapoff {name}"));
            }
            ended.ended_with(1).complained_of("swap");
        }
    }
    system(&format!("swapoff {name}")).unwrap();
    run(scratch.path(), &format!("--name=a --filename={name} --bs=4k --size=1m --rw=read")).ended_with(0);
    system(&format!("wipefs -qa {name}"));
}

#[test]
fn backing_file_is_neither_changed_nor_removed() {
    let scratch = Scratch::new("backing");
    let Some(device) = Loop::new(&scratch, 4, "") else { return };
    for rw in ["write", "randrw", "write --ioengine=mmap", "read --unlink=1", "read --size=8m"] {
        let job = format!("--name=a --filename=image --bs=4k --size=1m --rw={rw}");
        run(scratch.path(), &job).ended_with(1).complained_of("loop device");
    }
    let delete = "--name=a --filename=image --ioengine=filedelete --filesize=4m --create_on_open=1";
    run(scratch.path(), delete).ended_with(1).complained_of("loop device");
    assert_eq!(std::fs::metadata(&device.image).unwrap().len(), 4 * MIB);
}

#[test]
fn members_of_device_sets_are_only_read() {
    let scratch = Scratch::new("member");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let mut image = vec![0u8; 16 << 20];
    image[512..520].copy_from_slice(b"LABELONE");
    image[536..544].copy_from_slice(b"LVM2 001");
    std::fs::write(&device.image, &image).unwrap();
    only_read(&scratch, &device.device, &device.image, "LVM");
    image[512..544].fill(0);
    image[4096..4100].copy_from_slice(&0xa92b_4efc_u32.to_le_bytes());
    image[4100..4104].copy_from_slice(&1u32.to_le_bytes());
    std::fs::write(&device.image, &image).unwrap();
    only_read(&scratch, &device.device, &device.image, "MD");
    system(&format!("wipefs -qa {}", device.device));
}

#[test]
fn one_rejected_job_rejects_all() {
    let scratch = Scratch::new("together");
    let Some(device) = Zram::new(16) else { return };
    let name = &device.device;
    if system(&format!("mkfs.ext4 -q {name}")).is_none() {
        return;
    }
    let Some(_mount) = Mount::new(name, &scratch.file("mnt")) else { return };
    let jobs = format!("--bs=4k --size=1m --rw=write --name=a --filename=new --name=b --stonewall --filename={name}");
    run(scratch.path(), &jobs).ended_with(1).complained_of("mounted on");
    assert!(!scratch.file("new").exists());
}

#[test]
fn files_keep_their_length_and_their_bytes_unless_the_job_writes_them() {
    let scratch = Scratch::new("keep");
    let path = scratch.filled("f", 3 * MIB);
    let before = hash(&path);
    let reads = [
        "--rw=read --size=1m",
        "--rw=randread --size=3m --ioengine=mmap",
        "--rw=read --size=1m --bs=4m",
        "--rw=read --size=1m --filesize=1m --overwrite=1 --fallocate=truncate",
        "--rw=read --size=2m --loops=2 --pre_read=1 --ioengine=io_uring",
        "--rw=read --size=1m --max_latency=1",
        "--rw=read --size=1m --exec_prerun=false",
        "--rw=write --size=1m --readonly",
        "--rw=write --size=1m --create_only=1",
        "--rw=write --size=1m --ioengine=nonsense",
    ];
    for job in reads {
        run(scratch.path(), &format!("--name=a --filename=f {job}"));
        assert_eq!(before, hash(&path), "{job}");
    }
    for job in ["--rw=write --size=1m", "--rw=randrw --size=1m --overwrite=1", "--rw=write --size=64k --end_fsync=1"] {
        run(scratch.path(), &format!("--name=a --filename=f {job}")).ended_with(0);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 3 * MIB, "{job}");
    }
    run(scratch.path(), "--name=a --filename=f --rw=read --size=1m --unlink=1").ended_with(0);
    assert!(!path.exists());
}

#[test]
fn invalid_targets_are_rejected_by_name() {
    let scratch = Scratch::new("kinds");
    std::fs::create_dir(scratch.file("directory")).unwrap();
    system(&format!("mkfifo {}", scratch.file("pipe").display())).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scratch.file("socket")).unwrap();
    for (kind, message) in [("directory", "it is a directory"), ("pipe", "it is a pipe"), ("socket", "it is a socket")]
    {
        for rw in ["read", "write"] {
            let job = format!("--name=a --filename={kind} --size=1m --rw={rw}");
            run(scratch.path(), &job).ended_with(1).complained_of(message);
        }
    }
    assert_eq!(scratch.names(), ["directory", "pipe", "socket"]);
}

#[test]
fn file_without_permission_is_reported_before_the_run() {
    let scratch = Scratch::new("permission");
    scratch.filled("f", MIB);
    let name = scratch.path().display().to_string();
    // Root can open every file, so this runs as another user.
    let job = "fio --name=a --filename=f --size=1m --rw=write --name=b --filename=new --size=1m --rw=write";
    let command = format!("chmod 755 {name}; cd {name} && setpriv --reuid=65534 --clear-groups \"$0\" {job}");
    let output =
        std::process::Command::new("sh").args(["-c", &command, env!("CARGO_BIN_EXE_fathom")]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    if message.contains("setpriv") || output.status.code() == Some(126) || output.status.code() == Some(127) {
        crate::stage::skipped(&format!("can't run as another user: {message}"));
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("Permission denied") && message.contains("f"), "{message}");
    assert_eq!(scratch.names(), ["f"]);
}
