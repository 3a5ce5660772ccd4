//! Runs the plans of a study, on this machine or on other hosts.

use std::path::Path;
use std::sync::Arc;

use diskspd::lower::Machine as _;
use live::Fleet;
use os::signal::Interrupts;
use plan::Plan;
use record::Machine;
use targets::Lease;

use crate::machine::RealMachine;
use crate::run::{self, RunEnd, RunOptions, Watcher};
use crate::scratch::{RunId, Scratch, TestFiles};
use crate::target::{self, Found};

/// Runs the plans of a study.
pub trait Runner {
    /// Runs a plan to its end.
    fn run(&self, plan: &Arc<Plan>, interrupts: Interrupts, options: &RunOptions, watcher: &mut dyn Watcher) -> RunEnd;

    /// Finds a target. `overwrite` is the consent to overwrite data: the paths of files or devices.
    ///
    /// # Errors
    /// The target is empty, is of an unsupported kind, or cannot be examined.
    fn find(&self, target: &str, overwrite: &[String]) -> Result<Found, String>;

    /// Makes the files of the tests. If `keep` is set, they remain at the end.
    ///
    /// # Errors
    /// They cannot be made, or another process uses the target.
    fn make_files(&self, found: &Found, keep: bool, lease: &Lease) -> Result<Box<dyn TestFiles>, String>;

    /// Returns the largest size of a new file there, up to `wanted`.
    ///
    /// # Errors
    /// A host does not answer.
    fn file_bytes_max(&self, files: &dyn TestFiles, wanted: u64) -> Result<u64, String> {
        Ok(files.file_bytes_max(wanted))
    }

    /// Returns true if the kernel allows io_uring.
    fn has_rings(&self) -> bool {
        RealMachine.has_rings()
    }

    /// Sends each host its part of the log of a load, and of the logs that fill the places of its I/Os. Returns the number of I/Os of
    /// each host.
    ///
    /// # Errors
    /// A log cannot be sent, or a host cannot keep it.
    fn send_logs(&self, _load: &Path, _fills: &[&Path]) -> Result<Vec<u64>, String> {
        Ok(Vec::new())
    }

    /// Returns the machine that the figures are about. Of several, the first one.
    fn machine(&self) -> Machine;

    /// Returns the hosts that make each run together. Empty if it is this machine alone.
    fn hosts(&self) -> Vec<String>;

    /// Returns the words that choose this runner, before the name of a command: `fleet --hosts a,b`.
    fn words(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the number of hosts, and whether they report figures, for the live views.
    fn fleet(&self) -> Fleet {
        Fleet::default()
    }

    /// Returns true if the targets are on this machine.
    fn is_local(&self) -> bool {
        self.hosts().is_empty()
    }
}

/// The machine of this process.
pub struct ThisMachine;

impl Runner for ThisMachine {
    fn run(&self, plan: &Arc<Plan>, interrupts: Interrupts, options: &RunOptions, watcher: &mut dyn Watcher) -> RunEnd {
        run::run(plan, interrupts, options, watcher)
    }

    fn find(&self, target: &str, overwrite: &[String]) -> Result<Found, String> {
        target::find(target, overwrite)
    }

    fn make_files(&self, found: &Found, keep: bool, lease: &Lease) -> Result<Box<dyn TestFiles>, String> {
        let id = RunId::random().map_err(|error| format!("{}: {}", found.given, units::errno::reason(&error)))?;
        Ok(Box::new(Scratch::make(found, &id, keep, lease)?))
    }

    fn machine(&self) -> Machine {
        engine::machine()
    }

    fn hosts(&self) -> Vec<String> {
        Vec::new()
    }
}
