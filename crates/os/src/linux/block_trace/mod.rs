//! Traces of a block device: pages of events of the kernel's `block` tracepoints.
//!
//! Each trace has an instance of tracefs with its own buffers, events, filters and clock. Other traces are not changed. The kernel
//! does not remove an instance with an open file, so an instance that it removes belongs to no process: a new trace removes the
//! instances of killed ones.

#![expect(clippy::disallowed_methods, reason = "files of tracefs are an interface of the kernel")]

mod source;
mod submitters;
#[cfg(test)]
mod tests;
mod tracefs;

use std::fs::{File, OpenOptions, read_to_string};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use source::{Source, sources};
pub use submitters::{OpenFiles, Submitters, is_of_kernel, process_of};
use tracefs::Tracefs;

/// Size of the buffers of all CPUs together, and limits of the buffer of one CPU.
const BUFFERS_KIB: usize = 256 << 10;
const BUFFER_KIB_MIN: usize = 512;
const BUFFER_KIB_MAX: usize = 8 << 10;
/// Smallest page of a buffer. A call reads at most one page.
const PAGE_BYTES: usize = 4096;
const READ_BYTES: usize = 64 << 10;
/// Begin of the names of instances.
const PREFIX: &str = "fathom-";
/// Most attempts to create an instance while other processes remove it as a leftover.
const ATTEMPTS_MAX: u32 = 100;
/// Attempts to remove an instance, and the time between them.
const REMOVE_TRIES: u32 = 20;
const REMOVE_PAUSE: Duration = Duration::from_millis(5);
/// Lines of `stats` that count lost events.
const LOST: [&str; 3] = ["overrun: ", "commit overrun: ", "dropped events: "];

/// Why the block layer cannot be traced.
#[derive(Debug, strum::Display)]
pub enum BlockTraceError {
    /// It needs CAP_SYS_ADMIN.
    #[strum(to_string = "the block layer can be traced by root only (CAP_SYS_ADMIN)")]
    NoRights,
    /// The kernel has no tracefs.
    #[strum(to_string = "this kernel has no tracefs (CONFIG_FTRACE)")]
    NoTracefs,
    /// tracefs is not mounted, and this kernel cannot mount it for one process.
    #[strum(to_string = "tracefs is not mounted: `mount -t tracefs none /sys/kernel/tracing`")]
    NotMounted,
    /// The kernel does not have an event.
    #[strum(
        to_string = "this kernel does not have the trace event {0}; those of the block layer need CONFIG_BLK_DEV_IO_TRACE"
    )]
    NoEvent(String),
    /// A file of tracefs, with the reason.
    #[strum(to_string = "{0}")]
    File(String),
}

impl BlockTraceError {
    fn of(path: &Path, error: io::Error) -> BlockTraceError {
        match error.kind() {
            ErrorKind::PermissionDenied => BlockTraceError::NoRights,
            _ => BlockTraceError::File(format!("{}: {}", path.display(), units::errno::reason(&error))),
        }
    }
}

impl std::error::Error for BlockTraceError {}

/// The buffer of a CPU.
struct Buffer {
    pages: File,
    stats: PathBuf,
}

/// A trace that is active. It ends and disappears when it is dropped.
pub struct BlockTrace {
    /// Folder of the instance.
    folder: PathBuf,
    /// `tracing_on`. While it is open, no other process removes the instance.
    switch: Option<File>,
    /// `enable` of each event. An event that is enabled takes time of each I/O, also while nothing is recorded.
    enables: Vec<File>,
    buffers: Vec<Buffer>,
    page: Vec<u8>,
    /// Most pages of a buffer.
    pages_max: usize,
    descriptions: String,
    start_ns: u64,
    /// It holds the mount.
    _tracefs: Tracefs,
}

impl BlockTrace {
    /// Starts to trace events, by their folders below `events` of tracefs. Those of the block layer are those of the source. The times
    /// of the events are those of `CLOCK_MONOTONIC`.
    ///
    /// # Errors
    /// The process may not trace, or the kernel cannot.
    pub fn start(source: &Source, events: &[&str]) -> Result<BlockTrace, BlockTraceError> {
        let mut trace = BlockTrace::create(Tracefs::find()?)?;
        trace.set("tracing_on", "0")?;
        trace.set("trace_clock", "mono")?;
        // A full buffer drops new events: the ones that are read have no gaps.
        trace.set("options/overwrite", "0")?;
        trace.open_buffers()?;
        trace.descriptions = trace.get("events/header_page")?;
        for event in events {
            let folder = format!("events/{event}");
            if !trace.folder.join(&folder).is_dir() {
                return Err(BlockTraceError::NoEvent((*event).to_owned()));
            }
            let format = trace.get(&format!("{folder}/format"))?;
            if event.starts_with("block/") {
                trace.set(&format!("{folder}/filter"), &source.filter(format.contains(" nr_sector;")))?;
            }
            trace.enables.push(open_for_write(&trace.folder.join(format!("{folder}/enable")))?);
            trace.descriptions += &format;
        }
        let failed = |error| BlockTraceError::of(&trace.folder, error);
        trace.enable().map_err(failed)?;
        trace.start_ns = crate::linux::clock::monotonic();
        trace.set("tracing_on", "1")?;
        Ok(trace)
    }

    /// Creates the instance. Removes those of processes that were killed: one process at a time, as a new instance without an open
    /// file looks like such a one.
    fn create(tracefs: Tracefs) -> Result<BlockTrace, BlockTraceError> {
        let instances = tracefs.root().join("instances");
        let failed = |error| BlockTraceError::of(&instances, error);
        let lock = File::open(&instances).map_err(failed)?;
        lock.lock().map_err(failed)?;
        remove_leftovers(&instances);
        for attempt in 0..ATTEMPTS_MAX {
            let folder = instances.join(format!("{PREFIX}{}-{attempt}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                made => made.map_err(|error| BlockTraceError::of(&folder, error))?,
            }
            let switch = open_for_write(&folder.join("tracing_on"))?;
            return Ok(BlockTrace {
                folder,
                switch: Some(switch),
                enables: Vec::new(),
                buffers: Vec::new(),
                page: vec![0; READ_BYTES],
                pages_max: 0,
                descriptions: String::new(),
                start_ns: 0,
                _tracefs: tracefs,
            });
        }
        Err(BlockTraceError::of(&instances, ErrorKind::ResourceBusy.into()))
    }

    fn open_buffers(&mut self) -> Result<(), BlockTraceError> {
        let folder = self.folder.join("per_cpu");
        let failed = |error| BlockTraceError::of(&folder, error);
        let entries: Vec<_> = std::fs::read_dir(&folder).map_err(failed)?.collect::<io::Result<_>>().map_err(failed)?;
        let kib = (BUFFERS_KIB / entries.len().max(1)).clamp(BUFFER_KIB_MIN, BUFFER_KIB_MAX);
        self.pages_max = (kib << 10) / PAGE_BYTES + 1;
        self.set("buffer_size_kb", &kib.to_string())?;
        for entry in entries {
            let path = entry.path().join("trace_pipe_raw");
            let pages = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
            let pages = pages.map_err(|error| BlockTraceError::of(&path, error))?;
            self.buffers.push(Buffer { pages, stats: entry.path().join("stats") });
        }
        Ok(())
    }

    fn set(&self, file: &str, value: &str) -> Result<(), BlockTraceError> {
        let path = self.folder.join(file);
        std::fs::write(&path, value).map_err(|error| BlockTraceError::of(&path, error))
    }

    fn get(&self, file: &str) -> Result<String, BlockTraceError> {
        let path = self.folder.join(file);
        read_at_once(&path).map_err(|error| BlockTraceError::of(&path, error))
    }

    /// Returns the text of `events/header_page`, then those of `format` of the events.
    pub fn descriptions(&self) -> &str {
        &self.descriptions
    }

    /// Returns the time by the clock of the events.
    pub fn now_ns(&self) -> u64 {
        crate::linux::clock::monotonic()
    }

    /// Returns the start by `CLOCK_MONOTONIC`.
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// Calls `take` with each page of all CPUs. All events that are complete when the call starts are in these pages. Does not wait
    /// for events.
    ///
    /// # Errors
    /// Returns the error of a read.
    pub fn read(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        for buffer in &mut self.buffers {
            for _ in 0..=self.pages_max {
                match buffer.pages.read(&mut self.page) {
                    Ok(0) => break,
                    Ok(bytes) => take(&self.page[..bytes]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Stops. The events up to now can be read. Returns the end by `CLOCK_MONOTONIC`.
    ///
    /// # Errors
    /// Returns the error of the write.
    pub fn stop(&mut self) -> io::Result<u64> {
        self.switch.iter().try_for_each(|mut file| file.write_all(b"0"))?;
        let end_ns = crate::linux::clock::monotonic();
        // This takes milliseconds: the kernel changes its code.
        self.enables.iter().try_for_each(|mut file| file.write_all(b"0"))?;
        Ok(end_ns)
    }

    /// Continues after [`BlockTrace::stop`]: at first every event is enabled, then all of them are recorded.
    ///
    /// # Errors
    /// Returns the error of the write.
    pub fn resume(&mut self) -> io::Result<()> {
        self.enable()?;
        self.switch.iter().try_for_each(|mut file| file.write_all(b"1"))
    }

    fn enable(&self) -> io::Result<()> {
        self.enables.iter().try_for_each(|mut file| file.write_all(b"1"))
    }

    /// Returns the number of events that were lost, because a buffer was full.
    ///
    /// # Errors
    /// Returns the error of reading the statistics of a CPU.
    pub fn lost(&self) -> io::Result<u64> {
        let mut lost = 0;
        for buffer in &self.buffers {
            let stats = read_to_string(&buffer.stats)?;
            let count = |line: &str| LOST.iter().find_map(|name| line.strip_prefix(name)?.trim().parse::<u64>().ok());
            lost += stats.lines().filter_map(count).sum::<u64>();
        }
        Ok(lost)
    }
}

impl Drop for BlockTrace {
    fn drop(&mut self) {
        let _ = self.stop();
        self.buffers.clear();
        self.enables.clear();
        self.switch = None;
        // A child between fork and exec has its files open. An instance that cannot be removed is removed by the next trace.
        for _ in 0..REMOVE_TRIES {
            match std::fs::remove_dir(&self.folder) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => std::thread::sleep(REMOVE_PAUSE),
                _ => break,
            }
        }
    }
}

/// Reads a file. `header_page` ends after its first read, however few bytes that returned: `read_to_string` begins with 32.
fn read_at_once(path: &Path) -> io::Result<String> {
    let (mut file, mut text, mut part) = (File::open(path)?, Vec::new(), vec![0; READ_BYTES]);
    loop {
        match file.read(&mut part)? {
            0 => return String::from_utf8(text).map_err(|_| ErrorKind::InvalidData.into()),
            bytes => text.extend_from_slice(&part[..bytes]),
        }
    }
}

fn open_for_write(path: &Path) -> Result<File, BlockTraceError> {
    OpenOptions::new().write(true).open(path).map_err(|error| BlockTraceError::of(path, error))
}

/// Removes the instances of this program that no process has open.
fn remove_leftovers(instances: &Path) {
    for entry in std::fs::read_dir(instances).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_own) {
            // The kernel refuses to remove an instance that is in use.
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// Returns whether a name is that of an instance of this program: `fathom-PID-ATTEMPT`.
fn is_own(name: &str) -> bool {
    let numbers = name.strip_prefix(PREFIX).and_then(|numbers| numbers.split_once('-'));
    numbers.is_some_and(|(process, attempt)| process.parse::<u32>().is_ok() && attempt.parse::<u32>().is_ok())
}
