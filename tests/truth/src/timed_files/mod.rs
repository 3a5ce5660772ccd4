//! Files whose latency is known: a FUSE file system that answers each read and write after a programmed time, and tells
//! what it programmed and what it then measured.
//!
//! Its files go past the page cache and keep nothing: reads bring zeros.

mod answers;
mod file_system;
mod program;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use fuser::{BackgroundSession, Config, MountOption};

pub use program::Program;

use answers::Answers;
use file_system::FileSystem;
use harness::{Scratch, go_first, shell, skipped};

/// A request that was answered.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    pub file: u32,
    pub write: bool,
    pub offset: u64,
    pub bytes: u32,
    /// Since the first request of the program.
    pub arrived: Duration,
    /// How long it was to take.
    pub programmed: Duration,
    /// How long it took, from its receipt to its answer: what any program that waits for it has to see at least.
    pub took: Duration,
}

impl Served {
    /// How much later than programmed it was answered.
    pub fn late(&self) -> Duration {
        self.took.saturating_sub(self.programmed)
    }
}

/// A mounted file system; unmounted when dropped.
pub struct TimedFiles {
    answers: Arc<Answers>,
    server: Option<JoinHandle<()>>,
    session: Option<BackgroundSession>,
    folder: PathBuf,
    scratch: Scratch,
    _alone: MutexGuard<'static, ()>,
}

/// Tests of time don't run beside one another.
static ALONE: Mutex<()> = Mutex::new(());

impl TimedFiles {
    /// `None`, and a word about it, where there is no FUSE. The files answer at once until they are given a program.
    pub fn mount(test: &str, files: u32, bytes: u64) -> Option<Self> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let scratch = Scratch::new(test);
        let folder = scratch.file("files");
        std::fs::create_dir(&folder).unwrap();
        let answers = Arc::new(Answers::default());
        let file_system = FileSystem { answers: answers.clone(), files, bytes };
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("fathom-truth".into())];
        config.n_threads = Some(2);
        // What this thread starts inherits its priority.
        let (at, serving) = (folder.clone(), answers.clone());
        let mounting = std::thread::spawn(move || {
            go_first();
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
                _alone: alone,
            }),
            Err(error) => {
                skipped(&format!("no FUSE file system to be had: {error}"));
                None
            }
        }
    }

    /// Where runs can keep what they write.
    pub fn beside(&self) -> &Path {
        self.scratch.path()
    }

    pub fn file(&self, number: u32) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// Answers by this program from now on, and forgets what was served.
    pub fn begin(&self, program: Program) {
        self.answers.begin(program);
    }

    /// What was answered since `begin`, in the order of the answers.
    pub fn served(&self) -> Vec<Served> {
        self.answers.served()
    }
}

impl Drop for TimedFiles {
    fn drop(&mut self) {
        self.answers.close();
        // Lazily, as a run that was given up may still have a file open.
        drop(shell(&format!("umount -l {}", self.folder.display())));
        drop(self.session.take());
        drop(self.server.take().map(JoinHandle::join));
    }
}
