//! Layouts on real files, devices, and beside real fio.

mod devices;
mod files;
mod like_fio;
mod sharing;

use super::lay_out::lay_out_in;
use super::site::Site;
use crate::access::SeedTable;
use crate::fault::SetupError;
use crate::target::LaidOut;
use plan::Worker;
use record::Message;
use record::RunError;
use std::sync::atomic::AtomicBool;

/// The byte that every block of job data in these tests is made of.
const DATA: u8 = 0xda;

fn laid_out(worker: &Worker) -> Result<LaidOut, RunError> {
    laid_out_with_messages(worker).0
}

/// Lays out, and returns what was said beside the outcome.
fn laid_out_with_messages(worker: &Worker) -> (Result<LaidOut, RunError>, Vec<String>) {
    let mut said = Vec::new();
    let mut site = Site {
        readonly: false,
        stop: &AtomicBool::new(false),
        say: &mut |line| match line {
            Message::Info(text) | Message::Warning(text) => said.push(text),
        },
        fill: &mut |block| block.fill(DATA),
        seeds: &seeds(worker),
    };
    let outcome = failed(lay_out_in(worker, &mut site));
    (outcome, said)
}

/// The outcome of a layout that was not stopped.
fn failed(outcome: Result<LaidOut, SetupError>) -> Result<LaidOut, RunError> {
    outcome.map_err(|error| match error {
        SetupError::Failed(error) => error,
        SetupError::Stopped => panic!("the layout was stopped"),
    })
}

fn seeds(worker: &Worker) -> SeedTable {
    SeedTable::new(worker.access.seeds, worker.number, || 1)
}
