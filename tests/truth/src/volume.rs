//! File systems on the test's own devices.

use std::path::{Path, PathBuf};

use harness::{Scratch, Zram, shell};

/// A mounted file system, gone at the end; its device goes after it.
pub struct Volume {
    at: PathBuf,
    pub device: Zram,
}

impl Volume {
    /// The first of the two file systems that can be made here: each gives I/O to the device as it comes.
    pub fn new(scratch: &Scratch, name: &str, mib: u64) -> Result<Self, String> {
        let (device, at) = (Zram::made(mib)?, scratch.file(name));
        let path = device.path();
        let path = path.display();
        std::fs::create_dir_all(&at).unwrap();
        shell(&format!("mkfs.xfs -q -f {path} || mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 {path}"))?;
        shell(&format!("mount -o noatime,nodiratime {path} {}", at.display()))?;
        Ok(Volume { at, device })
    }

    pub fn path(&self) -> &Path {
        &self.at
    }

    /// A file of a multiple of 4 MiB whose blocks are all written: with zeroes, of which zram keeps no copy.
    pub fn file(&self, name: &str, mib: u64) {
        let path = self.at.join(name);
        shell(&format!("dd if=/dev/zero of={} bs=4M count={} oflag=direct", path.display(), mib / 4)).unwrap();
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if let Err(why) = shell(&format!("umount {}", self.at.display())) {
            eprintln!("{why}");
        }
    }
}
