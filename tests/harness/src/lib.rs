//! What integration tests share: scratch folders, devices, runs of the binary, and skips.
//!
//! Each device, mount and folder belongs to one test and is removed when it is dropped, also when the test panics.

#![expect(clippy::unwrap_used, reason = "this is test code: it may panic")]

mod binary;
mod devices;
mod priority;
mod run;
mod scratch;
mod skip;
mod throttle;
mod time;

pub use binary::binary;
pub use devices::{Loop, Mount, Zram};
pub use priority::{go_first, may_go_first};
pub use run::{Outcome, command, diskspd, fathom, first, outcome, run};
pub use scratch::Scratch;
pub use skip::{needs, shell, skipped, system};
pub use throttle::{Limit, Throttle};
pub use time::{HANGS, interrupted, listens, opens, patiently, signal, undisturbed, wait_until};

pub const MIB: u64 = 1 << 20;
