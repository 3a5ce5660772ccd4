//! `io_submit_mode=offload`: a pool of threads, each with its own backend. An operation is submitted at its time while
//! others block in their system calls.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::backend::{Backend, BackendError, misuse};
use super::config::{BackendConfig, EngineKind};
use super::op::{Completion, IoResult, Op};
use super::open::Engines;
use crate::errno;
use crate::file::File;
use crate::memory::Slots;

/// Stack size of a thread that only makes system calls.
const STACK_BYTES: usize = 128 * 1024;
/// A thread waits for its operation without a timeout.
const NO_TIMEOUT: Duration = Duration::from_secs(1 << 30);

/// An operation and its file.
struct Task {
    op: Op,
    file: Attached,
}

/// An attached file. The generation increases when another file is attached at the same index.
#[derive(Clone)]
struct Attached {
    number: u64,
    file: Arc<File>,
}

#[derive(Default)]
struct Queue {
    tasks: Mutex<Tasks>,
    changed: Condvar,
}

#[derive(Default)]
struct Tasks {
    waiting: VecDeque<Task>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next task. Returns `None` when the pool ends.
    fn take(&self) -> Option<Task> {
        let tasks = self.lock();
        let idle = |tasks: &mut Tasks| tasks.waiting.is_empty() && !tasks.closed;
        let mut tasks = self.changed.wait_while(tasks, idle).unwrap_or_else(PoisonError::into_inner);
        tasks.waiting.pop_front()
    }
}

pub(crate) struct Offload {
    queue: Arc<Queue>,
    done: Receiver<Completion>,
    threads: Vec<JoinHandle<()>>,
    slots: Slots,
    files: Vec<Option<Attached>>,
    attached: u64,
}

impl Offload {
    /// Starts one thread per slot.
    pub(crate) fn open(
        engines: &'static dyn Engines,
        config: &BackendConfig,
        slots: Slots,
    ) -> Result<Self, BackendError> {
        let queue = Arc::new(Queue::default());
        let (sender, done) = channel();
        let (opened, openings) = channel();
        let mut threads = Vec::with_capacity(config.depth as usize);
        for _ in 0..config.depth {
            let own = BackendConfig { depth: 1, offload: false, engine: pool_engine(config.engine), ..config.clone() };
            let (queue, sender, opened, slots) = (Arc::clone(&queue), sender.clone(), opened.clone(), slots.nested());
            let body = move || serve((engines, &own), slots, &queue, &sender, &opened);
            let thread = std::thread::Builder::new().name("offload".into()).stack_size(STACK_BYTES).spawn(body);
            threads.push(thread.map_err(|error| BackendError::caused(config.engine, "cannot start a thread", error))?);
        }
        drop(opened);
        let files = (0..config.files).map(|_| None).collect();
        let pool = Offload { queue, done, threads, slots, files, attached: 0 };
        // An error drops the pool, which ends its threads.
        openings.iter().take(config.depth as usize).collect::<Result<Vec<()>, BackendError>>()?;
        Ok(pool)
    }
}

/// Returns the engine for pool threads. They share each file's position, so seek and write of two threads would mix.
/// The engines in the pool use `pread` and `pwrite` calls.
fn pool_engine(engine: EngineKind) -> EngineKind {
    match engine {
        EngineKind::Sync => EngineKind::Psync,
        EngineKind::Vsync => EngineKind::Pvsync,
        other => other,
    }
}

/// Runs tasks until the pool ends.
fn serve(
    (engines, config): (&'static dyn Engines, &BackendConfig),
    slots: Slots,
    queue: &Queue,
    done: &Sender<Completion>,
    opened: &Sender<Result<(), BackendError>>,
) {
    let mut backend = match engines.open(config, slots) {
        Ok(backend) => backend,
        Err(error) => return drop(opened.send(Err(error))),
    };
    drop(opened.send(Ok(())));
    let mut numbers = vec![0; config.files as usize];
    let mut results = Vec::with_capacity(1);
    while let Some(task) = queue.take() {
        let slot = task.op.slot;
        let result = run(backend.as_mut(), &mut numbers, &task, &mut results);
        let result = result.unwrap_or_else(|error| Err(errno::of(&error).unwrap_or(errno::EINVAL)));
        if done.send(Completion { slot, result }).is_err() {
            break;
        }
    }
}

/// Runs an operation on the file of the task. Returns its result.
///
/// # Errors
/// The backend failed.
fn run(
    backend: &mut dyn Backend,
    numbers: &mut [u64],
    task: &Task,
    results: &mut Vec<Completion>,
) -> io::Result<IoResult> {
    let number = &mut numbers[task.op.file as usize];
    if *number != task.file.number {
        if *number != 0 {
            backend.detach(task.op.file)?;
        }
        *number = 0;
        backend.attach(task.op.file, &task.file.file)?;
        *number = task.file.number;
    }
    results.clear();
    while backend.submit(&[task.op])? == 0 {
        std::thread::sleep(Duration::from_micros(100));
    }
    while results.is_empty() {
        backend.reap(1, 1, NO_TIMEOUT, results)?;
    }
    Ok(results[0].result)
}

impl Backend for Offload {
    fn attach(&mut self, index: u32, file: &File) -> io::Result<()> {
        let place = self.files.get_mut(index as usize).ok_or_else(|| misuse("file index beyond the table"))?;
        self.attached += 1;
        *place = Some(Attached { number: self.attached, file: Arc::new(file.clone()) });
        Ok(())
    }

    /// Threads close the file when they get another file at its index, or end.
    fn detach(&mut self, index: u32) -> io::Result<()> {
        let place = self.files.get_mut(index as usize).and_then(Option::take);
        place.map(drop).ok_or_else(|| misuse("no such file attached"))
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        for (at, op) in ops.iter().enumerate() {
            let file = self.files.get(op.file as usize).and_then(Option::as_ref);
            let file = file.ok_or_else(|| misuse("operation on a file that is not attached"));
            match file.and_then(|file| self.slots.start(op).map(|_| file.clone())) {
                Ok(file) => self.queue.lock().waiting.push_back(Task { op: *op, file }),
                Err(_) if at > 0 => return Ok(at),
                Err(error) => return Err(error),
            }
            self.queue.changed.notify_one();
        }
        Ok(ops.len())
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        let min = min.min(max).min(self.slots.in_flight());
        let deadline = Instant::now().checked_add(timeout);
        let mut got = 0;
        while got < max {
            let left = match deadline {
                _ if got >= min => Duration::ZERO,
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
                None => timeout,
            };
            let next = if left.is_zero() {
                self.done.try_recv().ok()
            } else {
                match self.done.recv_timeout(left) {
                    Ok(completion) => Some(completion),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(io::Error::other("the I/O threads have ended"));
                    }
                }
            };
            let Some(completion) = next else { break };
            self.slots.finish(completion.slot);
            out.push(completion);
            got += 1;
        }
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        false
    }
}

impl Drop for Offload {
    fn drop(&mut self) {
        self.queue.lock().closed = true;
        self.queue.changed.notify_all();
        // A thread that is blocked in the kernel keeps running. It owns the memory of its operation.
        if self.slots.in_flight() == 0 {
            for thread in self.threads.drain(..) {
                drop(thread.join());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::OpenOptions;
    use crate::io::op::Kind;
    use crate::memory::{Buffers, MemoryKind, MemorySpec};

    fn buffers(count: u32) -> Buffers {
        let spec = MemorySpec { kind: MemoryKind::Malloc, file: None, align: 0, hugepage_size: 0 };
        Buffers::new(count, 4096, &spec).unwrap()
    }

    fn write_to(file: u32, slot: u32, offset: u64) -> Op {
        Op { kind: Kind::Write, ioprio: 0, file, slot, len: 4096, skip: 0, offset }
    }

    #[test]
    fn offload_completes_operations_of_every_engine() {
        let all = [EngineKind::Sync, EngineKind::Psync, EngineKind::Mmap, EngineKind::Pvsync2, EngineKind::Vsync];
        // Windows has the first three.
        let count = if cfg!(windows) { 3 } else { all.len() };
        for engine in all.into_iter().take(count) {
            let path = std::env::temp_dir().join(format!("fathom-offload-{engine}-{}", std::process::id()));
            std::fs::write(&path, vec![0; 8 * 4096]).unwrap();
            let mut buffers = buffers(4);
            let mut config = BackendConfig::new(engine, 4, 2);
            config.offload = true;
            let mut pool = crate::io::open_backend(&crate::io::Kernel, &config, &buffers).unwrap();
            assert!(!pool.is_synchronous());
            let options = OpenOptions { read: true, write: true, ..OpenOptions::new() };
            let mut done = Vec::new();
            for pass in 0..2u64 {
                // The same index for a file that was closed and opened again.
                pool.attach(1, &options.open(&path).unwrap()).unwrap();
                (0..4).for_each(|slot| buffers.fill(slot, |bytes| bytes.fill(1 + slot as u8)));
                let ops: Vec<Op> = (0..4).map(|slot| write_to(1, slot, (pass * 4 + u64::from(slot)) * 4096)).collect();
                assert_eq!(pool.submit(&ops).unwrap(), 4);
                done.clear();
                pool.reap(4, 4, Duration::from_secs(10), &mut done).unwrap();
                assert_eq!(done.iter().map(|done| done.result).collect::<Vec<_>>(), [Ok(4096); 4], "{engine}");
                pool.detach(1).unwrap();
            }
            drop(pool);
            let written = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            let firsts: Vec<u8> = written.chunks(4096).map(|block| block[4095]).collect();
            assert_eq!(firsts, [1, 2, 3, 4, 1, 2, 3, 4], "{engine}");
        }
    }

    #[test]
    fn misuse_is_an_error_and_does_not_block() {
        let buffers = buffers(2);
        let mut config = BackendConfig::new(EngineKind::Psync, 2, 1);
        config.offload = true;
        let mut pool = crate::io::open_backend(&crate::io::Kernel, &config, &buffers).unwrap();
        assert!(pool.submit(&[write_to(0, 0, 0)]).is_err(), "no file is attached");
        assert!(pool.detach(0).is_err());
        let mut done = Vec::new();
        pool.reap(1, 2, Duration::from_secs(100), &mut done).unwrap();
        assert!(done.is_empty());
    }
}
