//! The log files of one worker: kinds, names and columns.

use std::path::PathBuf;

use iolog::samples::SampleColumns;
use plan::{WindowValue, Worker};
use targets::{Existing, GuardedFile, NamedBy, OutputGuard};

use super::error::LogError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Slat,
    Clat,
    Lat,
    Bandwidth,
    Iops,
    ClatHistogram,
}

impl Kind {
    pub const ALL: [Kind; 6] = [Kind::Slat, Kind::Clat, Kind::Lat, Kind::Bandwidth, Kind::Iops, Kind::ClatHistogram];

    fn suffix(self) -> &'static str {
        ["slat", "clat", "lat", "bw", "iops", "clat_hist"][self as usize]
    }

    /// Returns the stem of the file's name. As in fio there is no file for a disabled latency.
    fn stem(self, worker: &Worker) -> Option<&str> {
        let (measure, logs) = (&worker.measure, &worker.measure.logs);
        let (stem, enabled) = match self {
            Kind::Slat => (&logs.latency, measure.slat),
            Kind::Clat => (&logs.latency, measure.clat),
            Kind::Lat => (&logs.latency, measure.lat),
            Kind::Bandwidth => (&logs.bandwidth, true),
            Kind::Iops => (&logs.iops, true),
            Kind::ClatHistogram => (&logs.histogram, true),
        };
        stem.as_deref().filter(|_| enabled)
    }

    /// Returns true if each I/O has a line. An I/O whose time is not measured has none, and the file stays empty.
    pub fn is_logged_for_each_io(self, worker: &Worker) -> bool {
        let measure = &worker.measure;
        match self {
            Kind::Bandwidth => measure.bandwidth,
            Kind::Iops => measure.slat || measure.clat || measure.lat || measure.bandwidth,
            Kind::Slat | Kind::Clat | Kind::Lat => true,
            Kind::ClatHistogram => false,
        }
    }
}

/// A file of a worker. It is opened for each block of lines, so that a thousand jobs with five logs each do not need five
/// thousand descriptors.
#[derive(Clone, Debug)]
pub struct LogFile {
    path: PathBuf,
    /// `None` until it is created.
    file: Option<GuardedFile>,
    /// Each I/O has a line, unless the log has windows.
    pub each_io: bool,
    /// The lines are stored as compressed samples.
    pub is_compressed: bool,
}

impl LogFile {
    /// Appends lines to the file.
    ///
    /// # Errors
    /// The file cannot be opened or written.
    pub fn append(&self, lines: &[u8]) -> Result<(), LogError> {
        let written = self.file.as_ref().map_or(Ok(()), |file| file.append(lines));
        written.map_err(|error| LogError::of_output(&self.path.to_string_lossy(), error))
    }
}

#[derive(Clone, Debug)]
pub struct Destination {
    files: [Option<LogFile>; Kind::ALL.len()],
    pub columns: SampleColumns,
    /// fio's number for the I/O priority of the worker.
    pub prio: u16,
    pub bins_per_column: usize,
    per_job: bool,
}

impl Destination {
    pub fn new(worker: &Worker) -> Self {
        let logs = &worker.measure.logs;
        let file = |kind: Kind| {
            let stem = kind.stem(worker)?;
            // fio does not compress histograms either.
            let is_compressed = logs.compressed && kind != Kind::ClatHistogram;
            let extension = if is_compressed { "log.fz" } else { "log" };
            let path = match logs.per_job {
                true => format!("{stem}_{}.{}.{extension}", kind.suffix(), worker.number),
                false => format!("{stem}_{}.{extension}", kind.suffix()),
            };
            let each_io = kind.is_logged_for_each_io(worker);
            Some(LogFile { path: path.into(), file: None, each_io, is_compressed })
        };
        let prio = worker
            .process
            .ioprio
            .map_or(0, |prio| u16::from(prio.class) << 13 | (prio.hint & 0x3ff) << 3 | u16::from(prio.level & 7));
        Destination {
            files: Kind::ALL.map(file),
            columns: SampleColumns {
                second_value: logs.window_value == WindowValue::Both,
                offset: logs.with_offset,
                priority: logs.with_prio,
                issue_time: logs.with_issue_time,
            },
            prio,
            bins_per_column: 1 << logs.histogram_coarseness.min(6),
            per_job: logs.per_job,
        }
    }

    pub fn file(&self, kind: Kind) -> Option<&LogFile> {
        self.files[kind as usize].as_ref()
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.file(kind).is_some()
    }

    pub fn has_files(&self) -> bool {
        self.files.iter().any(Option::is_some)
    }

    pub fn into_paths(self) -> impl Iterator<Item = PathBuf> {
        self.files.into_iter().flatten().map(|file| file.path)
    }

    /// Creates empty files. As in fio, files that jobs share keep the lines of earlier runs.
    ///
    /// # Errors
    /// A file cannot be created, or the output guard refuses it.
    pub fn make_files(&mut self, guard: &mut OutputGuard) -> Result<(), LogError> {
        let existing = if self.per_job { Existing::Truncate } else { Existing::Append };
        for LogFile { path, file, .. } in self.files.iter_mut().flatten() {
            let made = GuardedFile::create(path, existing, NamedBy::Program, guard);
            *file = Some(made.map_err(|error| LogError::of_output(&path.to_string_lossy(), error))?);
        }
        Ok(())
    }
}
