//! Zone model and limits of a device, in sysfs.

use std::io;
use std::path::Path;

use super::kernel::Kernel;
use super::topology::{Block, block_device_at};
use crate::device::{ZoneLimits, ZoneModel};

/// Returns the limits of the device at `path`. Kernels without zoned devices have no such attributes.
pub(super) fn limits(kernel: &Kernel, path: &Path) -> io::Result<ZoneLimits> {
    let block = block_device_at(path)?.map_or(Ok(None), |number| Block::numbered(kernel, number))?;
    let Some(block) = block else { return Ok(ZoneLimits::default()) };
    Ok(of(&block.whole()?.unwrap_or(block)))
}

pub(super) fn of(disk: &Block) -> ZoneLimits {
    let number = |name: &str| disk.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(0);
    let model = match disk.attribute("queue/zoned").as_deref() {
        Some("host-aware") => ZoneModel::HostAware,
        Some("host-managed") => ZoneModel::HostManaged,
        _ => ZoneModel::None,
    };
    ZoneLimits { model, max_open: number("queue/max_open_zones"), max_active: number("queue/max_active_zones") }
}
