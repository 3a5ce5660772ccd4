//! Texts of errors that end a worker.

use record::RunError;
use units::markup::one_line;

use crate::wording;

/// Returns the line `fio: MESSAGE`.
pub fn error_message(error: &RunError) -> String {
    format!("fio: {}\n", wording::error(error))
}

/// Returns the line `fio: pid=…, err=…` that scripts parse.
pub fn error_line(tid: u32, error: &RunError) -> String {
    format!("fio: pid={tid}, err={}/{}\n", error.errno, error_text(error))
}

/// Returns `func=…, error=…`.
pub(super) fn error_text(error: &RunError) -> String {
    format!("func={}, error={}", one_line(&wording::call(error)), units::errno::text(error.errno))
}
