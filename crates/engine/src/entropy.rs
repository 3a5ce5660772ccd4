//! Random numbers of the system, for jobs that are not repeatable.

use std::hash::{BuildHasher, Hasher};
use std::io::Read;

/// Returns a random number.
pub fn draw() -> u64 {
    let mut bytes = [0; 8];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    // Without the device, address space randomization still differs from run to run.
    let fallback = || std::hash::RandomState::new().build_hasher().finish();
    read.map_or_else(|_| fallback(), |()| u64::from_ne_bytes(bytes))
}
