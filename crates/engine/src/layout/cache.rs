//! The page cache before the first I/O: emptied of a target, or filled with it.

use crate::fault;
use crate::target::Target;
use os::errno;
use os::file::{File, Kind, OpenOptions};
use record::RunError;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

const READ_BYTES: u64 = 1 << 20;

/// Drops the cached pages of the target. Returns a message if that fails.
pub fn invalidate(file: &File, target: &Target) -> Option<String> {
    if target.io_size == u64::MAX || target.offset == u64::MAX {
        return None;
    }
    if !matches!(target.kind, Kind::Regular | Kind::Block) {
        return None;
    }
    let Err(error) = file.invalidate_cache(target.offset, target.io_size) else {
        return None;
    };
    if error.raw_os_error() == Some(errno::EACCES) && target.kind == Kind::Block {
        return Some("fio: only root may flush block devices. Cache flush bypassed!".into());
    }
    Some(format!("fio: cache invalidation of {} failed: {error}", target.path.display(), error = errno::reason(&error)))
}

/// Reads the job's part of the target into the page cache.
pub fn pre_read(target: &Target, stop: &AtomicBool) -> Result<(), RunError> {
    if target.kind == Kind::Char {
        return Ok(());
    }
    let failed = |error: io::Error, func: &str| {
        let text = format!("cannot pre-read {}: {error}", target.path.display(), error = errno::reason(&error));
        fault::of_io(&error, func, text, "")
    };
    let file =
        OpenOptions { read: true, ..OpenOptions::new() }.open(&target.path).map_err(|error| failed(error, "open"))?;
    let end = target.offset.saturating_add(target.io_size).min(target.real_size);
    let mut buffer = vec![0u8; READ_BYTES as usize];
    let mut at = target.offset;
    while at < end && !stop.load(Ordering::Relaxed) {
        let wanted = (end - at).min(READ_BYTES) as usize;
        match file.read_at(&mut buffer[..wanted], at) {
            Ok(0) => return Err(failed(io::Error::from_raw_os_error(errno::EIO), "pre_read")),
            Ok(bytes) => at += bytes as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error, "pre_read")),
        }
    }
    Ok(())
}
