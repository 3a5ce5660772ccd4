//! The log files of one worker: which there are, what they are called and which columns they have.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use plan::{WindowValue, Worker};

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

    /// The stem of the file's name, where there is such a file. fio makes none for latencies that are disabled.
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

    /// Whether each I/O has a line: not where its time isn't taken. The file is made, and stays empty.
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

/// Which columns there are beside time, value, direction and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Columns {
    pub second_value: bool,
    pub offset: bool,
    /// The priority itself, not only whether it is of the real-time class.
    pub prio: bool,
    pub issue_time: bool,
}

/// A file of a worker, which is opened anew for each block of lines: a thousand jobs with five logs each must not
/// hold five thousand descriptors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFile {
    pub path: PathBuf,
    /// Each I/O has a line here, where logs are not by windows.
    pub each_io: bool,
}

impl LogFile {
    pub fn append(&self, lines: &[u8]) -> io::Result<()> {
        let file = OpenOptions::new().append(true).create(true).open(&self.path);
        file.and_then(|mut file| file.write_all(lines)).map_err(|error| named(&self.path.to_string_lossy(), &error))
    }
}

#[derive(Clone, Debug)]
pub struct Destination {
    files: [Option<LogFile>; Kind::ALL.len()],
    pub columns: Columns,
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
            let path = match logs.per_job {
                true => format!("{stem}_{}.{}.log", kind.suffix(), worker.number),
                false => format!("{stem}_{}.log", kind.suffix()),
            };
            Some(LogFile { path: path.into(), each_io: kind.is_logged_for_each_io(worker) })
        };
        let prio = worker
            .process
            .ioprio
            .map_or(0, |prio| u16::from(prio.class) << 13 | (prio.hint & 0x3ff) << 3 | u16::from(prio.level & 7));
        Destination {
            files: Kind::ALL.map(file),
            columns: Columns {
                second_value: logs.window_value == WindowValue::Both,
                offset: logs.with_offset,
                prio: logs.with_prio,
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

    /// Makes the files empty; those that jobs share are added to, as in fio even what an earlier run left.
    pub fn make_files(&self) -> io::Result<()> {
        for LogFile { path, .. } in self.files.iter().flatten() {
            let made = match self.per_job {
                true => File::create(path),
                false => OpenOptions::new().append(true).create(true).open(path),
            };
            made.map_err(|error| named(&path.to_string_lossy(), &error))?;
        }
        Ok(())
    }
}

/// The error with the file that it is about.
pub fn named(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}
