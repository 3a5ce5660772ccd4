//! fathom beside real fio: the same words to both, and what comes of it compared.
//!
//! Without a fio (`$FIO`, or `fio` on the path) nothing is compared, and each test says so. Where fio 3.33 and 3.42
//! differ, fathom follows 3.42, and the place that compares says what it lets pass.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod codes;
mod counts;
mod figures;
mod files_like_fio;
mod json;
mod logs;
mod normal;
mod outputs;
mod pair;

use harness as stage;
