//! Control groups that limit the I/O of a device, with cgroup v1 or v2.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::devices::retry_removal;
use crate::{Zram, shell, skipped};

const V1: &str = "/sys/fs/cgroup/blkio";
const V2: &str = "/sys/fs/cgroup";

/// Limits of a device in I/Os and bytes per second.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limit {
    pub read_iops: Option<u32>,
    pub write_iops: Option<u32>,
    pub read_bytes: Option<u32>,
    pub write_bytes: Option<u32>,
}

impl Limit {
    /// Returns the limits with their names in cgroup v1 and v2.
    fn each(self) -> [(&'static str, &'static str, Option<u32>); 4] {
        [
            ("read_iops", "riops", self.read_iops),
            ("write_iops", "wiops", self.write_iops),
            ("read_bps", "rbps", self.read_bytes),
            ("write_bps", "wbps", self.write_bytes),
        ]
    }
}

/// A control group that limits the I/O of devices. Its processes must end before it is dropped.
pub struct Throttle {
    pub group: String,
    is_v2: bool,
    /// Numbers of the devices that have a limit.
    devices: Vec<String>,
}

impl Throttle {
    /// Makes a cgroup v1 for the limits of one device. On failure it marks the test as skipped. cgroup v2 is not
    /// suitable: a change of its limits does not affect I/O that already waits.
    pub fn new(device: &Zram) -> Option<Self> {
        let mut throttle = Throttle::made().map_err(|why| skipped(&why)).ok()?;
        if throttle.is_v2 {
            skipped("control groups of version 1 limit no I/O here");
            return None;
        }
        throttle.devices.push(device.number());
        Some(throttle)
    }

    /// Makes a group without limits.
    ///
    /// # Errors
    ///
    /// Returns why cgroups cannot limit I/O on this machine.
    pub fn made() -> Result<Self, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let is_v2 = !Path::new(V1).join("blkio.throttle.write_iops_device").exists()
            && std::fs::read_to_string(format!("{V2}/cgroup.controllers"))
                .is_ok_and(|controllers| controllers.split_whitespace().any(|name| name == "io"));
        if is_v2 {
            shell(&format!("echo +io > {V2}/cgroup.subtree_control"))?;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let group = format!("{}/fathom-{}-{number}", if is_v2 { V2 } else { V1 }, std::process::id());
        std::fs::create_dir(&group).map_err(|error| format!("no control group: {group}: {error}"))?;
        let throttle = Throttle { group, is_v2, devices: Vec::new() };
        let file = if is_v2 { "io.max" } else { "blkio.throttle.write_iops_device" };
        if !Path::new(&throttle.group).join(file).exists() {
            return Err(format!("control groups here limit no I/O: there is no {file}"));
        }
        Ok(throttle)
    }

    /// Sets all limits of a device.
    ///
    /// # Errors
    ///
    /// Returns the limit that the kernel rejected, and its error.
    pub fn limit(&mut self, device: &Zram, limit: Limit) -> Result<(), String> {
        self.devices.push(device.number());
        self.set(&device.number(), limit)
    }

    /// Limits reads and writes of the first device, in bytes per second. 0 removes the limit.
    pub fn bytes_per_s(&self, limit: u64) {
        self.set_both("bps", limit);
    }

    /// Limits reads and writes of the first device, in I/Os per second. 0 removes the limit.
    pub fn ios_per_s(&self, limit: u64) {
        self.set_both("iops", limit);
    }

    fn set_both(&self, unit: &str, limit: u64) {
        for direction in ["read", "write"] {
            let file = format!("blkio.throttle.{direction}_{unit}_device");
            self.write(&file, &format!("{} {limit}", self.devices[0])).unwrap();
        }
    }

    fn set(&self, device: &str, limit: Limit) -> Result<(), String> {
        if self.is_v2 {
            let word = |value: Option<u32>| value.map_or("max".to_owned(), |value| value.to_string());
            let words = limit.each().map(|(_, name, value)| format!("{name}={}", word(value)));
            return self.write("io.max", &format!("{device} {}", words.join(" ")));
        }
        for (name, _, value) in limit.each() {
            self.write(&format!("blkio.throttle.{name}_device"), &format!("{device} {}", value.unwrap_or(0)))?;
        }
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> Result<(), String> {
        std::fs::write(Path::new(&self.group).join(file), text).map_err(|error| format!("{file}: `{text}`: {error}"))
    }

    /// Returns the command, changed to run in the group from its start.
    pub fn confine(&self, command: &Command) -> Command {
        let mut confined = Command::new("sh");
        confined.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(format!("{}/cgroup.procs", self.group));
        confined.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
        confined.stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => confined.env(name, value),
                None => confined.env_remove(name),
            };
        }
        if let Some(directory) = command.get_current_dir() {
            confined.current_dir(directory);
        }
        confined
    }

    /// Moves a process into the group.
    pub fn add_process(&self, id: u32) {
        std::fs::write(format!("{}/cgroup.procs", self.group), id.to_string()).unwrap();
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        for device in &self.devices {
            drop(self.set(device, Limit::default()));
        }
        retry_removal(&self.group, || std::fs::remove_dir(&self.group).is_ok());
    }
}
