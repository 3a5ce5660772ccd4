//! Targets in use are not written, trimmed, created or removed, in either dialect. The run is rejected before any change, with the
//! holder in the message. Lines that one dialect has only are in `diskspd_safety.rs`.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::stage::{Loop, MIB, Mount, Outcome, Scratch, Zram, command, needs, outcome, run, system};

/// The lines of a dialect. `{}` is the name of the target.
#[derive(Clone, Copy)]
struct Dialect {
    word: &'static str,
    common: &'static str,
    /// Everything that changes a target.
    changes: [&'static str; 7],
    read: &'static str,
    /// What changes, replaces or removes a file.
    file_changes: &'static [&'static str],
    /// What keeps the content of a file of 3 MiB.
    keeps_content: &'static [&'static str],
    /// What writes a file of 3 MiB and keeps its length.
    keeps_length: &'static [&'static str],
}

const FIO: Dialect = Dialect {
    word: "fio",
    common: "--name=a --bs=4k --filename={}",
    changes: [
        "--size=1m --number_ios=4 --rw=write",
        "--size=1m --number_ios=4 --rw=randwrite --ioengine=io_uring --direct=1",
        "--size=1m --number_ios=4 --rw=randrw --ioengine=libaio --rwmixread=99",
        "--size=1m --number_ios=4 --rw=trim",
        "--size=1m --number_ios=4 --rw=trimwrite",
        "--size=1m --number_ios=4 --rw=write --ioengine=mmap",
        "--size=1m --number_ios=4 --rw=write --ioengine=falloc",
    ],
    read: "--size=1m --rw=read --unlink=0",
    file_changes: &[
        "--size=1m --rw=write",
        "--size=1m --rw=randrw",
        "--size=1m --rw=write --ioengine=mmap",
        "--size=1m --rw=read --unlink=1",
        "--size=8m --rw=read",
        "--ioengine=filedelete --filesize=4m --create_on_open=1",
    ],
    keeps_content: &[
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
    ],
    keeps_length: &[
        "--rw=write --size=1m",
        "--rw=randrw --size=1m --overwrite=1",
        "--rw=write --size=64k --end_fsync=1",
    ],
};

const DISKSPD: Dialect = Dialect {
    word: "diskspd",
    common: "-d1 -W0 -b4K",
    changes: [
        "-w100 {}",
        "-w1 -r -o8 -Sh {}",
        "-w50 -t2 -o1 {}",
        "-w100 -Sm -Nv {}",
        "-w100 -F2 -O4 {}",
        "-c1M -w100 -Zr {}",
        "-w100 free.dat {}",
    ],
    read: "-w0 -r -Sh {}",
    file_changes: &["-c1M -w0 {}", "-c1M -w100 {}", "-w100 -Sm {}", "-r -w10 {}"],
    keeps_content: &[
        "-w0 {}",
        "-r -Sh -t2 {}",
        "-Sm {}",
        "-Rp -c1M -w100 {}",
        "-w100 -f1K {}",
        "-w100 -Z1M,none {}",
        "-w100 -Xnone {}",
    ],
    keeps_length: &["-w100 -o4 {}", "-w100 -Sm {}", "-w50 -r -Sh {}", "-w100 -B1M:1M -si {}"],
};

const DIALECTS: [Dialect; 2] = [FIO, DISKSPD];

impl Dialect {
    fn run(&self, scratch: &Scratch, line: &str, target: &str) -> Outcome {
        let line = format!("{} {line}", self.common).replace("{}", target);
        outcome(command(scratch.path(), self.word, &line).spawn().unwrap())
    }

    /// Checks that a line is rejected, with the terms of the dialect.
    fn is_refused(&self, scratch: &Scratch, line: &str, target: &str, by: &str) {
        let ended = self.run(scratch, line, target);
        ended.ended_with(1).complained_of(by);
        if self.word == "diskspd" {
            refused(&ended, 1, by);
            assert!(ended.stderr.contains(target) && ended.stderr.contains("nothing was written"), "{}", ended.stderr);
            assert!(ended.stdout.contains("interrupted before the measurements began"), "{}", ended.stdout);
        }
    }
}

/// Checks a rejection of `fathom diskspd`: it has DiskSpd's terms, no fio options and no errno.
pub(crate) fn refused(ended: &Outcome, code: i32, message: &str) {
    ended.ended_with(code).complained_of(message);
    let stderr = &ended.stderr;
    assert!(!stderr.contains("fio:") && !stderr.contains("os error") && stderr.contains("error: "), "{stderr}");
}

/// Checks that only reads of `target` are possible, and that the rejections contain `by`.
fn only_read(scratch: &Scratch, target: &str, contents: &Path, by: &str) {
    scratch.filled("free.dat", MIB);
    system("sync");
    let before = std::fs::read(contents).unwrap();
    for dialect in &DIALECTS {
        for change in dialect.changes {
            dialect.is_refused(scratch, change, target, by);
        }
        dialect.run(scratch, dialect.read, target).ended_with(0);
    }
    let swept = command(scratch.path(), "sweep", &format!("b=4k,8k diskspd -d1 -W0 -w100 {target}"));
    outcome({ swept }.spawn().unwrap()).ended_with(1).complained_of(by);
    system("sync");
    assert!(before == std::fs::read(contents).unwrap(), "{target} has changed");
    assert_eq!(std::fs::read(scratch.file("free.dat")).unwrap(), vec![0x5a; MIB as usize]);
}

#[test]
fn a_mounted_device_is_only_read_under_any_name_and_its_files_may_be_written() {
    let scratch = Scratch::new("mounted");
    let Some(device) = Loop::new(&scratch, 16, "") else { return };
    let at = scratch.file("mnt");
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    {
        // A writable mount would change the device by itself.
        let Some(_mount) = Mount::new(&format!("-o ro {}", device.device), &at) else { return };
        let by = format!("mounted on {}", at.display());
        std::fs::create_dir_all(scratch.file("by-id")).unwrap();
        symlink(&device.device, scratch.file("by-id/disk")).unwrap();
        symlink("by-id/disk", scratch.file("link-to-link")).unwrap();
        let number = device.device.trim_start_matches("/dev/loop");
        system(&format!("mknod {} b 7 {number}", scratch.file("node").display())).unwrap();
        let bound = scratch.file("bound");
        std::fs::write(&bound, "").unwrap();
        let bound = system(&format!("mount --bind {} {}", device.device, bound.display())).map(|_| Mount(bound));
        let roundabout = format!("/dev/../{}", device.device);
        for name in [&device.device, "by-id/disk", "link-to-link", "node", "bound", &roundabout] {
            if name != "bound" || bound.is_some() {
                only_read(&scratch, name, &device.image, &by);
            }
        }
        let job = "--size=64k --offset=8m --rw=write";
        FIO.run(&scratch, job, &device.device).ended_with(1);
        FIO.run(&scratch, &format!("{job} --allow_mounted_write=1"), &device.device).ended_with(0);
    }
    let Some(_mount) = Mount::new(&device.device, &at) else { return };
    DISKSPD.run(&scratch, "-c1M -w100 -Sh {}", "mnt/file").ended_with(0);
    DISKSPD.run(&scratch, "-w100 {}", "mnt/file").ended_with(0);
    assert_eq!(std::fs::metadata(at.join("file")).unwrap().len(), MIB);
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
        let free = format!("{disk}p2");
        for dialect in &DIALECTS {
            dialect.run(&scratch, dialect.keeps_length[0], &free).ended_with(0);
        }
    }
    system(&format!("partx --delete {disk}"));
}

#[test]
fn swap_is_only_read_with_any_option() {
    let scratch = Scratch::new("swap");
    scratch.filled("free.dat", MIB);
    let Some(device) = Zram::new(16) else { return };
    let name = &device.device;
    let Some(_) = needs(&format!("mkswap {name} && swapon {name}")) else { return };
    let allowed = FIO.changes.map(|change| (FIO, format!("{change} --allow_mounted_write=1")));
    let changes = DIALECTS.into_iter().flat_map(|dialect| dialect.changes.map(|change| (dialect, change.to_owned())));
    let ended: Vec<_> = changes.chain(allowed).map(|(dialect, change)| dialect.run(&scratch, &change, name)).collect();
    system(&format!("swapoff {name}")).unwrap();
    for ended in ended {
        ended.ended_with(1).complained_of("swap");
    }
    for dialect in &DIALECTS {
        dialect.run(&scratch, dialect.read, name).ended_with(0);
    }
    system(&format!("wipefs -qa {name}"));
}

#[test]
fn members_of_device_sets_and_loop_devices_below_others_are_only_read() {
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
    let Some(upper) = needs(&format!("losetup --show -f {}", device.device)) else { return };
    only_read(&scratch, &device.device, &device.image, &format!("loop device {upper}"));
    system(&format!("losetup -d {upper}"));
}

#[test]
fn file_in_use_is_neither_written_nor_replaced_nor_removed() {
    let scratch = Scratch::new("backing");
    let Some(device) = Loop::new(&scratch, 4, "") else { return };
    symlink("image", scratch.file("link")).unwrap();
    std::fs::hard_link(&device.image, scratch.file("hard")).unwrap();
    for name in ["image", "link", "hard"] {
        for dialect in &DIALECTS {
            let changes = dialect.file_changes.iter();
            changes.for_each(|change| dialect.is_refused(&scratch, change, name, "loop device"));
        }
        for report in ["record", "text", "xml"] {
            let line = format!("-R{report}={name} {{}}");
            refused(&DISKSPD.run(&scratch, &line, &device.device), 3, "loop device");
        }
    }
    assert_eq!(std::fs::read(&device.image).unwrap(), vec![0; 4 << 20]);
    let swap = scratch.file("swap");
    let made = format!(
        "dd if=/dev/zero of={0} bs=1M count=4 status=none && chmod 600 {0} && mkswap -q {0} && swapon {0}",
        swap.display()
    );
    let Some(_) = needs(&made) else { return };
    let changes = DIALECTS.iter().flat_map(|dialect| dialect.file_changes.iter().map(move |change| (dialect, change)));
    let ended: Vec<_> = changes.map(|(dialect, change)| dialect.run(&scratch, change, "swap")).collect();
    let kept = std::fs::metadata(&swap).map(|found| found.len());
    system(&format!("swapoff {}", swap.display()));
    for ended in ended {
        ended.ended_with(1).complained_of("swap");
    }
    assert_eq!(kept.unwrap(), 4 * MIB);
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
fn files_keep_their_length_and_their_bytes_unless_a_line_writes_them() {
    for dialect in &DIALECTS {
        let scratch = Scratch::new("keep");
        let path = scratch.filled("f", 3 * MIB);
        for line in dialect.keeps_content {
            dialect.run(&scratch, line, "f");
            assert_eq!(std::fs::read(&path).unwrap(), vec![0x5a; 3 << 20], "{line}");
        }
        for line in dialect.keeps_length {
            dialect.run(&scratch, line, "f").ended_with(0);
            assert_eq!(std::fs::metadata(&path).unwrap().len(), 3 * MIB, "{line}");
        }
    }
    let scratch = Scratch::new("unlink");
    let path = scratch.filled("f", MIB);
    FIO.run(&scratch, "--rw=read --size=1m --unlink=1", "f").ended_with(0);
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
