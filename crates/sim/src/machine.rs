//! The simulated machine: a device and its clock.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::device::{Device, ServedIo};
use super::model::DeviceModel;
use crate::clock::VirtualClock;

/// A simulated device and its clock.
pub struct Simulation {
    clock: &'static VirtualClock,
    device: Mutex<Device>,
}

impl Simulation {
    /// Returns a simulation with one device for all files. Its memory is never freed, as tests create few.
    pub fn new(model: DeviceModel) -> &'static Self {
        let simulation = Simulation { clock: VirtualClock::leaked(), device: Mutex::new(Device::new(model)) };
        Box::leak(Box::new(simulation))
    }

    /// Returns the simulation's clock.
    pub fn clock(&self) -> &'static VirtualClock {
        self.clock
    }

    /// Returns all I/Os of the device in the order of submission.
    pub fn served(&self) -> Vec<ServedIo> {
        self.device().served().to_vec()
    }

    pub(super) fn device(&self) -> MutexGuard<'_, Device> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
