//! A run of a fio command line: its messages, files and figures while it is active, and its end.

mod act;
mod debug;
pub mod self_test;
mod trigger;
pub mod watch;
