//! Scratch folders.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Returns the folder that a run of `fathom assess` or `fathom knee` has made in `directory`.
pub fn run_folder(directory: &Path) -> Option<PathBuf> {
    let paths = std::fs::read_dir(directory).ok()?.map(|entry| entry.unwrap().path());
    let is_made = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(".fathom-assess-");
    paths.into_iter().find(is_made)
}

/// A temporary folder. It is removed on drop.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes a folder whose name contains that of the test.
    pub fn new(test: &str) -> Self {
        Scratch::within(&std::env::temp_dir(), test)
    }

    /// Makes such a folder in another one.
    pub fn within(parent: &Path, test: &str) -> Self {
        Scratch(tempfile::Builder::new().prefix(&format!("fathom-{test}-")).tempdir_in(parent).unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file of `bytes` non-zero bytes.
    pub fn filled(&self, name: &str, bytes: u64) -> PathBuf {
        let path = self.file(name);
        std::fs::write(&path, vec![0x5a; bytes as usize]).unwrap();
        path
    }

    /// Returns the sorted names in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
