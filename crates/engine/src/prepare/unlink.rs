//! Removing targets where the job says so (`unlink`, `unlink_each_loop`).

use super::nature::Nature;
use super::{Target, fault};
use os::file::Kind;
use record::RunError;
use std::io::ErrorKind;

/// Removes the target if it is a file of the file system; devices stay.
pub fn unlink(target: &Target, nature: Nature) -> Result<(), RunError> {
    if target.kind != Kind::Regular || nature.diskless && !nature.fake {
        return Ok(());
    }
    let done = if nature.directories { std::fs::remove_dir(&target.path) } else { std::fs::remove_file(&target.path) };
    match done {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let said = format!("fio: failed to unlink file {}: {error}", target.path.display());
            Err(fault::of_io(&error, "unlink", said, ""))
        }
        _ => Ok(()),
    }
}
