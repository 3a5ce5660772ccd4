//! `fathom capture`: traces the I/Os of a device into a file.

mod live_view;
mod selection;
mod source;

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::capture::{
    Counter, Decoder, Device, End, Event, FORK, Facts, Figures, Fork, Head, ImportError, Io, Kind, Layer, Lives, Names,
    Origin, Owner, Partition, Source as IoSource, Writer,
};
use os::block_trace::BlockTrace;
use os::process::{Usage, thread_usage};
use os::signal::Interrupts;
use targets::OutputGuard;
use units::untrusted::UntrustedText;

use crate::atomic_file::OutputError;
use crate::command_error::CommandError;
use crate::live_views::LiveOptions;
use crate::output::stderr_line;
use crate::{atomic_file, input, run, session};
use live_view::LiveView;
use selection::Selection;
use source::Target;

/// Time between two reads of the trace. At 100,000 I/Os per second, the buffer of a CPU is full after 0.3 s.
const READ_EVERY: Duration = Duration::from_millis(50);
/// Events of this age are complete: the kernel writes an event within this time.
const SETTLE_NS: u64 = 20_000_000;

/// What is captured, and where to.
#[derive(Clone, Debug)]
pub struct Request {
    /// A block device, a path on one, or a process or control group.
    pub target: String,
    /// The disk of a process or control group. `None`: that of its open files.
    pub on: Option<String>,
    /// `None`: until a signal.
    pub time: Option<Duration>,
    /// `None`: a new file in the current folder.
    pub file: Option<String>,
    /// The file has the names of programs.
    pub has_names: bool,
    pub live: LiveOptions,
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
    /// Threads that started, which the selection does not have yet.
    forks: Vec<Fork>,
    /// `None`: the I/Os of all programs.
    selection: Option<Selection>,
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
        let target = Target::find(&request.target, request.on.as_deref())?;
        let source = &target.source;
        let layer = if source.disk.has_requests() { Layer::Requests } else { Layer::Bios };
        check_completions(&source.disk.name, layer)?;
        let usage = thread_usage();
        let mut events = ::capture::events(layer).to_vec();
        events.extend(target.submitters.as_ref().map(|_| FORK));
        let trace = BlockTrace::start(source, &events).map_err(|error| format!("{}: {error}", request.target))?;
        let decoder = Decoder::new(trace.descriptions(), request.has_names.then_some(Names::Programs))
            .map_err(|error| format!("{}: {error}", request.target))?;
        let head = head(request, &target, layer);
        let (path, file) = create(request.file.as_deref(), &source.disk.name)?;
        let is_on_disk =
            os::device::disks(&path).is_ok_and(|disks| disks.iter().any(|on| on.number == source.disk.number));
        if is_on_disk && target.submitters.is_none() {
            let name = UntrustedText::from(source.disk.name.as_str());
            stderr_line!("note: {} is on {name}: writes of this file are in the capture", UntrustedText::from(&path));
        }
        let writer = Writer::new(BufWriter::new(file), &head).map_err(|error| failed(&path, &error))?;
        let selection = target.submitters.map(Selection::new).transpose();
        let selection = selection.map_err(|error| format!("{}: {}", request.target, units::errno::reason(&error)))?;
        Ok(Capture {
            lives: Lives::new(layer, trace.start_ns()),
            trace,
            decoder,
            counter: Counter::default(),
            writer,
            head,
            events: Vec::new(),
            forks: Vec::new(),
            selection,
            path,
            usage,
            started: Instant::now(),
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what is captured: the target, and the disk of a process or control group.
    pub fn name(&self) -> String {
        let (target, disk) = (&self.head.target, &self.head.device.name);
        if self.selection.is_some() { format!("{target} on {disk}") } else { target.to_string() }
    }

    /// Returns true if the capture ends with a process or control group.
    pub fn can_end(&self) -> bool {
        self.selection.is_some()
    }

    /// Captures until the time of the request is over, the process ends, or until a signal. Returns the figures.
    ///
    /// # Errors
    /// The trace cannot be read, or the file cannot be written.
    pub fn run(mut self, request: &Request, interrupts: Interrupts) -> Result<Figures, String> {
        let disk = Path::new("/dev").join(self.head.device.name.raw().replace('!', "/"));
        let mut view = LiveView::open(format!("capture {}", self.name()), disk, &request.live)?;
        let end = loop {
            let left = request.time.map(|time| time.saturating_sub(self.started.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                break End::Time;
            }
            if interrupts.wait(0, left.map_or(READ_EVERY, |left| left.min(READ_EVERY))) {
                break End::Signal;
            }
            let has_ended = self.selection.as_ref().map_or(Ok(false), Selection::has_ended);
            if has_ended.map_err(|error| format!("{}: {}", self.name(), units::errno::reason(&error)))? {
                break End::Exit;
            }
            self.read(&mut view).map_err(|error| failed(&self.path, &error))?;
            view.show(self.started.elapsed(), left);
        };
        let path = self.path.clone();
        self.finish(end, view).map_err(|error| failed(&path, &error))
    }

    /// Reads the trace, and writes the I/Os that are complete.
    fn read(&mut self, view: &mut LiveView) -> io::Result<()> {
        let settled_ns = self.trace.now_ns().saturating_sub(SETTLE_NS);
        self.selection.iter_mut().try_for_each(Selection::update)?;
        let (decoder, events) = (&mut self.decoder, &mut self.events);
        self.trace.read(|page| decoder.page(page, events))?;
        self.forks.extend(self.decoder.take_forks());
        self.take_events(Some(settled_ns));
        while let Some(io) = self.lives.take_complete() {
            view.add(&io);
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
        self.forks.sort_by_key(|fork| fork.at_ns);
        let mut forks = std::mem::take(&mut self.forks).into_iter().peekable();
        for event in self.events.drain(..settled) {
            let owner = self.selection.as_mut().map_or(Owner::Selected, |selection| {
                while let Some(fork) = forks.next_if(|fork| fork.at_ns <= event.at_ns) {
                    selection.fork(&fork);
                }
                match event.kind {
                    // The thread that an interrupt hit, or that of the completion.
                    Kind::Complete | Kind::Requeue => Owner::Program,
                    _ => selection.owner(event.thread),
                }
            });
            self.lives.event_of(&event, owner);
        }
        if let Some(selection) = &mut self.selection {
            std::iter::from_fn(|| forks.next_if(|fork| is_settled(fork.at_ns))).for_each(|fork| selection.fork(&fork));
        }
        self.forks = forks.collect();
    }

    fn finish(mut self, end: End, mut view: LiveView) -> io::Result<Figures> {
        let duration_ns = self.trace.stop()?.saturating_sub(self.trace.start_ns());
        self.read(&mut view)?;
        drop(view);
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
            left_out: self.selection.map(|_| self.lives.left_out()),
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

fn head(request: &Request, target: &Target, layer: Layer) -> Head {
    let source = &target.source;
    let info = source.disk.info();
    let scheduler = source.disk.scheduler().map(|(chosen, _)| chosen).unwrap_or_default();
    Head {
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        target: target.name(&request.target),
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
