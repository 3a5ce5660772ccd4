//! Messages from a worker to the coordinator, over a channel that never blocks the worker.

use os::platform::Sender;
use record::{Ended, Event, Started, WorkerStats};

use crate::message::Line;

/// A message from a worker.
pub enum WorkerMessage {
    Event(Event),
    Say(Line),
}

/// Sends the events of one worker.
pub struct EventSender {
    worker: usize,
    sender: Sender<WorkerMessage>,
}

impl EventSender {
    pub fn new(worker: usize, sender: Sender<WorkerMessage>) -> Self {
        EventSender { worker, sender }
    }

    pub fn started(&self, started: Started) {
        self.send(WorkerMessage::Event(Event::Started { worker: self.worker, started }));
    }

    pub fn snapshot(&self, stats: Box<WorkerStats>) {
        self.send(WorkerMessage::Event(Event::Snapshot { worker: self.worker, stats }));
    }

    pub fn ended(&self, ended: Ended) {
        self.send(WorkerMessage::Event(Event::Ended { worker: self.worker, ended }));
    }

    pub fn say(&self, line: Line) {
        self.send(WorkerMessage::Say(line));
    }

    fn send(&self, message: WorkerMessage) {
        // The channel is closed if the coordinator has given this worker up.
        drop(self.sender.send(message));
    }
}
