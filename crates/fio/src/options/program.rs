//! The table of options that concern the program, not a job.

use super::Support::{self, Accepted, Honoured, NotYet};

/// An option of the program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramOption {
    pub name: &'static str,
    /// fio's getopt takes it after a single dash; [`OWN`] where fio doesn't know it.
    pub letter: char,
    pub takes: Takes,
    /// How the help calls the value.
    pub value: &'static str,
    pub support: Support,
    pub help: &'static str,
}

/// Marks an option of fathom's own: it has no letter, and only its whole name stands for it, so that all abbreviations
/// of fio's options go on to mean what they do in fio.
pub const OWN: char = '\0';

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    Nothing,
    /// Only joined by `=`.
    Optional,
    /// Joined by `=` or as the next word.
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

pub const PROGRAM_OPTIONS: &[ProgramOption] = &[
    program("output", 'o', Required, "file", Honoured, "Write the report to this file"),
    program("latency-log", 'l', Required, "file", NotYet, "Removed from fio; jobs have write_lat_log"),
    program("bandwidth-log", 'b', Optional, "prefix", Honoured, "Log the bandwidth of all jobs together"),
    program("minimal", 'm', Nothing, "", Honoured, "Report in the terse format"),
    program("output-format", 'F', Required, "list", Honoured, "Formats of the report: normal, terse, json, json+"),
    program("append-terse", 'f', Optional, "", Honoured, "Add the terse format to the report"),
    program("version", 'v', Nothing, "", Honoured, "Print the version"),
    program("help", 'h', Nothing, "", Honoured, "Print this page"),
    program("cmdhelp", 'c', Optional, "option", Honoured, "List the job options, or explain one"),
    program("enghelp", 'i', Optional, "engine[,option]", Honoured, "List the engines, one's options, or explain one"),
    program("showcmd", 's', Nothing, "", Honoured, "Print job files as command lines"),
    program("readonly", 'r', Nothing, "", Honoured, "Refuse jobs that write or trim"),
    program("eta", 'e', Required, "when", Honoured, "Show progress: always, never or auto"),
    program("eta-interval", 'O', Required, "time", Honoured, "Time between two updates of the progress line"),
    program("eta-newline", 'E', Required, "time", Honoured, "Begin a new progress line after this time"),
    program("debug", 'd', Required, "list", Honoured, "Say more about these subjects while running"),
    program("parse-only", 'P', Nothing, "", Honoured, "Check options and job files, run nothing"),
    program("section", 'x', Required, "name", Honoured, "Run only this section of a job file; may be repeated"),
    program("inflate-log", 'X', Required, "file", NotYet, "Print a compressed log"),
    program(
        "alloc-size",
        'a',
        Required,
        "kb",
        Accepted("memory comes from the system as it is needed"),
        "Size of fio's memory pool",
    ),
    program("profile", 'p', Required, "name", NotYet, "Run a built-in workload"),
    program("warnings-fatal", 'w', Nothing, "", Honoured, "Treat warnings about jobs as errors"),
    program("max-jobs", 'j', Required, "number", Accepted("there may be 4096 jobs"), "Most jobs to run"),
    program("terse-version", 'V', Required, "number", Honoured, "Layout of the terse format: 2 to 5"),
    program("server", 'S', Optional, "address", NotYet, "Wait for jobs from another machine"),
    program("daemonize", 'D', Required, "file", NotYet, "Put the server into the background"),
    program("client", 'C', Required, "host", NotYet, "Run the jobs on another machine"),
    program("remote-config", 'R', Required, "file", NotYet, "Let the server read a job file of its own"),
    program("cpuclock-test", 'T', Nothing, "", NotYet, "Test the CPU's cycle counter"),
    program("crctest", 'G', Optional, "list", NotYet, "Measure checksums"),
    program("memcpytest", 'M', Optional, "list", NotYet, "Measure memory copies"),
    program("idle-prof", 'I', Required, "kind", Honoured, "Report idle CPU time: system, percpu or calibrate"),
    program("status-interval", 'L', Required, "time", Honoured, "Print a full report each time this has passed"),
    program("trigger-file", 'W', Required, "file", NotYet, "Run the trigger when this file appears"),
    program("trigger-timeout", 'B', Required, "time", NotYet, "Run the trigger after this time"),
    program("trigger", 'H', Required, "command", NotYet, "Command to run as the trigger"),
    program("trigger-remote", 'J', Required, "command", NotYet, "Command to run as the trigger on the other side"),
    program(
        "aux-path",
        'K',
        Required,
        "directory",
        Accepted("only files that hold the state of verification go there"),
        "Where state files go",
    ),
    program(
        "record",
        OWN,
        Required,
        "file",
        Honoured,
        "Keep the run's record there, for `fathom show`: not an option of fio",
    ),
    program(
        "no-history",
        OWN,
        Nothing,
        "",
        Honoured,
        "Don't keep the run in the history that `fathom history` lists: not an option of fio",
    ),
    program("merge-blktrace-only", 'A', Nothing, "", NotYet, "Merge traces and stop"),
];
