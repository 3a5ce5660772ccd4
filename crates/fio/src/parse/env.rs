//! Access to environment variables, files and properties of the machine. Tests use fixed values.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use iolog::{MergeError, MergeSource};

/// The environment of the parser.
pub trait Env {
    fn var(&self, name: &str) -> Option<String>;
    /// Returns the content of a file. The path `-` is standard input.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    fn read_file(&self, path: &str) -> io::Result<Vec<u8>>;
    /// Opens a log of I/Os, which can be larger than the memory.
    ///
    /// # Errors
    ///
    /// Fails if it is no regular file or cannot be opened.
    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>>;
    /// Merges traces into a file.
    ///
    /// # Errors
    ///
    /// A trace cannot be read, or the file is refused or cannot be written. An environment without access to files refuses.
    fn merge_traces(&self, _sources: &[MergeSource], _into: &str) -> Result<(), MergeError> {
        Err(MergeError::Output(io::Error::other("merge the traces in a run of their own (--merge-blktrace-only)")))
    }
    fn exists(&self, path: &str) -> bool;
    fn is_directory(&self, path: &str) -> bool;
    fn machine(&self) -> MachineSizes;
}

/// Values of `$pagesize`, `$mb_memory` and `$ncpus`, and the memory for jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MachineSizes {
    pub page_bytes: u64,
    pub memory_mib: Option<u64>,
    pub cpus: u64,
    /// Memory that this process can still allocate.
    pub free_memory_bytes: Option<u64>,
}

/// An environment with fixed variables, files and properties.
#[derive(Clone, Default, Debug)]
pub struct FixedEnv {
    vars: BTreeMap<String, String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl FixedEnv {
    pub fn var(mut self, name: &str, value: &str) -> FixedEnv {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn file(mut self, path: &str, bytes: &[u8]) -> FixedEnv {
        self.files.insert(path.to_owned(), bytes.to_owned());
        self
    }
}

impl Env for FixedEnv {
    fn var(&self, name: &str) -> Option<String> {
        self.vars.get(name).cloned()
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn open_log(&self, path: &str) -> io::Result<Box<dyn BufRead>> {
        Ok(Box::new(io::Cursor::new(self.read_file(path)?)))
    }

    fn exists(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns whether `path` is not one of the files.
    fn is_directory(&self, path: &str) -> bool {
        !self.files.contains_key(path)
    }

    fn machine(&self) -> MachineSizes {
        MachineSizes { page_bytes: 4096, memory_mib: Some(16_384), cpus: 8, free_memory_bytes: Some(16 << 30) }
    }
}
