//! Runs the plans of a study, on this machine or on other hosts.

use std::sync::Arc;

use os::signal::Interrupts;
use plan::Plan;

use crate::run::{self, RunEnd, RunOptions, Watcher};

/// Runs the plans of a study.
pub trait Runner {
    /// Runs a plan to its end.
    fn run(&self, plan: &Arc<Plan>, interrupts: Interrupts, options: &RunOptions, watcher: &mut dyn Watcher) -> RunEnd;

    /// Returns true if the targets are on this machine.
    fn is_local(&self) -> bool;
}

/// The machine of this process.
pub struct ThisMachine;

impl Runner for ThisMachine {
    fn run(&self, plan: &Arc<Plan>, interrupts: Interrupts, options: &RunOptions, watcher: &mut dyn Watcher) -> RunEnd {
        run::run(plan, interrupts, options, watcher)
    }

    fn is_local(&self) -> bool {
        true
    }
}
