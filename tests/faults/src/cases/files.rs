//! Faults of the file system of the target. Commands run in the folder above its mount point `files`, which has a file `f` of
//! 256 KiB.

use crate::case::Report::{Complete, Ios, Missing};
use crate::faulty_files::Effect::{Disconnects, Eio, Enospc, Erofs, Half, Hangs, Nothing};
use crate::faulty_files::Operation::{Allocate, Close, Create, Fsync, GetAttr, Open, Read, Truncate, Unlink, Write};
use crate::faulty_files::{Effect, Fault, Operation};
use crate::{Case, case};

const fn at(operation: Operation, nth: u32, effect: Effect) -> Fault {
    Fault::new(operation, nth, effect)
}

const READ: &str = "fio --name=a --filename=files/f --rw=read";
const READ_URING: &str = "fio --name=a --filename=files/f --rw=read --ioengine=io_uring";
const READ_AIO: &str = "fio --name=a --filename=files/f --rw=read --ioengine=libaio --direct=1";
const READ_POSIXAIO: &str = "fio --name=a --filename=files/f --rw=read --ioengine=posixaio";
const READ_MMAP: &str = "fio --name=a --filename=files/f --rw=read --ioengine=mmap";
const READ_ON: &str = "fio --name=a --filename=files/f --rw=read --continue_on_error=io";
const UNLINK: &str = "fio --name=a --filename=files/f --rw=read --unlink=1";
const WRITE: &str = "fio --name=a --filename=files/f --rw=write";
const WRITE_URING: &str = "fio --name=a --filename=files/f --rw=write --ioengine=io_uring";
const WRITE_POSIXAIO: &str = "fio --name=a --filename=files/f --rw=write --ioengine=posixaio";
const FSYNC: &str = "fio --name=a --filename=files/f --rw=write --fsync=4";
const END_FSYNC: &str = "fio --name=a --filename=files/f --rw=write --end_fsync=1";
const FSYNC_ON_CLOSE: &str = "fio --name=a --filename=files/f --rw=write --fsync_on_close=1";
const READ_NEW: &str = "fio --name=a --filename=files/new --size=256k --rw=read";
const WRITE_NEW: &str = "fio --name=a --filename=files/new --size=256k --rw=write";
const LAY_OUT: &str = "fio --name=a --filename=files/new --size=256k --rw=read --fallocate=none";
const TRUNCATE: &str = "fio --name=a --filename=files/new --size=256k --rw=write --fallocate=truncate";

/// Faults of the target of `fathom fio`.
pub const FIO: &[Case<Fault>] = &[
    case(at(Read, 5, Eio), READ, 1, "fio: io_u error on file files/f: Input/output error: read offset=16384", Ios(4)),
    case(at(Read, 5, Eio), READ_URING, 1, "Input/output error: read offset=16384", Ios(4)),
    case(at(Read, 5, Eio), READ_AIO, 1, "Input/output error: read offset=16384", Ios(4)),
    case(at(Read, 5, Eio), READ_POSIXAIO, 1, "Input/output error: read offset=16384", Ios(4)),
    case(at(Read, 1, Eio), READ_MMAP, 1, "Input/output error: read offset=0", Ios(0)),
    case(at(Read, 5, Eio), READ_ON, 0, "", Ios(4)),
    case(at(Read, 3, Half), READ, 0, "", Ios(64)),
    case(
        at(Read, 3, Nothing),
        READ,
        1,
        "read at offset 8192 transferred 0 bytes: the end of the file or device",
        Ios(2),
    ),
    case(at(Read, 5, Disconnects), READ, 1, "Software caused connection abort: read offset=16384", Ios(4)),
    case(at(Write, 5, Eio), WRITE, 1, "Input/output error: write offset=16384", Ios(4)),
    case(at(Write, 5, Enospc), WRITE, 1, "No space left on device: write offset=16384", Ios(4)),
    case(at(Write, 5, Erofs), WRITE_URING, 1, "Read-only file system: write offset=16384", Ios(4)),
    case(at(Write, 3, Half), WRITE_URING, 0, "", Ios(64)),
    case(at(Write, 3, Nothing), WRITE, 1, "write at offset 8192 transferred 0 bytes", Ios(2)),
    case(at(Write, 5, Disconnects), WRITE_URING, 1, "Software caused connection abort: write offset=16384", Ios(4)),
    case(at(Fsync, 1, Eio), FSYNC, 1, "Input/output error: sync", Ios(4)),
    case(at(Fsync, 1, Eio), END_FSYNC, 1, "Input/output error", Ios(64)),
    case(at(Fsync, 1, Eio), FSYNC_ON_CLOSE, 1, "Input/output error", Ios(64)),
    case(at(Fsync, 1, Disconnects), FSYNC, 1, "Software caused connection abort: sync", Ios(4)),
    case(at(Open, 1, Eio), READ, 1, "open(files/f): Input/output error", Ios(0)),
    case(at(Open, 1, Disconnects), WRITE, 1, "open(files/f): Software caused connection abort", Ios(0)),
    case(at(GetAttr, 1, Eio), READ, 1, "Input/output error", Ios(0)),
    case(at(Close, 1, Eio), WRITE, 1, "fio: files/f: Input/output error", Ios(64)),
    case(at(Close, 1, Disconnects), WRITE, 1, "Transport endpoint is not connected", Ios(0)),
    case(at(Unlink, 1, Eio), UNLINK, 1, "failed to unlink file files/f: Input/output error", Ios(64)),
    case(at(Unlink, 1, Disconnects), UNLINK, 1, "failed to unlink file files/f: Software caused", Ios(64)),
    case(at(Create, 1, Enospc).of("new"), READ_NEW, 1, "No space left on device", Ios(0)),
    case(at(Create, 1, Erofs).of("new"), WRITE_NEW, 1, "Read-only file system", Ios(0)),
    case(at(Allocate, 1, Enospc).of("new"), READ_NEW, 1, "No space left on device", Ios(0)),
    case(at(Truncate, 1, Eio).of("new"), TRUNCATE, 1, "Input/output error", Ios(0)),
    case(at(Write, 1, Eio).of("new"), LAY_OUT, 1, "Input/output error", Ios(0)),
];

/// Requests of `fathom fio` that do not complete. The run is interrupted then.
pub const FIO_HANGS: &[Case<Fault>] = &[
    case(at(Read, 5, Hangs), READ, 128, "a: did not stop: its I/O is stuck in the kernel", Ios(4)),
    case(at(Read, 5, Hangs), READ_URING, 128, "a: did not stop: its I/O is stuck in the kernel", Ios(4)),
    case(at(Read, 5, Hangs), READ_AIO, 128, "a: did not stop: its I/O is stuck in the kernel", Ios(4)),
    case(at(Read, 1, Hangs), READ_MMAP, 128, "a: did not stop: its I/O is stuck in the kernel", Ios(0)),
    case(
        at(Write, 5, Hangs),
        WRITE_POSIXAIO,
        128,
        "1 of its I/Os did not complete: the device does not respond",
        Ios(4),
    ),
    case(at(Fsync, 1, Hangs), FSYNC, 128, "a: did not stop: its I/O is stuck in the kernel", Ios(4)),
    case(at(Unlink, 1, Hangs), UNLINK, 128, "a: did not stop: its I/O is stuck in the kernel", Ios(64)),
    case(at(Write, 1, Hangs).of("new"), LAY_OUT, 128, "fio: terminating on signal 2", Ios(0)),
    case(at(Open, 1, Hangs), READ, 1, "the check of files/f is stuck in the kernel", Ios(0)),
    case(at(GetAttr, 1, Hangs), READ, 1, "the check of files/f is stuck in the kernel", Ios(0)),
    case(at(Close, 1, Hangs), READ, 1, "the check of files/f is stuck in the kernel", Ios(0)),
];

/// Faults of the target of `fathom diskspd`.
pub const DISKSPD: &[Case<Fault>] = &[
    case(at(Read, 5, Eio), "diskspd -d1 -W0 -b4K -o1 files/f", 1, "at 16384 failed: Input/output error", Ios(4)),
    case(at(Read, 5, Eio), "diskspd -d1 -W0 -b4K -o4 files/f", 1, "at 16384 failed: Input/output error", Complete),
    case(at(Read, 1, Eio), "diskspd -d1 -W0 -b4K -Sm files/f", 1, "failed: Input/output error", Missing),
    case(at(Read, 3, Nothing), "diskspd -d1 -W0 -b4K -o1 files/f", 1, "read at 8192 transferred 0 bytes", Ios(2)),
    case(
        at(Read, 5, Disconnects),
        "diskspd -d1 -W0 -b4K -o1 files/f",
        1,
        "failed: Software caused connection abort",
        Ios(4),
    ),
    case(at(Write, 5, Enospc), "diskspd -d1 -W0 -b4K -o1 -w100 files/f", 1, "failed: No space left on device", Ios(4)),
    case(at(Write, 5, Erofs), "diskspd -d1 -W0 -b4K -o4 -w100 files/f", 1, "failed: Read-only file system", Complete),
    case(
        at(Write, 3, Nothing),
        "diskspd -d1 -W0 -b4K -o1 -w100 files/f",
        1,
        "write at 8192 transferred 0 bytes",
        Ios(2),
    ),
    case(at(Write, 5, Disconnects), "diskspd -d1 -W0 -b4K -o4 -w100 files/f", 1, "failed: Software caused", Complete),
    case(
        at(Close, 1, Eio),
        "diskspd -d1 -W0 -b4K -w100 -g100 files/f",
        1,
        "error: files/f: Input/output error",
        Complete,
    ),
    case(at(Open, 1, Eio), "diskspd -d1 -W0 -b4K files/f", 1, "files/f: Input/output error", Missing),
    case(at(GetAttr, 1, Eio), "diskspd -d1 -W0 -b4K files/f", 1, "files/f: Input/output error", Missing),
    case(
        at(Create, 1, Enospc).of("new"),
        "diskspd -d1 -W0 -c256K files/new",
        1,
        "files/new: cannot be created: No space left on device",
        Missing,
    ),
    case(
        at(Write, 1, Eio).of("new"),
        "diskspd -d1 -W0 -c256K files/new",
        1,
        "files/new: cannot be created: Input/output error",
        Missing,
    ),
];

/// Requests of `fathom diskspd` that do not complete. The run is interrupted then.
///
/// The figures of a thread that is stuck are those of its last snapshot, at most 0.5 s before. The rate ensures a snapshot.
pub const DISKSPD_HANGS: &[Case<Fault>] = &[
    case(
        at(Read, 30, Hangs),
        "diskspd -d600 -W0 -b4K -o1 -g100 files/f",
        1,
        "files/f: did not stop: its I/O is stuck in the kernel",
        Complete,
    ),
    case(
        at(Read, 30, Hangs),
        "diskspd -d600 -W0 -b4K -o4 -g100 files/f",
        1,
        "did not stop: its I/O is stuck",
        Complete,
    ),
    case(
        at(Open, 1, Hangs),
        "diskspd -d600 -W0 -b4K files/f",
        1,
        "did not stop: creating or reading a file is stuck in the kernel",
        Missing,
    ),
    case(
        at(Write, 1, Hangs).of("new"),
        "diskspd -d600 -W0 -c256K files/new",
        1,
        "did not stop: creating or reading a file is stuck in the kernel",
        Missing,
    ),
];
