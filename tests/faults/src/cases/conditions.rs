//! Conditions of the process: streams, limits, full file systems. Commands run in a folder with the file `f` of 1 MiB, the
//! saved run `record`, and a history with one run.

use std::fmt;

use crate::case::Report::{Complete, Ios, Missing, OnStandardError};
use crate::{Case, case};

/// A condition of the process before the command starts.
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    pub what: &'static str,
    pub setup: Setup,
}

/// How the condition is made.
#[derive(Debug, Clone, Copy)]
pub enum Setup {
    /// A shell script that runs before the command, in a mount namespace of its own. `$GROUP` is a control group.
    Script(&'static str),
    /// The kernel rejects `io_uring_setup` with EPERM.
    NoUring,
}

impl fmt::Display for Condition {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(self.what)
    }
}

const fn script(what: &'static str, script: &'static str) -> Condition {
    Condition { what, setup: Setup::Script(script) }
}

const CLOSED_OUTPUT: Condition = script("standard output is closed", "exec >&-");
const NULL_OUTPUT: Condition =
    script("standard output is `/dev/null`, open for reading and writing", "exec 1<>/dev/null");
const CLOSED_ERRORS: Condition = script("standard error is closed", "exec 2>&-");
const CLOSED_STREAMS: Condition = script("all standard streams are closed", "exec <&- >&- 2>&-");
const FULL_OUTPUT: Condition = script("standard output is `/dev/full`", "exec >/dev/full");
const FULL_ERRORS: Condition = script("standard error is `/dev/full`", "exec 2>/dev/full");
const NO_READER: Condition =
    script("standard output is a pipe without a reader", "mkfifo p; exec 8<>p; exec >p; exec 8>&-; rm p");
const FULL_DISK: Condition = script(
    "full file system at `full`",
    "mkdir full; mount -t tmpfs -o size=64k none full; echo old >full/old; dd if=/dev/zero of=full/rest bs=4k status=none 2>&-",
);
const FULL_HISTORY: Condition = script(
    "full file system of the history",
    "rm -r data; mkdir data; mount -t tmpfs -o size=64k none data; dd if=/dev/zero of=data/rest bs=4k status=none 2>&-",
);
const DAMAGED_HISTORY: Condition = script(
    "damaged history",
    "export XDG_DATA_HOME=$PWD/other; mkdir -p other/fathom; echo damaged >other/fathom/history.db",
);
const UNSAVED_RUN: Condition = script(
    "a run of fio with a damaged history, then a new history",
    "echo damaged >data/fathom/history.db; rm -f data/fathom/history.db-*; \"$0\" fio --name=a --filename=f --size=64k --rw=read \
     >out 2>err; test ! -s err && rm data/fathom/history.db; mv data/fathom/unsaved-*.json unsaved.json",
);
const FILE_BYTES: Condition = script("RLIMIT_FSIZE: 128 KiB", "ulimit -f 128");
const HISTORY_BYTES: Condition =
    script("RLIMIT_FSIZE: 4 KiB, with another history", "export XDG_DATA_HOME=$PWD/new; ulimit -f 4");
const FEW_FILES: Condition = script("RLIMIT_NOFILE: 20", "ulimit -n 20");
const FEWER_FILES: Condition = script("RLIMIT_NOFILE: 5", "ulimit -n 5");
const LITTLE_SPACE: Condition = script("RLIMIT_AS: 200 MiB", "ulimit -v 204800");
const NO_LOCKED: Condition = script(
    "RLIMIT_MEMLOCK: 64 KiB",
    "set -- setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock \"$0\" \"$@\"; ulimit -l 64; exec \"$@\"",
);
/// The user is another one for each case: processes are counted per user. The descriptor works where the user cannot read the
/// folder of the binary.
const ONE_THREAD: Condition = script(
    "RLIMIT_NPROC: 1",
    "exec 9<\"$0\"; chmod -R a+rwX .; set -- setpriv --reuid=$((100000 + $$)) --clear-groups --bounding-set=-all \
     --inh-caps=-all /proc/self/fd/9 \"$@\"; ulimit -u 1; exec \"$@\"",
);
const FEW_THREADS: Condition = script(
    "RLIMIT_NPROC: 20",
    "exec 9<\"$0\"; chmod -R a+rwX .; set -- setpriv --reuid=$((100000 + $$)) --clear-groups --bounding-set=-all \
     --inh-caps=-all /proc/self/fd/9 \"$@\"; ulimit -u 20; exec \"$@\"",
);
const LITTLE_MEMORY: Condition = script("control group with 64 MiB of memory", "echo $$ >$GROUP/cgroup.procs");
const NO_URING: Condition = Condition { what: "`io_uring_setup` is forbidden (seccomp)", setup: Setup::NoUring };

const READ: &str = "fio --name=a --filename=f --size=256k --rw=read";
const WRITE: &str = "fio --name=a --filename=new --size=256k --rw=write";
const WRITE_OUTPUT: &str = "fio --name=a --filename=f --size=256k --rw=read --output=report";
const ASSESS: &str = "assess f --short --size 1M --runtime 1 --test read-latency";

/// Standard streams.
pub const STREAMS: &[Case<Condition>] = &[
    case(CLOSED_OUTPUT, READ, 1, "standard output can't be written: Bad file descriptor", OnStandardError),
    case(CLOSED_OUTPUT, "diskspd -d1 -W0 f", 1, "standard output can't be written", OnStandardError),
    case(CLOSED_OUTPUT, "show record", 1, "standard output can't be written", OnStandardError),
    case(CLOSED_OUTPUT, WRITE_OUTPUT, 0, "", Missing),
    case(CLOSED_ERRORS, READ, 0, "", Ios(64)),
    case(CLOSED_STREAMS, WRITE, 1, "", Missing),
    case(NULL_OUTPUT, READ, 0, "", Missing),
    case(FULL_ERRORS, "fio --name=a --filename=none/f --rw=read", 1, "", Complete),
    case(NO_READER, READ, 0, "", Missing),
    case(NO_READER, "suite list", 0, "", Missing),
    case(FULL_OUTPUT, READ, 1, "standard output can't be written: No space left on device", OnStandardError),
    case(FULL_OUTPUT, "diskspd -d1 -W0 f", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, ASSESS, 1, "the report continues here", OnStandardError),
    case(
        FULL_OUTPUT,
        "sweep bs=4k,8k fio --name=a --filename=f --size=256k --rw=read",
        1,
        "the report continues here",
        OnStandardError,
    ),
    case(
        FULL_OUTPUT,
        "run --repeat 2 fio --name=a --filename=f --size=256k --rw=read",
        1,
        "the report continues here",
        OnStandardError,
    ),
    case(FULL_OUTPUT, "show record", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "compare record record", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "history", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "history add record", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "export last --format csv", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "delete last", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "limits list", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "man", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "completions bash", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "--help", 1, "the report continues here", OnStandardError),
    case(FULL_OUTPUT, "fio --help", 1, "the report continues here", Missing),
];

/// Full file systems of the files that fathom writes.
pub const FULL_DISKS: &[Case<Condition>] = &[
    case(
        FULL_DISK,
        "fio --name=a --filename=f --size=256k --rw=read --output=full/report",
        1,
        "--output=full/report: No space left on device; the file is not complete, the report continues on standard output",
        Ios(64),
    ),
    case(
        FULL_DISK,
        "fio --name=a --filename=f --size=256k --rw=read --write_lat_log=full/log",
        1,
        "the logs are not complete: full/log_lat.1.log: No space left on device",
        Ios(64),
    ),
    case(
        FULL_DISK,
        "fio --name=a --filename=f --size=256k --rw=read --record=full/old",
        1,
        "full/old: No space left on device",
        Ios(64),
    ),
    case(FULL_DISK, "diskspd -d1 -W0 -Rrecord=full/old f", 1, "full/old: No space left on device", Complete),
    case(
        FULL_DISK,
        "assess f --short --size 1M --runtime 1 --test read-latency --report full/page.html --save full/old",
        1,
        "full/page.html: No space left on device",
        Complete,
    ),
    case(
        FULL_DISK,
        "sweep bs=4k,8k --save full/saved fio --name=a --filename=f --size=256k --rw=read",
        1,
        "full/saved/sweep.json: No space left on device",
        Complete,
    ),
    case(
        FULL_DISK,
        "run --repeat 2 --save full/saved fio --name=a --filename=f --size=256k --rw=read",
        1,
        "full/saved/run.json: No space left on device",
        Complete,
    ),
    case(FULL_DISK, "show record --report full/page.html", 1, "full/page.html: No space left on device", Missing),
    case(FULL_DISK, "export last --format csv --output full/old", 1, "full/old: No space left on device", Missing),
    case(FULL_DISK, "report --site full/site", 1, "full/site/fathom-site.txt: No space left on device", Missing),
    case(FULL_HISTORY, ASSESS, 0, "not saved in the history", Complete),
    case(FULL_HISTORY, READ, 0, "", Ios(64)),
    case(
        FULL_HISTORY,
        "fio --name=a --filename=f --size=256k --rw=read --findings=always",
        0,
        "warning: not saved in the history",
        Ios(64),
    ),
    case(DAMAGED_HISTORY, "diskspd -d1 -W0 -Rfindings=always f", 0, "/other/fathom/unsaved-", Complete),
    case(UNSAVED_RUN, "history add unsaved.json", 0, "unsaved.json is run 1", Complete),
    case(FULL_HISTORY, "history add record", 1, "disk is full", Missing),
];

/// Limits of the process.
pub const LIMITS: &[Case<Condition>] = &[
    case(FILE_BYTES, WRITE, 1, "File too large: write offset=131072", Ios(32)),
    case(
        FILE_BYTES,
        "fio --name=a --filename=new --size=256k --rw=write --ioengine=io_uring",
        1,
        "File too large: write offset=131072",
        Ios(32),
    ),
    case(
        FILE_BYTES,
        "fio --name=a --filename=new --size=256k --rw=read",
        1,
        "write of new failed: File too large",
        Ios(0),
    ),
    case(
        FILE_BYTES,
        "fio --name=a --ioengine=null --size=64m --rw=read --write_lat_log=log",
        1,
        "the logs are not complete: log_lat.1.log: File too large",
        Ios(16384),
    ),
    case(FILE_BYTES, "diskspd -d1 -W0 -c256K new", 1, "new: cannot be created: File too large", Missing),
    case(FILE_BYTES, "assess . --short --size 8M --runtime 1 --test read-latency", 3, "File too large", Complete),
    case(HISTORY_BYTES, "show record --report page.html", 1, "page.html: File too large", Missing),
    case(HISTORY_BYTES, "history add record", 1, "new/fathom/history.db: disk I/O error", Missing),
    case(HISTORY_BYTES, ASSESS, 0, "not saved in the history", Complete),
    case(
        FEW_FILES,
        "fio --name=a --nrfiles=40 --openfiles=40 --size=160k --rw=randread",
        1,
        "Too many open files",
        Complete,
    ),
    case(FEW_FILES, "diskspd -d1 -W0 -t40 f", 1, "Too many open files", Missing),
    case(FEWER_FILES, READ, 1, "f: Too many open files", Ios(0)),
    case(FEWER_FILES, ASSESS, 3, "f: Too many open files", Complete),
    case(
        LITTLE_SPACE,
        "fio --name=a --filename=new --size=64k --rw=write --numjobs=1000",
        1,
        "the limit of the address space (ulimit -v)",
        Complete,
    ),
    case(
        NO_LOCKED,
        "fio --name=a --filename=f --size=256k --rw=read --lockmem=1m",
        1,
        "RLIMIT_MEMLOCK is 64 KiB (raise it with `ulimit -l KIB`",
        Complete,
    ),
    case(ONE_THREAD, READ, 1, "a thread cannot be created: Resource temporarily unavailable", Missing),
    case(ONE_THREAD, "diskspd -d1 -W0 f", 1, "a thread cannot be created: Resource temporarily unavailable", Missing),
    case(ONE_THREAD, ASSESS, 2, "a thread cannot be created: Resource temporarily unavailable", Missing),
    case(ONE_THREAD, "show record", 0, "", Complete),
    case(FEW_THREADS, "diskspd -d1 -W0 -t40 f", 1, "a thread cannot be created", Missing),
    case(
        LITTLE_MEMORY,
        "fio --name=a --filename=new --size=64m --rw=write --bs=1m --iodepth=64 --ioengine=io_uring",
        1,
        "the memory of this machine or control group",
        Complete,
    ),
    case(LITTLE_MEMORY, "diskspd -d1 -W0 -c1M -t4 -o16 -b1M new", 1, "64 MiB", Missing),
    case(
        NO_URING,
        "fio --name=a --filename=f --size=256k --rw=read --ioengine=io_uring",
        1,
        "Operation not permitted",
        Ios(0),
    ),
    case(NO_URING, "diskspd -d1 -W0 -o4 f", 0, "", Complete),
    case(NO_URING, ASSESS, 0, "", Complete),
    case(NO_URING, "knee f --runtime 100ms --iodepth 2", 1, "io_uring is not permitted", Complete),
];
