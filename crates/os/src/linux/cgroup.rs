//! Control groups: the one of this thread (version 1) or of the process (version 2).
//!
//! A name comes from a job. Each of its folders is opened in the one above, symbolic links are not followed, and only files of a
//! control group file system are written.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use super::device;
use super::process::thread_id;
use crate::device::MountPoint;
use crate::file::{File, Folder, OpenOptions};

/// Tries to remove a group. Threads that have just ended can still be in it.
const REMOVE_TRIES: u32 = 50;
const REMOVE_PAUSE: Duration = Duration::from_millis(10);
/// File systems of version 1 and 2, from `linux/magic.h`.
const FILE_SYSTEMS: [u64; 2] = [0x0027_e0eb, 0x6367_7270];
/// Permissions of a new group, before the umask.
const GROUP_MODE: u32 = 0o755;

/// The mount that limits I/O.
#[derive(Debug)]
pub struct Mount {
    root: Folder,
    /// Version 2. A thread cannot be in another group than its process.
    pub is_unified: bool,
}

impl Mount {
    /// Finds the mount of the controller for block I/O.
    ///
    /// # Errors
    /// Returns ENOENT if there is no such mount. Returns the error of reading the mounts, or of opening the mount.
    pub fn find() -> io::Result<Mount> {
        let for_block_io = |mount: &GroupMount| mount.has("blkio");
        let GroupMount { at, version } = mounts()?.into_iter().find(for_block_io).ok_or(io::ErrorKind::NotFound)?;
        let root = OpenOptions { identify: true, ..OpenOptions::new() }.open(&at)?;
        require_control_groups(&root)?;
        Ok(Mount { root: Folder::hold(&root.at())?, is_unified: version == Version::Unified })
    }

    /// Creates a group unless it exists. Returns true if it did not.
    ///
    /// # Errors
    /// The name is no name of a group, or the directory cannot be created.
    pub fn create(&self, name: &str) -> io::Result<bool> {
        let Some((above, name)) = self.entry(name)? else { return Ok(false) };
        match above.make_dir(&name, GROUP_MODE) {
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
        let set = |file: &str| self.write(name, file, weight);
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
        self.write(name, file, id)
    }

    /// Removes a group without threads.
    ///
    /// # Errors
    /// Threads are still in it after 0.5 s, or it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let Some((above, name)) = self.entry(name)? else { return Ok(()) };
        let mut removed = Ok(());
        for _ in 0..REMOVE_TRIES {
            removed = above.remove_empty(&name);
            if !removed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy) {
                break;
            }
            std::thread::sleep(REMOVE_PAUSE);
        }
        removed
    }

    fn write(&self, name: &str, file: &str, value: u32) -> io::Result<()> {
        let group = match self.entry(name)? {
            Some((above, name)) => above.below(&name)?,
            None => self.root.clone(),
        };
        let options = OpenOptions { write: true, no_follow: true, nonblock: true, ..OpenOptions::new() };
        let file = options.open_in(&group, Path::new(file), Path::new(file))?;
        require_control_groups(&file)?;
        file.write_at(value.to_string().as_bytes(), 0).map(drop)
    }

    /// Returns the folder above a group, and the last part of its name. `None` for the root.
    fn entry(&self, name: &str) -> io::Result<Option<(Folder, PathBuf)>> {
        let path = Path::new(name.trim_start_matches('/'));
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            let text = format!("{name} is not the name of a control group: it has a part . or ..");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let Some(last) = path.file_name() else { return Ok(None) };
        let mut above = path.parent().into_iter().flat_map(Path::components);
        let above = above.try_fold(self.root.clone(), |folder, part| folder.below(part))?;
        Ok(Some((above, last.into())))
    }
}

fn require_control_groups(file: &File) -> io::Result<()> {
    match FILE_SYSTEMS.contains(&file.file_system_magic()?) {
        true => Ok(()),
        false => Err(io::Error::other(format!("{} is not on a control group file system", file.path().display()))),
    }
}

/// A mounted file system of control groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GroupMount {
    pub(crate) at: PathBuf,
    pub(crate) version: Version,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    /// Version 1, with the options of its mount. The names of its controllers are among them.
    Controllers(String),
    /// Version 2, which has all controllers.
    Unified,
}

impl GroupMount {
    fn of(MountPoint { at, file_system, options, .. }: MountPoint) -> Option<GroupMount> {
        let version = match file_system.raw() {
            "cgroup" => Version::Controllers(options.into_raw()),
            "cgroup2" => Version::Unified,
            _ => return None,
        };
        Some(GroupMount { at, version })
    }

    /// Returns true if its groups have a controller.
    pub(crate) fn has(&self, controller: &str) -> bool {
        match &self.version {
            Version::Controllers(options) => options.split(',').any(|option| option == controller),
            Version::Unified => true,
        }
    }
}

/// Returns where control groups are mounted, in the order of the kernel's table.
///
/// # Errors
/// Returns the error of reading the table.
pub(crate) fn mounts() -> io::Result<Vec<GroupMount>> {
    Ok(device::all_mounts()?.into_iter().filter_map(GroupMount::of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_both_versions_have_their_controllers() {
        let of = |kind: &str, options: &str| {
            let (at, source) = ("/sys/fs/cgroup".into(), PathBuf::new());
            let mount = GroupMount::of(MountPoint { at, source, file_system: kind.into(), options: options.into() })?;
            Some(["cpu", "blkio"].map(|controller| mount.has(controller)))
        };
        assert_eq!(of("cgroup", "rw,relatime,cpu,cpuacct"), Some([true, false]));
        assert_eq!(of("cgroup", "rw,blkio"), Some([false, true]));
        assert_eq!(of("cgroup2", "rw,nosuid"), Some([true, true]));
        assert_eq!(of("proc", "rw"), None);
    }
}
