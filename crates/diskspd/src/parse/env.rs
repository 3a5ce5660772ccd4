//! What the parser asks of the world. Tests answer with fixed facts.

use std::collections::BTreeMap;
use std::io;

pub trait Env {
    /// Since the machine started; it wraps.
    fn uptime_ms(&self) -> u32;
    fn read_file(&self, path: &str) -> io::Result<Vec<u8>>;
    /// CPUs are numbered from 0, all in group 0.
    fn processors(&self) -> u32;
    /// The machine's disks, a line for each: what to write, and enough to know which it is.
    fn disks(&self) -> Vec<String>;
}

/// A world of given facts.
#[derive(Clone, Default, Debug)]
pub struct FixedEnv {
    files: BTreeMap<String, Vec<u8>>,
}

impl FixedEnv {
    pub const PROCESSORS: u32 = 8;

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

    fn processors(&self) -> u32 {
        FixedEnv::PROCESSORS
    }

    fn disks(&self) -> Vec<String> {
        vec!["/dev/sda  100GiB  SuperFast 9000".to_owned(), "/dev/sdb  1TiB".to_owned()]
    }
}
