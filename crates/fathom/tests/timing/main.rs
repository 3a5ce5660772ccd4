//! Runs whose figures depend on when their threads get a CPU. One for each CPU runs at a time, after all other
//! tests.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod diskspd_findings;
mod findings;
mod fio_findings;
mod honoured_pauses;
mod knee;
mod timeline;
mod verdicts;

use harness as stage;
