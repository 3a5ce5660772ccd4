//! What a disk reports about its own state: in sysfs, and by commands to NVMe, SATA and SCSI disks.

use std::fs;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::kernel::Kernel;
use super::topology::block_device_at;
use crate::file::{File, OpenOptions};
use crate::linux::io::{passthrough, sg};
use ::io::{DiskHealth, PcieLink, ScsiHealth, WriteCache};

/// Reads the state of a disk. Facts that cannot be read are missing.
pub(super) fn read(kernel: &Kernel, disk: &Disk) -> DiskHealth {
    let is_nvme = disk.name.starts_with("nvme");
    let device = || opened(kernel, disk);
    let namespace = is_nvme.then(device).flatten();
    // First, because it reads the power state, and the sensor wakes the controller.
    let nvme_setup = namespace.as_ref().and_then(|namespace| passthrough::setup::read(namespace).ok());
    let info = disk.info();
    DiskHealth {
        model: info.model,
        firmware: info.firmware,
        write_cache: write_cache(&disk.folder),
        temperature_c: temperature_c(&disk.folder),
        link: controllers(&disk.folder).iter().find_map(|controller| link(controller)),
        nvme_setup,
        nvme: namespace.as_ref().and_then(|namespace| passthrough::health::read(namespace).ok()),
        scsi: command_set(disk).and_then(|commands| scsi(&device()?, commands, info.logical_block_bytes)),
    }
}

fn text(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn write_cache(disk: &Path) -> Option<WriteCache> {
    match text(&disk.join("queue/write_cache"))?.as_str() {
        "write back" => Some(WriteCache::WriteBack),
        "write through" => Some(WriteCache::WriteThrough),
        _ => None,
    }
}

/// Returns the entries of a folder whose name starts with `prefix`, without links, in order.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let named = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = named.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let mut paths: Vec<PathBuf> = named.filter_map(|entry| fs::canonicalize(entry.path()).ok()).collect();
    paths.sort();
    paths
}

/// Returns the devices above a disk. With native NVMe multipath these are the controllers of its subsystem.
fn controllers(disk: &Path) -> Vec<PathBuf> {
    let Ok(device) = fs::canonicalize(disk.join("device")) else { return Vec::new() };
    let paths = entries(&device, "nvme").into_iter().filter(|path| path.join("device").exists() && path != disk);
    std::iter::once(device.clone()).chain(paths).collect()
}

/// Returns the temperature of the first sensor below the devices above a disk.
fn temperature_c(disk: &Path) -> Option<f64> {
    let sensors = controllers(disk).into_iter().flat_map(|device| {
        let below = entries(&device.join("hwmon"), "hwmon");
        entries(&device, "hwmon").into_iter().chain(below)
    });
    let millidegrees = sensors.filter_map(|sensor| text(&sensor.join("temp1_input"))?.parse::<f64>().ok()).next()?;
    Some(millidegrees / 1000.0)
}

/// Returns the highest temperature of a disk and those below it, by a read that does not delay I/O. An NVMe controller reports its
/// temperature on the queue of its own for such commands. A SATA disk would first complete all queued I/Os: it is not read.
pub(super) fn temperature_without_delay_c(disk: &Disk) -> Option<f64> {
    let own = disk.name.starts_with("nvme").then(|| temperature_c(&disk.folder)).flatten();
    disk.slaves.iter().filter_map(temperature_without_delay_c).chain(own).reduce(f64::max)
}

/// Returns the link of the nearest PCI device above. Devices within a root complex have none.
fn link(device: &Path) -> Option<PcieLink> {
    let pci = device.ancestors().find(|above| above.join("current_link_speed").exists())?;
    // Such as "8.0 GT/s PCIe", or "Unknown".
    let speed = |name: &str| text(&pci.join(name))?.split_once(" GT/s")?.0.parse::<f64>().ok();
    let width = |name: &str| text(&pci.join(name))?.parse::<u32>().ok().filter(|lanes| *lanes > 0);
    Some(PcieLink {
        gt_per_s: speed("current_link_speed")?,
        max_gt_per_s: speed("max_link_speed")?,
        lanes: width("current_link_width")?,
        max_lanes: width("max_link_width")?,
    })
}

/// The commands that a SCSI device of the kernel has for its health.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CommandSet {
    Ata,
    Scsi,
}

/// Returns the commands of a disk. `None` for other devices than SCSI disks, and for disks on USB: some adapters stop after a command
/// that they do not know.
pub(super) fn command_set(disk: &Disk) -> Option<CommandSet> {
    let is_on_usb = disk.folder.components().any(|part| part.as_os_str().to_string_lossy().starts_with("usb"));
    if !disk.name.starts_with("sd") || is_on_usb {
        return None;
    }
    // The vendor of each SATA disk (SAT-4, 8.2.3).
    let is_ata = text(&disk.folder.join("device/vendor"))? == "ATA";
    Some(if is_ata { CommandSet::Ata } else { CommandSet::Scsi })
}

fn scsi(disk: &File, commands: CommandSet, sector_bytes: u64) -> Option<ScsiHealth> {
    match commands {
        CommandSet::Ata => sg::health::of_ata(disk, sector_bytes),
        CommandSet::Scsi => sg::health::of_scsi(disk),
    }
}

/// Opens the device file of a disk to read it.
fn opened(kernel: &Kernel, disk: &Disk) -> Option<File> {
    let path = kernel.dev.join(&disk.name);
    if block_device_at(&path).ok()? != Some(disk.number) {
        return None;
    }
    OpenOptions { read: true, nonblock: true, ..OpenOptions::new() }.open(&path).ok()
}
