//! Resources of a run: clock, threads, channels and I/O backends.
//!
//! On a simulation time is virtual, and I/O goes to a simulated device.

mod channel;

use std::io;
use std::thread::{Builder, JoinHandle};

use crate::clock::{Clock, Source, VirtualTime};
use crate::io::{Backend, BackendConfig, BackendError, Engines, Kernel};
use crate::memory::Buffers;
pub use channel::{Receiver, Sender};

/// The real machine or a simulation.
#[derive(Clone, Copy)]
pub struct Platform {
    engines: &'static dyn Engines,
    /// The clock of a simulation.
    clock: Option<&'static dyn VirtualTime>,
}

impl Platform {
    /// The real machine with the engines of the kernel.
    pub const MACHINE: Platform = Platform::with_engines(&Kernel);

    /// Returns the real machine with these engines.
    pub const fn with_engines(engines: &'static dyn Engines) -> Self {
        Platform { engines, clock: None }
    }

    /// Returns a machine whose threads wait by `clock`.
    pub fn simulated(engines: &'static dyn Engines, clock: &'static dyn VirtualTime) -> Self {
        Platform { engines, clock: Some(clock) }
    }

    /// Returns a clock for `source`. A simulation has only one source.
    pub fn clock(self, source: Source) -> Clock {
        self.clock.map_or_else(|| Clock::new(source), Clock::from)
    }

    /// Returns a channel whose receiver waits by the platform's clock.
    pub fn channel<T>(self) -> (Sender<T>, Receiver<T>) {
        channel::channel(self.clock)
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
        match self.clock {
            Some(clock) => {
                let participant = clock.participant();
                thread.spawn(move || {
                    participant.enter();
                    body()
                })
            }
            None => thread.spawn(body),
        }
    }

    /// Checks whether the platform supports `config`, before any file is opened.
    ///
    /// # Errors
    /// Returns what the machine does not support.
    pub fn probe(self, config: &BackendConfig) -> Result<(), BackendError> {
        crate::io::check(config)?;
        self.engines.probe(config)
    }

    /// Opens a backend on `buffers`. Call it on the thread that uses the backend. A simulation has one backend for all
    /// engines, also with `offload`: threads of its own would not wait by the clock.
    ///
    /// # Errors
    /// Returns what the kernel does not support or does not have enough of.
    pub fn open_backend(self, config: &BackendConfig, buffers: &Buffers) -> Result<Box<dyn Backend>, BackendError> {
        if self.clock.is_some() {
            return self.engines.open(config, buffers.slots());
        }
        crate::io::open_backend(self.engines, config, buffers)
    }
}
