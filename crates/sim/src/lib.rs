//! A simulated machine for tests: a device with a service model, on a virtual clock.
//!
//! A test knows the device's behaviour to the nanosecond, and so the exact figures that the engine must report.
//!
//! It must not be used outside tests: only `[dev-dependencies]` have it. Start with `machine.rs` and `clock.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod backend;
mod clock;
mod device;
mod machine;
mod model;
mod run;
#[cfg(test)]
mod tests;

pub use clock::VirtualClock;
pub use device::ServedIo;
pub use machine::Simulation;
pub use model::{DeviceModel, Fault, FaultKind, Limit, LimitUnit, ServiceTime};
