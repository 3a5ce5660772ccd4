//! Environment of the parser. Tests use fixed values.

use std::collections::BTreeMap;
use std::io;

pub trait Env {
    /// Returns the time since boot in ms. It wraps.
    fn uptime_ms(&self) -> u32;
    /// Reads a file.
    ///
    /// # Errors
    /// Returns the error of opening or reading the file, or that it is too large.
    fn read_file(&self, path: &str) -> io::Result<Vec<u8>>;
    /// Returns the numbers of the online CPUs.
    fn online_cpus(&self) -> Vec<u32>;
}

/// A fixed environment for tests.
#[derive(Clone, Default, Debug)]
pub struct FixedEnv {
    files: BTreeMap<String, Vec<u8>>,
}

impl FixedEnv {
    pub fn file(mut self, path: &str, bytes: &[u8]) -> FixedEnv {
        self.files.insert(path.to_owned(), bytes.to_owned());
        self
    }
}

impl Env for FixedEnv {
    fn uptime_ms(&self) -> u32 {
        123_456
    }

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn online_cpus(&self) -> Vec<u32> {
        (0..8).collect()
    }
}
