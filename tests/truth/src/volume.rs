//! File systems on zram devices.

use std::path::{Path, PathBuf};

use harness::{Scratch, Zram, shell};

/// A mounted file system. Drop unmounts it and removes its device.
pub struct Volume {
    mount_point: PathBuf,
    is_mounted: bool,
    pub device: Zram,
}

impl Volume {
    /// Creates an xfs, or an ext4 where that fails. Both pass direct I/O to the device unchanged.
    pub fn new(scratch: &Scratch, name: &str, mib: u64) -> Result<Self, String> {
        let (device, mount_point) = (Zram::made(mib)?, scratch.file(name));
        let path = device.path();
        let path = path.display();
        std::fs::create_dir_all(&mount_point).unwrap();
        shell(&format!("mkfs.xfs -q -f {path} || mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 {path}"))?;
        shell(&format!("mount -o noatime,nodiratime {path} {}", mount_point.display()))?;
        Ok(Volume { mount_point, is_mounted: true, device })
    }

    /// Unmounts the file system. The device then has no user.
    pub fn unmount(&mut self) -> Result<(), String> {
        shell(&format!("umount {}", self.mount_point.display()))?;
        self.is_mounted = false;
        Ok(())
    }

    /// Returns the mount point.
    pub fn path(&self) -> &Path {
        &self.mount_point
    }

    /// Creates a file of zeroes, a multiple of 4 MiB. zram stores nothing for zeroes.
    pub fn file(&self, name: &str, mib: u64) {
        let path = self.mount_point.join(name);
        shell(&format!("dd if=/dev/zero of={} bs=4M count={} oflag=direct", path.display(), mib / 4)).unwrap();
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if !self.is_mounted {
            return;
        }
        if let Err(error) = shell(&format!("umount {}", self.mount_point.display())) {
            eprintln!("{error}");
        }
    }
}
