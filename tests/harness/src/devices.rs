//! Devices and mounts of one test.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{MIB, Scratch, needs, shell, skipped, system};

/// A loop device over a file.
pub struct Loop {
    pub device: String,
    pub image: PathBuf,
}

impl Loop {
    pub fn new(scratch: &Scratch, mib: u64, options: &str) -> Option<Self> {
        let image = scratch.file("image");
        std::fs::File::create(&image).unwrap().set_len(mib * MIB).unwrap();
        let device = needs(&format!("losetup --show -f {options} {}", image.display()))?;
        Some(Loop { device, image })
    }

    /// Makes two partitions.
    pub fn divide(&self) -> Option<String> {
        // Two entries of a partition table, each of type 0x83: 32768 sectors from 2048 on, and from 65536 on.
        let mut table = vec![0u8; 512];
        table[450..462].copy_from_slice(&[0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0x80, 0, 0]);
        table[466..478].copy_from_slice(&[0x83, 0, 0, 0, 0, 0, 1, 0, 0, 0x80, 0, 0]);
        table[510..].copy_from_slice(&[0x55, 0xaa]);
        let disk = &self.device;
        std::fs::OpenOptions::new().write(true).open(disk).unwrap().write_all(&table).unwrap();
        needs(&format!(
            "partx --update {disk}; for n in $(seq 200); do test -e {disk}p2 && exit; sleep 0.05; done; exit 1"
        ))
    }

    /// Lets I/O beyond `mib` fail.
    pub fn cut(&self, mib: u64) {
        std::fs::OpenOptions::new().write(true).open(&self.image).unwrap().set_len(mib * MIB).unwrap();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        system(&format!("losetup -d {}", self.device));
    }
}

/// A disk in memory.
pub struct Zram {
    pub device: String,
    number: u32,
}

impl Zram {
    /// Makes a device; marks the test as skipped if it cannot.
    pub fn new(mib: u64) -> Option<Self> {
        Zram::made(mib).map_err(|why| skipped(&why)).ok()
    }

    /// Makes a device.
    ///
    /// # Errors
    ///
    /// Returns why the kernel makes no device.
    pub fn made(mib: u64) -> Result<Self, String> {
        let control = "/sys/class/zram-control/hot_add";
        let number = std::fs::read_to_string(control).map_err(|error| format!("no zram device: {control}: {error}"))?;
        let number = number.trim().parse().map_err(|error| format!("{control}: {error}"))?;
        let zram = Zram { device: format!("/dev/zram{number}"), number };
        shell(&format!("echo {mib}M > {}/disksize", zram.sysfs().display()))?;
        Ok(zram)
    }

    pub fn path(&self) -> PathBuf {
        PathBuf::from(&self.device)
    }

    /// Returns the number of writes since the device was made.
    pub fn writes(&self) -> u64 {
        let stat = std::fs::read_to_string(self.stat()).unwrap();
        stat.split_whitespace().nth(4).unwrap().parse().unwrap()
    }

    /// Returns the device's number, as `252:1`.
    pub fn number(&self) -> String {
        std::fs::read_to_string(self.sysfs().join("dev")).unwrap().trim().to_owned()
    }

    /// Returns the file in which the kernel counts the I/Os of the device.
    pub fn stat(&self) -> PathBuf {
        self.sysfs().join("stat")
    }

    fn sysfs(&self) -> PathBuf {
        format!("/sys/block/zram{}", self.number).into()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let remove = || std::fs::write("/sys/class/zram-control/hot_remove", self.number.to_string()).is_ok();
        go_away(&self.device, remove);
    }
}

/// A mount, taken away at the end.
pub struct Mount(pub PathBuf);

impl Mount {
    pub fn new(what: &str, at: &Path) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        needs(&format!("mount {what} {}", at.display()))?;
        Some(Mount(at.to_path_buf()))
    }

    pub fn tmpfs(mib: u64, at: &Path) -> Option<Self> {
        Mount::new(&format!("-t tmpfs -o size={mib}m none"), at)
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        system(&format!("umount {}", self.0.display()));
    }
}

/// Takes something away that is in use for a moment longer, by a process that ends or one that looks at all devices.
pub(crate) fn go_away(what: &str, remove: impl Fn() -> bool) {
    let gone = (0..250).any(|_| {
        let gone = remove();
        std::thread::sleep(Duration::from_millis(if gone { 0 } else { 20 }));
        gone
    });
    if !gone {
        eprintln!("{what} is left behind");
    }
}
