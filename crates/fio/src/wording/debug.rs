//! Lines of `--debug`.

use std::fmt::Write;

use plan::{SteadyMetric, SteadyStateCriterion};
use record::{IoCall, IoStep};
use units::markup::one_line;

/// Returns the lines of I/Os as fio prints them. fio's address of an I/O is the number of its buffer here.
pub fn io_steps(tid: u32, paths: &[String], steps: &[IoStep]) -> String {
    let mut text = String::with_capacity(96 * steps.len());
    for step in steps {
        let IoStep { slot, offset, bytes, .. } = step;
        let name = if step.is_complete { "complete" } else { "queue" };
        let ddir = match step.call {
            IoCall::Data(ddir) => ddir as u32,
            IoCall::Fsync => 3,
            IoCall::Fdatasync => 4,
            IoCall::SyncFileRange => 5,
        };
        let file = paths.get(step.file as usize).map_or(String::new(), |path| format!(",file={}", one_line(path)));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "io       {tid:<5} {name}: io_u {slot:#x}: off={offset:#x},len={bytes:#x},ddir={ddir}{file}"
        );
    }
    text
}

/// Returns the limit of a steady state, as fio's parser prints it.
pub fn steady_state_threshold(criterion: &SteadyStateCriterion) -> String {
    let limit = criterion.limit;
    match criterion.metric {
        _ if criterion.is_percent => format!("set steady state threshold to {limit:.6}%"),
        SteadyMetric::Iops => format!("set steady state IOPS threshold to {limit:.6}"),
        SteadyMetric::Bandwidth => format!("set steady state BW threshold to {limit}"),
        SteadyMetric::Latency => format!("set steady state latency threshold to {limit} nsec"),
    }
}
