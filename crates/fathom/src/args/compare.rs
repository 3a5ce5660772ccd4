//! Arguments of `fathom compare`.

use judge::compare::ChangeLimit;

use super::run::{Format, Limits, limits};
use crate::exit;

/// Compare two runs, or two sets of repeats.
///
/// With at least 4 repeats per side, differences are judged by the Mann-Whitney test. With fewer, bootstrap intervals within
/// the runs are compared, and run-to-run variation is unknown.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// A number of `fathom history`, `last`, tag:WORD, or a saved file; several with commas between them are repeats
    #[arg(value_name = "A")]
    pub a: String,
    /// As A
    #[arg(value_name = "B")]
    pub b: String,

    /// Exit with 1 if a difference is shown that exceeds this: 'write.iops<-5%,read.clat.p99>10%'; repeatable
    #[arg(long = "fail-on", value_name = "RULES", value_parser = limits)]
    fail_on: Vec<Limits>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Args {
    pub fn limits(&self) -> Vec<ChangeLimit> {
        self.fail_on.iter().flat_map(|limits| limits.0.iter().cloned()).collect()
    }

    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}
