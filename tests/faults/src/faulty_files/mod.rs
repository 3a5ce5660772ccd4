//! A FUSE file system in memory whose operations fail on request.

mod fault;
mod file_system;
mod state;
mod tree;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use fuser::{BackgroundSession, Config, MountOption};

pub use fault::{Effect, Fault, Operation};
use file_system::FileSystem;
use harness::{Scratch, shell, skipped, wait_until};
use state::State;

/// A mounted file system with one file, `f`; unmounted on drop.
pub struct FaultyFiles {
    state: Arc<State>,
    session: Option<BackgroundSession>,
    folder: PathBuf,
}

impl FaultyFiles {
    /// Mounts the file system at `files` in the scratch folder, with a file `f` of `bytes`. Without FUSE it marks the test
    /// as skipped.
    pub fn mount(scratch: &Scratch, bytes: usize, is_cached: bool) -> Option<Self> {
        let folder = scratch.file("files");
        std::fs::create_dir(&folder).unwrap();
        let state = Arc::new(State::new(folder.clone()));
        let file = state.tree(|tree| tree.make_file(tree::ROOT, OsStr::new("f"), vec![0x5a; bytes], 0o644));
        assert!(file.is_ok(), "a new tree has no file");
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("fathom-faults".into())];
        let file_system = FileSystem { state: Arc::clone(&state), is_cached };
        match fuser::spawn_mount(file_system, &folder, &config) {
            Ok(session) => Some(FaultyFiles { state, session: Some(session), folder }),
            Err(error) => {
                skipped(&format!("no FUSE: {error}"));
                None
            }
        }
    }

    /// Activates a fault and counts its operations from now on.
    pub fn arm(&self, fault: Fault) {
        self.state.arm(Some(fault));
    }

    /// Ends the fault. Requests that hang fail with EIO.
    pub fn disarm(&self) {
        self.state.arm(None);
    }

    /// Returns true if the fault has occurred.
    pub fn has_occurred(&self) -> bool {
        self.state.has_occurred()
    }

    /// Waits until the fault has occurred or `is_over` returns true.
    pub fn wait_for_fault(&self, is_over: impl Fn() -> bool) {
        wait_until("the fault", || self.has_occurred() || is_over());
    }

    /// Returns the paths of all files and folders.
    pub fn paths(&self) -> Vec<String> {
        self.state.tree(|tree| tree.paths(tree::ROOT))
    }
}

impl Drop for FaultyFiles {
    fn drop(&mut self) {
        self.disarm();
        // Lazy, as an aborted run may still have a file open.
        drop(shell(&format!("umount -l {}", self.folder.display())));
        drop(self.session.take());
    }
}
