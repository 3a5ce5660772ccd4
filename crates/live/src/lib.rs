//! Live output of a run: a progress line, a full-screen view, and an endpoint for Prometheus.
//!
//! The figures come from the counters that workers publish anyway and from the snapshots that the coordinator requests
//! anyway. Threads of this crate draw: neither a worker nor the coordinator waits for a terminal. The hosts of a fleet report
//! their figures, and the views show the sums.
//!
//! It must not slow a worker down or write a counter that workers read. Start with `view.rs`.

// Other systems have no engine: there, this crate is empty.
#![cfg(any(target_os = "linux", windows))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod host_report;
mod hosts;
mod job;
mod line;
mod meter;
mod metrics;
mod remaining;
mod reporter;
mod screen;
mod view;

pub use host_report::HostReport;
pub use line::Line;
pub use meter::Meter;
pub use metrics::{AddressError, Metrics, metrics_address};
pub use reporter::Reporter;
pub use screen::{Notes, Screen};
pub use view::{Fleet, HostView, JobView, Reporting, View};
