//! fio's reports: a [`record::Record`] in, fio's text out.
//!
//! Pure functions: the time, its zone and what is left to run come in with [`Options`].

mod banner;
mod beyond;
mod date;
mod disks;
mod entry;
mod eta;
mod group;
mod json;
mod json_text;
mod latency;
mod latency_bins;
mod normal;
mod number;
mod running_line;
mod terse;

pub use banner::banner;
pub use eta::{State, WorkerProgress, eta_s};
pub use json::{Detail, json};
pub use normal::normal;
pub use running_line::RunningLine;
pub use terse::terse;

use record::{Record, RunError};

/// What a report needs to know that is not in the record.
#[derive(Clone, Debug)]
pub struct Options {
    /// Unix time of the report, in ms.
    pub now_unix_ms: u64,
    /// How far local time is ahead of UTC, in seconds.
    pub utc_offset_s: i32,
    /// Seconds that the jobs still need: 0 when they have ended, `None` where nothing can be said.
    pub eta_s: Option<u64>,
    /// Layout of terse output, from 2 to 5.
    pub terse_version: u8,
}

impl Default for Options {
    fn default() -> Self {
        Options { now_unix_ms: 0, utc_offset_s: 0, eta_s: Some(0), terse_version: 3 }
    }
}

/// Which reports are wanted: `output-format`, which may name several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Formats {
    pub normal: bool,
    pub json: Option<Detail>,
    pub terse: bool,
}

/// The reports in fio's order: terse, JSON, normal.
pub fn report(record: &Record, formats: Formats, options: &Options) -> String {
    let mut text = String::new();
    if formats.terse {
        text += &terse(record, options);
    }
    if let Some(detail) = formats.json {
        text += &json(record, options, detail);
    }
    if formats.normal {
        text += &normal(record, options);
    }
    text
}

/// What this program calls itself where fio prints its version.
pub fn version() -> String {
    version_of(env!("CARGO_PKG_VERSION"))
}

/// What a version of fathom calls itself: a report names the one that measured.
fn version_of(fathom: &str) -> String {
    format!("fio-3.42-fathom-{fathom}")
}

/// What was wrong with a worker, for people.
pub fn error_message(error: &RunError) -> String {
    format!("fio: {}\n", error.plain())
}

/// The line by which scripts see that a worker failed.
pub fn error_line(tid: u32, error: &RunError) -> String {
    format!("fio: pid={tid}, err={}/{}\n", error.errno, error_text(error))
}

fn error_text(error: &RunError) -> String {
    format!("func={}, error={}", error.func, errno_text(error.errno))
}

/// The system's words for an error number.
fn errno_text(errno: i32) -> String {
    let text = std::io::Error::from_raw_os_error(errno).to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests;
