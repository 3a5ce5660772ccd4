//! Table of the program options: options of the whole run, not of a job.

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
    pub help: &'static str,
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

const fn program(
    name: &'static str,
    letter: char,
    takes: Takes,
    value: &'static str,
    support: Support,
    help: &'static str,
) -> ProgramOption {
    ProgramOption { name, letter, takes, value, support, help }
}

use Takes::{Nothing, Optional, Required};

/// All program options, in the order of `--help`.
pub const PROGRAM_OPTIONS: &[ProgramOption] = &[
    program("output", 'o', Required, "file", Supported, "Write the report to this file"),
    program("latency-log", 'l', Required, "file", Unsupported, "Removed from fio; use the job option write_lat_log"),
    program("bandwidth-log", 'b', Optional, "prefix", Supported, "Log the bandwidth of all jobs together"),
    program("minimal", 'm', Nothing, "", Supported, "Report in the terse format"),
    program("output-format", 'F', Required, "list", Supported, "Formats of the report: normal, terse, json, json+"),
    program("append-terse", 'f', Optional, "", Supported, "Add the terse format to the report"),
    program("version", 'v', Nothing, "", Supported, "Print the version"),
    program("help", 'h', Nothing, "", Supported, "Print this help"),
    program("cmdhelp", 'c', Optional, "option", Supported, "List the job options, or explain one"),
    program(
        "enghelp",
        'i',
        Optional,
        "engine[,option]",
        Supported,
        "List the engines or the options of one, or explain an option",
    ),
    program("showcmd", 's', Nothing, "", Supported, "Print job files as command lines"),
    program("readonly", 'r', Nothing, "", Supported, "Refuse jobs that write or trim"),
    program("eta", 'e', Required, "when", Supported, "Show progress: always, never or auto"),
    program("eta-interval", 'O', Required, "time", Supported, "Time between two updates of the progress line"),
    program("eta-newline", 'E', Required, "time", Supported, "Start a new progress line at this interval"),
    program("debug", 'd', Required, "list", Supported, "Print debug messages of these categories"),
    program("parse-only", 'P', Nothing, "", Supported, "Check options and job files, run nothing"),
    program("section", 'x', Required, "name", Supported, "Run only this section of a job file; may be repeated"),
    program("inflate-log", 'X', Required, "file", Supported, "Print a compressed log"),
    program("alloc-size", 'a', Required, "kb", NoEffect("memory is allocated as needed"), "Size of fio's memory pool"),
    program("profile", 'p', Required, "name", Supported, "Run a built-in workload"),
    program("warnings-fatal", 'w', Nothing, "", Supported, "Treat warnings about jobs as errors"),
    program("max-jobs", 'j', Required, "number", NoEffect("the limit is 4096 jobs"), "Maximum number of jobs"),
    program("terse-version", 'V', Required, "number", Supported, "Version of the terse format: 2 to 5"),
    program("server", 'S', Optional, "address", Unsupported, "Wait for jobs from another machine"),
    program("daemonize", 'D', Required, "file", Unsupported, "Run the server in the background"),
    program("client", 'C', Required, "host", Supported, "Run the jobs on this host; may be repeated"),
    program("remote-config", 'R', Required, "file", Unsupported, "Send a job file that is on the server"),
    program("cpuclock-test", 'T', Nothing, "", Supported, "Test the CPU's cycle counter"),
    program("crctest", 'G', Optional, "list", Supported, "Measure checksums"),
    program("memcpytest", 'M', Optional, "list", Supported, "Measure memory copies"),
    program("idle-prof", 'I', Required, "kind", Supported, "Report idle CPU time: system, percpu or calibrate"),
    program("status-interval", 'L', Required, "time", Supported, "Print a full report at this interval"),
    program(
        "trigger-file",
        'W',
        Required,
        "file",
        Supported,
        "End the jobs and run the trigger when this file appears",
    ),
    program("trigger-timeout", 'B', Required, "time", Supported, "End the jobs and run the trigger after this time"),
    program("trigger", 'H', Required, "command", Supported, "Command that runs after the jobs"),
    program("trigger-remote", 'J', Required, "command", Unsupported, "Trigger command of the remote side"),
    program("aux-path", 'K', Required, "directory", Supported, "Directory of verification states and of dumped blocks"),
    program(
        "record",
        FATHOM_ONLY,
        Required,
        "file",
        Supported,
        "Save the record of the run to this file, for `fathom show` (not an option of fio)",
    ),
    program(
        "report",
        FATHOM_ONLY,
        Required,
        "file",
        Supported,
        "Write a report of the run: NAME.html, .md, .xml, .svg, .png; repeatable (not an option of fio)",
    ),
    program(
        "no-history",
        FATHOM_ONLY,
        Nothing,
        "",
        Supported,
        "Do not add the run to the history of `fathom history` (not an option of fio)",
    ),
    program(
        "findings",
        FATHOM_ONLY,
        Required,
        "when",
        Supported,
        "Print findings to standard error: always, never, or auto: if it is a terminal (not an option of fio)",
    ),
    program(
        "explain",
        FATHOM_ONLY,
        Nothing,
        "",
        Supported,
        "Explain the slowest I/Os on standard error: trace the block layer, as root (not an option of fio)",
    ),
    program(
        "watch",
        FATHOM_ONLY,
        Nothing,
        "",
        Supported,
        "Show figures over time on the whole terminal while the jobs run (not an option of fio)",
    ),
    program(
        "metrics",
        FATHOM_ONLY,
        Required,
        "addr",
        Supported,
        "Serve OpenMetrics for Prometheus: port of 127.0.0.1, or IP address and port (not an option of fio)",
    ),
    program("merge-blktrace-only", 'A', Nothing, "", Supported, "Merge traces and stop"),
];
