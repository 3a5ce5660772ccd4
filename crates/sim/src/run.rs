//! Runs code on the platform of a simulation.

use super::machine::Simulation;
use os::platform::Platform;

impl Simulation {
    /// Runs `body` on the calling thread, on the simulation's clock.
    ///
    /// # Panics
    /// Panics if a run on this simulation is active, or if all its threads wait without a deadline.
    pub fn run<T>(&'static self, body: impl FnOnce(Platform) -> T) -> T {
        self.clock().run(|| body(Platform::simulated(self, self.clock())))
    }
}
