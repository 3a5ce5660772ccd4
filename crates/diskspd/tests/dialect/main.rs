//! DiskSpd's options, profiles and reports, without a run.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod command_lines;
mod cpus;
mod fio_records;
mod formatter;
mod golden;
mod line_properties;
mod lowered;
mod options_page;
mod samples;
#[path = "../stage/mod.rs"]
mod stage;
mod well_formed;
mod xml_cases;
mod xml_errors;
mod xml_round_trip;
