//! Channels whose receiver waits by the platform's clock. These are the channels of the standard library. In a
//! simulation their waits take virtual time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError, SendError, TryRecvError};
use std::time::Duration;

use crate::clock::VirtualTime;

/// No thread waits.
const NO_THREAD: u32 = u32::MAX;

/// The sending side.
pub struct Sender<T> {
    // Dropped before `wake`: when the receiver wakes, this sender no longer exists.
    sender: mpsc::Sender<T>,
    wake: Option<Wake>,
}

/// The receiving side.
pub struct Receiver<T> {
    receiver: mpsc::Receiver<T>,
    waiting: Option<Waiting>,
}

/// The id of the thread that waits for messages in a simulation.
#[derive(Clone)]
struct Waiting {
    clock: &'static dyn VirtualTime,
    thread: Arc<AtomicU32>,
}

/// Wakes the receiver, also on drop.
#[derive(Clone)]
struct Wake(Waiting);

impl Wake {
    fn wake(&self) {
        match self.0.thread.load(Relaxed) {
            NO_THREAD => {}
            thread => self.0.clock.unpark(thread),
        }
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        self.wake();
    }
}

pub(super) fn channel<T>(clock: Option<&'static dyn VirtualTime>) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    let waiting = clock.map(|clock| Waiting { clock, thread: Arc::new(AtomicU32::new(NO_THREAD)) });
    (Sender { sender, wake: waiting.clone().map(Wake) }, Receiver { receiver, waiting })
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender { sender: self.sender.clone(), wake: self.wake.clone() }
    }
}

impl<T> Sender<T> {
    /// Sends a message without waiting.
    ///
    /// # Errors
    /// Returns the message if the receiver is gone.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.sender.send(message)?;
        if let Some(wake) = &self.wake {
            wake.wake();
        }
        Ok(())
    }
}

impl<T> Receiver<T> {
    /// Returns a message without waiting.
    ///
    /// # Errors
    /// Returns `Empty` if there is no message, `Disconnected` if all senders are gone.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.receiver.try_recv()
    }

    /// Waits for a message for at most `timeout`.
    ///
    /// # Errors
    /// Returns `Timeout` if no message came in time, `Disconnected` if all senders are gone.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let Some(Waiting { clock, thread }) = &self.waiting else { return self.receiver.recv_timeout(timeout) };
        let until_ns = clock.now().saturating_add(crate::clock::ns_of(timeout));
        loop {
            match self.receiver.try_recv() {
                Ok(message) => return Ok(message),
                Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) if clock.now() >= until_ns => return Err(RecvTimeoutError::Timeout),
                Err(TryRecvError::Empty) => {}
            }
            thread.store(clock.current(), Relaxed);
            clock.park_until(until_ns);
            thread.store(NO_THREAD, Relaxed);
        }
    }
}
