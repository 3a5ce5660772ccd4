//! Environment of the parser. Tests use fixed values.

use std::collections::BTreeMap;
use std::io;

pub trait Env {
    /// Returns the time since boot in ms. It wraps.
    fn uptime_ms(&self) -> u32;
    /// Returns the first `most_bytes` of a file. The file can be a device of unlimited size.
    ///
    /// # Errors
    /// Returns the error of opening or reading the file.
    fn read_file(&self, path: &str, most_bytes: usize) -> io::Result<Vec<u8>>;
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

    fn read_file(&self, path: &str, most_bytes: usize) -> io::Result<Vec<u8>> {
        let bytes = self.files.get(path).map(|bytes| bytes[..bytes.len().min(most_bytes)].to_owned());
        bytes.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn online_cpus(&self) -> Vec<u32> {
        (0..8).collect()
    }
}
