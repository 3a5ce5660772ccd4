//! Random numbers of the system, for jobs that are not repeatable.

use std::hash::{BuildHasher, Hasher};

/// Returns a random number.
pub fn draw() -> u64 {
    let mut bytes = [0; 8];
    let read = os::process::random_bytes(&mut bytes);
    // Without random bytes, address space randomization still differs from run to run.
    let fallback = || std::hash::RandomState::new().build_hasher().finish();
    read.map_or_else(|_| fallback(), |()| u64::from_ne_bytes(bytes))
}
