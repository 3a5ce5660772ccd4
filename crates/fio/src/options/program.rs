//! Table of the program options: options of the whole run, not of a job.

use std::borrow::Cow;

use super::option::Support::{self, NoEffect, Supported, Unsupported};

/// A program option.
#[derive(Clone, Copy, Debug)]
pub struct ProgramOption {
    pub name: &'static str,
    /// The short option of fio's getopt, or [`FATHOM_ONLY`] if fio does not have the option.
    pub letter: char,
    pub takes: Takes,
    /// Placeholder of the value in the help text.
    pub value: &'static str,
    pub support: Support,
    pub(crate) help: &'static str,
}

/// Marks an option that only fathom has.
///
/// Such an option cannot be abbreviated, so that all abbreviations keep their meaning in fio.
pub const FATHOM_ONLY: char = '\0';

/// Whether an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    Nothing,
    /// A value after `=`, or none.
    Optional,
    /// A value after `=` or in the next argument.
    Required,
}

const fn option(
    name: &'static str,
    letter: char,
    takes: Takes,
    value: &'static str,
    help: &'static str,
) -> ProgramOption {
    ProgramOption { name, letter, takes, value, support: Supported, help }
}

const fn own(name: &'static str, takes: Takes, value: &'static str, help: &'static str) -> ProgramOption {
    option(name, FATHOM_ONLY, takes, value, help)
}

impl ProgramOption {
    const fn with(self, support: Support) -> ProgramOption {
        ProgramOption { support, ..self }
    }

    /// Returns the help text.
    pub fn help(&self) -> Cow<'static, str> {
        match self.letter {
            FATHOM_ONLY => format!("{} (not an option of fio)", self.help).into(),
            _ => self.help.into(),
        }
    }
}

use Takes::{Nothing, Optional, Required};

/// All program options, in the order of `--help`.
pub const PROGRAM_OPTIONS: &[ProgramOption] = &[
    option("output", 'o', Required, "file", "Write the report to this file"),
    option("latency-log", 'l', Required, "file", "Removed from fio; use the job option write_lat_log")
        .with(Unsupported),
    option("bandwidth-log", 'b', Optional, "prefix", "Log the bandwidth of all jobs together"),
    option("minimal", 'm', Nothing, "", "Report in the terse format"),
    option("output-format", 'F', Required, "list", "Formats of the report: normal, terse, json, json+"),
    option("append-terse", 'f', Optional, "", "Add the terse format to the report"),
    option("version", 'v', Nothing, "", "Print the version"),
    option("help", 'h', Nothing, "", "Print this help"),
    option("cmdhelp", 'c', Optional, "option", "List the job options, or explain one"),
    option("enghelp", 'i', Optional, "engine[,option]", "List the engines or the options of one, or explain an option"),
    option("showcmd", 's', Nothing, "", "Print job files as command lines"),
    option("readonly", 'r', Nothing, "", "Refuse jobs that write or trim"),
    option("eta", 'e', Required, "when", "Show progress: always, never or auto"),
    option("eta-interval", 'O', Required, "time", "Time between two updates of the progress line"),
    option("eta-newline", 'E', Required, "time", "Start a new progress line at this interval"),
    option("debug", 'd', Required, "list", "Print debug messages of these categories"),
    option("parse-only", 'P', Nothing, "", "Check options and job files, run nothing"),
    option("section", 'x', Required, "name", "Run only this section of a job file; may be repeated"),
    option("inflate-log", 'X', Required, "file", "Print a compressed log"),
    option("alloc-size", 'a', Required, "kb", "Size of fio's memory pool")
        .with(NoEffect("memory is allocated as needed")),
    option("profile", 'p', Required, "name", "Run a built-in workload"),
    option("warnings-fatal", 'w', Nothing, "", "Treat warnings about jobs as errors"),
    option("max-jobs", 'j', Required, "number", "Maximum number of jobs").with(NoEffect("the limit is 4096 jobs")),
    option("terse-version", 'V', Required, "number", "Version of the terse format: 2 to 5"),
    option("server", 'S', Optional, "address", "Wait for jobs from another machine").with(Unsupported),
    option("daemonize", 'D', Required, "file", "Run the server in the background").with(Unsupported),
    option("client", 'C', Required, "host", "Run the jobs on this host; may be repeated"),
    option("remote-config", 'R', Required, "file", "Send a job file that is on the server").with(Unsupported),
    option("cpuclock-test", 'T', Nothing, "", "Test the CPU's cycle counter"),
    option("crctest", 'G', Optional, "list", "Measure checksums"),
    option("memcpytest", 'M', Optional, "list", "Measure memory copies"),
    option("idle-prof", 'I', Required, "kind", "Report idle CPU time: system, percpu or calibrate"),
    option("status-interval", 'L', Required, "time", "Print a full report at this interval"),
    option("trigger-file", 'W', Required, "file", "End the jobs and run the trigger when this file appears"),
    option("trigger-timeout", 'B', Required, "time", "End the jobs and run the trigger after this time"),
    option("trigger", 'H', Required, "command", "Command that runs after the jobs"),
    option("trigger-remote", 'J', Required, "command", "Trigger command of the remote side").with(Unsupported),
    option("aux-path", 'K', Required, "directory", "Directory of verification states and of dumped blocks"),
    own("record", Required, "file", "Save the record of the run to this file, for `fathom show`"),
    own("report", Required, "file", "Write a report of the run: NAME.html, .md, .xml, .svg, .png; repeatable"),
    own("no-history", Nothing, "", "Do not add the run to the history of `fathom history`"),
    own("findings", Required, "when", "Print findings to standard error: always, never, or auto: if it is a terminal"),
    own("explain", Nothing, "", "Explain the slowest I/Os on standard error: trace the block layer, as root"),
    own("watch", Nothing, "", "Show figures over time on the whole terminal while the jobs run"),
    own("metrics", Required, "addr", "Serve OpenMetrics for Prometheus: port of 127.0.0.1, or IP address and port"),
    option("merge-blktrace-only", 'A', Nothing, "", "Merge traces and stop"),
];
