//! Making a file anew with every byte really written, so that reading it reads the device.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::space::room;
use super::{File, Kind, OpenOptions, StatCall, direct_alignment, stat, unlink};
use crate::memory::{Buffers, MemorySpec};

/// Bytes handed to the kernel at once.
const CHUNK_BYTES: usize = 1 << 20;
/// Bytes of cached writes between two starts of write-back.
const WRITEBACK_BYTES: u64 = 16 << 20;
/// What direct writes are multiples of where the file system doesn't say.
const ALIGN_BYTES: u64 = 4096;

/// Who makes a file, what it is filled with, and who may end it.
pub struct FileCreator<'a> {
    /// Fills a chunk that goes to the given offset. It gets the same memory each time, so what is right already may
    /// stay.
    pub content: &'a mut dyn FnMut(u64, &mut [u8]),
    /// Ends it, between two chunks.
    pub stop: &'a AtomicBool,
    /// Told of the bytes written so far after each chunk.
    pub progress: &'a mut dyn FnMut(u64),
}

impl FileCreator<'_> {
    /// Removes the file at `path` if there is one (of a link the file that it leads to) and makes one with `bytes`
    /// bytes, all written and on the device. Nothing of it stays in the page cache.
    ///
    /// It is written around the page cache where the file system can do that: twice as fast as through it and a sync,
    /// and the machine's memory stays as it is. A file that couldn't be finished, by an error or by `stop` (an error
    /// of kind `Interrupted`), is removed: what is there is always whole.
    ///
    /// That nobody uses the file is for the caller to know. Anything but a file is left alone and an error.
    pub fn create(&mut self, path: &Path, bytes: u64) -> io::Result<()> {
        let path = remove_old(path, bytes)?;
        let file = OpenOptions { write: true, create: true, ..OpenOptions::new() }.open(&path)?;
        let done = self.fill(&file, bytes);
        if done.is_err() {
            // The error that ended it is the one to tell.
            let _ = unlink(&path);
        }
        done
    }

    fn fill(&mut self, file: &File, bytes: u64) -> io::Result<()> {
        // Blocks in one piece, and no doubt about their number. The length grows as it is written, so that a killed
        // run leaves no file that only looks whole.
        match file.allocate(0, bytes.max(1), true) {
            // Where space can't be reserved it is found while writing.
            Err(error) if error.kind() == ErrorKind::Unsupported => {}
            reserved => reserved?,
        }
        let mut buffer = Buffers::new(1, CHUNK_BYTES, &MemorySpec::default())?;
        let written = self.write_direct(file, bytes, &mut buffer)?;
        self.write_cached(file, written, bytes, &mut buffer)?;
        file.fsync()?;
        file.invalidate_cache(0, 0)
    }

    /// Writes as many of the bytes around the cache as can be: none, or all up to the last whole block.
    fn write_direct(&mut self, file: &File, bytes: u64, buffer: &mut Buffers) -> io::Result<u64> {
        let align = direct_alignment(file.path()).ok().flatten().map_or(ALIGN_BYTES, u64::from).max(ALIGN_BYTES);
        if !(CHUNK_BYTES as u64).is_multiple_of(align) {
            return Ok(0);
        }
        let Ok(direct) = (OpenOptions { write: true, direct: true, ..OpenOptions::new() }).open(file.path()) else {
            return Ok(0);
        };
        let end = bytes / align * align;
        let mut at = 0;
        while at < end {
            match self.write_chunk(&direct, at, end, buffer) {
                Ok(now) if now.is_multiple_of(align) => at = now,
                // Cut short in the midst of a block: nearly always for want of space, which the cached way will tell.
                Ok(now) => return Ok(now),
                Err(error) if at == 0 && error.raw_os_error() == Some(libc::EINVAL) => return Ok(0),
                Err(error) => return Err(error),
            }
        }
        Ok(at)
    }

    fn write_cached(&mut self, file: &File, from: u64, bytes: u64, buffer: &mut Buffers) -> io::Result<()> {
        let (mut at, mut started) = (from, from);
        while at < bytes {
            at = self.write_chunk(file, at, bytes, buffer)?;
            if at - started >= WRITEBACK_BYTES {
                // Keeps the last sync short. Where it can't be done that sync does it all.
                let _ = file.start_writeback(started, at - started);
                started = at;
            }
        }
        Ok(())
    }

    /// Writes one chunk at `at`, at most up to `end`; where it ended.
    fn write_chunk(&mut self, file: &File, at: u64, end: u64, buffer: &mut Buffers) -> io::Result<u64> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::new(ErrorKind::Interrupted, "stopped before the file was made"));
        }
        let count = (end - at).min(CHUNK_BYTES as u64) as usize;
        let mut chunk = buffer.slot_mut(0);
        (self.content)(at, &mut chunk[..count]);
        let written = loop {
            match file.write_at(&chunk[..count], at) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                done => break done?,
            }
        };
        let now = at + written as u64;
        (self.progress)(now);
        Ok(now)
    }
}

/// Removes what is to be made anew, unless there is no room for that; where that is.
fn remove_old(path: &Path, bytes: u64) -> io::Result<PathBuf> {
    let found = match stat(path, StatCall::Stat) {
        // Perhaps a link to what isn't there yet: opening follows it.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path.to_path_buf()),
        found => found?,
    };
    if found.kind != Kind::Regular {
        return Err(io::Error::new(ErrorKind::InvalidInput, "only files are made anew, and this is none"));
    }
    let path = std::fs::canonicalize(path)?;
    if let Some(room) = room(&path)?.map(|free| free.saturating_add(found.allocated)).filter(|room| *room < bytes) {
        let text = format!("there is room for {room} bytes, not for {bytes}; what was there was kept");
        return Err(io::Error::new(ErrorKind::StorageFull, text));
    }
    unlink(&path)?;
    Ok(path)
}
