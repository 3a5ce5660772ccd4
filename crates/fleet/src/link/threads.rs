//! Ranks as threads of one process, for tests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Link, LinkError};

type Inbox = Mutex<VecDeque<(usize, Vec<u8>)>>;

/// One rank of a process.
pub struct ThreadLink {
    rank: usize,
    inboxes: Arc<Vec<Inbox>>,
}

/// Returns the links of `size` ranks.
pub fn threads(size: usize) -> Vec<ThreadLink> {
    let inboxes: Arc<Vec<Inbox>> = Arc::new((0..size).map(|_| Inbox::default()).collect());
    (0..size).map(|rank| ThreadLink { rank, inboxes: Arc::clone(&inboxes) }).collect()
}

impl Link for ThreadLink {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.inboxes.len()
    }

    fn name(&self) -> String {
        "threads".to_owned()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<(), LinkError> {
        let inbox = self.inboxes.get(to).ok_or_else(|| LinkError(format!("there is no rank {to}")))?;
        inbox.lock().unwrap_or_else(PoisonError::into_inner).push_back((self.rank, message.to_vec()));
        Ok(())
    }

    fn try_recv(&mut self) -> Result<Option<(usize, Vec<u8>)>, LinkError> {
        Ok(self.inboxes[self.rank].lock().unwrap_or_else(PoisonError::into_inner).pop_front())
    }

    fn disconnect(self: Box<Self>, _: u8) -> Result<(), LinkError> {
        Ok(())
    }

    fn abort(self: Box<Self>) {}
}
