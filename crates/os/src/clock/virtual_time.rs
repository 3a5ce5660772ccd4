//! What a simulation offers for the clock of its threads.

use std::fmt;

/// The time of a simulation. Its threads participate: exactly one of them runs at a time, and time advances while all wait.
pub trait VirtualTime: fmt::Debug + Sync {
    /// Returns the virtual time in ns.
    fn now(&self) -> u64;

    /// Returns the system time at the current virtual time, in µs since 1970.
    fn unix_us(&self) -> u64;

    /// Returns the participation of a thread that starts now. Time does not advance before its first wait.
    fn participant(&'static self) -> Box<dyn Participant>;

    /// Waits until `due_ns`.
    fn wait_until(&self, due_ns: u64);

    /// Waits until `due_ns`, or until another thread calls [`unpark`](Self::unpark).
    fn park_until(&self, due_ns: u64);

    /// Ends the thread's `park_until`, if it is in one.
    fn unpark(&self, thread: u32);

    /// Returns the calling thread's number.
    fn current(&self) -> u32;
}

/// A thread's participation in a simulation. It ends when this value is dropped.
pub trait Participant: Send {
    /// Registers the calling thread and waits until it is scheduled.
    fn enter(&self);
}
