//! What the commands share: the driver (the only loop that makes runs), consent, scratch folders, the history, results, output.
//!
//! It must not parse arguments: it does not know clap. Start with `driver.rs`, then `runner.rs`, `run.rs` and `results.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// `println!` and `eprintln!` panic if the stream is closed. `output` has functions that do not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod atomic_file;
#[cfg(any(target_os = "linux", windows))]
pub mod capture;
pub mod command_error;
#[cfg(any(target_os = "linux", windows))]
pub mod consent;
#[cfg(any(target_os = "linux", windows))]
pub mod devices;
pub mod diskspd_report;
#[cfg(any(target_os = "linux", windows))]
pub mod diskspd_run;
pub mod documents;
#[cfg(any(target_os = "linux", windows))]
pub mod driver;
pub mod exit;
#[cfg(any(target_os = "linux", windows))]
pub mod explain;
pub mod file_call;
pub mod findings;
#[cfg(any(target_os = "linux", windows))]
pub mod fio_report;
#[cfg(any(target_os = "linux", windows))]
pub mod fio_run;
#[cfg(any(target_os = "linux", windows))]
pub mod hosts;
pub mod input;
#[cfg(any(target_os = "linux", windows))]
pub mod like;
#[cfg(any(target_os = "linux", windows))]
pub mod line_targets;
#[cfg(any(target_os = "linux", windows))]
pub mod lines;
#[cfg(any(target_os = "linux", windows))]
pub mod live_findings;
#[cfg(any(target_os = "linux", windows))]
pub mod live_views;
#[cfg(any(target_os = "linux", windows))]
pub mod machine;
#[cfg(any(target_os = "linux", windows))]
pub mod new_runs;
pub mod output;
pub mod pictures;
#[cfg(any(target_os = "linux", windows))]
pub mod plans;
#[cfg(any(target_os = "linux", windows))]
pub mod prepare_command;
#[cfg(any(target_os = "linux", windows))]
pub mod progress;
pub mod reports;
#[cfg(any(target_os = "linux", windows))]
pub mod results;
#[cfg(any(target_os = "linux", windows))]
pub mod run;
#[cfg(any(target_os = "linux", windows))]
pub mod run_set;
#[cfg(any(target_os = "linux", windows))]
pub mod runner;
pub mod save_folder;
pub mod saved_run;
#[cfg(any(target_os = "linux", windows))]
pub mod scratch;
#[cfg(any(target_os = "linux", windows))]
pub mod search;
pub mod secrets;
#[cfg(any(target_os = "linux", windows))]
pub mod session;
#[cfg(any(target_os = "linux", windows))]
pub mod signals;
pub mod site;
pub mod store;
#[cfg(any(target_os = "linux", windows))]
pub mod suite_run;
pub mod suites;
pub mod table;
#[cfg(any(target_os = "linux", windows))]
pub mod target;
pub mod temporary_file;
pub mod terminal;
pub mod trends;
#[cfg(any(target_os = "linux", windows))]
pub mod unsaved;
pub mod user_folder;
pub mod user_limits;
#[cfg(any(target_os = "linux", windows))]
pub mod workload;
