//! `fathom diskspd` does not write to targets in use. It rejects the run before any change, for all names of a target,
//! all targets and time spans of a profile, and all report files.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::stage::{Loop, MIB, Mount, Outcome, Scratch, Zram, command, needs, outcome, system};

/// Everything that changes a target. `{}` is its name.
const CHANGES: [&str; 7] = [
    "-w100 {}",
    "-w1 -r -o8 -Sh {}",
    "-w50 -t2 -o1 {}",
    "-w100 -Sm -Nv {}",
    "-w100 -F2 -O4 {}",
    "-c1M -w100 -Zr {}",
    "-w100 free.dat {}",
];

fn run(scratch: &Scratch, line: &str) -> Outcome {
    outcome(command(scratch.path(), "diskspd", &format!("-d1 -W0 -b4K {line}")).spawn().unwrap())
}

/// Checks a rejection: it has DiskSpd's terms, no fio options and no errno.
fn refused(ended: &Outcome, code: i32, message: &str) {
    ended.ended_with(code).complained_of(message);
    let stderr = &ended.stderr;
    assert!(!stderr.contains("fio:") && !stderr.contains("os error") && stderr.contains("error: "), "{stderr}");
}

/// Checks that only reads of `target` are possible, and that the rejections contain `by`.
fn only_read(scratch: &Scratch, target: &str, contents: &Path, by: &str) {
    scratch.filled("free.dat", MIB);
    system("sync");
    let before = std::fs::read(contents).unwrap();
    for change in CHANGES {
        let ended = run(scratch, &change.replace("{}", target));
        refused(&ended, 1, by);
        assert!(ended.stderr.contains(target) && ended.stderr.contains("nothing was written"), "{}", ended.stderr);
        assert!(ended.stdout.contains("interrupted before the measurements began"), "{}", ended.stdout);
    }
    let swept = command(scratch.path(), "sweep", &format!("b=4k,8k diskspd -d1 -W0 -w100 {target}"));
    let swept = outcome({ swept }.spawn().unwrap());
    swept.ended_with(1).complained_of(by);
    run(scratch, &format!("-w0 -r -Sh {target}")).ended_with(0);
    system("sync");
    assert!(before == std::fs::read(contents).unwrap(), "{target} has changed");
    assert_eq!(std::fs::read(scratch.file("free.dat")).unwrap(), vec![0x5a; MIB as usize]);
}

#[test]
fn a_mounted_device_is_only_read_under_any_name_and_its_files_may_be_written() {
    let scratch = Scratch::new("diskspd-mounted");
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
        let roundabout = format!("/dev/../{}", device.device);
        for name in [&device.device, "by-id/disk", "link-to-link", "node", &roundabout] {
            only_read(&scratch, name, &device.image, &by);
        }
    }
    let Some(_mount) = Mount::new(&device.device, &at) else { return };
    run(&scratch, "-c1M -w100 -Sh mnt/file").ended_with(0);
    run(&scratch, "-w100 mnt/file").ended_with(0);
    assert_eq!(std::fs::metadata(at.join("file")).unwrap().len(), MIB);
}

#[test]
fn disk_with_a_mounted_partition_is_only_read_and_its_other_partition_is_writable() {
    let scratch = Scratch::new("diskspd-partition");
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
        run(&scratch, &format!("-w100 {disk}p2")).ended_with(0);
    }
    system(&format!("partx --delete {disk}"));
}

#[test]
fn swap_set_members_and_backing_files_are_only_read() {
    let scratch = Scratch::new("diskspd-used");
    if let Some(device) = Zram::new(16)
        && system(&format!("mkswap {0} && swapon {0}", device.device)).is_some()
    {
        let ended: Vec<_> = CHANGES.iter().map(|change| run(&scratch, &change.replace("{}", &device.device))).collect();
        system(&format!("swapoff {0} && wipefs -qa {0}", device.device));
        ended.iter().for_each(|ended| refused(ended, 1, "swap"));
    }
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
fn one_rejected_target_rejects_the_whole_profile() {
    let scratch = Scratch::new("diskspd-profile");
    let Some(device) = Zram::new(16) else { return };
    let Some(_) = needs(&format!("mkfs.ext4 -q {}", device.device)) else { return };
    let Some(_mount) = Mount::new(&device.device, &scratch.file("mnt")) else { return };
    let target =
        |path: &str, more: &str| format!("<Target><Path>{path}</Path><BlockSize>4096</BlockSize>{more}</Target>");
    let span = |targets: &str| {
        format!("<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets>{targets}</Targets></TimeSpan>")
    };
    let new = target("new.dat", "<FileSize>1048576</FileSize>");
    let profile = |share: u32| {
        let used = target(&device.device, &format!("<WriteRatio>{share}</WriteRatio>"));
        let spans = span(&new) + &span(&(new.clone() + &used));
        std::fs::write(scratch.file("p.xml"), format!("<Profile><TimeSpans>{spans}</TimeSpans></Profile>")).unwrap();
        outcome(command(scratch.path(), "diskspd", "-Xp.xml").spawn().unwrap())
    };
    refused(&profile(1), 1, "mounted on");
    assert!(!scratch.file("new.dat").exists(), "the first time span has begun");
    profile(0).ended_with(0);
    assert!(scratch.file("new.dat").exists());
}

#[test]
fn file_in_use_is_neither_written_nor_replaced() {
    let scratch = Scratch::new("diskspd-backing");
    let Some(device) = Loop::new(&scratch, 4, "") else { return };
    symlink("image", scratch.file("link")).unwrap();
    std::fs::hard_link(&device.image, scratch.file("hard")).unwrap();
    for name in ["image", "link", "hard"] {
        for change in ["-c1M -w0", "-c1M -w100", "-w100 -Sm", "-r -w10"] {
            refused(&run(&scratch, &format!("{change} {name}")), 1, "loop device");
        }
        for report in ["record", "text", "xml"] {
            refused(&run(&scratch, &format!("-R{report}={name} {}", device.device)), 3, "loop device");
        }
    }
    assert_eq!(std::fs::read(&device.image).unwrap(), vec![0; 4 << 20]);
    let swap = scratch.file("swap");
    let made = format!(
        "dd if=/dev/zero of={0} bs=1M count=4 status=none && chmod 600 {0} && mkswap -q {0} && swapon {0}",
        swap.display()
    );
    let Some(_) = needs(&made) else { return };
    let ended = ["-c1M", "-w100"].map(|change| run(&scratch, &format!("{change} swap")));
    let kept = std::fs::metadata(&swap).map(|found| found.len());
    system(&format!("swapoff {}", swap.display()));
    ended.iter().for_each(|ended| refused(ended, 1, "swap"));
    assert_eq!(kept.unwrap(), 4 * MIB);
}

#[test]
fn only_regular_files_are_created() {
    let scratch = Scratch::new("diskspd-new");
    std::fs::create_dir(scratch.file("folder")).unwrap();
    system(&format!("mkfifo {}", scratch.file("pipe").display())).unwrap();
    for (name, what) in
        [("folder", "the target is a directory"), ("pipe", "the target is a pipe"), ("/dev/null", "character device")]
    {
        let ended = run(&scratch, &format!("-Rfindings=always -c1M {name}"));
        refused(&ended, 1, what);
        ended.complained_of("is not created");
    }
    // A symbolic link leads to its target, which is replaced. A hard link keeps its content.
    let file = scratch.filled("file", 3 * MIB);
    symlink("file", scratch.file("link")).unwrap();
    symlink("coming", scratch.file("dangling")).unwrap();
    std::fs::hard_link(&file, scratch.file("hard")).unwrap();
    run(&scratch, "-c1M -w0 link dangling").ended_with(0);
    assert!(scratch.file("link").is_symlink() && scratch.file("dangling").is_symlink());
    let bytes = |name: &str| std::fs::metadata(scratch.file(name)).unwrap().len();
    assert_eq!((bytes("file"), bytes("coming"), bytes("hard")), (MIB, MIB, 3 * MIB));
    if let Some(device) = Zram::new(16) {
        run(&scratch, &format!("-Rfindings=always -c1M -w100 {}", device.device))
            .ended_with(0)
            .complained_of("is not created");
    }
    let at = scratch.file("mnt");
    let Some(_mount) = Mount::tmpfs(4, &at) else { return };
    std::fs::write(at.join("old"), vec![7; 65_536]).unwrap();
    let Some(_) = needs(&format!("mount -o remount,ro {}", at.display())) else { return };
    for line in ["-c64K mnt/old", "-c64K mnt/new", "-w100 mnt/old"] {
        refused(&run(&scratch, line), 1, "Read-only file system");
    }
    run(&scratch, "-w0 mnt/old").ended_with(0);
    assert_eq!(std::fs::read(at.join("old")).unwrap(), vec![7; 65_536]);
}

#[test]
fn reads_keep_content_and_writes_keep_length() {
    let scratch = Scratch::new("diskspd-keep");
    let path = scratch.filled("f", 3 * MIB);
    let reads =
        ["-w0 f", "-r -Sh -t2 f", "-Sm f", "-Rp -c1M -w100 f", "-w100 -f1K f", "-w100 -Z1M,none f", "-w100 -Xnone f"];
    for line in reads {
        run(&scratch, line);
        assert_eq!(std::fs::read(&path).unwrap(), vec![0x5a; 3 << 20], "{line}");
    }
    for line in ["-w100 -o4 f", "-w100 -Sm f", "-w50 -r -Sh f", "-w100 -B1M:1M -si f"] {
        run(&scratch, line).ended_with(0);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 3 * MIB, "{line}");
    }
}

#[test]
fn reports_never_replace_targets_or_devices() {
    let scratch = Scratch::new("diskspd-reports");
    let path = scratch.filled("f", MIB);
    symlink("f", scratch.file("link")).unwrap();
    std::fs::hard_link(&path, scratch.file("hard")).unwrap();
    let device = Zram::new(16);
    let mut names = vec!["f".to_owned(), "./f".into(), "link".into(), "hard".into()];
    names.extend(device.as_ref().map(|device| device.device.clone()));
    for name in &names {
        for report in ["record", "text", "xml"] {
            refused(&run(&scratch, &format!("-R{report}={name} f")), 3, name);
        }
        refused(&run(&scratch, &format!("-c1M -Rrecord={name} link")), 3, name);
        for sweep in ["--output", "--svg"] {
            let line = format!("b=4k,8k {sweep} {name} diskspd -d1 -W0 f");
            let ended = outcome(command(scratch.path(), "sweep", &line).spawn().unwrap());
            ended.ended_with(2).complained_of(name);
        }
        let line = format!("--output={name} --name=a --filename=f --rw=read --size=64k");
        outcome(command(scratch.path(), "fio", &line).spawn().unwrap()).ended_with(1);
    }
    refused(&run(&scratch, "-c1M -Rrecord=new new"), 3, "this file would replace the target new");
    assert_eq!(std::fs::read(&path).unwrap(), vec![0x5a; 1 << 20]);
    assert_eq!(scratch.names(), ["f", "hard", "link"]);
    if let Some(device) = device {
        assert!(std::fs::read(&device.device).unwrap().iter().all(|byte| *byte == 0));
    }
}
