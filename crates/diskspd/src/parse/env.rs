//! What the parser asks of the world. Tests answer with fixed facts.

use std::collections::BTreeMap;
use std::io;

pub trait Env {
    /// Since the machine started; it wraps.
    fn uptime_ms(&self) -> u32;
    /// The first `most_bytes` of a file, which may be a device without an end.
    fn read_file(&self, path: &str, most_bytes: usize) -> io::Result<Vec<u8>>;
    /// The numbers of the processors that are running.
    fn processors(&self) -> Vec<u32>;
}

/// A world of given facts.
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

    fn processors(&self) -> Vec<u32> {
        (0..8).collect()
    }
}
