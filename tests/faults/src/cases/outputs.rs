//! Faults of the files that fathom writes. Commands run in a folder with the file `f` of 1 MiB and the saved run `record`, above
//! the mount point `files`. The folder of the history, `data`, leads to `files`.

use crate::case::Report::{Complete, Ios, Missing};
use crate::faulty_files::Effect::{Disconnects, Eio, Enospc, Erofs, Hangs};
use crate::faulty_files::Operation::{Close, Create, Fsync, Rename, Write};
use crate::faulty_files::{Effect, Fault, Operation};
use crate::{Case, case};

const fn all(operation: Operation, nth: u32, effect: Effect) -> Fault {
    Fault::new(operation, nth, effect).of(Fault::ANY)
}

const OUTPUT: &str = "fio --name=a --filename=f --size=256k --rw=read --output=files/report";
const LOG: &str = "fio --name=a --filename=f --size=256k --rw=read --write_lat_log=files/log";
const RECORD: &str = "fio --name=a --filename=f --size=256k --rw=read --record=files/record";
const SHOW: &str = "show record --report files/page.html";
const HISTORY: &str = "history add record";
const RUN: &str = "run --repeat 1 fio --name=a --filename=f --size=256k --rw=read";

/// The cases.
pub const FILES: &[Case<Fault>] = &[
    case(
        all(Write, 1, Eio),
        OUTPUT,
        1,
        "--output=files/report: Input/output error; the file is not complete, the report continues on standard output",
        Ios(64),
    ),
    case(all(Close, 1, Eio), OUTPUT, 1, "--output=files/report: Input/output error; the file is not complete", Missing),
    case(all(Create, 1, Enospc), OUTPUT, 1, "--output=files/report: No space left on device", Missing),
    case(all(Write, 1, Disconnects), OUTPUT, 1, "--output=files/report: Software caused connection abort", Ios(64)),
    case(
        all(Create, 1, Eio),
        LOG,
        1,
        "the log file cannot be created: files/log_slat.1.log: Input/output error",
        Ios(0),
    ),
    case(all(Write, 1, Eio), LOG, 1, "the logs are not complete: files/log_lat.1.log: Input/output error", Ios(64)),
    case(all(Close, 1, Eio), LOG, 1, "files/log_lat.1.log: Input/output error", Ios(64)),
    case(all(Write, 1, Disconnects), LOG, 1, "the logs are not complete: files/log_lat.1.log", Ios(64)),
    case(all(Create, 1, Erofs), RECORD, 1, "files/record: Read-only file system", Missing),
    case(all(Write, 1, Enospc), RECORD, 1, "files/record: No space left on device", Ios(64)),
    case(all(Fsync, 1, Eio), RECORD, 1, "files/record: Input/output error", Ios(64)),
    case(all(Close, 2, Eio), RECORD, 1, "files/record: Input/output error", Ios(64)),
    case(all(Rename, 1, Eio), RECORD, 1, "files/record: Input/output error", Ios(64)),
    case(all(Create, 1, Eio), SHOW, 1, "files/page.html: Input/output error", Missing),
    case(all(Write, 1, Eio), SHOW, 1, "files/page.html: Input/output error", Missing),
    case(all(Fsync, 1, Eio), SHOW, 1, "files/page.html: Input/output error", Missing),
    case(all(Rename, 1, Eio), SHOW, 1, "files/page.html: Input/output error", Missing),
    case(
        all(Write, 1, Eio),
        "diskspd -d1 -W0 -Rrecord=files/record f",
        1,
        "files/record: Input/output error",
        Complete,
    ),
    case(
        all(Write, 1, Eio),
        "assess f --short --size 1M --runtime 1 --test read-latency --no-history --report files/page.html --save files/saved",
        1,
        "files/saved: Input/output error",
        Complete,
    ),
    case(
        all(Fsync, 1, Eio),
        "knee f --runtime 100ms --iodepth 2 --no-history --report files/page.html",
        1,
        "files/page.html: Input/output error",
        Complete,
    ),
    case(
        all(Write, 1, Eio),
        "sweep bs=4k,8k --no-history --save files/saved fio --name=a --filename=f --size=256k --rw=read",
        1,
        "files/saved/sweep.json: Input/output error",
        Complete,
    ),
    case(
        all(Rename, 1, Eio),
        "run --repeat 2 --no-history --save files/saved fio --name=a --filename=f --size=256k --rw=read",
        1,
        "files/saved/run.json: Input/output error",
        Complete,
    ),
    case(Fault::new(Write, 1, Eio).of("history.db"), HISTORY, 1, "history.db: disk I/O error", Missing),
    case(Fault::new(Write, 2, Enospc).of("history.db-wal"), HISTORY, 1, "history.db: ", Missing),
    case(Fault::new(Fsync, 1, Eio).of("history.db"), HISTORY, 1, "history.db: disk I/O error", Missing),
    case(Fault::new(Create, 1, Enospc).of("history.db"), HISTORY, 1, "history.db: unable to open", Missing),
    case(Fault::new(Write, 1, Eio).of("history.db"), RUN, 0, "not saved in the history", Complete),
    case(Fault::new(Write, 3, Enospc).of("history.db-wal"), RUN, 0, "not saved in the history", Complete),
];

/// Requests for these files that do not complete. The run is interrupted then.
pub const FILES_HANG: &[Case<Fault>] = &[
    case(
        all(Write, 1, Hangs),
        OUTPUT,
        128,
        "--output=files/report: the file system does not respond; the file is not complete, the report continues on standard output",
        Ios(64),
    ),
    case(all(Write, 1, Hangs), RECORD, 1, "files/record: the file system does not respond", Ios(64)),
    case(all(Fsync, 1, Hangs), RECORD, 1, "files/record: the file system does not respond", Ios(64)),
    case(all(Rename, 1, Hangs), RECORD, 1, "files/record: the file system does not respond", Ios(64)),
    case(
        all(Write, 1, Hangs),
        "diskspd -d1 -W0 -Rrecord=files/record f",
        1,
        "files/record: the file system does not respond",
        Complete,
    ),
    case(
        all(Write, 1, Hangs),
        "run --repeat 1 --no-history --save files/saved fio --name=a --filename=f --size=256k --rw=read",
        1,
        "the file system does not respond",
        Complete,
    ),
    case(Fault::new(Write, 1, Hangs).of("history.db"), RUN, 130, "not saved in the history", Complete),
    case(
        Fault::new(Write, 1, Hangs).of("history.db"),
        "fio --name=a --filename=f --size=256k --rw=read --findings=always",
        0,
        "not saved in the history",
        Ios(64),
    ),
];
