//! Control groups that limit memory, with cgroup v1 or v2.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::devices::retry_removal;
use crate::{MIB, skipped};

/// A control group with little memory and without swap. Its processes must end before it is dropped.
pub struct MemoryGroup(pub PathBuf);

impl MemoryGroup {
    /// Makes a group with `mib` of memory. On failure it marks the test as skipped.
    pub fn new(mib: u64) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let is_v2 = !Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists();
        let (parent, files) = match is_v2 {
            false => ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]),
            true => ("/sys/fs/cgroup", ["memory.max", "memory.swap.max"]),
        };
        let name = format!("fathom-memory-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let group = MemoryGroup(Path::new(parent).join(name));
        let bytes = (mib * MIB).to_string();
        let made = std::fs::create_dir(&group.0).and_then(|()| std::fs::write(group.0.join(files[0]), &bytes));
        if let Err(error) = made {
            skipped(&format!("no control group with a limit: {}: {error}", group.0.display()));
            return None;
        }
        // A machine without swap does not have the file.
        drop(std::fs::write(group.0.join(files[1]), if is_v2 { "0" } else { &bytes }));
        Some(group)
    }

    /// Returns the shell command that moves the shell into the group.
    pub fn enter(&self) -> String {
        format!("echo $$ > {}/cgroup.procs", self.0.display())
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        retry_removal(&self.0.display().to_string(), || std::fs::remove_dir(&self.0).is_ok() || !self.0.exists());
    }
}
