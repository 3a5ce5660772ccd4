//! Errors that end workers.

use serde::{Deserialize, Serialize};

/// Why a worker ended early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunError {
    pub errno: i32,
    /// The call that failed, as fio names it in `func=`.
    pub func: String,
    /// What happened, where, and what to do. Without the name of a program in front.
    pub message: String,
}
