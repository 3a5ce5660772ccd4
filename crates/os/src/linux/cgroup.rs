//! Control groups: the one of this thread (version 1) or of the process (version 2).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::process::thread_id;

/// Tries to remove a group. Threads that have just ended can still be in it.
const REMOVE_TRIES: u32 = 50;
const REMOVE_PAUSE: Duration = Duration::from_millis(10);

/// The mount that limits I/O.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mount {
    pub path: PathBuf,
    /// Version 2. A thread cannot be in another group than its process.
    pub is_unified: bool,
}

impl Mount {
    /// Finds the mount of the controller for block I/O.
    ///
    /// # Errors
    /// Returns ENOENT if there is no such mount. Returns the error of reading `/proc/mounts`.
    pub fn find() -> io::Result<Mount> {
        Mount::of_table(&fs::read_to_string("/proc/mounts")?).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn of_table(mounts: &str) -> Option<Mount> {
        mounts.lines().find_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (path, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
            let is_unified = kind == "cgroup2";
            let is_block_io = kind == "cgroup" && options.split(',').any(|option| option == "blkio");
            (is_unified || is_block_io).then(|| Mount { path: path.into(), is_unified })
        })
    }

    /// Creates a group unless it exists. Returns true if it did not.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn create(&self, name: &str) -> io::Result<bool> {
        match fs::create_dir(self.group(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Sets the weight of a group, from 100 to 1000.
    ///
    /// # Errors
    /// The kernel has no weights in version 1, or does not accept this one.
    pub fn set_weight(&self, name: &str, weight: u32) -> io::Result<()> {
        let set = |file: &str| fs::write(self.group(name).join(file), weight.to_string());
        match set("blkio.weight") {
            // Kernels since 5.0 have only the weight of BFQ.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => set("blkio.bfq.weight"),
            set => set,
        }
    }

    /// Returns the group of this process in version 2.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn current(&self) -> io::Result<String> {
        let groups = fs::read_to_string("/proc/self/cgroup")?;
        Ok(groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or_default().to_owned())
    }

    /// Moves the calling thread to a group, or the whole process in version 2. The empty name is the root.
    ///
    /// # Errors
    /// The kernel does not accept the thread.
    pub fn enter(&self, name: &str) -> io::Result<()> {
        let (file, id) = if self.is_unified { ("cgroup.procs", std::process::id()) } else { ("tasks", thread_id()) };
        fs::write(self.group(name).join(file), id.to_string())
    }

    /// Removes a group without threads.
    ///
    /// # Errors
    /// Threads are still in it after 0.5 s, or it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let mut removed = Ok(());
        for _ in 0..REMOVE_TRIES {
            removed = fs::remove_dir(self.group(name));
            if !removed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy) {
                break;
            }
            std::thread::sleep(REMOVE_PAUSE);
        }
        removed
    }

    fn group(&self, name: &str) -> PathBuf {
        self.path.join(Path::new(name.trim_start_matches('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_for_block_io_is_found() {
        let one =
            "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0\n";
        let found = Mount { path: "/sys/fs/cgroup/blkio".into(), is_unified: false };
        assert_eq!(Mount::of_table(one), Some(found));
        let two = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        assert_eq!(Mount::of_table(two), Some(Mount { path: "/sys/fs/cgroup".into(), is_unified: true }));
        assert_eq!(Mount::of_table("proc /proc proc rw 0 0\n"), None);
    }
}
