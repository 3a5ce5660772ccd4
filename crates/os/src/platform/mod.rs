//! What a run takes from the machine: its clock, its threads and channels, and the back ends of its I/O.
//!
//! A run on a simulation takes all of these from there: time is virtual, and I/Os go to a simulated device.

mod channel;

use std::io;
use std::thread::{Builder, JoinHandle};

use crate::clock::{Clock, Source};
use crate::io::{Backend, BackendConfig, BackendError};
use crate::memory::Buffers;
use crate::simulation::Simulation;
pub use channel::{Receiver, Sender};

/// The machine that a run uses, or the simulation in its place.
#[derive(Clone, Copy, Default)]
pub struct Platform {
    simulation: Option<&'static Simulation>,
}

impl Platform {
    /// The machine itself.
    pub const MACHINE: Platform = Platform { simulation: None };

    pub(crate) fn simulated(simulation: &'static Simulation) -> Self {
        Platform { simulation: Some(simulation) }
    }

    /// Returns a clock from `source`. A simulation has one source only.
    pub fn clock(self, source: Source) -> Clock {
        self.simulation.map_or_else(|| Clock::new(source), |simulation| simulation.clock().into())
    }

    /// Returns a channel whose receiver waits by the platform's clock.
    pub fn channel<T>(self) -> (Sender<T>, Receiver<T>) {
        channel::channel(self.simulation.map(Simulation::clock))
    }

    /// Starts a thread. It may wait by the platform's clock.
    ///
    /// # Errors
    /// Returns the error of the system if it can't start a thread.
    pub fn spawn<T: Send + 'static>(
        self,
        thread: Builder,
        body: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        match self.simulation {
            Some(simulation) => simulation.clock().spawn(thread, body),
            None => thread.spawn(body),
        }
    }

    /// Checks whether the platform can do what `config` asks, before any file is touched.
    ///
    /// # Errors
    /// Returns what the kernel lacks.
    pub fn probe(self, config: &BackendConfig) -> Result<(), BackendError> {
        if self.simulation.is_some() { Ok(()) } else { crate::io::probe(config) }
    }

    /// Opens a back end over `buffers`, on the thread that will use it. On a simulation it is that of the simulated
    /// device, whatever the engine.
    ///
    /// # Errors
    /// Returns what the kernel lacks, or has not enough of.
    pub fn open_backend(self, config: &BackendConfig, buffers: &Buffers) -> Result<Box<dyn Backend>, BackendError> {
        match self.simulation {
            Some(simulation) => Ok(simulation.open_backend(config, buffers)),
            None => crate::io::open_backend(config, buffers),
        }
    }
}
