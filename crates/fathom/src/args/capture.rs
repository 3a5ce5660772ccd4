//! Arguments of `fathom capture`.

use std::time::Duration;

use clap::{Subcommand, ValueEnum};

use super::value::time;
use app::exit;

/// Record the I/Os of a block device, of all programs, without their data (Linux, root).
///
/// Does not write to the device and does not change its settings. The kernel's block layer reports each I/O, so this needs root.
/// Without --for, Ctrl-C ends the capture. Prints the same report as `fathom capture show`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = exit::TABLE)]
pub struct Args {
    #[command(subcommand)]
    pub action: Option<Action>,
    /// A block device, or a path on its file system
    #[arg(required = true)]
    pub target: Option<String>,
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
