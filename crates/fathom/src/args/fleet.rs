//! Arguments of `fathom fleet`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::error::ErrorKind;
use fleet::{HostSlots, OnHostLost, Sharing};

use super::dialect_line::positionals;
use super::refusal::Refusal;
use super::{Command, Measuring, read, subcommand};
use app::command_error::CommandError;
use app::exit;
use app::hosts::FleetOptions;
use app::hosts::manifest::Manifest;
use app::lines::{Dialect, Line};

const USAGE: &str = "fathom fleet [OPTIONS] fio|diskspd LINE...
       fathom fleet --hosts HOSTS [OPTIONS] run|sweep|assess|knee ...
       fathom fleet manifest --image IMAGE --workers N fio|diskspd LINE...";
const LAUNCHERS: &str = "\
Under other launchers:
  srun -N 2 --cpu-bind=none fathom fleet fio job.fio   under a launcher: without --hosts
  fathom fleet manifest --image REGISTRY/fathom-mpi:1 --workers 4 fio job.fio
                                                       print an MPIJob for Kubernetes

%h in a path is replaced by the name of the host. In job files, so is ${host}.";
/// The first word of a manifest's command line.
const MANIFEST: &str = "manifest";

/// Run a command line or a study on many hosts at the same time.
#[derive(clap::Args, Debug)]
#[command(override_usage = USAGE, after_long_help = format!("{LAUNCHERS}\n\n{}", exit::TABLE))]
pub struct Args {
    /// Hosts, separated by commas: NAME or NAME:SLOTS (processes on the host)
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', value_parser = HostSlots::parse)]
    pub hosts: Vec<HostSlots>,
    /// File with one host per line: NAME, NAME:SLOTS or 'NAME slots=N'
    #[arg(long, value_name = "FILE", conflicts_with = "hosts")]
    pub hostfile: Option<PathBuf>,
    /// All hosts have the same targets: each uses its own part of each file or device
    #[arg(long)]
    pub shared: bool,
    /// Each host has its own targets (the default)
    #[arg(long, conflicts_with = "shared")]
    private: bool,
    /// Accept several processes on one host
    #[arg(long)]
    pub allow_shared_host: bool,
    /// What the other hosts do after a host is lost
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = HostLostAction::Abort)]
    on_host_lost: HostLostAction,
    /// Hosts report no figures during the run. The live views show the time only
    #[arg(long)]
    pub quiet_network: bool,
    /// Launcher of MPI programs
    #[arg(long, value_name = "PROGRAM", default_value = "mpirun")]
    pub launcher: OsString,
    /// Program that starts a command on a host [default: ssh]
    #[arg(long, value_name = "PROGRAM")]
    pub remote_shell: Option<OsString>,
    /// Network of the fleet's messages: an interface, with Open MPI also a subnet such as 10.0.0.0/8
    #[arg(long, value_name = "NETWORK")]
    pub fleet_net: Option<String>,
    #[command(flatten)]
    pub manifest: ManifestArgs,

    /// What the hosts do.
    #[arg(skip)]
    pub work: Option<Work>,
}

/// Options of `fathom fleet manifest`.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Manifest")]
pub struct ManifestArgs {
    /// Kind of the manifest
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// Container image with fathom, Open MPI and an ssh server
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// Number of hosts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub workers: Option<u32>,
    /// PersistentVolumeClaim that all hosts mount at /data [default: an emptyDir volume per host]
    #[arg(long, value_name = "NAME")]
    pub claim: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A job of the MPI Operator of Kubeflow
    Mpijob,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum HostLostAction {
    /// Stop
    Abort,
    /// Run to their end
    Continue,
}

/// What the hosts do.
#[derive(Debug)]
pub enum Work {
    /// One run of a command line.
    Line(Line),
    /// The runs of one of fathom's commands, with the arguments after the command's name.
    Study(Box<Measuring>, Vec<String>),
    /// Nothing: a manifest is printed, for this command line.
    Manifest(Line),
}

impl Args {
    pub fn options(&self) -> FleetOptions {
        FleetOptions {
            launcher: self.launcher.clone(),
            remote_shell: self.remote_shell.clone(),
            network: self.fleet_net.clone(),
            sharing: if self.shared { Sharing::Shared } else { Sharing::Private },
            allows_shared_host: self.allow_shared_host,
            on_host_lost: match self.on_host_lost {
                HostLostAction::Abort => OnHostLost::Abort,
                HostLostAction::Continue => OnHostLost::Continue,
            },
            is_quiet: self.quiet_network,
        }
    }

    /// Returns what `fathom fleet manifest` needs.
    ///
    /// # Errors
    /// A value is missing, or an option does not apply.
    pub fn manifest(&self) -> Result<Manifest, CommandError> {
        let missing = |option: &str| CommandError::from(format!("{option} is missing"));
        let image = self.manifest.image.clone().ok_or_else(|| missing("--image"))?;
        let workers = self.manifest.workers.ok_or_else(|| missing("--workers"))?;
        if !self.hosts.is_empty() || self.hostfile.is_some() {
            return Err("--hosts and --hostfile do not apply to a manifest: use --workers N".into());
        }
        Ok(Manifest { image, workers, claim: self.manifest.claim.clone() })
    }

    pub(super) fn complete(&mut self, rest: Option<Rest>) -> Result<(), Refusal> {
        let Some(Rest { is_manifest, args: list }) = rest else {
            return Err(missing());
        };
        let dialect = list.first().and_then(|word| Dialect::of_program(word));
        self.work = Some(match dialect {
            Some(dialect) => {
                let line = Line { dialect, args: list.into_iter().skip(1).collect() };
                if is_manifest { Work::Manifest(line) } else { Work::Line(line) }
            }
            None if is_manifest => {
                let Some(word) = list.first() else { return Err(missing()) };
                let message = format!("a manifest supports fio and diskspd only, not `{word}`");
                return Err(Refusal::new("fleet", ErrorKind::InvalidSubcommand, message));
            }
            None => study(&list)?,
        });
        let manifest = &self.manifest;
        let has_options = manifest.kind.is_some()
            || manifest.image.is_some()
            || manifest.workers.is_some()
            || manifest.claim.is_some();
        if !is_manifest && has_options {
            let message = "--kind, --image, --workers and --claim are options of `fathom fleet manifest`";
            return Err(Refusal::new("fleet", ErrorKind::ArgumentConflict, message));
        }
        Ok(())
    }
}

fn missing() -> Refusal {
    let message = "a command line is missing: fio JOBFILE, fio --name=..., diskspd ..., run ..., sweep ..., assess ... or knee ...";
    Refusal::new("fleet", ErrorKind::MissingRequiredArgument, message)
}

/// Parses the command whose runs are made on the hosts.
fn study(list: &[String]) -> Result<Work, Refusal> {
    let Some(word) = list.first() else { return Err(missing()) };
    if let "run" | "sweep" | "assess" | "knee" = word.as_str()
        && let Command::Measuring(command) = read(list)?.command
    {
        return Ok(Work::Study(Box::new(command), list[1..].to_vec()));
    }
    let message = format!(
        "`{word}` is not supported on many hosts: use fio, diskspd, run, sweep, assess or knee\nhelp: names of hosts need an \
         option: fathom fleet --hosts a,b fio job.fio"
    );
    Err(Refusal::new("fleet", ErrorKind::InvalidSubcommand, message))
}

/// The arguments after the options of `fathom fleet`.
pub(super) struct Rest {
    is_manifest: bool,
    args: Vec<String>,
}

impl Rest {
    /// Cuts the command line of the hosts off the arguments: the first positional argument and all after it.
    pub(super) fn take(args: &mut Vec<String>) -> Option<Rest> {
        let command = subcommand("fleet");
        let first = positionals(&command, args).next()?;
        let is_manifest = args[first] == MANIFEST;
        if !is_manifest {
            return Some(Rest { is_manifest, args: args.split_off(first) });
        }
        args.remove(first);
        let at = positionals(&command, args).next().unwrap_or(args.len());
        let list = args.split_off(at);
        Some(Rest { is_manifest, args: list })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{command, error};
    use super::*;

    fn work(line: &str) -> Work {
        match command(line) {
            Ok(Command::Measuring(Measuring::Fleet(args))) => args.work.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_word_after_the_options_is_the_work() {
        let Work::Line(line) = work("fleet --hosts fio,run fio --name=a --hosts x") else { panic!("a line") };
        assert_eq!((line.dialect, line.args.join(" ").as_str()), (Dialect::Fio, "--name=a --hosts x"));
        let Work::Study(_, typed) = work("fleet --hosts a,b sweep bs=4k,8k fio job.fio") else { panic!("a study") };
        assert_eq!(typed.join(" "), "bs=4k,8k fio job.fio");
        let Work::Manifest(line) = work("fleet manifest --kind mpijob --image i --workers 2 diskspd -d1 f") else {
            panic!("a manifest")
        };
        assert_eq!((line.dialect, line.args.join(" ").as_str()), (Dialect::DiskSpd, "-d1 f"));
    }

    #[test]
    fn what_does_not_run_on_hosts_is_named() {
        assert!(error("fleet --hosts a compare 1 2").contains("`compare` is not supported on many hosts"));
        let Work::Study(command, _) = work("fleet --hosts a run --watch a.fio") else { panic!("a study") };
        assert!(matches!(*command, Measuring::Run(args) if args.live.watch));
        assert!(error("fleet --hosts a").contains("a command line is missing"));
        assert!(error("fleet --image x fio a.fio").contains("fathom fleet manifest"));
    }
}
