//! Every parser of input from outside, as a function of bytes.
//!
//! The fuzzer calls them with inputs that it makes up. A test calls them with the inputs in `corpus/fuzz`. A parser must
//! not panic, and what it accepts must keep its value when it is written and read again.

mod borders;
mod diskspd;
mod fio;
mod log;
mod mutations;
mod packed;
mod progress;
mod rules;
mod saved;
pub mod seeds;
mod text;
mod trace;

pub use self::fio::files_of;
pub use borders::{BORDERS, with_borders};
pub use mutations::mutated;
pub use packed::{pack, unpack};
pub use progress::Progress;

/// A parser and the inputs to begin with.
pub struct Parser {
    /// The name of its fuzz target, its folder of inputs and its file in `corpus/fuzz`.
    pub name: &'static str,
    pub run: fn(&[u8]) -> Progress,
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All parsers.
pub const PARSERS: [Parser; 19] = [
    Parser { name: "job_file", run: fio::job_file, seeds: seeds::fio::job_files },
    Parser { name: "command_line", run: fio::command_line, seeds: seeds::fio::command_lines },
    Parser { name: "value", run: fio::value, seeds: seeds::fio::values },
    Parser { name: "diskspd_profile", run: diskspd::profile, seeds: seeds::diskspd::profiles },
    Parser { name: "diskspd_command_line", run: diskspd::command_line, seeds: seeds::diskspd::command_lines },
    Parser { name: "saved_record", run: saved::record, seeds: seeds::saved::records },
    Parser { name: "saved_assessment", run: saved::assessment, seeds: seeds::saved::assessments },
    Parser { name: "history", run: saved::history, seeds: seeds::saved::documents },
    Parser { name: "suite", run: rules::suite, seeds: seeds::rules::suites },
    Parser { name: "limits", run: rules::limits, seeds: seeds::rules::limits },
    Parser { name: "requirements", run: rules::requirements, seeds: seeds::rules::requirements },
    Parser { name: "quantity", run: text::quantity, seeds: seeds::text::quantities },
    Parser { name: "axes", run: text::axes, seeds: seeds::text::axes },
    Parser { name: "change_limits", run: text::change_limits, seeds: seeds::text::change_limits },
    Parser { name: "io_log", run: log::io_log, seeds: seeds::log::io_logs },
    Parser { name: "compressed_log", run: log::compressed_log, seeds: seeds::log::compressed_logs },
    Parser { name: "trace_pages", run: trace::trace_pages, seeds: seeds::trace::pages },
    Parser { name: "capture_file", run: trace::capture_file, seeds: seeds::trace::files },
    Parser { name: "imported_trace", run: trace::imported, seeds: seeds::trace::imports },
];

/// Returns the parser with a name.
pub fn parser(name: &str) -> Option<&'static Parser> {
    PARSERS.iter().find(|parser| parser.name == name)
}
