//! fathom and fio with the same arguments.
//!
//! Without fio (`$FIO`, or `fio` in the path) the tests are skipped. If fio 3.33 and 3.42 differ, fathom follows 3.42,
//! and the comparison states the accepted difference.

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
