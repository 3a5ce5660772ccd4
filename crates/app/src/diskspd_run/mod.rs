//! A run of a DiskSpd command line: its messages and events while it is active, and its end.

pub mod named_events;
pub mod run;
mod watch;
