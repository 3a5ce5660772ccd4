//! Layouts on real files, devices, and beside real fio.

mod devices;
mod files;
mod like_fio;
mod sharing;

use super::lay_out::lay_out_in;
use super::site::Site;
use crate::access::SeedTable;
use crate::fault::PrepareError;
use crate::target::LaidOut;
use crate::zones::ZoneTables;
use plan::Worker;
use record::{Message, RunError};
use std::sync::atomic::AtomicBool;
use targets::HeldTargets;

/// The byte that every block of job data in these tests is made of.
const DATA: u8 = 0xda;

fn laid_out(worker: &Worker) -> Result<LaidOut, RunError> {
    laid_out_with_messages(worker).0
}

/// Lays out, and returns the messages beside the outcome.
fn laid_out_with_messages(worker: &Worker) -> (Result<LaidOut, RunError>, Vec<String>) {
    let mut messages = Vec::new();
    let mut site = Site {
        readonly: false,
        targets: &HeldTargets::default(),
        stop: &AtomicBool::new(false),
        say: &mut |message: Message| messages.push(fio::wording::message(message.kind())),
        fill: &mut |block| block.fill(DATA),
        seeds: &seeds(worker),
        zones: &ZoneTables::default(),
    };
    let outcome = failed(lay_out_in(worker.job().unwrap(), &mut site));
    (outcome, messages)
}

/// The outcome of a layout that was not stopped.
fn failed(outcome: Result<LaidOut, PrepareError>) -> Result<LaidOut, RunError> {
    outcome.map_err(|error| match error {
        PrepareError::Failed(error) => error,
        PrepareError::Stopped => panic!("the layout was stopped"),
    })
}

fn seeds(worker: &Worker) -> SeedTable {
    SeedTable::new(worker.job().unwrap().load.access.seeds, worker.number, || 1)
}
