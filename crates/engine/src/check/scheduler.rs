//! Whether the disks have the I/O scheduler that the job wants (`ioscheduler`).

use crate::engine_flags::EngineFlags;
use crate::fault;
use os::device::disks;
use os::errno;
use plan::Worker;
use record::RunError;
use std::path::Path;

pub(super) fn check(worker: &Worker, path: &Path) -> Result<(), RunError> {
    let Some(wanted) = &worker.targets.ioscheduler else {
        return Ok(());
    };
    if EngineFlags::of(&worker.engine).diskless {
        return Ok(());
    }
    // A path without a disk below, such as on tmpfs, is passed over, as in fio; so is a disk that has no schedulers.
    for disk in disks(path).unwrap_or_default() {
        let Ok((_, offered)) = disk.scheduler() else {
            continue;
        };
        let tunable = offered.iter().any(|name| name != "none");
        if tunable && !offered.contains(wanted) {
            return Err(fault::new(
                errno::EINVAL,
                "iosched_switch",
                format!("unable to set io scheduler to {wanted}"),
                &format!("{} has {}", disk.name, offered.join(", ")),
            ));
        }
    }
    Ok(())
}
