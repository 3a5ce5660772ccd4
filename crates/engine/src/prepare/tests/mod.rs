//! Layouts on real files, devices, and beside real fio.

mod devices;
mod files;
mod like_fio;
mod sharing;

use super::{Prepared, Site, lay_out};
use crate::access::SeedTable;
use crate::line::Line;
use plan::Worker;
use record::RunError;
use std::sync::atomic::AtomicBool;

/// The byte that every block of job data in these tests is made of.
const DATA: u8 = 0xda;

fn prepare(worker: &Worker) -> Result<Prepared, RunError> {
    prepare_saying(worker).0
}

/// Lays out, and returns what was said beside the outcome.
fn prepare_saying(worker: &Worker) -> (Result<Prepared, RunError>, Vec<String>) {
    let mut said = Vec::new();
    let mut site = Site {
        readonly: false,
        stop: &AtomicBool::new(false),
        say: &mut |line| match line {
            Line::News(text) | Line::Warning(text) => said.push(text),
        },
        fill: &mut |block| block.fill(DATA),
        seeds: &seeds(worker),
    };
    let outcome = lay_out(worker, &mut site);
    (outcome, said)
}

fn seeds(worker: &Worker) -> SeedTable {
    SeedTable::new(worker.access.seeds, worker.number, || 1)
}
