//! Threads that check blocks for a worker (`verify_async`).
//!
//! A block is copied, so that its slot is free for the next I/O. The worker waits if no thread is free.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};

use plan::Verify;

use super::Written;
use super::blocks::{Blocks, Fault};

/// A block to check.
pub struct Task {
    pub block: Vec<u8>,
    pub write: Written,
    pub is_own: bool,
    pub path: Arc<PathBuf>,
}

/// The threads of a worker. They end when this is dropped.
pub struct Threads {
    tasks: SyncSender<Task>,
    results: Receiver<(Task, Result<(), Fault>)>,
    /// Tasks without a result.
    open: u64,
    /// Memory of earlier blocks.
    free: Vec<Vec<u8>>,
}

impl Threads {
    /// Starts the threads.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(verify: &Verify, blocks: &Arc<Blocks>, depth: u32) -> std::io::Result<Threads> {
        let (tasks, queue) = sync_channel(depth.max(1) as usize);
        let (done, results) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..verify.threads {
            let (queue, done, blocks, cpus) =
                (Arc::clone(&queue), done.clone(), Arc::clone(blocks), verify.cpus.clone());
            let run = move || {
                if !cpus.is_empty() {
                    // Without these CPUs the blocks are checked all the same.
                    let _ = os::cpu::set_affinity(&cpus);
                }
                check_all(&blocks, &queue, &done);
            };
            std::thread::Builder::new().name("verify".to_owned()).spawn(run)?;
        }
        Ok(Threads { tasks, results, open: 0, free: Vec::new() })
    }

    /// Gives a copy of a block to a thread.
    pub fn check(&mut self, block: &[u8], write: &Written, is_own: bool, path: &Arc<PathBuf>) {
        let mut copy = self.free.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(block);
        let task = Task { block: copy, write: *write, is_own, path: Arc::clone(path) };
        if self.tasks.send(task).is_ok() {
            self.open += 1;
        }
    }

    /// Returns the next block that failed. Waits for all blocks if `waits`.
    pub fn next_failed(&mut self, waits: bool) -> Option<(Task, Fault)> {
        while self.open > 0 {
            let result = if waits { self.results.recv().ok() } else { self.results.try_recv().ok() };
            let (task, outcome) = result?;
            self.open -= 1;
            if let Err(fault) = outcome {
                return Some((task, fault));
            }
            self.free.push(task.block);
        }
        None
    }
}

fn check_all(blocks: &Blocks, queue: &Mutex<Receiver<Task>>, done: &Sender<(Task, Result<(), Fault>)>) {
    let mut expected = Vec::new();
    loop {
        let Ok(Ok(mut task)) = queue.lock().map(|queue| queue.recv()) else { return };
        let outcome = blocks.check(&mut task.block, &task.write, &mut expected);
        if done.send((task, outcome)).is_err() {
            return;
        }
    }
}
