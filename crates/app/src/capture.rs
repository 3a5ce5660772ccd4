//! `fathom capture`: traces the I/Os of a device into a file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::capture::{
    Counter, Decoder, Device, End, Event, Facts, Figures, Head, ImportError, Io, Layer, Lives, Names, Operation,
    Origin, Partition, Source as IoSource, Writer,
};
use live::{JobView, Line, View};
use os::block_trace::{self, BlockTrace, Source};
use os::process::{Usage, thread_usage};
use os::signal::Interrupts;
use targets::OutputGuard;
use units::untrusted::UntrustedText;

use crate::atomic_file::OutputError;
use crate::command_error::CommandError;
use crate::output::{self, stderr_line};
use crate::terminal::{stderr_is_terminal, writes_utf8};
use crate::{atomic_file, devices, input, run, session};

/// Time between two reads of the trace. At 100,000 I/Os per second, the buffer of a CPU is full after 0.3 s.
const READ_EVERY: Duration = Duration::from_millis(50);
/// Events of this age are complete: the kernel writes an event within this time.
const SETTLE_NS: u64 = 20_000_000;
/// Time between two updates of the progress line.
const SHOW_EVERY: Duration = Duration::from_millis(500);

/// What is captured, and where to.
#[derive(Clone, Debug)]
pub struct Request {
    /// A block device, or a path on one.
    pub target: String,
    /// `None`: until a signal.
    pub time: Option<Duration>,
    /// `None`: a new file in the current folder.
    pub file: Option<String>,
    /// The file has the names of programs.
    pub has_names: bool,
    pub is_quiet: bool,
}

/// A capture that is active.
pub struct Capture {
    trace: BlockTrace,
    decoder: Decoder,
    lives: Lives,
    counter: Counter,
    writer: Writer<BufWriter<File>>,
    head: Head,
    /// Events that are not added to the lives yet.
    events: Vec<Event>,
    path: PathBuf,
    usage: Usage,
    started: Instant,
}

impl Capture {
    /// Starts a capture and creates its file.
    ///
    /// # Errors
    /// The target is on no device, the device cannot be traced, or the file cannot be written.
    pub fn start(request: &Request) -> Result<Capture, CommandError> {
        let source = source(&request.target)?;
        let layer = if source.disk.has_requests() { Layer::Requests } else { Layer::Bios };
        check_completions(&source.disk.name, layer)?;
        let usage = thread_usage();
        let trace = BlockTrace::start(&source, ::capture::events(layer))
            .map_err(|error| format!("{}: {error}", request.target))?;
        let decoder = Decoder::new(trace.descriptions(), request.has_names.then_some(Names::Programs))
            .map_err(|error| format!("{}: {error}", request.target))?;
        let head = head(request, &source, layer);
        let (path, file) = create(request.file.as_deref(), &source.disk.name)?;
        let is_on_disk =
            os::device::disks(&path).is_ok_and(|disks| disks.iter().any(|on| on.number == source.disk.number));
        if is_on_disk {
            let name = UntrustedText::from(source.disk.name.as_str());
            stderr_line!("note: {} is on {name}: writes of this file are in the capture", UntrustedText::from(&path));
        }
        let writer = Writer::new(BufWriter::new(file), &head).map_err(|error| failed(&path, &error))?;
        Ok(Capture {
            lives: Lives::new(layer, trace.start_ns()),
            trace,
            decoder,
            counter: Counter::default(),
            writer,
            head,
            events: Vec::new(),
            path,
            usage,
            started: Instant::now(),
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Captures until the time of the request is over, or until a signal. Returns the figures.
    ///
    /// # Errors
    /// The trace cannot be read, or the file cannot be written.
    pub fn run(mut self, request: &Request, interrupts: Interrupts) -> Result<Figures, String> {
        let mut progress = Progress::open(request, &self.head);
        let end = loop {
            let left = request.time.map(|time| time.saturating_sub(self.started.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                break End::Time;
            }
            if interrupts.wait(0, left.map_or(READ_EVERY, |left| left.min(READ_EVERY))) {
                break End::Signal;
            }
            self.read().map_err(|error| failed(&self.path, &error))?;
            progress.show(&self.counter, self.started.elapsed(), left);
        };
        drop(progress);
        let path = self.path.clone();
        self.finish(end).map_err(|error| failed(&path, &error))
    }

    /// Reads the trace, and writes the I/Os that are complete.
    fn read(&mut self) -> io::Result<()> {
        let settled_ns = self.trace.now_ns().saturating_sub(SETTLE_NS);
        let (decoder, events) = (&mut self.decoder, &mut self.events);
        self.trace.read(|page| decoder.page(page, events))?;
        self.take_events(Some(settled_ns));
        while let Some(io) = self.lives.take_complete() {
            self.counter.add(&io);
            self.writer.io(&io)?;
        }
        Ok(())
    }

    /// Adds the events before a time, or all of them, in the order of their times: they come from several CPUs.
    fn take_events(&mut self, until_ns: Option<u64>) {
        self.events.sort_by_key(|event| event.at_ns);
        let is_settled = |at_ns| until_ns.is_none_or(|until_ns| at_ns < until_ns);
        let settled = self.events.partition_point(|event| is_settled(event.at_ns));
        self.events.drain(..settled).for_each(|event| self.lives.event(&event));
    }

    fn finish(mut self, end: End) -> io::Result<Figures> {
        self.trace.stop()?;
        let duration_ns = self.trace.now_ns().saturating_sub(self.trace.start_ns());
        self.read()?;
        self.take_events(None);
        while let Some(io) = self.lives.take_any() {
            self.counter.add(&io);
            self.writer.io(&io)?;
        }
        let used = thread_usage().since(&self.usage);
        let facts = Facts {
            end,
            duration_ns,
            events: self.decoder.decoded(),
            lost_events: self.trace.lost()?,
            unreadable: self.decoder.unreadable(),
            changes: self.lives.changes(),
            cpu_ns: used.user_ns + used.system_ns,
            programs: self.decoder.programs(),
        };
        let file = self.writer.finish(&facts)?.into_inner().map_err(io::IntoInnerError::into_error)?;
        os::file::close(file)?;
        Ok(self.counter.finish(self.head, &facts))
    }
}

/// Reads a file and returns its figures.
///
/// # Errors
/// The file cannot be read or is no capture.
pub fn load(path: &str) -> Result<Figures, CommandError> {
    load_each(path, |_, _| {})
}

/// Reads a file, passes each of its I/Os to a function, and returns its figures.
///
/// # Errors
/// The file cannot be read or is no capture.
pub fn load_each(path: &str, mut each: impl FnMut(&Head, &Io)) -> Result<Figures, CommandError> {
    let file = input::open(Path::new(path), input::Kind::Capture)
        .map_err(|error| format!("{path}: {}", units::errno::reason(&error)))?;
    let mut read = |file| {
        let mut source = IoSource::new(BufReader::new(file), path)?;
        let mut counter = Counter::default();
        while let Some(io) = source.next_io()? {
            counter.add(&io);
            each(source.head(), &io);
        }
        source.finish().map(|(head, facts)| counter.finish(head, &facts))
    };
    Ok(read(file).map_err(|error: ImportError| format!("{path}: {error}"))?)
}

/// Creates the file of a capture.
fn create(given: Option<&str>, disk: &str) -> Result<(PathBuf, File), OutputError> {
    let mut guard = OutputGuard::new([]);
    if let Some(given) = given {
        let path = PathBuf::from(given);
        return atomic_file::create(&path, &mut guard).map(|file| (path, file));
    }
    // The kernel's name of a disk has `!` instead of `/`.
    let path = PathBuf::from(format!("{}-{}.capture", disk.replace('!', "-"), session::stamp()));
    atomic_file::create_own(&path, &mut guard).map(|file| (path, file))
}

/// Refuses a device whose completions the kernel reports for other devices.
fn check_completions(disk: &str, layer: Layer) -> Result<(), CommandError> {
    match layer == Layer::Bios && disk.starts_with("nvme") {
        true => Err(format!("{disk} is an NVMe multipath device: the kernel does not report its completions").into()),
        false => Ok(()),
    }
}

fn failed(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", UntrustedText::from(path), units::errno::reason(error))
}

/// Finds the device of a target.
fn source(target: &str) -> Result<Source, CommandError> {
    let failed = |error: io::Error| format!("{target}: {}", units::errno::reason(&error));
    if let Err(error) = std::fs::metadata(target) {
        return Err(devices::missing(target).unwrap_or_else(|| failed(error)).into());
    }
    let mut sources = block_trace::sources(Path::new(target)).map_err(failed)?;
    match (sources.pop(), sources.len()) {
        (Some(source), 0) => Ok(source),
        (None, _) => Err(format!("{target} is on no block device").into()),
        (Some(last), _) => {
            sources.push(last);
            let names: Vec<String> = sources.iter().map(|source| format!("/dev/{}", source.disk.name)).collect();
            Err(format!("{target} is on {} disks: {}\nhelp: capture one of them", names.len(), names.join(", ")).into())
        }
    }
}

fn head(request: &Request, source: &Source, layer: Layer) -> Head {
    let info = source.disk.info();
    let scheduler = source.disk.scheduler().map(|(chosen, _)| chosen).unwrap_or_default();
    Head {
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        target: request.target.as_str().into(),
        device: Device {
            name: source.disk.name.as_str().into(),
            model: info.model,
            size_bytes: info.bytes,
            logical_block_bytes: info.logical_block_bytes,
            scheduler: scheduler.into(),
        },
        partition: source
            .sectors
            .as_ref()
            .map(|sectors| Partition { first_sector: sectors.start, sectors: sectors.end - sectors.start }),
        layer,
        started_unix_ms: Some(run::unix_ms()),
        utc_offset_s: os::clock::utc_offset_s(),
        has_names: request.has_names,
        origin: Origin::Capture,
    }
}

/// The progress line, if standard error is a terminal.
struct Progress {
    line: Option<Line>,
    view: View,
    /// Counts of reads and writes at the last update, and its time.
    before: ([(u64, u64); 2], Duration),
}

impl Progress {
    fn open(request: &Request, head: &Head) -> Progress {
        let has_line = !request.is_quiet && stderr_is_terminal();
        let line = has_line.then(|| Line::new(writes_utf8()));
        output::set_line(line.clone());
        let view =
            View { run: format!("capture {}", head.device.name), jobs: vec![JobView::default()], ..View::default() };
        Progress { line, view, before: Default::default() }
    }

    fn show(&mut self, counter: &Counter, elapsed: Duration, left: Option<Duration>) {
        let Some(line) = &mut self.line else { return };
        let (counts, at) = &self.before;
        let since = elapsed.saturating_sub(*at);
        if since < SHOW_EVERY {
            return;
        }
        let new = [Operation::Read, Operation::Write].map(|operation| counter.so_far(operation));
        for (direction, (now, before)) in new.iter().zip(counts).enumerate() {
            let per_s = |now: u64, before: u64| (now - before) as f64 / since.as_secs_f64();
            self.view.jobs[0].ios_per_s[direction] = per_s(now.0, before.0);
            self.view.jobs[0].bytes_per_s[direction] = per_s(now.1, before.1);
        }
        self.view.elapsed_ns = elapsed.as_nanos() as u64;
        self.view.left_ns = left.map(|left| left.as_nanos() as u64);
        line.update(&self.view);
        self.before = (new, elapsed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(line) = &mut self.line {
            line.clear();
            output::set_line(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_nvme_multipath_device_is_refused() {
        assert!(
            check_completions("nvme0n1", Layer::Requests).is_ok() && check_completions("zram0", Layer::Bios).is_ok()
        );
        let error = check_completions("nvme0n1", Layer::Bios).unwrap_err().to_string();
        assert!(error.contains("multipath"), "{error}");
    }

    #[test]
    fn a_file_that_the_user_names_has_this_name() {
        let given = std::env::temp_dir().join(format!("fathom-capture-{}!b", std::process::id()));
        let (path, _) = create(given.to_str(), "vda").unwrap();
        assert!(path == given && given.exists());
        std::fs::remove_file(given).unwrap();
    }
}
