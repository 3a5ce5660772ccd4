//! Faults, and what the binary must do on each. The cases are data (`cases`): the tests run them, and `docs/reliability.md`
//! shows them.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod case;
pub mod cases;
pub mod faulty_files;
pub mod page;
mod report;
mod sandbox;

pub use case::{Case, Report, case};
pub use report::report_problem;
pub use sandbox::Sandbox;
