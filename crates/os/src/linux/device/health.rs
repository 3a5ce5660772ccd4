//! What a disk reports about its own state: in sysfs, and by the log of an NVMe controller.

use std::fs;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::kernel::Kernel;
use super::topology::block_device_at;
use crate::file::OpenOptions;
use crate::linux::io::passthrough;
use ::io::{DiskHealth, NvmeHealth, PcieLink, WriteCache};

/// Reads the state of a disk. Facts that cannot be read are missing.
pub(super) fn read(kernel: &Kernel, disk: &Disk) -> DiskHealth {
    let info = disk.info();
    DiskHealth {
        model: info.model,
        firmware: info.firmware,
        write_cache: write_cache(&disk.folder),
        temperature_c: temperature_c(&disk.folder),
        link: controllers(&disk.folder).iter().find_map(|controller| link(controller)),
        nvme: nvme(kernel, disk),
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

fn nvme(kernel: &Kernel, disk: &Disk) -> Option<NvmeHealth> {
    let path = kernel.dev.join(&disk.name);
    if !disk.name.starts_with("nvme") || block_device_at(&path).ok()? != Some(disk.number) {
        return None;
    }
    let options = OpenOptions { read: true, nonblock: true, ..OpenOptions::new() };
    passthrough::health::read(&options.open(&path).ok()?).ok()
}
