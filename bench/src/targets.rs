//! What the jobs work on: a RAM device added for the purpose, files in a directory of their own. All go with their owner,
//! also when a signal ended the runs.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use os::device::Disk;

use crate::works::{Target, Work};

const CONTROL: &str = "/sys/class/zram-control";
/// Enough that a random offset is hardly met twice in the processor's caches.
const RAM_DEVICE_BYTES: u64 = 4 << 30;
/// What a job that writes more than zeroes may fill.
const RAM_DEVICE_MEMORY_MAX: &str = "2G";
const CACHED_FILE_BYTES: u64 = 256 << 20;
const DISK_FILE_BYTES: u64 = 1 << 30;
/// What three logs of every I/O may take for each second of a run.
const LOG_BYTES_EACH_S: f64 = 3e9;
/// How long something that looks at new devices may hold ours.
const HELD_MAX: Duration = Duration::from_secs(5);

/// A directory that goes with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(dir: &Path) -> Result<Self, String> {
        let path = dir.join(format!("fathom-bench-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// An error where the logs of a run may not have room.
    pub fn has_room_for_logs(&self, seconds: f64) -> Result<(), String> {
        let space = os::file::space(&self.0).map_err(|error| format!("{}: {error}", self.0.display()))?;
        let needed = LOG_BYTES_EACH_S * seconds;
        match space.filter(|space| (space.free_bytes as f64) < needed) {
            Some(space) => Err(format!(
                "{} has {:.0} GB left, logs may need {:.0} GB; see --dir",
                self.0.display(),
                space.free_bytes as f64 / 1e9,
                needed / 1e9
            )),
            None => Ok(()),
        }
    }

    /// Takes away what a run left there.
    pub fn clear(&self, is_left: impl Fn(&str) -> bool) {
        let entries = fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_left)) {
            drop(fs::remove_file(entry.path()));
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("fathom-bench: {}: {error}", self.0.display());
        }
    }
}

/// A zram device of our own. Blocks that were never written, and blocks of zeroes, take no memory: what an I/O costs
/// there is nearly all the kernel's way to the device and the program's.
pub struct RamDevice {
    number: u32,
}

impl RamDevice {
    pub fn add() -> Result<Self, String> {
        let control = format!("{CONTROL}/hot_add");
        let number = fs::read_to_string(&control).map_err(|error| format!("no RAM device: {control}: {error}"))?;
        let number = number.trim().parse().map_err(|_| format!("no RAM device: {control}: {number:?}"))?;
        let device = RamDevice { number };
        device.set_up()?;
        Ok(device)
    }

    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }

    /// As new: nothing written.
    pub fn renew(&self) -> Result<(), String> {
        while_held(|| self.write("reset", "1"))?;
        self.set_up()
    }

    fn set_up(&self) -> Result<(), String> {
        self.write("disksize", &RAM_DEVICE_BYTES.to_string())
            .and_then(|()| self.write("mem_limit", RAM_DEVICE_MEMORY_MAX))
            .map_err(|error| format!("{}: {error}", self.path().display()))
    }

    fn write(&self, attribute: &str, value: &str) -> io::Result<()> {
        fs::write(format!("/sys/block/zram{}/{attribute}", self.number), value)
    }

    /// The device for its counters.
    pub fn disk(&self) -> Result<Disk, String> {
        let path = self.path();
        let disks = os::device::disks(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        disks.into_iter().next().ok_or_else(|| format!("{}: not a disk", path.display()))
    }
}

impl Drop for RamDevice {
    fn drop(&mut self) {
        let remove = || fs::write(format!("{CONTROL}/hot_remove"), self.number.to_string());
        if let Err(error) = while_held(remove) {
            let path = self.path();
            eprintln!("fathom-bench: {} is left: {error}", path.display());
        }
    }
}

/// Tries again while somebody else has the device open: udev looks at devices that are new or were closed.
fn while_held(mut change: impl FnMut() -> io::Result<()>) -> Result<(), String> {
    let start = Instant::now();
    loop {
        match change() {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && start.elapsed() < HELD_MAX => {
                sleep(Duration::from_millis(20));
            }
            outcome => return outcome.map_err(|error| error.to_string()),
        }
    }
}

/// The target of one work, ready for runs.
pub enum Ready {
    Nothing,
    RamDevice(RamDevice),
    File { path: PathBuf, is_cached: bool },
}

impl Ready {
    pub fn new(work: &Work, scratch: &Scratch) -> Result<Self, String> {
        match work.target {
            Target::Nothing => Ok(Ready::Nothing),
            Target::RamDevice => RamDevice::add().map(Ready::RamDevice),
            Target::CachedFile => file(scratch, "cached", CACHED_FILE_BYTES, true),
            Target::DiskFile => {
                let in_memory = os::device::file_system(scratch.path()).ok().flatten();
                if let Some(name) = in_memory.filter(|name| ["tmpfs", "ramfs", "overlay"].contains(&name.as_str())) {
                    return Err(format!("{} is a {name}, not a disk; see --dir", scratch.path().display()));
                }
                file(scratch, "on-disk", DISK_FILE_BYTES, false)
            }
        }
    }

    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Ready::Nothing => None,
            Ready::RamDevice(device) => Some(device.path()),
            Ready::File { path, .. } => Some(path.clone()),
        }
    }

    /// The same start for every run.
    pub fn renew(&self) -> Result<(), String> {
        match self {
            Ready::Nothing => Ok(()),
            Ready::RamDevice(device) => device.renew(),
            Ready::File { is_cached: false, .. } => Ok(()),
            Ready::File { path, .. } => {
                let read = File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink()));
                read.map(drop).map_err(|error| format!("{}: {error}", path.display()))
            }
        }
    }

    /// Whose counters say how many I/Os there were.
    pub fn referee(&self) -> Result<Option<Disk>, String> {
        match self {
            Ready::RamDevice(device) => device.disk().map(Some),
            _ => Ok(None),
        }
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        if let Ready::File { path, .. } = self {
            drop(fs::remove_file(path));
        }
    }
}

fn file(scratch: &Scratch, name: &str, bytes: u64, is_cached: bool) -> Result<Ready, String> {
    let path = scratch.path().join(name);
    let write = || {
        let mut file = File::create(&path)?;
        // Bytes that no disk can pack.
        io::copy(&mut File::open("/dev/urandom")?.take(bytes), &mut file)?;
        file.sync_all()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Ready::File { path, is_cached })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_tried_again_and_other_errors_are_told() {
        let mut tries = 0;
        let busy_twice = || {
            tries += 1;
            if tries < 3 { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(()) }
        };
        assert_eq!(while_held(busy_twice), Ok(()));
        assert_eq!(tries, 3);
        assert!(while_held(|| Err(io::ErrorKind::NotFound.into())).is_err());
    }

    #[test]
    fn logs_need_room() {
        let scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        assert!(scratch.has_room_for_logs(0.0).is_ok());
        assert!(scratch.has_room_for_logs(1e12).unwrap_err().contains("--dir"));
    }

    #[test]
    fn a_ram_device_is_added_set_back_and_removed() {
        let device = match RamDevice::add() {
            Ok(device) => device,
            Err(reason) => return eprintln!("SKIPPED: {reason}"),
        };
        let path = device.path();
        assert!(path.exists());
        fs::write(&path, [1; 4096]).unwrap();
        let before = device.disk().unwrap().counters().unwrap();
        assert!(before.write_ios > 0, "{before:?}");
        device.renew().unwrap();
        let mut block = [1; 4096];
        File::open(&path).unwrap().read_exact(&mut block).unwrap();
        assert_eq!(block, [0; 4096]);
        drop(device);
        assert!(!path.exists());
    }
}
