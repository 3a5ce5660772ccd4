//! The coordinator: it runs the phases of a plan, samples and stops the workers, and passes their events on.

mod coordinator;
mod ends;
mod errors;
mod lay_out;
mod lifecycle;
mod observer;
mod options;
mod overdue;
mod patience;
mod slot;
mod status;

pub use coordinator::run;
pub use observer::Observer;
pub use options::{Refusal, RunOptions, Waiting};
