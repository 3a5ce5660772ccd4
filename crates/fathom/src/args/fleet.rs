//! Arguments of `fathom fleet`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use fleet::{HostSlots, Sharing};

use super::dialect_line::Line;
use super::refusal::Refusal;
use crate::exit;
use crate::lines::Dialect;

const USAGE: &str = "fathom fleet [OPTIONS] fio LINE...";
const EXAMPLES: &str = "\
Examples:
  fathom fleet --hosts a,b fio job.fio                 start on two hosts, through ssh
  fathom fleet --hosts a,b --shared fio job.fio        both hosts have the same targets: each uses half
  srun -N 2 --cpu-bind=none fathom fleet fio job.fio   under a launcher: without --hosts

%h in a file name is the name of the host, in job files ${host} too.";

/// Run a fio job on many hosts at the same time, as one run.
#[derive(clap::Args, Debug)]
#[command(override_usage = USAGE, after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", exit::TABLE))]
pub struct Args {
    /// Hosts: NAME or NAME:SLOTS; repeatable
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', value_parser = HostSlots::parse)]
    pub hosts: Vec<HostSlots>,
    /// File with a host per line: NAME, NAME:SLOTS or 'NAME slots=N'
    #[arg(long, value_name = "FILE", conflicts_with = "hosts")]
    pub hostfile: Option<PathBuf>,
    /// All hosts have the same targets: each uses its own part of each file or device
    #[arg(long)]
    shared: bool,
    /// Each host has its own targets (the default)
    #[arg(long, conflicts_with = "shared")]
    private: bool,
    /// Accept several processes on one host
    #[arg(long)]
    pub allow_shared_host: bool,
    /// Launcher of MPI programs
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun")]
    pub launcher: OsString,
    /// Program that starts a command on a host [default: ssh]
    #[arg(long, value_name = "PROGRAM")]
    pub remote_shell: Option<OsString>,
    /// Network of the fleet's messages: an interface, with Open MPI also a subnet such as 10.0.0.0/8
    #[arg(long, value_name = "NETWORK")]
    pub fleet_net: Option<String>,

    /// Arguments of fio.
    #[arg(skip)]
    pub line: Vec<String>,
}

impl Args {
    pub fn sharing(&self) -> Sharing {
        if self.shared { Sharing::Shared } else { Sharing::Private }
    }

    pub(super) fn complete(&mut self, line: Option<Line>) -> Result<(), Refusal> {
        let wrong = |kind, message: &str| Err(Refusal::new("fleet", kind, message));
        match line {
            Some(Line { dialect: Dialect::Fio, args }) => self.line = args,
            Some(Line { dialect: Dialect::DiskSpd, .. }) => {
                return wrong(ErrorKind::ArgumentConflict, "DiskSpd's command line is not supported on many hosts");
            }
            None => {
                return wrong(
                    ErrorKind::MissingRequiredArgument,
                    "a command line is missing: fio JOBFILE, fio --name=...",
                );
            }
        }
        Ok(())
    }
}
