//! A simulated machine for tests: a device with a service model, on a virtual clock.
//!
//! A test knows the device's behaviour to the nanosecond, and so the exact figures that the engine must report. No
//! dialect has an option for it.

mod backend;
mod device;
mod model;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::VirtualClock;
use crate::io::{Backend, BackendConfig};
use crate::memory::Buffers;
use crate::platform::Platform;
use backend::SimulatedBackend;
use device::Device;
pub use device::ServedIo;
pub use model::{DeviceModel, Fault, FaultKind, Limit, LimitUnit, ServiceTime};

/// A simulated device and its clock.
pub struct Simulation {
    clock: VirtualClock,
    device: Mutex<Device>,
}

impl Simulation {
    /// Returns a simulation with one device for all files. Its memory is never freed, as tests create few.
    pub fn new(model: DeviceModel) -> &'static Self {
        let simulation = Simulation { clock: VirtualClock::new(), device: Mutex::new(Device::new(model)) };
        Box::leak(Box::new(simulation))
    }

    /// Runs `body` on the calling thread, on the simulation's clock.
    ///
    /// # Panics
    /// Panics if a run on this simulation is active, or if all its threads wait without a deadline.
    pub fn run<T>(&'static self, body: impl FnOnce(Platform) -> T) -> T {
        self.clock.run(|| body(Platform::simulated(self)))
    }

    /// Returns the simulation's clock.
    pub fn clock(&self) -> VirtualClock {
        self.clock
    }

    /// Returns all I/Os of the device in the order of submission.
    pub fn served(&self) -> Vec<ServedIo> {
        self.device().served().to_vec()
    }

    pub(crate) fn open_backend(&'static self, config: &BackendConfig, buffers: &Buffers) -> Box<dyn Backend> {
        Box::new(SimulatedBackend::new(self, config, buffers.slots()))
    }

    fn device(&self) -> MutexGuard<'_, Device> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
