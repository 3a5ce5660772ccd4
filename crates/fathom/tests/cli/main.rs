//! The program as its users run it: output, files and exit codes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod assess;
mod assess_reports;
mod assess_room;
mod compare;
mod consumers;
mod corpus;
mod dialect_selection;
mod diskspd_course;
mod diskspd_faults;
mod diskspd_figures;
mod diskspd_findings;
mod diskspd_golden;
mod diskspd_lines;
mod diskspd_profiles;
mod diskspd_readers;
mod diskspd_safety;
mod diskspd_work;
mod faults;
mod findings;
mod full_disk;
mod history;
mod history_faults;
mod honoured_depths;
mod honoured_jobs;
mod honoured_targets;
mod hostile_names;
mod inputs;
mod interruptions;
mod job_names;
mod knee;
mod limits;
mod limits_catalogue;
mod locked_memory;
mod outputs;
mod records;
mod safety;
mod safety_lease;
mod safety_memory;
mod safety_names;
mod safety_outputs;
mod safety_overlay;
mod safety_replaced;
mod safety_scratch;
mod saved_runs;
mod sequence;
mod silence;
mod status;
mod stopped_layout;
mod studies;
mod studies_saved;
mod suites;
mod sweep;

use harness as stage;
