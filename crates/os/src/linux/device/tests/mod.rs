//! Holders and disks.

mod real_devices;
mod simulated;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::Kernel;

/// A temporary folder of one test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fathom-os-device-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(fs::canonicalize(path).unwrap())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(&self, from: &str, to: &str) {
        let from = self.0.join(from);
        fs::create_dir_all(from.parent().unwrap()).unwrap();
        symlink(self.0.join(to), from).unwrap();
    }

    /// Adds a disk or, as `sda/sda1`, a partition.
    fn device(&self, name: &str, number: &str) {
        let folder = format!("sys/devices/{name}");
        self.write(&format!("{folder}/dev"), &format!("{number}\n"));
        self.link(&format!("sys/dev/block/{number}"), &folder);
        match name.split_once('/') {
            Some(_) => self.write(&format!("{folder}/partition"), "1\n"),
            None => self.link(&format!("sys/block/{name}"), &folder),
        }
    }

    /// Stacks `upper` on `lower`.
    fn stack(&self, upper: &str, lower: &str) {
        let name = |path: &str| path.rsplit('/').next().unwrap().to_string();
        self.link(&format!("sys/devices/{upper}/slaves/{}", name(lower)), &format!("sys/devices/{lower}"));
        self.link(&format!("sys/devices/{lower}/holders/{}", name(upper)), &format!("sys/devices/{upper}"));
    }

    fn kernel(&self, mountinfo: &str) -> Kernel {
        self.write("proc/self/mountinfo", mountinfo);
        self.write("proc/swaps", "Filename Type Size Used Priority\n");
        fs::create_dir_all(self.0.join("sys/block")).unwrap();
        Kernel { sys: self.0.join("sys"), proc: self.0.join("proc"), dev: self.0.join("dev") }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}
