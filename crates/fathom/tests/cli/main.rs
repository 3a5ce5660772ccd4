//! The program as its users start it: what it prints, what it leaves, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod assess;
mod assess_reports;
mod assess_room;
mod compare;
mod consumers;
mod corpus;
mod diskspd_faults;
mod diskspd_figures;
mod diskspd_golden;
mod diskspd_lines;
mod diskspd_profiles;
mod diskspd_readers;
mod diskspd_safety;
mod diskspd_work;
mod faults;
mod history;
mod honoured_jobs;
mod honoured_targets;
mod limits;
mod limits_catalogue;
mod records;
mod safety;
mod saved_runs;
mod sequence;
mod status;
mod stopped_layout;
mod studies;
mod suites;
mod sweep;
mod words;

use harness as stage;
