//! Arguments of `fathom history`, `fathom export` and `fathom delete`.

use clap::error::ErrorKind;
use clap::{Subcommand, ValueEnum};

use super::refusal::Refusal;
use super::value::{TableFormat, trend_report};
use ::history::RunFilter;
use app::{exit, store};

/// List, add and tag saved runs.
///
/// Each `fathom assess`, `knee`, `sweep` and `run` is saved, and each fio or DiskSpd run that did I/O. With
/// --no-history (DiskSpd: -Rno-history) or FATHOM_NO_HISTORY=1 in the environment nothing is saved. fio and DiskSpd
/// runs without a tag are limited to the newest 1000 and to 256 MiB. The database is
/// $XDG_DATA_HOME/fathom/history.db (~/.local/share/fathom/history.db).
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_long_help = exit::TABLE)]
pub struct Args {
    #[command(subcommand)]
    pub action: Option<Action>,
    #[command(flatten)]
    pub list: ListArgs,
}

#[derive(Subcommand, Debug)]
pub enum Action {
    /// Add saved files to the history
    Add {
        /// Files of --save, --record or -Rrecord
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
        /// Tag to add; repeatable
        #[arg(long = "tag", value_name = "WORD")]
        tags: Vec<String>,
    },
    /// Tag runs; tagged runs are never removed automatically
    Tag {
        /// Numbers of runs, or `last`
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
        /// Tag to add; repeatable
        #[arg(long = "tag", value_name = "WORD", required = true)]
        tags: Vec<String>,
    },
}

#[derive(clap::Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Show the figures of a target over time instead of a list, of all its runs
    #[arg(long, value_name = "TARGET", conflicts_with_all = ["target", "format", "limit"])]
    pub trend: Option<String>,
    /// Write the trend as a page NAME.html; repeatable
    #[arg(long = "report", value_name = "FILE", value_parser = trend_report, requires = "trend")]
    pub reports: Vec<String>,
    /// List the newest N runs; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u64,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
}

/// The saved runs that a command uses.
#[derive(clap::Args, Debug)]
pub struct FilterArgs {
    /// Only runs with this tag
    #[arg(long, value_name = "WORD")]
    tag: Option<String>,
    /// Only runs of this kind; `record` is a single run
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Only runs of this suite, or of `fio`, `diskspd`, `knee`, `sweep`
    #[arg(long, value_name = "NAME")]
    suite: Option<String>,
    /// Only runs on this target, or on targets in this folder
    #[arg(long, value_name = "PATH")]
    target: Option<String>,
    /// Only runs on this block device: its name, its model or its serial number
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Only runs on the machine with this host name
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Only runs on cloud instances of this type, such as m5.xlarge
    #[arg(long, value_name = "NAME")]
    instance_type: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Assessment,
    Knee,
    Sweep,
    Repeats,
    Record,
}

impl FilterArgs {
    pub fn filter(&self) -> RunFilter {
        let name = |kind: Kind| kind.to_possible_value().map(|value| value.get_name().to_owned());
        RunFilter {
            tag: self.tag.clone(),
            target: self.target.as_deref().map(store::target_filter),
            device: self.device.as_ref().map(|device| device.trim_start_matches("/dev/").to_owned()),
            host: self.host.clone(),
            instance_type: self.instance_type.clone(),
            suite: self.suite.clone(),
            kind: self.kind.and_then(name),
            limit: None,
        }
    }
}

impl ListArgs {
    /// Returns the filter of a list. A trend has all runs of its target.
    pub fn filter(&self) -> RunFilter {
        let filter = self.filter.filter();
        match self.trend.as_deref() {
            Some(trend) => RunFilter { target: Some(store::target_filter(trend)), ..filter },
            None => RunFilter { limit: (self.limit > 0).then_some(self.limit), ..filter },
        }
    }

    pub fn is_json(&self) -> bool {
        self.format == TableFormat::Json
    }
}

/// Export saved runs as JSON, CSV or Parquet.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct ExportArgs {
    /// Numbers of runs, or `last`
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Format of the output
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// One row per interval and direction instead of per test (csv, parquet)
    #[arg(long)]
    pub intervals: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    /// The saved document; an array for several runs
    Json,
    /// One row per test and direction
    Csv,
    /// The table of csv as a Parquet file; requires --output
    Parquet,
}

impl ExportArgs {
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let (kind, message) = match (self.format, self.intervals, &self.output) {
            (ExportFormat::Json, true, _) => {
                (ErrorKind::ArgumentConflict, "--intervals needs --format csv or parquet; JSON has all intervals")
            }
            (ExportFormat::Parquet, _, None) => {
                (ErrorKind::MissingRequiredArgument, "--format parquet needs --output FILE")
            }
            _ => return Ok(()),
        };
        Err(Refusal::new("export", kind, message))
    }
}

/// Delete saved runs.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct DeleteArgs {
    /// Numbers of runs, or `last`
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Allow the deletion of more than one run
    #[arg(long, short = 'y')]
    pub yes: bool,
}
