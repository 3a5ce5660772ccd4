//! Creation of files with all bytes written, so that reads of them reach the device.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{File, OpenOptions, direct_alignment};
use crate::errno;
use crate::memory::{Buffers, MemorySpec};

/// Bytes per write call.
const CHUNK_BYTES: usize = 1 << 20;
/// Bytes of buffered writes between two starts of write-back.
const WRITEBACK_BYTES: u64 = 16 << 20;
/// Alignment of direct writes if the file system does not report one.
const ALIGN_BYTES: u64 = 4096;

/// Creates a file: its content, the stop flag, the progress callback.
pub struct FileCreator<'a> {
    /// Fills the chunk at the given offset. All calls get the same memory, so bytes that are already right can stay.
    pub content: &'a mut dyn FnMut(u64, &mut [u8]),
    /// Stops the creation between two chunks.
    pub stop: &'a AtomicBool,
    /// Called with the bytes written so far, after each chunk.
    pub progress: &'a mut dyn FnMut(u64),
}

impl FileCreator<'_> {
    /// Writes all `bytes` bytes of a new file and syncs it. None stay in the page cache.
    ///
    /// Uses direct I/O if the file system supports it: this is about twice as fast as buffered writes with a sync, and
    /// does not fill the memory.
    ///
    /// # Errors
    /// Returns `Interrupted` if `stop` is set, otherwise the error of the system call.
    pub fn fill(&mut self, file: &File, bytes: u64) -> io::Result<()> {
        // Preallocation gives contiguous blocks and finds a lack of space early. The length grows with the writes: a
        // killed run leaves no file that only looks complete.
        match file.allocate(0, bytes.max(1), true) {
            // Without preallocation the writes find a lack of space.
            Err(error) if error.kind() == ErrorKind::Unsupported => {}
            reserved => reserved?,
        }
        let mut buffer = Buffers::new(1, CHUNK_BYTES, &MemorySpec::default())?;
        let written = self.write_direct(file, bytes, &mut buffer)?;
        self.write_cached(file, written, bytes, &mut buffer)?;
        file.fsync()?;
        match file.invalidate_cache(0, None) {
            // Windows has no such call: what direct writes leave is not in the cache.
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(()),
            dropped => dropped,
        }
    }

    /// Writes with direct I/O up to the last whole block. Returns the bytes written: 0 without direct I/O.
    fn write_direct(&mut self, file: &File, bytes: u64, buffer: &mut Buffers) -> io::Result<u64> {
        let align = direct_alignment(&file.at()).ok().flatten().map_or(ALIGN_BYTES, u64::from).max(ALIGN_BYTES);
        if !(CHUNK_BYTES as u64).is_multiple_of(align) {
            return Ok(0);
        }
        let Ok(direct) = file.open_again(OpenOptions { write: true, direct: true, ..OpenOptions::new() }) else {
            return Ok(0);
        };
        let end = bytes / align * align;
        let mut at = 0;
        while at < end {
            match self.write_chunk(&direct, at, end, buffer) {
                Ok(now) if now.is_multiple_of(align) => at = now,
                // A write that ends within a block nearly always means a lack of space. The buffered write returns that
                // error.
                Ok(now) => return Ok(now),
                Err(error) if at == 0 && errno::of(&error) == Some(errno::EINVAL) => return Ok(0),
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
                // This keeps the final sync short. If it fails, that sync does all the work.
                let _ = file.start_writeback(started, at - started);
                started = at;
            }
        }
        Ok(())
    }

    /// Writes one chunk at `at`, at most up to `end`. Returns where it ends.
    fn write_chunk(&mut self, file: &File, at: u64, end: u64, buffer: &mut Buffers) -> io::Result<u64> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::new(ErrorKind::Interrupted, "stopped before the file was complete"));
        }
        let count = usize::try_from(end - at).map_or(CHUNK_BYTES, |rest| rest.min(CHUNK_BYTES));
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
