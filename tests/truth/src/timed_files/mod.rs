//! Files with known latency: a FUSE file system that answers each read, write and sync after a programmed delay, and records the delay and
//! the time that it measured.
//!
//! The files bypass the page cache and store nothing. Reads return zeros.

mod answers;
mod file_system;
mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

use fuser::{BackgroundSession, Config, MountOption};

use answers::Answers;
pub use answers::{RequestKind, Served};
use file_system::FileSystem;
use harness::{Scratch, shell, skipped, use_realtime_priority};
pub use program::Program;

/// A mounted file system; unmounted on drop.
pub struct TimedFiles {
    answers: Arc<Answers>,
    server: Option<JoinHandle<()>>,
    session: Option<BackgroundSession>,
    folder: PathBuf,
    scratch: Scratch,
    _exclusive: std::fs::File,
}

/// Returns the lock that each mount holds, between processes: tests of time run one at a time.
fn exclusive() -> std::fs::File {
    let path = std::env::temp_dir().join("fathom-truth-timed-files.lock");
    // It may be another user's.
    let file = std::fs::File::open(&path).or_else(|_| std::fs::File::create(&path));
    let file = file.expect("the lock file opens");
    file.lock().expect("the timed files are locked");
    file
}

impl TimedFiles {
    /// Mounts the files. Without FUSE it reports the test as skipped and returns `None`. The delay is 0 until `begin`.
    pub fn mount(test: &str, files: u32, bytes: u64) -> Option<Self> {
        let exclusive = exclusive();
        let scratch = Scratch::new(test);
        let folder = scratch.file("files");
        std::fs::create_dir(&folder).unwrap();
        let answers = Arc::new(Answers::default());
        let file_system = FileSystem { answers: answers.clone(), files, bytes };
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("fathom-truth".into())];
        config.n_threads = Some(2);
        // Threads that this thread starts inherit its priority.
        let (at, serving) = (folder.clone(), answers.clone());
        let mounting = std::thread::spawn(move || {
            use_realtime_priority();
            let session = fuser::spawn_mount(file_system, at, &config)?;
            Ok::<_, std::io::Error>((session, std::thread::spawn(move || serving.serve())))
        });
        match mounting.join().expect("mounting does not panic") {
            Ok((session, server)) => Some(TimedFiles {
                answers,
                server: Some(server),
                session: Some(session),
                folder,
                scratch,
                _exclusive: exclusive,
            }),
            Err(error) => {
                skipped(&format!("no FUSE: {error}"));
                None
            }
        }
    }

    /// Returns a folder for the output of runs.
    pub fn beside(&self) -> &Path {
        self.scratch.path()
    }

    /// Returns the path of a file.
    pub fn file(&self, number: u32) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// Applies a program from now on and clears the list of served requests.
    pub fn begin(&self, program: Program) {
        self.answers.begin(program);
    }

    /// Makes each close of a file fail with EIO. Call this before the first close.
    pub fn fail_closes(&self) {
        self.answers.fails_closes.store(true, Relaxed);
    }

    /// Returns the time of day of the first request since `begin`.
    pub fn first_arrival_unix_us(&self) -> u64 {
        self.answers.first_arrival_unix_us()
    }

    /// Returns the requests served since `begin`, in the order of the answers.
    pub fn served(&self) -> Vec<Served> {
        self.answers.served()
    }
}

impl Drop for TimedFiles {
    fn drop(&mut self) {
        self.answers.close();
        // Lazy, as an aborted run may still have a file open.
        drop(shell(&format!("umount -l {}", self.folder.display())));
        drop(self.session.take());
        drop(self.server.take().map(JoinHandle::join));
    }
}
