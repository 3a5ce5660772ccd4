//! Disks for reports: the disks below a path, their counters and their I/O scheduler.

#![expect(clippy::disallowed_methods, reason = "the scheduler of a disk is a file of sysfs")]

use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use units::untrusted::UntrustedText;

use super::health;
use super::kernel::Kernel;
use super::mounts::{self, Mount};
use super::topology::{Block, block_device_at};
use crate::device::{DeviceNumber, DiskCounters, DiskHealth, DiskInfo, MountPoint};

/// Maximum depth of stacked devices and file systems.
const STACK_MAX: usize = 16;
/// Unit of sizes in sysfs.
const SECTOR_BYTES: u64 = 512;
/// File systems that keep their files in memory.
const MEMORY_FILE_SYSTEMS: [&str; 4] = ["tmpfs", "ramfs", "devtmpfs", "rootfs"];
/// Names of devices that keep their data in memory, without the number: zram, brd and null_blk.
const MEMORY_DEVICES: [&str; 3] = ["zram", "ram", "nullb"];

/// A whole disk or a stacked device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disk {
    /// The kernel's name, such as `sda` or `dm-0`.
    pub name: String,
    pub number: DeviceNumber,
    /// The disks below a stacked device (sysfs `slaves`).
    pub slaves: Vec<Disk>,
    pub(super) folder: PathBuf,
}

/// Reads the text of `stat` in sysfs.
fn parse_counters(text: &str) -> Option<DiskCounters> {
    let fields: Vec<u64> = text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect();
    let [reads, read_merges, read, read_ms, writes, write_merges, written, write_ms, _, io_ticks_ms, time_in_queue_ms] =
        *fields.first_chunk()?;
    Some(DiskCounters {
        ios: [reads, writes],
        merges: [read_merges, write_merges],
        sectors: [read, written],
        ticks_ms: [read_ms, write_ms],
        io_ticks_ms,
        time_in_queue_ms,
    })
}

/// A disk or a partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub disk: Disk,
    /// The kernel's name of the disk or partition.
    pub name: String,
    /// Sectors of 512 bytes of a partition. `None` is the whole disk.
    pub sectors: Option<Range<u64>>,
}

impl Disk {
    fn new(block: &Block, depth: usize) -> io::Result<Self> {
        let mut slaves: Vec<Disk> = Vec::new();
        if depth < STACK_MAX {
            for slave in block.slaves()? {
                let slave = slave.whole()?.unwrap_or(slave);
                if slaves.iter().all(|known| known.number != slave.number) {
                    slaves.push(Disk::new(&slave, depth + 1)?);
                }
            }
        }
        Ok(Disk { name: block.name.clone(), number: block.number, slaves, folder: block.folder.clone() })
    }

    /// Reads the counters.
    ///
    /// # Errors
    /// Returns the error of reading sysfs, or `InvalidData` if the file has an unknown format.
    pub fn counters(&self) -> io::Result<DiskCounters> {
        let text = fs::read_to_string(self.folder.join("stat"))?;
        parse_counters(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("stat: {text:?}")))
    }

    /// Returns whether this is a loop device with buffered I/O on its file. Direct I/O on such a device uses the page
    /// cache.
    pub fn is_cached_file(&self) -> bool {
        fs::read_to_string(self.folder.join("loop/dio")).is_ok_and(|text| text.trim() == "0")
    }

    /// Returns whether the device keeps its data in memory, or consists only of such devices.
    pub fn is_memory(&self) -> bool {
        let number = |driver: &&str| self.name.strip_prefix(*driver);
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_named = MEMORY_DEVICES.iter().filter_map(number).any(is_number);
        is_named || (!self.slaves.is_empty() && self.slaves.iter().all(Disk::is_memory))
    }

    /// Returns whether the device has queues of requests. Others, such as device-mapper, MD and zram, get each bio as it is
    /// submitted.
    pub fn has_requests(&self) -> bool {
        self.folder.join("mq").is_dir()
    }

    /// Returns whether the device supports polled completions (`hipri`).
    ///
    /// # Errors
    /// Returns the error of reading sysfs.
    pub fn polls(&self) -> io::Result<bool> {
        Ok(fs::read_to_string(self.folder.join("queue/io_poll"))?.trim() == "1")
    }

    /// Reads the disk's properties from sysfs. Fields that sysfs does not have are empty.
    pub fn info(&self) -> DiskInfo {
        let text = |name: &str| fs::read_to_string(self.folder.join(name)).map(|text| text.trim().to_string()).ok();
        let number = |name: &str| text(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        let firmware = ["device/firmware_rev", "device/rev"].into_iter().find_map(text);
        DiskInfo {
            model: text("device/model").unwrap_or_default().into(),
            firmware: firmware.unwrap_or_default().into(),
            serial: self.serial(),
            rotational: text("queue/rotational").map(|text| text == "1"),
            bytes: number("size") * SECTOR_BYTES,
            logical_block_bytes: number("queue/logical_block_size"),
            physical_block_bytes: number("queue/physical_block_size"),
        }
    }

    /// Reads what the disk reports about its own state. Only root can read the log of an NVMe controller.
    pub fn health(&self) -> DiskHealth {
        health::read(&Kernel::running(), self)
    }

    /// Returns the highest temperature of the disk and those below it, in degrees Celsius. `None` if it cannot be read without a
    /// delay of I/Os, or is not reported.
    pub fn temperature_c(&self) -> Option<f64> {
        health::temperature_without_delay_c(self)
    }

    /// Returns the serial number: of virtio disks, of NVMe and MMC devices, and of SCSI disks.
    fn serial(&self) -> UntrustedText {
        let texts = ["serial", "device/serial"].into_iter().map(|name| fs::read_to_string(self.folder.join(name)).ok());
        // The page has a header of four bytes (SPC-4, unit serial number).
        let page = || fs::read(self.folder.join("device/vpd_pg80")).ok();
        let of_page = || page().and_then(|page| Some(String::from_utf8_lossy(page.get(4..)?).into_owned()));
        let found = texts.flatten().find(|text| !text.trim().is_empty()).or_else(of_page);
        found.unwrap_or_default().trim_matches(|c: char| c.is_whitespace() || c == '\0').into()
    }

    /// Returns the active I/O scheduler, and all that the disk supports.
    ///
    /// # Errors
    /// Returns the error of reading sysfs.
    pub fn scheduler(&self) -> io::Result<(String, Vec<String>)> {
        let text = fs::read_to_string(self.folder.join("queue/scheduler"))?;
        let offered: Vec<String> =
            text.split_whitespace().map(|name| name.trim_matches(['[', ']']).to_string()).collect();
        let chosen = text.split_whitespace().find(|name| name.starts_with('[')).or(text.split_whitespace().next());
        let chosen = chosen.map(|name| name.trim_matches(['[', ']']).to_string());
        Ok((chosen.unwrap_or_else(|| "none".to_string()), offered))
    }

    /// Sets the I/O scheduler.
    ///
    /// # Errors
    /// Returns an error if the disk does not support the scheduler, and the error of writing sysfs.
    pub fn set_scheduler(&self, name: &str) -> io::Result<()> {
        let refused = |cause: String| io::Error::new(io::ErrorKind::InvalidInput, cause);
        let (_, offered) = self.scheduler()?;
        if !offered.iter().any(|known| known == name) {
            let text =
                format!("{}: I/O scheduler {name} is not available (available: {})", self.name, offered.join(", "));
            return Err(refused(text));
        }
        fs::write(self.folder.join("queue/scheduler"), name)?;
        let (chosen, _) = self.scheduler()?;
        if chosen != name {
            return Err(refused(format!("{}: the I/O scheduler is still {chosen}", self.name)));
        }
        Ok(())
    }
}

/// Returns the disk of a block device or partition.
///
/// # Errors
/// sysfs cannot be read.
pub(super) fn disk_of(block: &Block) -> io::Result<Disk> {
    Disk::new(&block.whole()?.unwrap_or_else(|| block.clone()), 0)
}

/// See [`super::disks`].
pub(super) fn under(kernel: &Kernel, path: &Path) -> io::Result<Vec<Disk>> {
    let mut disks: Vec<Disk> = Vec::new();
    for number in devices_under(kernel, path, 0)? {
        let Some(block) = Block::numbered(kernel, number)? else { continue };
        let disk = disk_of(&block)?;
        if disks.iter().all(|known| known.number != disk.number) {
            disks.push(disk);
        }
    }
    Ok(disks)
}

/// See [`super::places`].
pub(super) fn places(kernel: &Kernel, path: &Path) -> io::Result<Vec<Place>> {
    each_place(kernel, devices_under(kernel, path, 0)?)
}

/// See [`super::places_of_link`].
pub(super) fn places_of_link(
    kernel: &Kernel,
    link: &Path,
    mounts: impl Fn() -> io::Result<Vec<Mount>>,
) -> io::Result<Vec<Place>> {
    let found = fs::metadata(link);
    let on = |found: &fs::Metadata| DeviceNumber::of(found.dev());
    let numbers = match &found {
        Ok(found) if found.file_type().is_block_device() => vec![DeviceNumber::of(found.rdev())],
        Ok(found) if !found.is_file() => Vec::new(),
        Ok(found) if Block::numbered(kernel, on(found))?.is_some() => vec![on(found)],
        // A file without a state is where its mount is: the server of a network file system may not answer.
        Ok(_) | Err(_) => {
            let path = fs::read_link(link)?;
            // Files that are deleted, or were never in a folder, such as those of memfd_create().
            let has_path = !path.as_os_str().as_encoded_bytes().ends_with(b" (deleted)");
            if has_path { devices_of_mount(kernel, &mounts()?, &path, 0)? } else { Vec::new() }
        }
    };
    each_place(kernel, numbers)
}

fn each_place(kernel: &Kernel, numbers: Vec<DeviceNumber>) -> io::Result<Vec<Place>> {
    let place = |block: io::Result<Block>| {
        let block = block?;
        let bounds = block.is_partition().then(|| block.bounds()).transpose()?;
        let sectors = bounds.map(|(start, bytes)| start / SECTOR_BYTES..(start + bytes) / SECTOR_BYTES);
        Ok(Place { disk: disk_of(&block)?, name: block.name, sectors })
    };
    numbers.into_iter().filter_map(|number| Block::numbered(kernel, number).transpose()).map(place).collect()
}

/// Returns the devices that store `path`.
fn devices_under(kernel: &Kernel, path: &Path, depth: usize) -> io::Result<Vec<DeviceNumber>> {
    let (path, found) = nearest(path)?;
    if let Some(device) = block_device_at(&path)? {
        return Ok(vec![device]);
    }
    let number = DeviceNumber::of(found.dev());
    if Block::numbered(kernel, number)?.is_some() {
        return Ok(vec![number]);
    }
    // The number belongs to no disk: btrfs, overlayfs, or a file system in memory.
    devices_of_mount(kernel, &mounts::all(kernel)?, &path, depth)
}

/// Returns the devices of the mount that has an absolute path.
fn devices_of_mount(kernel: &Kernel, mounts: &[Mount], path: &Path, depth: usize) -> io::Result<Vec<DeviceNumber>> {
    let Some(mount) = mounts::containing(mounts, path) else { return Ok(Vec::new()) };
    if mount.kind == "overlay"
        && depth < STACK_MAX
        && let Some(upper) = mount.option("upperdir").filter(|upper| upper.exists())
    {
        return devices_under(kernel, &upper, depth + 1);
    }
    mount.devices(kernel)
}

/// See [`super::is_in_memory`].
pub(super) fn is_in_memory(kernel: &Kernel, path: &Path) -> io::Result<bool> {
    let disks = under(kernel, path)?;
    if !disks.is_empty() {
        return Ok(disks.iter().all(Disk::is_memory));
    }
    // A character device, such as /dev/full, has no data in its file system.
    let is_character_device = fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_char_device());
    Ok(!is_character_device
        && file_system(kernel, path)?.is_some_and(|name| MEMORY_FILE_SYSTEMS.contains(&name.as_str())))
}

/// See [`super::file_system`].
pub(super) fn file_system(kernel: &Kernel, path: &Path) -> io::Result<Option<String>> {
    let (path, _) = nearest(path)?;
    let mounts = mounts::all(kernel)?;
    Ok(mounts::containing(&mounts, &path).map(|mount| mount.kind.clone()))
}

/// See [`super::mount`].
pub(super) fn mount(kernel: &Kernel, path: &Path) -> io::Result<Option<MountPoint>> {
    let (path, _) = nearest(path)?;
    let mounts = mounts::all(kernel)?;
    Ok(mounts::containing(&mounts, &path).map(Mount::point))
}

/// Returns `path` without links, or its nearest existing parent folder.
fn nearest(path: &Path) -> io::Result<(PathBuf, fs::Metadata)> {
    let mut at = std::path::absolute(path)?;
    loop {
        match fs::canonicalize(&at) {
            Ok(found) => {
                let state = fs::metadata(&found)?;
                return Ok((found, state));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !at.pop() {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
    }
}
