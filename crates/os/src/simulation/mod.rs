//! A simulated machine for tests: a device with a service model, on a virtual clock.
//!
//! A test knows the device's behaviour to the nanosecond, and so the exact figures that the engine must report. No
//! dialect has an option for it.

pub(crate) mod backend;
mod device;
mod machine;
mod model;
mod run;
#[cfg(test)]
mod tests;

pub use device::ServedIo;
pub use machine::Simulation;
pub use model::{DeviceModel, Fault, FaultKind, Limit, LimitUnit, ServiceTime};
