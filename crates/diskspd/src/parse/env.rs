//! What the parser asks of the world. Tests answer with fixed facts.

use std::collections::BTreeMap;
use std::io;

pub trait Env {
    /// Since the machine started; it wraps.
    fn uptime_ms(&self) -> u32;
    fn read_file(&self, path: &str) -> io::Result<Vec<u8>>;
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

    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn processors(&self) -> Vec<u32> {
        (0..8).collect()
    }
}
