//! Arguments of `fathom compare`.

use judge::compare::ChangeLimit;

use super::value::{ChangeLimits, TableFormat, change_limits};
use crate::exit;

/// Compare two runs, or two sets of repeats.
///
/// With at least 4 repeats per side, the Mann-Whitney test decides whether they differ. With fewer repeats, fathom
/// compares bootstrap intervals within the runs. Run-to-run variation is then unknown.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// A number of `fathom history`, `last`, tag:WORD, or a saved file; separate several repeats by commas
    #[arg(value_name = "A")]
    pub a: String,
    /// The other side, in the same form as A
    #[arg(value_name = "B")]
    pub b: String,

    /// Exit with code 1 if a shown difference exceeds a limit: 'write.iops<-5%,read.clat.p99>10%'; repeatable
    #[arg(long = "fail-on", value_name = "RULES", value_parser = change_limits)]
    fail_on: Vec<ChangeLimits>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TableFormat::Table)]
    format: TableFormat,
}

impl Args {
    pub fn limits(&self) -> Vec<ChangeLimit> {
        self.fail_on.iter().flat_map(|limits| limits.0.iter().cloned()).collect()
    }

    pub fn is_json(&self) -> bool {
        self.format == TableFormat::Json
    }
}
