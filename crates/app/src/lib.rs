//! What the commands share: the driver (the only loop that makes runs), consent, scratch folders, the history, results, output.
//!
//! It must not parse arguments: it does not know clap. Start with `driver.rs`, then `runner.rs`, `run.rs` and `results.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// `println!` and `eprintln!` panic if the stream is closed. `output` has functions that do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod atomic_file;
pub mod command_error;
pub mod consent;
pub mod devices;
pub mod diskspd_report;
pub mod diskspd_run;
pub mod documents;
pub mod driver;
pub mod exit;
pub mod file_call;
pub mod findings;
pub mod fio_report;
pub mod fio_run;
pub mod hosts;
pub mod input;
pub mod line_targets;
pub mod lines;
pub mod live_findings;
pub mod live_views;
pub mod machine;
pub mod output;
pub mod pictures;
pub mod plans;
pub mod prepare_command;
pub mod progress;
pub mod reports;
pub mod results;
pub mod run;
pub mod runner;
pub mod save_folder;
pub mod scratch;
pub mod secrets;
pub mod session;
pub mod signals;
pub mod site;
pub mod store;
pub mod suite_run;
pub mod suites;
pub mod table;
pub mod target;
pub mod temporary_file;
pub mod terminal;
pub mod trends;
pub mod unsaved;
pub mod user_folder;
pub mod user_limits;
pub mod workload;
