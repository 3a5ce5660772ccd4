//! Arguments of `fathom capture`.

use std::time::Duration;

use clap::{Subcommand, ValueEnum};

use super::value::time;
use app::exit;

/// Record the I/Os of a disk, process or control group, without data (Linux, root).
///
/// Does not write to the device and does not change its settings. The kernel's block layer reports each I/O, so this needs root.
/// Without --for, Ctrl-C ends the capture. Prints the same report as `fathom capture show`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = exit::TABLE)]
pub struct Args {
    #[command(subcommand)]
    pub action: Option<Action>,
    /// A block device, a path on its file system, pid:NUMBER or cgroup:PATH
    ///
    /// pid:NUMBER is a process with its children, cgroup:PATH a control group with those below it: the folder, the path as in
    /// /proc/PID/cgroup, or the name of a systemd unit. The I/Os that their threads submit are recorded, on the disk of their open
    /// files. Threads of the kernel write the page cache back later: those I/Os are counted, not recorded.
    #[arg(required = true)]
    pub target: Option<String>,
    /// The disk of a process or control group that uses several: a device, or a path on it
    #[arg(long, value_name = "DISK")]
    pub on: Option<String>,
    /// Length of the capture, such as 30s or 10m (default: until Ctrl-C)
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// File of the capture; an existing file is overwritten (default: DISK-DATE-TIME-PID.capture in the current directory)
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<String>,
    /// Store the names of the programs that submit I/Os
    #[arg(long)]
    pub names: bool,
    /// Do not print progress; errors and warnings are printed
    #[arg(long, short = 'q')]
    pub quiet: bool,
    /// Show rates, latencies and I/Os in flight over time on the whole terminal; q ends the capture
    #[arg(long, conflicts_with = "quiet")]
    pub watch: bool,
}

#[derive(Subcommand, Debug)]
pub enum Action {
    /// Show the load and the latencies of a capture
    Show(ShowArgs),
    /// Print the load of a capture as a job file of fio
    ///
    /// Example: fathom capture job app.capture > app.fio, then TARGET=/dev/sdX fio app.fio (or fathom fio app.fio). The first lines of
    /// the job file list what it does not reproduce.
    Job {
        /// File of a capture
        file: String,
    },
}

#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// File of a capture
    pub file: String,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write a page with charts instead: NAME.html
    #[arg(long, short = 'o', value_name = "FILE", value_parser = page, conflicts_with = "format")]
    pub output: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Json,
}

/// The page of a capture: the name has the ending of its format.
fn page(text: &str) -> Result<String, String> {
    text.ends_with(".html").then(|| text.to_owned()).ok_or_else(|| "expected the name of a page, NAME.html".to_owned())
}
