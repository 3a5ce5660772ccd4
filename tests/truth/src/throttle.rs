//! Control groups that hold a device's I/O back, by either version of the kernel's interface.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::system;
use crate::zram::Zram;

const V1: &str = "/sys/fs/cgroup/blkio";
const V2: &str = "/sys/fs/cgroup";

/// How many I/Os and bytes a second a device may do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limit {
    pub read_iops: Option<u32>,
    pub write_iops: Option<u32>,
    pub read_bytes: Option<u32>,
    pub write_bytes: Option<u32>,
}

impl Limit {
    /// As the kernel's first version calls them, and as the second does.
    fn each(self) -> [(&'static str, &'static str, Option<u32>); 4] {
        [
            ("read_iops", "riops", self.read_iops),
            ("write_iops", "wiops", self.write_iops),
            ("read_bps", "rbps", self.read_bytes),
            ("write_bps", "wbps", self.write_bytes),
        ]
    }
}

/// A group, gone at the end. What runs in it must have ended before.
pub struct Throttle {
    group: PathBuf,
    is_v2: bool,
    devices: Vec<String>,
}

impl Throttle {
    pub fn new() -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let is_v2 = !Path::new(V1).join("blkio.throttle.write_iops_device").exists()
            && std::fs::read_to_string(format!("{V2}/cgroup.controllers"))
                .is_ok_and(|controllers| controllers.split_whitespace().any(|name| name == "io"));
        if is_v2 {
            system(&format!("echo +io > {V2}/cgroup.subtree_control"))?;
        }
        let name = format!("fathom-truth-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let group = Path::new(if is_v2 { V2 } else { V1 }).join(name);
        std::fs::create_dir(&group).map_err(|error| format!("no control group: {}: {error}", group.display()))?;
        let throttle = Throttle { group, is_v2, devices: Vec::new() };
        let file = if is_v2 { "io.max" } else { "blkio.throttle.write_iops_device" };
        if !throttle.group.join(file).exists() {
            return Err(format!("control groups here hold no I/O back: there is no {file}"));
        }
        Ok(throttle)
    }

    /// Holds a device back.
    pub fn limit(&mut self, device: &Zram, limit: Limit) -> Result<(), String> {
        self.devices.push(device.device_number());
        self.set(&device.device_number(), limit)
    }

    fn set(&self, device: &str, limit: Limit) -> Result<(), String> {
        let write = |file: &str, text: String| {
            std::fs::write(self.group.join(file), &text).map_err(|error| format!("{file}: `{text}`: {error}"))
        };
        if self.is_v2 {
            let word = |value: Option<u32>| value.map_or("max".to_owned(), |value| value.to_string());
            let words = limit.each().map(|(_, name, value)| format!("{name}={}", word(value)));
            return write("io.max", format!("{device} {}", words.join(" ")));
        }
        for (name, _, value) in limit.each() {
            write(&format!("blkio.throttle.{name}_device"), format!("{device} {}", value.unwrap_or(0)))?;
        }
        Ok(())
    }

    /// The same command, run in the group.
    pub fn confine(&self, command: &Command) -> Command {
        let procs = self.group.join("cgroup.procs");
        let mut confined = Command::new("sh");
        let enter = format!("echo $$ > {} && exec \"$0\" \"$@\"", procs.display());
        confined.env("FATHOM_NO_HISTORY", "1").args(["-c", &enter]).arg(command.get_program()).args(command.get_args());
        if let Some(directory) = command.get_current_dir() {
            confined.current_dir(directory);
        }
        confined
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        for device in &self.devices {
            drop(self.set(device, Limit::default()));
        }
        // A group is busy for a moment after its last process.
        for _ in 0..50 {
            if std::fs::remove_dir(&self.group).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        eprintln!("{} is left behind", self.group.display());
    }
}
