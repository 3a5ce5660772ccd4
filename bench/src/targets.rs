//! Targets of the workloads: a zram device, files in a scratch directory. They are removed on drop, also after a signal.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use os::device::Disk;

use crate::other_load::{OtherLoad, RunningLoad};
use crate::workloads::{Target, Workload};

const CONTROL: &str = "/sys/class/zram-control";
/// Large enough that random reads miss the CPU caches.
const RAM_DEVICE_BYTES: u64 = 4 << 30;
/// Memory that a job may fill by writing other data than zeroes.
const RAM_DEVICE_MEMORY_MAX: &str = "2G";
const CACHED_FILE_BYTES: u64 = 256 << 20;
const DISK_FILE_BYTES: u64 = 1 << 30;
/// Size of the file of a load beside the programs.
const BESIDE_FILE_BYTES: u64 = 256 << 20;
/// Size of three logs of every I/O, per second of a run.
const LOG_BYTES_PER_S: f64 = 3e9;
/// How long another process, such as udev, may keep the device open.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// A directory that is removed on drop.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates the directory below `dir`.
    pub fn new(dir: &Path) -> Result<Self, String> {
        let path = dir.join(format!("fathom-bench-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Fails if the file system has too little space for the logs of a run.
    pub fn check_space_for_logs(&self, seconds: f64) -> Result<(), String> {
        let space = os::file::space(&self.0).map_err(|error| format!("{}: {error}", self.0.display()))?;
        let needed = LOG_BYTES_PER_S * seconds;
        match space.filter(|space| (space.free_bytes as f64) < needed) {
            Some(space) => Err(format!(
                "{}: {:.0} GB free, logs may need {:.0} GB; use --dir",
                self.0.display(),
                space.free_bytes as f64 / 1e9,
                needed / 1e9
            )),
            None => Ok(()),
        }
    }

    /// Removes the files that match.
    pub fn remove_files(&self, matches: impl Fn(&str) -> bool) {
        let entries = fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(&matches)) {
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

/// A zram device. Blocks that were never written and blocks of zeroes take no memory, so that the cost of an I/O is mostly
/// that of the kernel's path to the device and of the program.
pub struct RamDevice {
    number: u32,
}

impl RamDevice {
    /// Adds a device and sets its size.
    pub fn add() -> Result<Self, String> {
        let control = format!("{CONTROL}/hot_add");
        let number = fs::read_to_string(&control).map_err(|error| format!("no RAM device: {control}: {error}"))?;
        let number = number.trim().parse().map_err(|_| format!("no RAM device: {control}: {number:?}"))?;
        let device = RamDevice { number };
        device.set_up()?;
        Ok(device)
    }

    /// Returns the device node.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }

    /// Resets the device: all blocks are unwritten.
    pub fn reset(&self) -> Result<(), String> {
        retry_while_busy(|| self.write("reset", "1"))?;
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

    /// Returns the disk, for its counters.
    pub fn disk(&self) -> Result<Disk, String> {
        let path = self.path();
        let disks = os::device::disks(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        disks.into_iter().next().ok_or_else(|| format!("{}: not a disk", path.display()))
    }
}

impl Drop for RamDevice {
    fn drop(&mut self) {
        let remove = || fs::write(format!("{CONTROL}/hot_remove"), self.number.to_string());
        if let Err(error) = retry_while_busy(remove) {
            let path = self.path();
            eprintln!("fathom-bench: {} was not removed: {error}", path.display());
        }
    }
}

/// Retries while another process has the device open: udev opens devices that are new or were closed after writing.
fn retry_while_busy(mut change: impl FnMut() -> io::Result<()>) -> Result<(), String> {
    let start = Instant::now();
    loop {
        match change() {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && start.elapsed() < BUSY_MAX => {
                sleep(Duration::from_millis(20));
            }
            outcome => return outcome.map_err(|error| error.to_string()),
        }
    }
}

/// The target of one workload, ready for runs.
pub enum PreparedTarget {
    None,
    RamDevice(RamDevice),
    File { path: PathBuf, is_cached: bool },
}

/// A load beside the programs, and its file.
pub struct PreparedLoad {
    // Fields are dropped in this order.
    pub running: RunningLoad,
    _file: Option<PreparedTarget>,
}

impl PreparedLoad {
    /// Creates the file, if the load needs one, and starts the load.
    pub fn start(load: OtherLoad, fio: &Path, scratch: &Scratch, cpus: &[u32]) -> Result<Self, String> {
        let file = match load {
            OtherLoad::BusyCpus => None,
            OtherLoad::Reader | OtherLoad::Writer => Some(file(scratch, "beside", BESIDE_FILE_BYTES, false)?),
        };
        let path = file.as_ref().and_then(PreparedTarget::path).unwrap_or_default();
        Ok(PreparedLoad { running: RunningLoad::start(load, fio, &path, cpus)?, _file: file })
    }
}

impl PreparedTarget {
    /// Creates the target.
    pub fn new(workload: &Workload, scratch: &Scratch) -> Result<Self, String> {
        match workload.target {
            Target::None => Ok(PreparedTarget::None),
            Target::RamDevice => RamDevice::add().map(PreparedTarget::RamDevice),
            Target::CachedFile => file(scratch, "cached", CACHED_FILE_BYTES, true),
            Target::DiskFile => {
                let in_memory = os::device::file_system(scratch.path()).ok().flatten();
                if let Some(name) = in_memory.filter(|name| ["tmpfs", "ramfs", "overlay"].contains(&name.as_str())) {
                    return Err(format!("{} is a {name}, not a disk; use --dir", scratch.path().display()));
                }
                file(scratch, "on-disk", DISK_FILE_BYTES, false)
            }
        }
    }

    /// Returns the path for `TARGET`.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            PreparedTarget::None => None,
            PreparedTarget::RamDevice(device) => Some(device.path()),
            PreparedTarget::File { path, .. } => Some(path.clone()),
        }
    }

    /// Restores the state before each run: an unwritten device, a file in the page cache.
    pub fn reset(&self) -> Result<(), String> {
        match self {
            PreparedTarget::None => Ok(()),
            PreparedTarget::RamDevice(device) => device.reset(),
            PreparedTarget::File { is_cached: false, .. } => Ok(()),
            PreparedTarget::File { path, .. } => {
                let read = File::open(path).and_then(|mut file| io::copy(&mut file, &mut io::sink()));
                read.map(drop).map_err(|error| format!("{}: {error}", path.display()))
            }
        }
    }

    /// Returns the device whose counters show the number of I/Os.
    pub fn counting_device(&self) -> Result<Option<Disk>, String> {
        match self {
            PreparedTarget::RamDevice(device) => device.disk().map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the disk below a file for O_DIRECT.
    pub fn queue_disk(&self) -> Option<Disk> {
        match self {
            PreparedTarget::File { path, is_cached: false } => os::device::disks(path).ok()?.into_iter().next(),
            _ => None,
        }
    }
}

impl Drop for PreparedTarget {
    fn drop(&mut self) {
        if let PreparedTarget::File { path, .. } = self {
            drop(fs::remove_file(path));
        }
    }
}

/// Creates a file of random bytes.
fn file(scratch: &Scratch, name: &str, bytes: u64, is_cached: bool) -> Result<PreparedTarget, String> {
    let path = scratch.path().join(name);
    let write = || {
        let mut file = File::create(&path)?;
        // Random bytes: a disk cannot compress them.
        io::copy(&mut File::open("/dev/urandom")?.take(bytes), &mut file)?;
        file.sync_all()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(PreparedTarget::File { path, is_cached })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_device_is_retried_and_other_errors_fail() {
        let mut tries = 0;
        let busy_twice = || {
            tries += 1;
            if tries < 3 { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(()) }
        };
        assert_eq!(retry_while_busy(busy_twice), Ok(()));
        assert_eq!(tries, 3);
        assert!(retry_while_busy(|| Err(io::ErrorKind::NotFound.into())).is_err());
    }

    #[test]
    fn logs_need_space() {
        let scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        assert!(scratch.check_space_for_logs(0.0).is_ok());
        assert!(scratch.check_space_for_logs(1e12).unwrap_err().contains("--dir"));
    }

    #[test]
    fn a_ram_device_is_added_reset_and_removed() {
        let device = match RamDevice::add() {
            Ok(device) => device,
            Err(reason) => return eprintln!("SKIPPED: {reason}"),
        };
        let path = device.path();
        assert!(path.exists());
        fs::write(&path, [1; 4096]).unwrap();
        let before = device.disk().unwrap().counters().unwrap();
        assert!(before.ios[1] > 0, "{before:?}");
        device.reset().unwrap();
        let mut block = [1; 4096];
        File::open(&path).unwrap().read_exact(&mut block).unwrap();
        assert_eq!(block, [0; 4096]);
        drop(device);
        assert!(!path.exists());
    }
}
