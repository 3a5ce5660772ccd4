//! Holders and disks: on simulated sysfs trees, and on loop devices of the tests.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::topology::Block;
use super::*;
use crate::device::{Counters, DeviceNumber, Flash, Use, ZoneModel};
use crate::file::OpenOptions;

fn is_root() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::geteuid() == 0 }
}

/// A temporary folder of one test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fathom-os-device-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(fs::canonicalize(path).unwrap())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, from: &str, to: &str) {
        let from = self.0.join(from);
        fs::create_dir_all(from.parent().unwrap()).unwrap();
        symlink(self.0.join(to), from).unwrap();
    }

    /// Adds a disk or, as `sda/sda1`, a partition.
    fn device(&self, name: &str, number: &str) {
        let folder = format!("sys/devices/{name}");
        self.write(&format!("{folder}/dev"), &format!("{number}\n"));
        self.link(&format!("sys/dev/block/{number}"), &folder);
        match name.split_once('/') {
            Some(_) => self.write(&format!("{folder}/partition"), "1\n"),
            None => self.link(&format!("sys/block/{name}"), &folder),
        }
    }

    /// Stacks `upper` on `lower`.
    fn stack(&self, upper: &str, lower: &str) {
        let name = |path: &str| path.rsplit('/').next().unwrap().to_string();
        self.link(&format!("sys/devices/{upper}/slaves/{}", name(lower)), &format!("sys/devices/{lower}"));
        self.link(&format!("sys/devices/{lower}/holders/{}", name(upper)), &format!("sys/devices/{upper}"));
    }

    fn kernel(&self, mountinfo: &str) -> Kernel {
        self.write("proc/self/mountinfo", mountinfo);
        self.write("proc/swaps", "Filename Type Size Used Priority\n");
        fs::create_dir_all(self.0.join("sys/block")).unwrap();
        Kernel { sys: self.0.join("sys"), proc: self.0.join("proc"), dev: self.0.join("dev") }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn words(kernel: &Kernel, number: &str) -> Vec<String> {
    let number = DeviceNumber::parse(number).unwrap();
    let uses = UsageTables::read(kernel).unwrap().uses_with_partitions(kernel, number).unwrap();
    uses.iter().map(ToString::to_string).collect()
}

/// A machine with sda (sda1 is /boot, sda2 is the LVM volume of /), sdb and sdc (MD, inactive), sdd (mounted whole,
/// with a stale sdd1), sde (free), sdf and sdg (one btrfs).
fn machine(name: &str) -> (Folder, Kernel) {
    let folder = Folder::new(name);
    for (device, number) in [
        ("sda", "8:0"),
        ("sda/sda1", "8:1"),
        ("sda/sda2", "8:2"),
        ("sdb", "8:16"),
        ("sdc", "8:32"),
        ("sdd", "8:48"),
        ("sdd/sdd1", "8:49"),
        ("sde", "8:64"),
        ("sde/sde1", "8:65"),
        ("sdf", "8:80"),
        ("sdg", "8:96"),
        ("dm-0", "253:0"),
        ("md0", "9:0"),
    ] {
        folder.device(device, number);
    }
    folder.write("sys/devices/dm-0/dm/name", "vg-root\n");
    folder.write("sys/devices/md0/md/level", "raid1\n");
    folder.stack("dm-0", "sda/sda2");
    folder.stack("md0", "sdb");
    folder.stack("md0", "sdc");
    for disk in ["sdf", "sdg"] {
        folder.link(&format!("sys/fs/btrfs/0a1b/devices/{disk}"), &format!("sys/devices/{disk}"));
    }
    let mountinfo = "\
        1 1 253:0 / / rw shared:1 - ext4 /dev/mapper/vg-root rw\n\
        2 1 8:1 / /boot rw - vfat /dev/nonexistent rw\n\
        3 1 8:48 / /srv/a\\040b rw - xfs /dev/nonexistent rw\n\
        4 1 0:40 / /tmp rw - tmpfs tmpfs rw\n\
        5 1 8:80 / /pool rw - btrfs /dev/nonexistent rw\n\
        6 1 8:1 / /boot/efi rw - vfat /dev/nonexistent rw\n";
    let kernel = folder.kernel(mountinfo);
    (folder, kernel)
}

#[test]
fn uses_of_partitions_are_uses_of_the_disk() {
    let (_folder, kernel) = machine("partitions");
    assert_eq!(
        words(&kernel, "8:0"),
        [
            "mounted on /boot (partition /dev/sda1)",
            "in use by device-mapper device vg-root (dm-0), which is mounted on / (partition /dev/sda2)"
        ]
    );
    assert_eq!(words(&kernel, "8:1"), ["mounted on /boot"]);
    assert_eq!(words(&kernel, "253:0"), ["mounted on /"]);
}

#[test]
fn uses_of_the_disk_are_uses_of_its_partitions() {
    let (_folder, kernel) = machine("whole");
    assert_eq!(words(&kernel, "8:48"), ["mounted on /srv/a b"]);
    assert_eq!(words(&kernel, "8:49"), ["mounted on /srv/a b (whole disk /dev/sdd)"]);
}

#[test]
fn member_of_an_unused_stack_is_in_use() {
    let (_folder, kernel) = machine("stack");
    assert_eq!(words(&kernel, "8:16"), ["in use by MD array /dev/md0 raid1"]);
    assert_eq!(words(&kernel, "9:0"), [""; 0]);
}

#[test]
fn all_devices_of_a_btrfs_are_mounted() {
    let (_folder, kernel) = machine("btrfs");
    assert_eq!(words(&kernel, "8:80"), ["mounted on /pool"]);
    assert_eq!(words(&kernel, "8:96"), ["mounted on /pool"]);
}

#[test]
fn free_disks_and_unknown_numbers_have_no_holders() {
    let (_folder, kernel) = machine("free");
    assert_eq!(words(&kernel, "8:64"), [""; 0]);
    assert_eq!(words(&kernel, "8:65"), [""; 0]);
    assert_eq!(words(&kernel, "99:99"), [""; 0]);
}

#[test]
fn cyclic_stacks_terminate() {
    let (folder, kernel) = machine("circle");
    folder.stack("sde", "dm-0");
    folder.stack("dm-0", "sde");
    assert!(!words(&kernel, "8:64").is_empty());
}

#[test]
fn disks_of_a_stack_are_listed_once() {
    let (folder, kernel) = machine("slaves");
    folder.stack("dm-0", "md0");
    let block = topology::Block::numbered(&kernel, DeviceNumber { major: 253, minor: 0 }).unwrap();
    let disk = disk::disk_of(&block);
    let names = |disks: &[Disk]| disks.iter().map(|disk| disk.name.clone()).collect::<Vec<_>>();
    assert_eq!(disk.name, "dm-0");
    assert_eq!(names(&disk.slaves), ["md0", "sda"]);
    assert_eq!(names(&disk.slaves[0].slaves), ["sdb", "sdc"]);
    folder.write("sys/devices/dm-0/stat", "  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n");
    let counters = disk.counters().unwrap();
    assert_eq!((counters.read_ios, counters.write_ticks_ms, counters.in_flight), (1, 8, 9));
    assert_eq!((counters.io_ticks_ms, counters.time_in_queue_ms), (10, 11));
    folder.write("sys/devices/dm-0/stat", "1 2 3\n");
    assert!(disk.counters().is_err());
    folder.write("sys/devices/dm-0/queue/scheduler", "none [mq-deadline] kyber\n");
    assert_eq!(disk.scheduler().unwrap().0, "mq-deadline");
    assert_eq!(disk.scheduler().unwrap().1, ["none", "mq-deadline", "kyber"]);
    assert!(disk.set_scheduler("bfq").unwrap_err().to_string().contains("none, mq-deadline, kyber"));
}

#[test]
fn disks_are_listed_by_number_with_model_and_uses() {
    let (folder, kernel) = machine("list");
    for (disk, sectors) in [("sda", 2048), ("sdb", 4096), ("sde", 8192), ("dm-0", 1024)] {
        folder.write(&format!("sys/devices/{disk}/size"), &format!("{sectors}\n"));
    }
    folder.write("sys/devices/sda/device/model", "SuperFast 9000   \n");
    folder.device("virtual/loop0", "7:0");
    folder.link("sys/block/loop0", "sys/devices/virtual/loop0");
    folder.write("sys/devices/virtual/loop0/size", "16\n");
    folder.write("sys/devices/virtual/loop0/loop/backing_file", "/srv/image\n");
    fs::remove_file(folder.0.join("sys/devices/virtual/loop0/partition")).unwrap();
    let tables = UsageTables::read(&kernel).unwrap();
    let list = list::disks(&kernel, &tables);
    let paths: Vec<_> = list.iter().map(|disk| disk.path.to_str().unwrap()).collect();
    assert_eq!(paths, ["/dev/loop0", "/dev/sda", "/dev/sdb", "/dev/sde", "/dev/dm-0"], "by number, without empty ones");
    assert_eq!((list[0].model.as_str(), list[0].is_virtual, list[0].bytes), ("loop device on /srv/image", true, 8192));
    assert_eq!((list[1].model.as_str(), list[1].is_virtual, list[1].bytes), ("SuperFast 9000", false, 1 << 20));
    assert_eq!(list[1].used[0].to_string(), "mounted on /boot (partition /dev/sda1)");
    assert_eq!((list[2].used.len(), list[3].used.len()), (1, 0));
    for disk in InUseSnapshot::take().unwrap().disks() {
        assert!(disk.bytes > 0 && disk.path.starts_with("/dev"), "{disk:?}");
    }
}

#[test]
fn counter_differences_handle_the_32_bit_wrap() {
    let earlier = Counters { read_ios: 5, io_ticks_ms: (1 << 32) - 10, ..Counters::default() };
    let later = Counters { read_ios: 9, io_ticks_ms: 5, in_flight: 3, ..Counters::default() };
    let passed = later.since(&earlier);
    assert_eq!((passed.read_ios, passed.io_ticks_ms, passed.in_flight), (4, 15, 3));
}

#[test]
fn every_path_of_this_machine_has_its_disks_or_none() {
    for path in ["/", "/proc/self/stat", "/nonexistent/a/b", "relative", "/dev/null", "/dev/shm"] {
        for disk in disks(Path::new(path)).unwrap() {
            disk.counters().unwrap();
        }
    }
}

fn call(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if !output.status.success() {
        eprintln!("{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then_some(text)
}

/// A loop device of the test, and commands that undo what the test did with it.
struct Loop {
    path: String,
    undo: Vec<(&'static str, String)>,
}

impl Loop {
    fn on(file: &Path) -> Option<Self> {
        Loop::with(&["--partscan"], file)
    }

    fn with(options: &[&str], file: &Path) -> Option<Self> {
        if !is_root() {
            eprintln!("SKIPPED: loop devices need the super-user");
            return None;
        }
        let path = call("losetup", &[&["--find", "--show"], options, &[file.to_str()?]].concat());
        if path.is_none() {
            eprintln!("SKIPPED: no loop device to be had");
        }
        Some(Loop { path: path?, undo: Vec::new() })
    }

    fn words(&self) -> Vec<String> {
        holders_of(Path::new(&self.path))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        for (program, argument) in self.undo.drain(..).rev() {
            call(program, &[&argument]);
        }
        call("losetup", &["--detach", &self.path]);
    }
}

fn holders_of(path: &Path) -> Vec<String> {
    holders(path).unwrap().iter().map(ToString::to_string).collect()
}

fn image(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.0.join(name);
    fs::File::create(&path).unwrap().set_len(64 << 20).unwrap();
    path
}

/// Returns the lock of the tests that make real devices. It is a file lock: test processes see each other's devices.
fn locked() -> fs::File {
    let path = std::env::temp_dir().join("fathom-os-device-tests.lock");
    let file = fs::File::options().write(true).create(true).truncate(false).open(path).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn mounted_loop_device_and_its_file_have_holders_under_every_name() {
    let _turn = locked();
    let folder = Folder::new("mounted");
    let file = image(&folder, "image");
    assert_eq!(holders_of(&file), [""; 0]);
    let Some(mut device) = Loop::on(&file) else { return };
    assert_eq!(device.words(), [""; 0], "a fresh loop device is free");
    assert_eq!(holders_of(&file), [format!("in use by loop device {}", device.path)]);
    if call("mkfs.ext4", &["-q", &device.path]).is_none() {
        eprintln!("SKIPPED: no mkfs.ext4");
        return;
    }
    assert_eq!(device.words(), [""; 0], "an unmounted file system has no holders");
    let at = folder.0.join("a b");
    fs::create_dir(&at).unwrap();
    let at = at.to_str().unwrap().to_string();
    if call("mount", &[&device.path, &at]).is_none() {
        eprintln!("SKIPPED: nothing can be mounted here");
        return;
    }
    device.undo.push(("umount", at.clone()));
    let alias = folder.0.join("alias");
    symlink(&device.path, &alias).unwrap();
    assert_eq!(device.words(), [format!("mounted on {at}")]);
    assert_eq!(holders_of(&alias), [format!("mounted on {at}")]);
    assert_eq!(holders_of(&file), [format!("in use by loop device {}, which is mounted on {at}", device.path)]);
    let hard_link = folder.0.join("link");
    fs::hard_link(&file, &hard_link).unwrap();
    assert_eq!(holders_of(&hard_link).len(), 1, "a file is the same under another name");
    let on_it = disks(Path::new(&at)).unwrap();
    assert_eq!(on_it.iter().map(|disk| format!("/dev/{}", disk.name)).collect::<Vec<_>>(), [device.path.clone()]);
    on_it[0].counters().unwrap();
}

#[test]
fn swap_device_and_swap_file_have_holders() {
    let _turn = locked();
    let folder = Folder::new("swap");
    let file = folder.0.join("image");
    fs::write(&file, vec![0; 4 << 20]).unwrap();
    let Some(mut device) = Loop::on(&file) else { return };
    if call("mkswap", &[&device.path]).is_none() || call("swapon", &[&device.path]).is_none() {
        eprintln!("SKIPPED: no swap to be had here");
        return;
    }
    device.undo.push(("swapoff", device.path.clone()));
    assert_eq!(device.words(), ["in use as swap"]);
    assert_eq!(holders_of(&file), [format!("in use by loop device {}, which is in use as swap", device.path)]);
}

#[test]
fn mounted_partition_is_a_holder_of_its_disk_but_not_of_other_partitions() {
    let _turn = locked();
    let folder = Folder::new("partitioned");
    let file = image(&folder, "image");
    let Some(mut device) = Loop::on(&file) else { return };
    // Given to the kernel by hand: not every kernel reads a table.
    for (number, start) in [("1", "2048"), ("2", "65536")] {
        call("addpart", &[&device.path, number, start, "32768"]);
    }
    let partition = |number: u32| format!("{}p{number}", device.path);
    let (first, second) = (partition(1), partition(2));
    if !Path::new(&second).exists() {
        eprintln!("SKIPPED: this kernel shows no partitions of loop devices");
        return;
    }
    // A signature on the second partition is found there and on the disk.
    let write = OpenOptions { write: true, ..OpenOptions::new() };
    write.open(Path::new(&second)).unwrap().write_at(b"LUKS\xba\xbe", 0).unwrap();
    let luks = "encrypted container (LUKS, device-mapper), by its signature";
    assert_eq!(holders_of(Path::new(&second)), [luks]);
    assert_eq!(device.words(), [format!("{luks} (partition {second})")]);
    write.open(Path::new(&second)).unwrap().write_at(&[0; 6], 0).unwrap();
    // The disk has a page cache of its own. It stays as long as any process has the disk open.
    for path in [&second, &device.path] {
        call("blockdev", &["--flushbufs", path]);
    }
    let at = folder.0.join("at");
    fs::create_dir(&at).unwrap();
    let at = at.to_str().unwrap().to_string();
    if call("mkfs.ext4", &["-q", &first]).is_none() || call("mount", &[&first, &at]).is_none() {
        eprintln!("SKIPPED: no file system can be made or mounted here");
        return;
    }
    device.undo.push(("umount", at.clone()));
    assert_eq!(holders_of(Path::new(&first)), [format!("mounted on {at}")]);
    assert_eq!(holders_of(Path::new(&second)), [""; 0]);
    assert_eq!(device.words(), [format!("mounted on {at} (partition {first})")]);
    let disk = disks(Path::new(&first)).unwrap();
    assert_eq!(format!("/dev/{}", disk[0].name), device.path, "a partition's disk is the whole one");
}

#[test]
fn an_exclusive_opener_and_a_loop_device_above_are_found() {
    let _turn = locked();
    let folder = Folder::new("exclusive");
    let file = image(&folder, "image");
    let Some(device) = Loop::on(&file) else { return };
    let path = Path::new(&device.path);
    let held = OpenOptions { read: true, exclusive: true, ..OpenOptions::new() }.open(path).unwrap();
    let found = holders(path).unwrap();
    assert!(matches!(&found[0].used, Use::Exclusive { by } if !by.is_empty()), "{found:?}");
    drop(held);
    assert_eq!(device.words(), [""; 0]);
    let Some(above) = Loop::on(path) else { return };
    assert_eq!(device.words(), [format!("in use by loop device {}", above.path)]);
    let chain = format!("in use by loop device {}, which is in use by loop device {}", device.path, above.path);
    assert_eq!(holders_of(&file), [chain]);
}

#[test]
fn what_is_below_a_loop_device_is_in_use_with_it() {
    let _turn = locked();
    let folder = Folder::new("below");
    let file = image(&folder, "image");
    let Some(mut lower) = Loop::on(&file) else { return };
    if call("mkfs.ext4", &["-q", &lower.path]).is_none() {
        eprintln!("SKIPPED: no mkfs.ext4");
        return;
    }
    let Some(upper) = Loop::on(Path::new(&lower.path)) else { return };
    let Some(sibling) = Loop::on(&file) else { return };
    let backing = format!("(backing file {})", file.display());
    let by_sibling = format!("in use by loop device {} {backing}", sibling.path);
    assert_eq!(upper.words(), [by_sibling], "the file below the device below it");
    let in_use =
        format!("in use by loop device {}, which is in use by loop device {} {backing}", lower.path, upper.path);
    assert_eq!(sibling.words(), [in_use]);
    drop((upper, sibling));
    let at = folder.0.join("at");
    fs::create_dir(&at).unwrap();
    let at = at.to_str().unwrap().to_string();
    if call("mount", &[&lower.path, &at]).is_none() {
        eprintln!("SKIPPED: nothing can be mounted here");
        return;
    }
    lower.undo.push(("umount", at.clone()));
    let Some(upper) = Loop::on(Path::new(&lower.path)) else { return };
    assert_eq!(upper.words(), [format!("mounted on {at} (backing file {})", lower.path)]);
    let mut claims = Claims::default();
    assert_eq!(InUseSnapshot::take().unwrap().claim(Path::new(&upper.path), &mut claims).unwrap().len(), 1);
    let Some(sibling) = Loop::on(&file) else { return };
    let in_use = format!("in use by loop device {}, which is mounted on {at}", lower.path);
    assert!(sibling.words()[0].starts_with(&in_use), "{:?}", sibling.words());
}

#[test]
fn loop_devices_over_parts_of_a_file_are_free() {
    let _turn = locked();
    let folder = Folder::new("parts");
    let file = image(&folder, "image");
    let Some(first) = Loop::with(&["--sizelimit", "33554432"], &file) else { return };
    let Some(second) = Loop::with(&["--offset", "33554432"], &file) else { return };
    assert_eq!([first.words(), second.words()], [[""; 0]; 2]);
    let mut claims = Claims::default();
    assert!(InUseSnapshot::take().unwrap().claim(Path::new(&first.path), &mut claims).unwrap().is_empty());
    let Some(third) = Loop::with(&["--offset", "16777216"], &file) else { return };
    assert_eq!([first.words().len(), third.words().len()], [1, 2]);
}

#[test]
fn other_file_types_have_no_holders() {
    for path in ["/dev/null", "/", "/nonexistent"] {
        assert_eq!(holders_of(Path::new(path)), [""; 0]);
    }
}

#[test]
fn disk_of_the_root_file_system_has_holders() {
    for disk in disks(Path::new("/")).unwrap() {
        match holders(&Path::new("/dev").join(&disk.name)) {
            Ok(found) => assert!(!found.is_empty(), "{disk:?}"),
            Err(error) => eprintln!("SKIPPED {}: {error}", disk.name),
        }
    }
}

#[test]
fn a_file_lies_on_the_file_system_of_the_innermost_mount() {
    let folder = Folder::new("file-system");
    let inner = folder.0.join("server");
    fs::create_dir_all(&inner).unwrap();
    let mounts = [("/", "ext4", "/dev/sda1"), (inner.to_str().unwrap(), "nfs4", "host:/data")];
    let lines: Vec<String> =
        mounts.iter().map(|(at, kind, source)| format!("20 1 0:9 / {at} rw - {kind} {source} rw")).collect();
    let kernel = folder.kernel(&lines.join("\n"));
    let kind = |path: &Path| disk::file_system(&kernel, path).unwrap();
    assert_eq!(kind(&inner.join("not/there/yet")), Some("nfs4".to_string()));
    assert_eq!(kind(&folder.0), Some("ext4".to_string()));
}

#[test]
fn memory_devices_differ_from_disks() {
    let folder = Folder::new("memory");
    for (device, number) in
        [("zram1", "253:1"), ("ram0", "1:0"), ("nullb0", "252:0"), ("rambo1", "8:0"), ("sda", "8:1")]
    {
        folder.device(device, number);
    }
    for (device, number) in [("dm-0", "254:0"), ("dm-1", "254:1")] {
        folder.device(device, number);
        folder.stack(device, "zram1");
    }
    folder.stack("dm-1", "sda");
    let kernel = folder.kernel("1 1 0:40 / / rw - tmpfs tmpfs rw\n2 1 0:41 / /mnt rw - nfs a:/b rw\n");
    let is_memory = |number: &str| {
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap();
        disk::disk_of(&block).is_memory()
    };
    assert!(["253:1", "1:0", "252:0", "254:0"].into_iter().all(is_memory));
    assert!(!["8:0", "8:1", "254:1"].into_iter().any(is_memory));
}

#[test]
fn serial_numbers_are_found_where_each_driver_puts_them() {
    let folder = Folder::new("serial");
    for (device, number) in [("vda", "254:0"), ("nvme0n1", "259:0"), ("sda", "8:0"), ("sdb", "8:16")] {
        folder.device(device, number);
    }
    folder.write("sys/devices/vda/serial", "volume-1\n");
    folder.write("sys/devices/nvme0n1/device/serial", "vol0abc             \n");
    folder.write("sys/devices/sda/device/vpd_pg80", "\0\u{80}\0\u{8}  S1234\0");
    let kernel = folder.kernel("");
    let serial = |number: &str| {
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap();
        disk::disk_of(&block).info().serial
    };
    assert_eq!(["254:0", "259:0", "8:16"].map(serial), ["volume-1", "vol0abc", ""]);
    assert!(serial("8:0").ends_with("S1234"), "{:?}", serial("8:0"));
}

#[test]
fn a_partition_has_the_zone_limits_of_its_disk() {
    let folder = Folder::new("zones");
    folder.device("sda", "8:0");
    folder.device("sda/sda1", "8:1");
    folder.device("sdb", "8:16");
    for (name, value) in [("zoned", "host-managed"), ("max_open_zones", "14"), ("max_active_zones", "28")] {
        folder.write(&format!("sys/devices/sda/queue/{name}"), &format!("{value}\n"));
    }
    folder.write("sys/devices/sdb/queue/zoned", "none\n");
    let kernel = folder.kernel("");
    let of = |number: &str| {
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap();
        zones::of(&block.whole().unwrap_or(block))
    };
    let limits = ZoneLimits { model: ZoneModel::HostManaged, max_open: 14, max_active: 28 };
    assert_eq!([of("8:0"), of("8:1"), of("8:16")], [limits, limits, ZoneLimits::default()]);
}

/// Adds a character device of a class to sysfs.
fn character_device(folder: &Folder, path: &str, number: &str, class: &str) {
    folder.write(&format!("sys/devices/{path}/dev"), &format!("{number}\n"));
    folder.link(&format!("sys/dev/char/{number}"), &format!("sys/devices/{path}"));
    fs::create_dir_all(folder.0.join(format!("sys/class/{class}"))).unwrap();
    folder.link(&format!("sys/devices/{path}/subsystem"), &format!("sys/class/{class}"));
}

#[test]
fn character_devices_lead_to_the_block_device_of_their_disk() {
    let folder = Folder::new("behind");
    let kernel = folder.kernel("1 1 259:2 / /data rw - ext4 /dev/nonexistent rw\n");
    // nvme1c0n3 is one path of a multipath namespace.
    for (name, number) in [("nvme0/nvme0n1", "259:0"), ("nvme1/nvme1n3", "259:3"), ("nvme1/nvme1c0n3", "259:4")] {
        folder.write(&format!("sys/devices/{name}/dev"), &format!("{number}\n"));
        folder.link(&format!("sys/dev/block/{number}"), &format!("sys/devices/{name}"));
    }
    folder.write("sys/devices/nvme0/nvme0n1/nvme0n1p1/dev", "259:2\n");
    folder.write("sys/devices/nvme0/nvme0n1/nvme0n1p1/partition", "1\n");
    folder.link("sys/dev/block/259:2", "sys/devices/nvme0/nvme0n1/nvme0n1p1");
    character_device(&folder, "nvme0/ng0n1", "237:0", "nvme-generic");
    character_device(&folder, "nvme1/ng1n3", "237:1", "nvme-generic");
    character_device(&folder, "nvme1/ng1n4", "237:2", "nvme-generic");
    character_device(&folder, "nvme0", "238:0", "nvme");
    folder.write("sys/devices/host/block/sda/dev", "8:0\n");
    for (path, number, class) in
        [("host/scsi_generic/sg0", "21:0", "scsi_generic"), ("host/bsg/0:0:0:0", "246:0", "bsg")]
    {
        character_device(&folder, path, number, class);
        folder.link(&format!("sys/devices/{path}/device"), "sys/devices/host");
    }
    // A tape has no block device.
    character_device(&folder, "tape/scsi_generic/sg1", "21:1", "scsi_generic");
    folder.write("sys/devices/tape/type", "1\n");
    folder.link("sys/devices/tape/scsi_generic/sg1/device", "sys/devices/tape");
    let behind =
        |number: &str| topology::block_behind(&kernel, DeviceNumber::parse(number).unwrap()).map(|block| block.name);
    let expected = [
        ("237:0", Some("nvme0n1")),
        ("237:1", Some("nvme1n3")),
        ("237:2", None),
        ("238:0", None),
        ("21:0", Some("sda")),
        ("246:0", Some("sda")),
        ("21:1", None),
        ("1:3", None),
    ];
    for (number, name) in expected {
        assert_eq!(behind(number).as_deref(), name, "{number}");
    }
    // A mounted partition is a use of the namespace.
    let number = topology::block_behind(&kernel, DeviceNumber::parse("237:0").unwrap()).unwrap().number;
    assert_eq!(words(&kernel, &number.to_string()), ["mounted on /data (partition /dev/nvme0n1p1)"]);
}

#[test]
fn devices_without_a_disk_have_no_block_device() {
    let kernel = Kernel::running();
    for path in ["/dev/null", "/dev/zero", "/tmp"] {
        assert_eq!(topology::disk_behind(&kernel, Path::new(path)).unwrap(), None, "{path}");
    }
    assert!(topology::disk_behind(&kernel, Path::new("/proc/nonexistent")).is_err());
}

/// Returns the uses of the device that the machine in `folder` has at the number of `/dev/null`.
fn uses_of_null(kernel: &Kernel) -> Vec<String> {
    let found = holders::of(kernel, &UsageTables::read(kernel).unwrap(), Path::new("/dev/null")).unwrap();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn programs_with_an_open_dax_device_are_its_uses() {
    let folder = Folder::new("dax");
    let kernel = folder.kernel("");
    assert_eq!(character::at(&kernel, Path::new("/dev/null")).unwrap(), None);
    character_device(&folder, "region0/dax0.0", "1:3", "dax");
    folder.write("sys/devices/region0/dax0.0/size", "266338304\n");
    let storage = character::at(&kernel, Path::new("/dev/null")).unwrap().unwrap();
    assert_eq!(storage.dax_bytes(), Some(266_338_304));
    assert_eq!(uses_of_null(&kernel), [""; 0]);
    for (process, program, link) in
        [("10", "viewer", "fd/3"), ("7", "fathom", "fd/3"), ("8", "database", "map_files/1-2"), ("9", "other", "")]
    {
        folder.write(&format!("proc/{process}/comm"), &format!("{program}\n"));
        fs::create_dir_all(folder.0.join(format!("proc/{process}/fd"))).unwrap();
        if !link.is_empty() {
            let link = folder.0.join(format!("proc/{process}/{link}"));
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink("/dev/null", link).unwrap();
        }
    }
    // The process of the test is 7.
    fs::rename(folder.0.join("proc/self/mountinfo"), folder.0.join("proc/7/mountinfo")).unwrap();
    fs::remove_dir(folder.0.join("proc/self")).unwrap();
    folder.link("proc/self", "proc/7");
    assert_eq!(uses_of_null(&kernel), ["open in database (process 8), viewer (process 10)"]);
}

#[test]
fn file_systems_and_volumes_on_flash_are_its_uses() {
    let folder = Folder::new("flash");
    let mountinfo = "1 1 31:4 / /firmware rw - jffs2 mtd4 rw\n2 1 31:5 / /root rw - squashfs /dev/nonexistent rw\n";
    let kernel = folder.kernel(mountinfo);
    // The chip mtd3 has the partitions mtd4 and mtd5, and the device that only reads has the number of /dev/null.
    character_device(&folder, "chip/mtd3", "90:6", "mtd");
    character_device(&folder, "chip/mtd3ro", "1:3", "mtd");
    for (partition, number) in [("mtd4", "90:8"), ("mtd4ro", "90:9"), ("mtd5", "90:10")] {
        character_device(&folder, &format!("chip/mtd3/{partition}"), number, "mtd");
    }
    // The content of the chip as a device of the class nvmem has the same name.
    character_device(&folder, "chip/mtd3/mtd3", "90:99", "nvmem");
    folder.write("sys/class/ubi/ubi0/mtd_num", "3\n");
    folder.write("sys/class/ubi/ubi1/mtd_num", "30\n");
    folder.write("sys/class/ubi/version", "1\n");
    assert_eq!(
        uses_of_null(&kernel),
        [
            "in use by UBI device ubi0",
            "mounted on /firmware (partition /dev/mtd4)",
            "mounted on /root (partition /dev/mtd5)",
        ]
    );
    for (name, text) in [("size", "8388608"), ("erasesize", "131072"), ("writesize", "2048"), ("flags", "0x400")] {
        folder.write(&format!("sys/devices/chip/mtd3/{name}"), &format!("{text}\n"));
    }
    let flash = |minor| {
        let number = DeviceNumber { major: if minor == 3 { 1 } else { 90 }, minor };
        character::of_number(&kernel, number).unwrap().flash().unwrap()
    };
    let expected = Flash { bytes: 8 << 20, erase_bytes: 128 << 10, write_bytes: 2048, is_writable: true };
    assert_eq!((flash(6), flash(3)), (expected, Flash { is_writable: false, ..expected }));
    // A partition is used if its chip is.
    let other = Folder::new("flash-partition");
    let kernel = other.kernel("1 1 31:0 / /data rw - jffs2 mtd0 rw\n");
    character_device(&other, "chip/mtd0", "90:0", "mtd");
    character_device(&other, "chip/mtd0/mtd1", "1:3", "mtd");
    assert_eq!(uses_of_null(&kernel), ["mounted on /data (whole disk /dev/mtd0)"]);
}

/// Without its lists nothing is known about uses. None of them may count as empty.
#[test]
fn a_list_that_cannot_be_read_is_an_error() {
    let (folder, kernel) = machine("unreadable");
    let sde = DeviceNumber::parse("8:64").unwrap();
    assert_eq!(UsageTables::read(&kernel).unwrap().uses_with_partitions(&kernel, sde).unwrap(), []);
    // A file in place of the folder, so that the super-user cannot read the list either.
    let holders = folder.0.join("sys/devices/sde/holders");
    fs::write(&holders, "").unwrap();
    assert!(UsageTables::read(&kernel).unwrap().uses_with_partitions(&kernel, sde).is_err());
    for list in ["sys/fs/btrfs", "sys/block", "proc/swaps", "proc/self/mountinfo"] {
        let (folder, kernel) = machine("unreadable-list");
        let path = folder.0.join(list);
        assert!(UsageTables::read(&kernel).is_ok());
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        }
        assert!(UsageTables::read(&kernel).is_err(), "{list}");
    }
    let unknown = folder.kernel("no line of mountinfo\n");
    assert!(UsageTables::read(&unknown).is_err());
}

/// The backing file of a loop device can be in another mount namespace, and the device file can be missing.
#[test]
fn a_file_that_can_be_below_an_unknown_loop_device_is_in_use() {
    let folder = Folder::new("unknown-loop");
    folder.device("loop0", "7:0");
    folder.write("sys/devices/loop0/loop/backing_file", "/elsewhere/image\n");
    folder.write("sys/devices/loop0/loop/sizelimit", "0\n");
    folder.write("sys/devices/loop0/size", "16\n");
    let kernel = folder.kernel("");
    let tables = UsageTables::read(&kernel).unwrap();
    for (bytes, uses) in [(8192, 1), (8200, 1), (4096, 0), (1 << 20, 0)] {
        folder.write("file", &"x".repeat(bytes));
        assert_eq!(holders::of(&kernel, &tables, &folder.0.join("file")).unwrap().len(), uses, "{bytes}");
    }
}

/// Returns an image of an empty EROFS, by `fs/erofs/erofs_fs.h` of the kernel.
fn erofs_image() -> Vec<u8> {
    const ROOT: usize = 36;
    let mut image = vec![0u8; 4096];
    let mut put = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
    put(1024, &0xe0f5_e1e2_u32.to_le_bytes());
    put(1024 + 12, &[12, 0]);
    put(1024 + 14, &(ROOT as u16).to_le_bytes());
    put(1024 + 16, &1u64.to_le_bytes());
    put(1024 + 36, &1u32.to_le_bytes());
    // A compact inode with inline data: a folder with two names and two entries.
    let inode = ROOT * 32;
    put(inode, &4u16.to_le_bytes());
    put(inode + 4, &0o40755_u16.to_le_bytes());
    put(inode + 6, &2u16.to_le_bytes());
    put(inode + 8, &27u32.to_le_bytes());
    for (entry, name_offset) in [(0, 24u16), (1, 25)] {
        let at = inode + 32 + entry * 12;
        put(at, &(ROOT as u64).to_le_bytes());
        put(at + 8, &name_offset.to_le_bytes());
        put(at + 10, &[2]);
    }
    put(inode + 32 + 24, b"...");
    image
}

#[test]
fn an_image_that_is_mounted_without_a_loop_device_is_in_use() {
    struct Mounted(std::ffi::CString);
    impl Drop for Mounted {
        fn drop(&mut self) {
            // SAFETY: the path is a C string.
            unsafe { libc::umount2(self.0.as_ptr(), libc::MNT_DETACH) };
        }
    }
    let c_string = |path: &Path| std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    let folder = Folder::new("erofs");
    let (image, at) = (folder.0.join("image"), folder.0.join("at"));
    fs::write(&image, erofs_image()).unwrap();
    fs::create_dir(&at).unwrap();
    assert_eq!(holders_of(&image), [""; 0]);
    let (source, target) = (c_string(&image), c_string(&at));
    // SAFETY: the strings are C strings.
    let mounted =
        unsafe { libc::mount(source.as_ptr(), target.as_ptr(), c"erofs".as_ptr(), libc::MS_RDONLY, std::ptr::null()) };
    if mounted != 0 {
        return eprintln!("SKIPPED: no EROFS from a file: {}", io::Error::last_os_error());
    }
    let _mounted = Mounted(target);
    assert_eq!(holders_of(&image), [format!("mounted on {}", at.display())]);
    fs::hard_link(&image, folder.0.join("second")).unwrap();
    assert_eq!(holders_of(&folder.0.join("second")).len(), 1);
    // The path in the mount table does not lead to the image any longer.
    fs::rename(&image, folder.0.join("moved")).unwrap();
    fs::write(folder.0.join("other"), vec![0; 4096]).unwrap();
    assert_eq!(holders_of(&folder.0.join("moved")), [format!("mounted on {}", at.display())]);
    assert_eq!(holders_of(&folder.0.join("other")), [""; 0]);
}
