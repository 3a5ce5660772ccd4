//! Messages from a worker to the coordinator, over a channel that never blocks the worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use os::platform::Sender;
use record::{Ended, Event, IoStep, Message, SlowIo, Started, WorkerStats};

/// A message from a worker.
pub enum WorkerMessage {
    Event(Event),
    Message(Message, Unhandled),
}

/// Counts a message until the coordinator has handled it.
pub struct Unhandled(Arc<AtomicU32>);

impl Unhandled {
    fn new(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Relaxed);
        Unhandled(Arc::clone(count))
    }
}

impl Drop for Unhandled {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Sends the events of one worker.
#[derive(Clone)]
pub struct EventSender {
    worker: usize,
    sender: Sender<WorkerMessage>,
    unhandled: Arc<AtomicU32>,
}

impl EventSender {
    pub fn new(worker: usize, sender: Sender<WorkerMessage>) -> Self {
        EventSender { worker, sender, unhandled: Arc::default() }
    }

    pub fn started(&self, started: Started) {
        self.send(WorkerMessage::Event(Event::Started { worker: self.worker, started }));
    }

    pub fn seeds(&self, seeds: Vec<u64>) {
        self.send(WorkerMessage::Event(Event::Seeds { worker: self.worker, seeds }));
    }

    pub fn snapshot(&self, stats: Box<WorkerStats>) {
        self.send(WorkerMessage::Event(Event::Snapshot { worker: self.worker, stats }));
    }

    pub fn io_steps(&self, steps: Arc<Vec<IoStep>>) {
        self.send(WorkerMessage::Event(Event::IoSteps { worker: self.worker, steps }));
    }

    pub fn slow_ios(&self, ios: Vec<SlowIo>) {
        self.send(WorkerMessage::Event(Event::SlowIos { worker: self.worker, ios }));
    }

    pub fn ended(&self, ended: Ended) {
        self.send(WorkerMessage::Event(Event::Ended { worker: self.worker, ended }));
    }

    pub fn message(&self, message: Message) {
        self.send(WorkerMessage::Message(message, Unhandled::new(&self.unhandled)));
    }

    /// Returns the number of messages that the coordinator has not handled yet.
    pub fn unhandled(&self) -> u32 {
        self.unhandled.load(Relaxed)
    }

    fn send(&self, message: WorkerMessage) {
        // The channel is closed if the coordinator has given this worker up.
        drop(self.sender.send(message));
    }
}
