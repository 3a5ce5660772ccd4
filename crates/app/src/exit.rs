//! Exit codes. fathom's own commands share one table. The dialects return the codes of their programs.

use assessment::Assessment;
use judge::verdict::{Conclusion, conclusion};

/// Done: PASS or MEASURED.
pub const DONE: u8 = 0;
/// A requirement or a bound is not met, a run failed, or a result could not be written.
pub const FAILED: u8 = 1;
/// The request is not valid, and nothing ran.
pub const REFUSED: u8 = 2;
/// The measurement decides nothing, for instance because the load generator was the limit.
pub const INCONCLUSIVE: u8 = 3;
/// The measurement is not one of the target.
pub const INVALID: u8 = 4;
/// Added to the number of the signal that ended the command: Ctrl-C gives 130.
const SIGNAL: i32 = 128;

/// The table, as every help page shows it.
pub const TABLE: &str = "\
Exit codes:
  0    done; PASS or MEASURED
  1    FAIL: a requirement or bound is not met, a run failed, or a result could
       not be written
  2    the request is not valid, and nothing ran
  3    INCONCLUSIVE
  4    INVALID
  130  interrupted by Ctrl-C, with what was measured (128 + signal number)";

/// Codes of the fio dialect. After a run the code is the number of failed jobs.
pub mod fio {
    /// The request is not valid, or a file cannot be written.
    pub const FAILED: u8 = 1;
    /// A signal ended the run.
    pub const INTERRUPTED: u8 = 128;
}

/// Codes of the DiskSpd dialect.
pub mod diskspd {
    /// The run failed.
    pub const FAILED: u8 = 1;
    /// The request is not valid.
    pub const REFUSED: u8 = 3;
}

/// Returns the exit code of a study that `signal` may have ended. `is_written` is false if a result could not be written. An
/// incomplete log of a run counts as such a result.
pub fn of(assessment: &Assessment, signal: Option<i32>, is_written: bool) -> u8 {
    let mut records = assessment.tests.iter().flat_map(|test| &test.rounds).map(|round| &round.record);
    if !is_written || records.any(|record| record.has_incomplete_logs()) {
        return FAILED;
    }
    if let Some(code) = signal.and_then(of_signal) {
        return code;
    }
    of_conclusion(conclusion(assessment))
}

/// Returns the exit code of the signal that ended the command.
pub fn of_signal(signal: i32) -> Option<u8> {
    u8::try_from(SIGNAL + signal).ok()
}

/// Returns the exit code of a conclusion.
pub fn of_conclusion(conclusion: Conclusion) -> u8 {
    match conclusion {
        Conclusion::Done => DONE,
        Conclusion::Failed => FAILED,
        Conclusion::Inconclusive => INCONCLUSIVE,
        Conclusion::Invalid => INVALID,
    }
}
