//! Compares fathom with fio and `t/io_uring` on the same job files: IOPS, CPU time per I/O, memory, start-up time.
//!
//! `docs/performance-method.md` describes how to run it, the workloads and the results.

#![expect(clippy::missing_errors_doc, reason = "the library of one program")]

pub mod args;
pub mod checksums;
pub mod instructions;
pub mod machine;
pub mod metric;
pub mod monitor;
pub mod other_load;
pub mod pairs;
pub mod programs;
pub mod report;
pub mod results;
pub mod session;
pub mod statistics;
pub mod targets;
pub mod workloads;
