//! Targets that are removed, detached or truncated while a run uses them. Commands run in a folder with the target `target`
//! of 8 MiB.

use std::fmt;

use crate::case::Report::Complete;
use crate::{Case, case};

/// A change of the target during the run.
#[derive(Debug, Clone, Copy)]
pub struct Removal {
    pub what: &'static str,
    pub kind: Kind,
    /// A shell script. `$DEVICE` is the device, and `$IMAGE` is the file of a loop device.
    pub script: &'static str,
}

/// What the target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    /// A file on a file system that is mounted at `mnt`. The target is in `mnt`.
    Mount,
    Loop,
    Zram,
}

impl fmt::Display for Removal {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(self.what)
    }
}

const fn removal(what: &'static str, kind: Kind, script: &'static str) -> Removal {
    Removal { what, kind, script }
}

const UNMOUNT: Removal = removal("`umount -l` of the file system", Kind::Mount, "umount -l mnt");
const TRUNCATE: Removal = removal("the file is truncated", Kind::File, "truncate -s 0 target");
const DETACH: Removal =
    removal("loop device: `losetup -d`, which waits for the last user", Kind::Loop, "losetup -d $DEVICE");
const BACKING: Removal = removal("loop device: its file is truncated", Kind::Loop, "truncate -s 0 $IMAGE");
const CAPACITY: Removal = removal(
    "loop device: its file is truncated, and the device has 0 bytes",
    Kind::Loop,
    "truncate -s 0 $IMAGE && losetup --set-capacity $DEVICE",
);
const RESET: Removal =
    removal("zram: reset, which the kernel rejects", Kind::Zram, "! echo 1 >/sys/block/${DEVICE#/dev/}/reset");
const REMOVE: Removal = removal(
    "zram: removal, which the kernel rejects",
    Kind::Zram,
    "! echo ${DEVICE#/dev/zram} >/sys/class/zram-control/hot_remove",
);

macro_rules! fio {
    ($target:literal, $more:literal) => {
        concat!("fio --name=a --filename=", $target, " --rw=randrw --rate_iops=300 --time_based --runtime=600 ", $more)
    };
}

const REPLACED: &str = "is no longer the target of the run: another file system, file or device";

/// The cases.
pub const REMOVALS: &[Case<Removal>] = &[
    case(UNMOUNT, fio!("mnt/target", "--ioengine=psync"), 1, REPLACED, Complete),
    case(UNMOUNT, fio!("mnt/target", "--ioengine=io_uring --iodepth=4"), 1, REPLACED, Complete),
    case(UNMOUNT, fio!("mnt/target", "--ioengine=mmap"), 1, REPLACED, Complete),
    case(UNMOUNT, "diskspd -d600 -W0 -b4K -g1000 -w30 mnt/target", 1, REPLACED, Complete),
    case(UNMOUNT, "assess mnt --yes --short --size 2M --runtime 600 --test read-latency", 4, REPLACED, Complete),
    case(UNMOUNT, "knee mnt/target --yes --runtime 600s --iodepth 4", 4, REPLACED, Complete),
    case(
        UNMOUNT,
        "run --yes --repeat 2 fio --name=a --filename=mnt/target --rw=randread --rate_iops=300 --time_based --runtime=600",
        4,
        REPLACED,
        Complete,
    ),
    case(TRUNCATE, fio!("target", "--ioengine=psync"), 1, "read at offset", Complete),
    case(TRUNCATE, fio!("target", "--ioengine=vsync"), 1, "read at offset", Complete),
    case(TRUNCATE, fio!("target", "--ioengine=pvsync2"), 1, "read at offset", Complete),
    case(TRUNCATE, fio!("target", "--ioengine=libaio --iodepth=4"), 1, "read at offset", Complete),
    case(TRUNCATE, fio!("target", "--ioengine=io_uring --iodepth=4"), 1, "read at offset", Complete),
    case(TRUNCATE, fio!("target", "--ioengine=posixaio --iodepth=4"), 1, "read at offset", Complete),
    case(TRUNCATE, fio!("target", "--ioengine=mmap"), 1, "io_u error on file target: Input/output error", Complete),
    case(TRUNCATE, "diskspd -d600 -W0 -b4K -g1000 target", 1, "the target became shorter during the run", Complete),
    case(TRUNCATE, "diskspd -d600 -W0 -b4K -g1000 -w30 -Sm target", 1, "failed: Input/output error", Complete),
    case(TRUNCATE, "assess target --yes --short --runtime 600 --test read-latency", 3, "read at offset", Complete),
    case(TRUNCATE, "knee target --yes --runtime 600s --iodepth 4", 1, "read at offset", Complete),
    case(
        TRUNCATE,
        "sweep --yes bs=4k,8k fio --name=a --filename=target --rw=randread --rate_iops=300 --time_based --runtime=600",
        1,
        "read at offset",
        Complete,
    ),
    case(
        DETACH,
        "fio --name=a --filename=target --direct=1 --rw=randread --rate_iops=300 --number_ios=1500",
        0,
        "",
        Complete,
    ),
    case(BACKING, fio!("target", "--direct=1"), 1, "io_u error on file target: Input/output error", Complete),
    case(
        BACKING,
        fio!("target", "--direct=1 --ioengine=libaio --iodepth=4"),
        1,
        "io_u error on file target: Input/output error",
        Complete,
    ),
    case(CAPACITY, fio!("target", "--direct=1 --ioengine=io_uring"), 1, "fio: pid=", Complete),
    case(BACKING, "diskspd -d600 -W0 -b4K -g1000 -Sh target", 1, "failed: Input/output error", Complete),
    case(BACKING, "assess target --yes --short --runtime 600 --test read-latency", 3, "Input/output error", Complete),
    case(
        RESET,
        "fio --name=a --filename=target --direct=1 --rw=randrw --rate_iops=300 --number_ios=1500",
        0,
        "",
        Complete,
    ),
    case(
        REMOVE,
        "fio --name=a --filename=target --direct=1 --rw=randread --rate_iops=300 --number_ios=1500",
        0,
        "",
        Complete,
    ),
];
