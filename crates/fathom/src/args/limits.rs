//! Arguments of `fathom limits`.

use clap::Subcommand;

use app::exit;

const LIMITS: &str = "\
LIMITS is what --expect of `fathom assess` takes: PROVIDER:DISK, PROVIDER:MACHINE/PATH, or both with a `+`, and parameters
after a `?`:
  azure:P30x3+Standard_D8ds_v4/uncached            three P30 disks, striped, on a VM
  aws:gp3?iops=6000&throughput=250&instance=m5.xlarge
  gcp:pd-ssd?size=500GB&vm=n2-standard-8
  read=azure:Standard_D8ds_v4/cached               reads only
Your own limits are NAME.toml files in ~/.config/fathom/limits.";

/// Show the published limits of disks and machines.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = LIMITS, after_long_help = format!("{LIMITS}\n\n{}", exit::TABLE))]
pub struct Args {
    #[command(subcommand)]
    pub action: Option<Action>,
}

#[derive(Subcommand, Debug)]
pub enum Action {
    /// List the providers, or the disks and machines of one
    List {
        /// Name of a provider
        provider: Option<String>,
    },
    /// Show the limits of an expectation, the one that applies first, and their sources
    Show {
        /// An expectation, in the syntax of --expect
        limits: String,
    },
    /// Import limits of machines from the JSON of a vendor's command-line tool
    ///
    /// FILE is the output of `az vm list-skus -o json` or `aws ec2 describe-instance-types`. The limits are saved in
    /// ~/.config/fathom/limits.
    Import {
        /// The JSON file; `-` reads standard input
        file: String,
    },
}
