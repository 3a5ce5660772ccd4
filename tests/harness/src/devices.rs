//! Devices and mounts for tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

    /// Returns the device number, such as `7:1`.
    pub fn number(&self) -> String {
        let name = self.device.trim_start_matches("/dev/");
        std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap().trim().to_owned()
    }

    /// Makes two partitions.
    pub fn make_partitions(&self) -> Option<String> {
        // Two entries of a partition table with type 0x83: 32768 sectors from 2048 and from 65536.
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

    /// Truncates the backing file to `mib`: I/O beyond it fails.
    pub fn truncate(&self, mib: u64) {
        std::fs::OpenOptions::new().write(true).open(&self.image).unwrap().set_len(mib * MIB).unwrap();
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // After a lazy detach the device may belong to another test.
        let attached = system(&format!("losetup --list --noheadings --output name -j {}", self.image.display()));
        if attached.is_some_and(|names| names.lines().any(|name| name.trim() == self.device)) {
            system(&format!("losetup -d {}", self.device));
        }
    }
}

/// A zram device.
pub struct Zram {
    pub device: String,
    number: u32,
}

impl Zram {
    /// Makes a device. On failure it marks the test as skipped.
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
        self.counter(4)
    }

    /// Returns the bytes that were written since the device was made.
    pub fn written_bytes(&self) -> u64 {
        self.counter(6) * 512
    }

    /// Returns the number of reads and writes since the device was made.
    pub fn ios(&self) -> u64 {
        self.counter(0) + self.counter(4)
    }

    fn counter(&self, nth: usize) -> u64 {
        let stat = std::fs::read_to_string(self.stat()).unwrap();
        stat.split_whitespace().nth(nth).unwrap().parse().unwrap()
    }

    /// Returns the device number, such as `252:1`.
    pub fn number(&self) -> String {
        std::fs::read_to_string(self.sysfs().join("dev")).unwrap().trim().to_owned()
    }

    /// Returns the path of the device's I/O counters in sysfs.
    pub fn stat(&self) -> PathBuf {
        self.sysfs().join("stat")
    }

    fn sysfs(&self) -> PathBuf {
        format!("/sys/block/zram{}", self.number).into()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let remove = || {
            std::fs::write("/sys/class/zram-control/hot_remove", self.number.to_string()).is_ok()
                || !self.sysfs().exists()
        };
        retry_removal(&self.device, remove);
    }
}

/// A mount. It is unmounted on drop.
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

/// Longest wait for a removal. A process of another test can have a copy of a mount for as long as that test takes.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(90);

/// Retries a removal: an ending process, a device probe or a copy of a mount can use the object for a while.
pub(crate) fn retry_removal(what: &str, remove: impl Fn() -> bool) {
    let begin = Instant::now();
    while !remove() {
        if begin.elapsed() > REMOVAL_TIMEOUT {
            eprintln!("{what} could not be removed");
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
