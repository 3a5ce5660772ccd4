//! Arguments of `fathom compare`.

use judge::compare::{ChangeLimit, SIDES_MAX};

use super::value::{ChangeLimits, TableFormat, change_limits, comparison_report};
use app::exit;

/// Compare runs, or sets of repeats.
///
/// A difference is shown if it exceeds the variation from run to run. Single runs need repeats of the same job on the same
/// target in the history. Without them, fathom prints the difference within the runs, and run-to-run variation is unknown.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// A and B, and up to 6 others: numbers of `fathom history`, `last`, tag:WORD, or saved files; separate repeats by commas
    ///
    /// Each side is compared with A.
    #[arg(value_names = ["A", "B"], num_args = 2..=SIDES_MAX, required = true)]
    pub sides: Vec<String>,

    /// Exit with code 1 if a shown difference exceeds a limit: 'write.iops<-5%,read.clat.p99>10%'; repeatable
    ///
    /// The exit code is 3 if the run-to-run variation is unknown.
    #[arg(long = "fail-on", value_name = "RULES", value_parser = change_limits)]
    fail_on: Vec<ChangeLimits>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
    /// Write a report: NAME.html with the runs in common charts, .md, or .xml (JUnit); repeatable
    #[arg(long = "report", value_name = "FILE", value_parser = comparison_report)]
    pub reports: Vec<String>,
}

impl Args {
    pub fn limits(&self) -> Vec<ChangeLimit> {
        self.fail_on.iter().flat_map(|limits| limits.0.iter().cloned()).collect()
    }

    pub fn is_json(&self) -> bool {
        self.format == TableFormat::Json
    }
}
