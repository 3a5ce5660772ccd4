//! How a worker tells the coordinator what happens: a channel that never makes it wait.

use os::platform::Sender;
use record::{Ended, Event, Started, WorkerStats};

use crate::message::Line;

pub enum Message {
    Event(Event),
    Say(Line),
}

pub struct Voice {
    worker: usize,
    sender: Sender<Message>,
}

impl Voice {
    pub fn new(worker: usize, sender: Sender<Message>) -> Self {
        Voice { worker, sender }
    }

    pub fn started(&self, started: Started) {
        self.send(Message::Event(Event::Started { worker: self.worker, started }));
    }

    pub fn snapshot(&self, stats: Box<WorkerStats>) {
        self.send(Message::Event(Event::Snapshot { worker: self.worker, stats }));
    }

    pub fn ended(&self, ended: Ended) {
        self.send(Message::Event(Event::Ended { worker: self.worker, ended }));
    }

    pub fn say(&self, line: Line) {
        self.send(Message::Say(line));
    }

    fn send(&self, message: Message) {
        // A coordinator that has gone away has given this worker up.
        drop(self.sender.send(message));
    }
}
