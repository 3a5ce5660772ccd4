//! Checks that the disks have the job's I/O scheduler (`ioscheduler`).

use crate::engine_flags::EngineFlags;
use os::device::disks;
use os::errno;
use plan::Job;
use record::{CheckError, RunError};
use std::path::Path;

pub(super) fn check(job: Job<'_>, path: &Path) -> Result<(), RunError> {
    let Some(wanted) = &job.load.targets.ioscheduler else {
        return Ok(());
    };
    if EngineFlags::of(&job.engine).diskless {
        return Ok(());
    }
    // As in fio, a path without a disk, such as on tmpfs, and a disk without schedulers are not checked.
    for disk in disks(path).unwrap_or_default() {
        let Ok((_, offered)) = disk.scheduler() else {
            continue;
        };
        let tunable = offered.iter().any(|name| name != "none");
        if tunable && !offered.contains(wanted) {
            let (scheduler, disk) = (wanted.clone(), disk.name.clone());
            return Err(RunError::new(errno::EINVAL, CheckError::SchedulerMissing { scheduler, disk, offered }));
        }
    }
    Ok(())
}
