//! The tree, the armed fault, and the requests that wait.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use fuser::{Errno, ReplyAttr, ReplyCreate, ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite};

use super::fault::{Effect, Fault, Operation};
use super::tree::Tree;

/// An answer that can be an error.
pub(super) trait Answer: Send + 'static {
    fn fail(self, errno: Errno);
}

macro_rules! answers {
    ($($kind:ident)*) => { $(impl Answer for $kind {
        fn fail(self, errno: Errno) {
            self.error(errno);
        }
    })* };
}
answers!(ReplyAttr ReplyCreate ReplyData ReplyEmpty ReplyEntry ReplyOpen ReplyWrite);

/// Part of the bytes that a request transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    Half,
    Nothing,
}

impl Part {
    pub(super) fn of(self, bytes: usize) -> usize {
        match self {
            Part::All => bytes,
            Part::Half => bytes.div_ceil(2),
            Part::Nothing => 0,
        }
    }
}

pub(super) struct State {
    armed: Mutex<Armed>,
    tree: Mutex<Tree>,
}

#[derive(Default)]
struct Armed {
    fault: Option<Fault>,
    /// Where the file system is mounted.
    folder: PathBuf,
    /// Operations of the fault's kind on its file.
    operations: u32,
    /// Unanswered requests. Dropping one answers it with EIO.
    held: Vec<Box<dyn Any + Send>>,
}

impl State {
    pub(super) fn new(folder: PathBuf) -> Self {
        State { armed: Mutex::new(Armed { folder, ..Armed::default() }), tree: Mutex::new(Tree::new()) }
    }

    pub(super) fn tree<T>(&self, access: impl FnOnce(&mut Tree) -> T) -> T {
        access(&mut self.tree.lock().unwrap())
    }

    pub(super) fn arm(&self, fault: Option<Fault>) {
        let mut armed = self.armed();
        (armed.fault, armed.operations) = (fault, 0);
        armed.held.clear();
    }

    /// Returns true if the fault has occurred.
    pub(super) fn has_occurred(&self) -> bool {
        let armed = self.armed();
        armed.fault.is_some_and(|fault| armed.operations >= fault.nth)
    }

    /// Returns the answer and the part of the bytes to transfer, or `None` if the fault has consumed the answer.
    pub(super) fn pass<A: Answer>(&self, operation: Operation, file: &str, answer: A) -> Option<(A, Part)> {
        let mut armed = self.armed();
        let is_of_fault = |fault: &Fault| fault.operation == operation && file.ends_with(fault.file);
        let Some(fault) = armed.fault.filter(is_of_fault) else { return Some((answer, Part::All)) };
        armed.operations += 1;
        if armed.operations < fault.nth {
            return Some((answer, Part::All));
        }
        match fault.effect {
            Effect::Half => return Some((answer, Part::Half)),
            Effect::Nothing => return Some((answer, Part::Nothing)),
            Effect::Eio => answer.fail(Errno::EIO),
            Effect::Enospc => answer.fail(Errno::ENOSPC),
            Effect::Erofs => answer.fail(Errno::EROFS),
            Effect::Hangs => armed.held.push(Box::new(answer)),
            Effect::Disconnects => {
                if armed.operations == fault.nth {
                    disconnect(armed.folder.clone());
                }
                armed.held.push(Box::new(answer));
            }
        }
        None
    }

    fn armed(&self) -> MutexGuard<'_, Armed> {
        self.armed.lock().unwrap()
    }
}

/// Ends the connection of a mount. A file system in use stays mounted, and each access to it fails.
fn disconnect(folder: PathBuf) {
    std::thread::spawn(move || drop(harness::shell(&format!("umount -f {}", folder.display()))));
}
