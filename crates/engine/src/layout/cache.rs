//! The page cache of a target before the first I/O.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use os::errno;
use os::file::{File, Kind, OpenOptions};
use record::{LayoutError, PreReadCall, RunError};
use targets::{
    HeldTargets,
    fault::{self, shown},
};

use crate::target::Target;

const READ_BYTES: u64 = 1 << 20;

/// Drops the cached pages of the target.
///
/// # Errors
/// The kernel refuses. Only root may drop the pages of a block device.
pub fn invalidate(file: &File, target: &Target) -> io::Result<()> {
    if !matches!(target.kind, Kind::Regular | Kind::Block) {
        return Ok(());
    }
    file.invalidate_cache(target.offset, target.io_size.bytes())
}

/// Reads the job's part of the target into the page cache.
///
/// # Errors
/// The target cannot be opened or read, or it ends before the part.
pub fn pre_read(target: &Target, held: &HeldTargets, stop: &AtomicBool) -> Result<(), RunError> {
    if target.kind == Kind::Char {
        return Ok(());
    }
    let failed = |error: &io::Error, call: PreReadCall| {
        fault::of_io(error, LayoutError::PreRead { path: shown(&target.path), call })
    };
    let file = held.open(&OpenOptions { read: true, ..OpenOptions::new() }, &target.path);
    let file = file.map_err(|error| error.into_run_error(|error| failed(error, PreReadCall::Open)))?;
    let Some(end) = target.end() else { return Ok(()) };
    let mut buffer = vec![0u8; crate::number::size(READ_BYTES)];
    let mut at = target.offset;
    while at < end && !stop.load(Ordering::Relaxed) {
        let wanted = (end - at).min(READ_BYTES) as usize;
        match file.read_at(&mut buffer[..wanted], at) {
            Ok(0) => return Err(failed(&errno::error(errno::EIO), PreReadCall::Read)),
            Ok(bytes) => at += bytes as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error, PreReadCall::Read)),
        }
    }
    Ok(())
}
