//! Shared code of integration tests: scratch folders, devices, servers, runs of the binary, skipped tests.
//!
//! Each device, mount and folder belongs to one test and is removed when it is dropped, also when the test panics.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod binary;
mod devices;
mod fio;
mod hosts;
mod memory_group;
mod page;
mod priority;
mod run;
pub mod samples;
mod schemas;
mod scratch;
pub mod series;
mod server;
mod skip;
mod throttle;
mod time;

pub use binary::binary;
pub use devices::{Loop, Mount, Zram};
pub use fio::run_fio;
pub use hosts::{AHEAD_S, HOSTS, Hosts, SMALL_MIB, launchers};
pub use memory_group::MemoryGroup;
pub use page::{check_page, with_table};
pub use priority::{can_use_realtime_priority, use_realtime_priority};
pub use run::{
    Outcome, command, diskspd, fathom, in_own_group, outcome, run, with_default_hangup, with_realtime_priority,
};
pub use schemas::{check_output, schema_errors, schema_of};
pub use scratch::{Scratch, run_folder};
pub use server::{Server, free_port, has_library};
pub use skip::{needs, shell, skipped, system};
pub use throttle::{Limit, Throttle};
pub use time::{
    HANGS, has_ended, interrupted, signal, wait_for_blocked_thread, wait_for_open_file, wait_for_signal_handler,
    wait_for_silence, wait_for_work, wait_until,
};

pub const MIB: u64 = 1 << 20;
