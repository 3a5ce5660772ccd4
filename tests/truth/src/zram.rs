//! Disks in memory.

use std::path::PathBuf;

use crate::kernel::Counters;
use crate::system;

/// A zram device, gone at the end.
pub struct Zram {
    number: u32,
}

impl Zram {
    pub fn new(mib: u64) -> Result<Self, String> {
        let control = "/sys/class/zram-control/hot_add";
        let number = std::fs::read_to_string(control).map_err(|error| format!("no zram device: {control}: {error}"))?;
        let zram = Zram { number: number.trim().parse().map_err(|error| format!("{control}: {error}"))? };
        system(&format!("echo {mib}M > {}/disksize", zram.sysfs().display()))?;
        Ok(zram)
    }

    pub fn path(&self) -> PathBuf {
        format!("/dev/zram{}", self.number).into()
    }

    /// As the kernel numbers it: `252:1`.
    pub fn device_number(&self) -> String {
        std::fs::read_to_string(self.sysfs().join("dev")).unwrap().trim().to_owned()
    }

    pub fn counters(&self) -> Counters {
        Counters::read(&self.stat())
    }

    /// Where the kernel counts what the device does.
    pub fn stat(&self) -> PathBuf {
        self.sysfs().join("stat")
    }

    fn sysfs(&self) -> PathBuf {
        format!("/sys/block/zram{}", self.number).into()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        // Whoever looked at the device last, as udev does, may still hold it for a moment.
        let remove = format!("echo {} > /sys/class/zram-control/hot_remove", self.number);
        let gone = (0..50).any(|_| {
            let removed = system(&remove).is_ok();
            if !removed {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            removed
        });
        if !gone {
            eprintln!("zram{} is left behind: something holds it", self.number);
        }
    }
}
