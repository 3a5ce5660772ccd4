//! Removing targets where the job says so (`unlink`, `unlink_each_loop`).

use crate::engine_flags::EngineFlags;
use crate::fault;
use crate::target::Target;
use os::file::Kind;
use plan::Worker;
use record::RunError;
use std::io::ErrorKind;

/// Removes the files, and for engines that work on directories the directories, of a job. Devices stay, and so does
/// whatever an engine without a disk never made.
pub fn unlink(worker: &Worker, targets: &[Target]) -> Result<(), RunError> {
    let flags = EngineFlags::of(&worker.engine);
    if flags.diskless && !flags.one_block_each && !flags.makes_directories {
        return Ok(());
    }
    for target in targets.iter().filter(|target| target.kind == Kind::Regular) {
        let done =
            if flags.directories { std::fs::remove_dir(&target.path) } else { std::fs::remove_file(&target.path) };
        if let Err(error) = done
            && error.kind() != ErrorKind::NotFound
        {
            let text =
                format!("failed to unlink file {}: {error}", target.path.display(), error = os::errno::reason(&error));
            return Err(fault::of_io(&error, "unlink_all_files", text, ""));
        }
    }
    Ok(())
}
