//! Workers for tests: the plan's own default, changed field by field.

use plan::*;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// A job with `rw` and one block size, on `paths`.
pub(crate) fn worker(name: &str, rw: &str, block: u64, paths: &[&Path]) -> Worker {
    let mixed = rw.ends_with("rw");
    let pattern = Pattern {
        reads: mixed || rw.ends_with("read"),
        writes: mixed || rw.ends_with("write"),
        trims: rw.contains("trim"),
        random: rw.starts_with("rand"),
    };
    let trim_then_write = rw.contains("trimwrite");
    let load = JobLoad {
        targets: Targets { paths: paths.iter().map(|path| text(path)).collect(), ..Targets::default() },
        access: Access { pattern, block: BlockSizes::all(block), trim_then_write, ..Access::default() },
        ..JobLoad::default()
    };
    Worker { name: name.into(), load: Load::Job(Box::new(load)), ..Worker::default() }
}

/// Such a worker with streams on `paths` in place of a pattern, four I/Os in flight for each.
pub(crate) fn streaming_worker(paths: &[&Path]) -> Worker {
    let order = stream::Order::Random { align_bytes: 4096 };
    let stream = |(target, path): (u32, &&Path)| Stream { path: text(path), target, order, ..Stream::default() };
    let list: Vec<Stream> = (0..).zip(paths).map(stream).collect();
    let queue = |stream| stream::Queue { depth: 4, shares: vec![stream::StreamShare { stream, weight: 1 }] };
    let queues = (0..list.len() as u32).map(queue).collect();
    let mut worker = worker("thread", "randrw", 4096, paths);
    let streams = Streams { list, queues, ..Streams::default() };
    worker.engine = Engine::IoUring(IoUring::default());
    worker.load = Load::Threads(streams);
    worker.limits.exit_all_on_error = ExitAll::Phase;
    worker
}

fn text(path: &Path) -> String {
    path.to_str().expect("test paths are text").to_owned()
}

/// A directory of the test's own, removed at its end.
pub(crate) struct Scratch(std::path::PathBuf);

impl Scratch {
    pub(crate) fn new(test: &str) -> Self {
        // Several tests at once may go by one name.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fathom-{test}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory can be written");
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("{} stays: {error}", self.0.display());
        }
    }
}

/// A loop device over a file of the test's own.
pub(crate) struct Loop(std::path::PathBuf);

impl Loop {
    /// Says so and returns none where loop devices can't be had.
    pub(crate) fn new(file: &Path, bytes: u64, options: &[&str]) -> Option<Self> {
        std::fs::File::create(file).and_then(|file| file.set_len(bytes)).expect("the scratch directory takes files");
        let mut command = std::process::Command::new("losetup");
        let made = command.args(options).args(["--find", "--show"]).arg(file).output().ok()?;
        if !made.status.success() {
            eprintln!("SKIPPED: no loop device: {}", String::from_utf8_lossy(&made.stderr));
            return None;
        }
        Some(Loop(String::from_utf8_lossy(&made.stdout).trim().into()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let done = std::process::Command::new("losetup").arg("--detach").arg(&self.0).status();
        if !done.is_ok_and(|status| status.success()) {
            eprintln!("{} stays", self.0.display());
        }
    }
}

/// Returns a stream of a worker with streams.
pub fn stream(worker: &mut Worker, index: usize) -> &mut Stream {
    match &mut worker.load {
        Load::Threads(streams) => &mut streams.list[index],
        Load::Job(_) => panic!("{} has no streams", worker.name),
    }
}
