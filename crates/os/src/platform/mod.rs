//! Resources of a run: clock, threads, channels and I/O backends.
//!
//! On a simulation time is virtual, and I/O goes to a simulated device.

mod channel;

use std::io;
use std::thread::{Builder, JoinHandle};

use crate::clock::{Clock, Source};
use crate::io::{Backend, BackendConfig, BackendError};
use crate::memory::Buffers;
use crate::simulation::Simulation;
use crate::simulation::backend::SimulatedBackend;
pub use channel::{Receiver, Sender};

/// The real machine or a simulation.
#[derive(Clone, Copy, Default)]
pub struct Platform {
    simulation: Option<&'static Simulation>,
}

impl Platform {
    /// The real machine.
    pub const MACHINE: Platform = Platform { simulation: None };

    pub(crate) fn simulated(simulation: &'static Simulation) -> Self {
        Platform { simulation: Some(simulation) }
    }

    /// Returns a clock for `source`. A simulation has only one source.
    pub fn clock(self, source: Source) -> Clock {
        self.simulation.map_or_else(|| Clock::new(source), |simulation| simulation.clock().into())
    }

    /// Returns a channel whose receiver waits by the platform's clock.
    pub fn channel<T>(self) -> (Sender<T>, Receiver<T>) {
        channel::channel(self.simulation.map(Simulation::clock))
    }

    /// Starts a thread that may wait by the platform's clock.
    ///
    /// # Errors
    /// Returns the error of the system call if the thread cannot start.
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

    /// Checks whether the platform supports `config`, before any file is opened.
    ///
    /// # Errors
    /// Returns what the kernel does not support.
    pub fn probe(self, config: &BackendConfig) -> Result<(), BackendError> {
        if self.simulation.is_some() { Ok(()) } else { crate::io::probe(config) }
    }

    /// Opens a backend on `buffers`. Call it on the thread that uses the backend. A simulation has one backend for all
    /// engines.
    ///
    /// # Errors
    /// Returns what the kernel does not support or does not have enough of.
    pub fn open_backend(self, config: &BackendConfig, buffers: &Buffers) -> Result<Box<dyn Backend>, BackendError> {
        match self.simulation {
            Some(simulation) => Ok(Box::new(SimulatedBackend::new(simulation, config, buffers.slots()))),
            None => crate::io::open_backend(config, buffers),
        }
    }
}
