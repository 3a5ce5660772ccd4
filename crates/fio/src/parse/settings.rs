//! Settings of the program, from the command line.

use std::time::Duration;

use units::when::When;

/// Settings of the program, from the command line.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramSettings {
    /// Report file. `None`: standard output.
    pub output: Option<String>,
    /// File for the record of the run.
    pub record: Option<String>,
    /// Files of reports. The end of a name chooses the format.
    pub reports: Vec<String>,
    /// Do not add the run to the history.
    pub no_history: bool,
    pub live: Box<LiveSettings>,
    pub trigger: Box<TriggerSettings>,
    /// When to print findings to standard error, and warnings that fio does not have.
    pub findings: When,
    /// Explain the slowest I/Os.
    pub explain: bool,
    pub formats: Formats,
    /// The built-in workload to run.
    pub profile: Option<Profile>,
    pub terse_version: u32,
    /// When to print the progress line. `Auto`: if standard output is a terminal.
    pub eta: When,
    pub eta_interval: Duration,
    /// Interval of new progress lines. `None`: one line.
    pub eta_newline: Option<Duration>,
    /// Interval of full reports. `None`: one report at the end.
    pub status_interval: Option<Duration>,
    pub parse_only: bool,
    /// Ends after traces are merged.
    pub merge_only: bool,
    pub showcmd: bool,
    pub readonly: bool,
    pub warnings_fatal: bool,
    /// Names of the job sections to run (`--section`). Empty: all.
    pub sections: Vec<String>,
    /// Prefix of the log of the total bandwidth of all jobs.
    pub bandwidth_log: Option<String>,
    /// Folder of verification states and dumped blocks.
    pub aux_path: Option<String>,
    pub idle_prof: Option<IdleProf>,
    /// Categories of debug messages. `all` selects every category.
    pub debug: Vec<String>,
    /// An option is set that makes a command line without jobs valid.
    pub(crate) needs_no_job: bool,
}

/// What is shown while the jobs run, beside the progress line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LiveSettings {
    /// Show the full-screen view.
    pub watch: bool,
    /// Address of the OpenMetrics endpoint.
    pub metrics: Option<String>,
}

/// An event that ends the jobs, and the command that follows it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TriggerSettings {
    /// The event: this file exists.
    pub file: Option<String>,
    /// The event: this time has passed since the start of the program.
    pub timeout: Option<Duration>,
    pub command: Option<String>,
}

/// Formats of the report. Several can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    pub normal: bool,
    pub terse: bool,
    pub json: bool,
    /// JSON with histogram bins.
    pub json_plus: bool,
}

/// CPU idle report: the average of all CPUs, or each CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleProf {
    System,
    PerCpu,
}

impl Formats {
    /// No format.
    pub const NONE: Formats = Formats { normal: false, terse: false, json: false, json_plus: false };
}

impl Default for ProgramSettings {
    fn default() -> ProgramSettings {
        ProgramSettings {
            output: None,
            record: None,
            reports: Vec::new(),
            no_history: false,
            live: Box::default(),
            trigger: Box::default(),
            findings: When::Auto,
            explain: false,
            formats: Formats { normal: true, ..Formats::NONE },
            terse_version: 3,
            eta: When::Auto,
            eta_interval: Duration::from_secs(1),
            eta_newline: None,
            status_interval: None,
            parse_only: false,
            showcmd: false,
            readonly: false,
            warnings_fatal: false,
            sections: Vec::new(),
            bandwidth_log: None,
            aux_path: None,
            idle_prof: None,
            debug: Vec::new(),
            profile: None,
            merge_only: false,
            needs_no_job: false,
        }
    }
}

/// A built-in workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    /// Sequential and random writes, then sequential and random reads, over four files.
    Tiobench,
    /// Random reads and large writes at fixed rates, as Aerospike's certification tool makes them.
    Act {
        /// Hours of the test, rounded up. 0 if the profile prepares the devices.
        slices: u64,
    },
}

impl Profile {
    pub const NAMES: &'static str = "tiobench or act";

    pub fn named(name: &str) -> Option<Profile> {
        match name {
            "tiobench" => Some(Profile::Tiobench),
            "act" => Some(Profile::Act { slices: 0 }),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Profile::Tiobench => "tiobench",
            Profile::Act { .. } => "act",
        }
    }
}
