//! Holders and disks on simulated trees of sysfs and procfs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::super::topology::Block;
use super::super::*;
use super::Folder;
use crate::device::{DeviceNumber, Flash, ZoneModel};

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
    let block = topology::Block::numbered(&kernel, DeviceNumber { major: 253, minor: 0 }).unwrap().unwrap();
    let disk = disk::disk_of(&block).unwrap();
    let names = |disks: &[Disk]| disks.iter().map(|disk| disk.name.clone()).collect::<Vec<_>>();
    assert_eq!(disk.name, "dm-0");
    assert_eq!(names(&disk.slaves), ["md0", "sda"]);
    assert_eq!(names(&disk.slaves[0].slaves), ["sdb", "sdc"]);
    folder.write("sys/devices/dm-0/stat", "  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n");
    let counters = disk.counters().unwrap();
    assert_eq!((counters.ios, counters.ticks_ms[1], counters.io_ticks_ms), ([1, 5], 8, 10));
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
    assert_eq!((list[0].model.raw(), list[0].is_virtual, list[0].bytes), ("loop device on /srv/image", true, 8192));
    assert_eq!((list[1].model.raw(), list[1].is_virtual, list[1].bytes), ("SuperFast 9000", false, 1 << 20));
    assert_eq!(list[1].used[0].to_string(), "mounted on /boot (partition /dev/sda1)");
    assert_eq!((list[2].used.len(), list[3].used.len()), (1, 0));
    for disk in InUseSnapshot::take().unwrap().disks() {
        assert!(disk.bytes > 0 && disk.path.starts_with("/dev"), "{disk:?}");
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
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap().unwrap();
        disk::disk_of(&block).unwrap().is_memory()
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
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap().unwrap();
        disk::disk_of(&block).unwrap().info().serial
    };
    assert_eq!(["254:0", "259:0", "8:16"].map(serial), ["volume-1", "vol0abc", ""]);
    assert!(serial("8:0").raw().ends_with("S1234"), "{:?}", serial("8:0"));
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
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap().unwrap();
        zones::of(&block.whole().unwrap().unwrap_or(block))
    };
    let limits = ZoneLimits { model: ZoneModel::HostManaged, max_open: 14, max_active: 28 };
    assert_eq!([of("8:0"), of("8:1"), of("8:16")], [limits, limits, ZoneLimits::default()]);
}

#[test]
fn what_one_path_holds_is_in_use_by_the_others() {
    let folder = Folder::new("paths");
    // sda and sdb are one disk, mounted by the partition of sdb. sdc has the same identifier and another size, nvme0n1 none.
    for (disk, number, bytes) in
        [("sda", "8:0", 64), ("sdb", "8:16", 64), ("sdc", "8:32", 65), ("nvme0n1", "259:0", 64)]
    {
        folder.device(disk, number);
        folder.write(&format!("sys/devices/{disk}/size"), &format!("{bytes}\n"));
    }
    for disk in ["sda", "sdb", "sdc"] {
        folder.write(&format!("sys/devices/{disk}/device/wwid"), "naa.5000c50015ea71aa\n");
    }
    folder.write("sys/devices/nvme0n1/wwid", "\n");
    // The table of sdb is older than that of sda.
    for (partition, number, start, bytes) in [
        ("sda/sda1", "8:1", 8, 8),
        ("sda/sda2", "8:2", 16, 16),
        ("sda/sda3", "8:3", 32, 24),
        ("sdb/sdb1", "8:17", 8, 24),
        ("sdb/sdb2", "8:18", 32, 24),
    ] {
        folder.device(partition, number);
        folder.write(&format!("sys/devices/{partition}/start"), &format!("{start}\n"));
        folder.write(&format!("sys/devices/{partition}/size"), &format!("{bytes}\n"));
    }
    let kernel = folder.kernel("1 1 8:17 / /data rw - ext4 /dev/nonexistent rw\n");
    let mounted = ["mounted on /data (the same disk by another path, /dev/sdb1)"];
    assert_eq!(["8:0", "8:1", "8:2"].map(|number| words(&kernel, number)), [mounted, mounted, mounted]);
    for free in ["8:3", "8:32", "259:0"] {
        assert!(words(&kernel, free).is_empty(), "{free}");
    }
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
    let block_behind = |number: &str| topology::block_behind(&kernel, DeviceNumber::parse(number).unwrap()).unwrap();
    let behind = |number: &str| block_behind(number).map(|block| block.name);
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
    let number = block_behind("237:0").unwrap().number;
    assert_eq!(words(&kernel, &number.to_string()), ["mounted on /data (partition /dev/nvme0n1p1)"]);
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
    assert_eq!(storage.dax_bytes().unwrap(), Some(266_338_304));
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
        character::of_number(&kernel, number).unwrap().unwrap().flash().unwrap().unwrap()
    };
    let expected = Flash { bytes: 8 << 20, erase_bytes: 128 << 10, write_bytes: 2048, is_writable: true };
    assert_eq!((flash(6), flash(3)), (expected, Flash { is_writable: false, ..expected }));
    // What cannot be read is not free.
    for unreadable in ["sys/class/ubi/ubi1/mtd_num", "sys/devices/chip/mtd3/mtd4/subsystem", "sys/class/ubi"] {
        let (path, aside) = (folder.0.join(unreadable), folder.0.join("aside"));
        fs::rename(&path, &aside).unwrap();
        symlink(&path, &path).unwrap();
        let tables = UsageTables::read(&kernel).unwrap();
        assert!(holders::of(&kernel, &tables, Path::new("/dev/null")).is_err(), "{unreadable}");
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
    }
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
    // A file in place of the folder of a loop device.
    let (folder, kernel) = machine("unreadable-loop");
    folder.write("sys/devices/sde/loop", "");
    assert!(UsageTables::read(&kernel).is_err());
}

#[test]
fn a_partition_that_cannot_be_read_is_an_error_and_not_missing() {
    let (folder, kernel) = machine("unreadable-partition");
    let uses = |number| UsageTables::read(&kernel).unwrap().uses_with_partitions(&kernel, number);
    let [disk, partition] = ["8:0", "8:1"].map(|number| DeviceNumber::parse(number).unwrap());
    assert!(uses(disk).is_ok() && uses(partition).is_ok());
    // bcache links the block device over a disk to the name that a device has for its number.
    folder.link("sys/devices/sda/bcache/dev", "sys/devices/sdb");
    assert!(uses(disk).is_ok());
    folder.write("sys/devices/sda/sda1/dev", "8\n");
    assert!(uses(disk).is_err() && uses(partition).is_err());
    folder.write("sys/devices/sda/sda1/dev", "8:1\n");
    let block = Block::numbered(&kernel, partition).unwrap().unwrap();
    folder.write("sys/devices/sda/sda1/start", "2048\n");
    assert!(block.bounds().is_err(), "it has no size");
    folder.write("sys/devices/sda/sda1/size", "8\n");
    assert_eq!(block.bounds().unwrap(), (1 << 20, 4096));
}

#[test]
fn an_open_file_without_a_state_is_on_the_disk_of_its_mount() {
    let folder = Folder::new("no-state");
    folder.device("sda", "8:0");
    folder.device("sda/sda1", "8:1");
    for (name, sectors) in [("start", 8), ("size", 16)] {
        folder.write(&format!("sys/devices/sda/sda1/{name}"), &format!("{sectors}\n"));
    }
    let mounts = [("8:1", "/fathom-disk", "ext4 /dev/nonexistent"), ("0:50", "/fathom-server", "nfs4 server:/data")];
    let lines = mounts.map(|(number, at, source)| format!("1 1 {number} / {at} rw - {source} rw"));
    let kernel = folder.kernel(&lines.join("\n"));
    let link = folder.0.join("3");
    for (path, disks) in [("/fathom-disk/a", vec!["sda1"]), ("/fathom-server/a", vec![])] {
        symlink(path, &link).unwrap();
        let places = disk::places_of_link(&kernel, &link, || mounts::all(&kernel)).unwrap();
        assert_eq!(places.iter().map(|place| place.name.as_str()).collect::<Vec<_>>(), disks, "{path}");
        fs::remove_file(&link).unwrap();
    }
    let closed = disk::places_of_link(&kernel, &link, || mounts::all(&kernel)).unwrap_err();
    assert_eq!(closed.kind(), io::ErrorKind::NotFound);
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

#[test]
fn health_of_a_disk_is_read_below_its_controller() {
    let folder = Folder::new("health");
    let kernel = folder.kernel("");
    let controller = "sys/devices/pci0000:00/0000:00:01.0/nvme/nvme0";
    let disk = format!("{controller}/nvme0n1");
    folder.write(&format!("{disk}/dev"), "259:0\n");
    folder.link("sys/dev/block/259:0", &disk);
    let health = || {
        let block = Block::numbered(&kernel, DeviceNumber { major: 259, minor: 0 }).unwrap().unwrap();
        health::read(&kernel, &disk::disk_of(&block).unwrap())
    };
    assert_eq!(health(), ::io::DiskHealth::default());
    folder.link(&format!("{disk}/device"), controller);
    folder.link(&format!("{controller}/device"), "sys/devices/pci0000:00/0000:00:01.0");
    for (name, text) in [
        ("nvme/nvme0/nvme0n1/queue/write_cache", "write back\n"),
        ("nvme/nvme0/model", "A model  \n"),
        ("nvme/nvme0/firmware_rev", "1.0\n"),
        ("nvme/nvme0/hwmon3/temp1_input", "41850\n"),
        ("current_link_speed", "8.0 GT/s PCIe\n"),
        ("max_link_speed", "16.0 GT/s PCIe\n"),
        ("current_link_width", "2\n"),
        ("max_link_width", "4\n"),
    ] {
        folder.write(&format!("sys/devices/pci0000:00/0000:00:01.0/{name}"), text);
    }
    let block = Block::numbered(&kernel, DeviceNumber { major: 259, minor: 0 }).unwrap().unwrap();
    assert_eq!(disk::disk_of(&block).unwrap().temperature_c(), Some(41.85));
    let found = health();
    assert_eq!((found.model.raw(), found.firmware.raw()), ("A model", "1.0"));
    assert_eq!((found.write_cache, found.temperature_c), (Some(::io::WriteCache::WriteBack), Some(41.85)));
    let link = ::io::PcieLink { gt_per_s: 8.0, max_gt_per_s: 16.0, lanes: 2, max_lanes: 4 };
    assert_eq!((found.link, found.nvme), (Some(link), None));
    folder.write("sys/devices/pci0000:00/0000:00:01.0/current_link_speed", "Unknown\n");
    assert_eq!(health().link, None);
}

#[test]
fn only_scsi_disks_that_are_not_on_usb_are_asked_by_commands() {
    let folder = Folder::new("health-scsi");
    let kernel = folder.kernel("");
    let commands = |path: &str, number: &str, vendor: &str| {
        folder.write(&format!("sys/devices/{path}/dev"), &format!("{number}\n"));
        folder.link(&format!("sys/dev/block/{number}"), &format!("sys/devices/{path}"));
        folder.write(&format!("sys/devices/{path}/device/vendor"), &format!("{vendor}\n"));
        let block = Block::numbered(&kernel, DeviceNumber::parse(number).unwrap()).unwrap().unwrap();
        health::command_set(&disk::disk_of(&block).unwrap())
    };
    assert_eq!(commands("pci0/ata1/block/sda", "8:0", "ATA     "), Some(health::CommandSet::Ata));
    assert_eq!(commands("pci0/host2/block/sdb", "8:16", "SEAGATE "), Some(health::CommandSet::Scsi));
    assert_eq!(commands("pci0/usb1/1-1/block/sdc", "8:32", "ATA     "), None);
    assert_eq!(commands("pci0/virtio1/block/vda", "254:0", "0x1af4"), None);
}

#[test]
fn health_of_a_multipath_namespace_is_of_its_controllers() {
    let folder = Folder::new("health-multipath");
    let kernel = folder.kernel("");
    let (subsystem, controller) = ("sys/devices/virtual/nvme-subsystem/nvme-subsys0", "sys/devices/pci0/1/nvme/nvme0");
    folder.write(&format!("{subsystem}/nvme0n1/dev"), "259:0\n");
    folder.link("sys/dev/block/259:0", &format!("{subsystem}/nvme0n1"));
    folder.link(&format!("{subsystem}/nvme0n1/device"), subsystem);
    folder.link(&format!("{subsystem}/nvme0"), controller);
    folder.link(&format!("{controller}/device"), "sys/devices/pci0/1");
    folder.write(&format!("{controller}/hwmon1/temp1_input"), "30000\n");
    let block = Block::numbered(&kernel, DeviceNumber { major: 259, minor: 0 }).unwrap().unwrap();
    assert_eq!(health::read(&kernel, &disk::disk_of(&block).unwrap()).temperature_c, Some(30.0));
}
