//! Commands that get signals at random times. They run in a folder with the file `f` of 1 MiB, the empty folder `folder`, the
//! saved run `record`, and a history with some runs.

/// How a command ends after a signal that it handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// With this exit status and a report.
    With(i32),
    /// With 128 + the number of the signal.
    WithSignalCode,
    /// The signal ends the process, or the command is done before.
    AtOnce,
}

/// A command that gets signals.
#[derive(Debug, Clone, Copy)]
pub struct Interrupted {
    pub command: &'static str,
    pub ends: Ends,
    /// Exit status of a run that is done before the signal.
    pub done: i32,
    /// The longest time from the start to the signal. Most signals arrive during the run.
    pub latest_ms: u64,
}

const fn stops(command: &'static str, ends: Ends, latest_ms: u64) -> Interrupted {
    Interrupted { command, ends, done: 0, latest_ms }
}

/// The commands.
pub const COMMANDS: &[Interrupted] = &[
    stops("fio --name=a --filename=f --rw=randrw --rate_iops=500 --time_based --runtime=600", Ends::With(128), 400),
    stops(
        "fio --name=a --filename=f --rw=randread --ioengine=io_uring --iodepth=4 --rate_iops=500 --time_based --runtime=600",
        Ends::With(128),
        400,
    ),
    stops("fio --name=a --filename=new --size=64m --rw=read --unlink=1", Ends::With(128), 150),
    stops("fio --name=a --filename=f --rw=write --write_lat_log=log --record=saved/record", Ends::With(128), 100),
    stops("diskspd -d600 -W0 -b4K -g500 -w30 f", Ends::With(0), 400),
    stops("diskspd -d600 -W600 -b4K -g500 -o4 -Rxml f", Ends::With(0), 400),
    stops("diskspd -d1 -W0 -c32M new", Ends::With(0), 200),
    stops(
        "assess folder --short --size 8M --runtime 60 --test read-latency --report saved/report.html",
        Ends::WithSignalCode,
        900,
    ),
    stops("assess f --yes --short --runtime 60 --save saved/assessment", Ends::WithSignalCode, 400),
    stops("knee folder --yes --size 4M --runtime 60s", Ends::WithSignalCode, 600),
    stops(
        "sweep bs=4k,8k --save saved fio --name=a --filename=f --rw=read --rate_iops=500 --time_based --runtime=60",
        Ends::WithSignalCode,
        400,
    ),
    stops(
        "run --repeat 4 --save saved fio --name=a --filename=f --rw=read --rate_iops=500 --time_based --runtime=60",
        Ends::WithSignalCode,
        400,
    ),
    stops("show record", Ends::AtOnce, 40),
    stops("show 1 --format json", Ends::AtOnce, 40),
    stops("show record --report saved/record.html", Ends::AtOnce, 60),
    stops("compare record record", Ends::AtOnce, 40),
    stops("history", Ends::AtOnce, 40),
    stops("history add record", Ends::AtOnce, 60),
    stops("history tag 1 --tag mine", Ends::AtOnce, 60),
    stops("delete last", Ends::AtOnce, 60),
    stops("export last --format csv --output saved/runs.csv", Ends::AtOnce, 40),
    stops("suite list", Ends::AtOnce, 40),
    stops("suite show quick", Ends::AtOnce, 40),
    stops("limits list", Ends::AtOnce, 80),
    stops("limits show aws:gp3", Ends::AtOnce, 80),
    stops("man", Ends::AtOnce, 40),
    stops("completions bash", Ends::AtOnce, 40),
];

/// Signals, in the order in which they are sent.
pub const SIGNALS: &[&[Signal]] =
    &[&[Signal::Int], &[Signal::Term], &[Signal::Hup], &[Signal::Int, Signal::Int], &[Signal::Kill]];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Hup = 1,
    Int = 2,
    Kill = 9,
    Term = 15,
}

impl Signal {
    pub const fn number(self) -> i32 {
        self as i32
    }
}
