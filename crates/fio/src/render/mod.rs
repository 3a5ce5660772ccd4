//! Renders a [`record::Record`] as fio's reports.
//!
//! Invariant: all functions are pure. The time and the estimated end are in [`ReportOptions`].

mod act;
mod banner;
mod blocks;
mod date;
mod disks;
mod entry;
mod error;
mod eta;
mod fathom_object;
mod group;
mod hosts;
mod json;
mod json_shapes;
mod json_text;
mod latency;
mod latency_buckets;
mod normal;
mod number;
mod options;
mod progress_line;
mod steady_state;
mod terse;
mod threads;
mod version;

pub use act::{ActCounts, SLICE_S as ACT_SLICE_S, act_table};
pub use banner::banner;
pub use error::{error_line, error_message};
pub use eta::{WorkerProgress, WorkerState, eta_s};
pub use fathom_object::{Analysis, Described, Member};
pub use hosts::table as hosts;
pub use json::json;
pub use normal::normal;
pub use options::{Detail, Formats, ReportOptions};
pub use progress_line::ProgressLine;
pub use terse::terse;
pub use version::version;

use record::Record;
use units::markup::printable;

/// Returns the reports in fio's order: terse, JSON, normal.
pub fn report(record: &Record, formats: Formats, options: &ReportOptions, analysis: &Analysis) -> String {
    let mut text = String::new();
    if formats.terse {
        text += &terse(record, options);
    }
    if let Some(detail) = formats.json {
        text += &json(record, options, detail, analysis);
    }
    if formats.normal {
        text += &normal(record, options);
    }
    printable(&text).into_owned()
}

#[cfg(test)]
mod tests;
