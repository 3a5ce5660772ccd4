//! The maximum number of open zones of a target.

use os::device::{ZoneLimits, ZoneModel};
use plan::Zoned;
use record::ZoneFault;

/// fio's maximum of `max_open_zones`.
const OPEN_MAX: u32 = 4096;

/// Returns the maximum number of open zones on a device with these limits. 0 is no limit.
///
/// # Errors
/// The job has a higher limit than the device or fio.
pub(super) fn max_open(zoned: &Zoned, device: &ZoneLimits) -> Result<u32, ZoneFault> {
    // Only a host-managed device has a limit.
    let is_limited = device.model == ZoneModel::HostManaged && !zoned.ignores_device_limit && device.max_open > 0;
    let max_open = match zoned.max_open {
        0 if is_limited => device.max_open,
        max_open if is_limited && max_open > device.max_open => {
            return Err(ZoneFault::MaxOpenAboveDevice { max_open, device_max: device.max_open });
        }
        max_open => max_open,
    };
    if max_open > OPEN_MAX {
        return Err(ZoneFault::MaxOpenAboveLimit { limit: OPEN_MAX });
    }
    Ok(max_open)
}
