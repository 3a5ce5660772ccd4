//! Runs whose figures depend on when their threads get a CPU. These tests run one after another, beside nothing else.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod diskspd_course;
mod diskspd_findings;
mod diskspd_rates;
mod findings;
mod fio_findings;
mod honoured_rates;
mod knee;
mod timeline;
mod verdicts;

use harness as stage;
