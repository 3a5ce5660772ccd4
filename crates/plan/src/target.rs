//! Files and devices: how they are found, made, opened and left.

use serde::{Deserialize, Serialize};

/// What a worker does its I/O on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Targets {
    /// Paths in the order of service.
    pub paths: Vec<String>,
    /// The paths were made from the job's name, not given: they are regular files of fathom's own.
    pub generated: bool,
    /// Every file below this directory is a target, too; in place of the paths where those are generated.
    pub opendir: Option<String>,
    /// Bytes of each file: a fixed size or a range to draw from; `None` shares out [`Extent::size`].
    pub file_size: Option<(u64, u64)>,
    pub extent: Extent,
    pub open: Open,
    pub create: Create,
    pub service: FileService,
    /// Maximum number of open files; 0 is no limit.
    pub open_files: u32,
    pub pre_read: bool,
    /// Throw cached pages away before I/O starts.
    pub invalidate: bool,
    pub fadvise: Fadvise,
    pub unlink: bool,
    pub unlink_each_loop: bool,
    /// Queue scheduler to set on the device for the run.
    pub ioscheduler: Option<String>,
    pub allow_mounted_write: bool,
}

impl Default for Targets {
    fn default() -> Self {
        Targets {
            paths: Vec::new(),
            generated: false,
            opendir: None,
            file_size: None,
            extent: Extent::default(),
            open: Open::default(),
            create: Create::default(),
            service: FileService::default(),
            open_files: 0,
            pre_read: false,
            invalidate: true,
            fadvise: Fadvise::default(),
            unlink: false,
            unlink_each_loop: false,
            ioscheduler: None,
            allow_mounted_write: false,
        }
    }
}

/// An amount: bytes, or a share of the target's size.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    Bytes(u64),
    Percent(f64),
}

impl Default for Amount {
    fn default() -> Self {
        Amount::Bytes(0)
    }
}

impl Amount {
    pub fn of(self, whole_bytes: u64) -> u64 {
        match self {
            Amount::Bytes(bytes) => bytes,
            Amount::Percent(percent) => (whole_bytes as f64 * percent / 100.0) as u64,
        }
    }
}

/// Which part of the targets is used.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Extent {
    /// Bytes of a pass, over all files; `None` is all there is.
    pub size: Option<Amount>,
    /// Bytes of I/O in all, over passes; `None` is one pass over `size`.
    pub io_size: Option<Amount>,
    pub offset: Amount,
    /// Added to the offset for each clone before this one.
    pub offset_increment: Amount,
    pub offset_align_bytes: u64,
    /// Write until the device or file system is full.
    pub fill_device: bool,
    /// Writes go after the present end of the file.
    pub append: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Open {
    pub direct: bool,
    pub sync: SyncMode,
    /// Writes are atomic (`RWF_ATOMIC`).
    pub atomic: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    #[default]
    None,
    Sync,
    Dsync,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Create {
    /// Files may be made where there is none.
    pub allowed: bool,
    /// Lay files out one job after another, not all at once.
    pub serialize: bool,
    pub fsync: bool,
    /// Made when first opened, not before the run.
    pub on_open: bool,
    /// Make the files and end.
    pub only: bool,
    /// Lay out files for a job that writes, too.
    pub overwrite: bool,
    pub fallocate: Fallocate,
}

impl Default for Create {
    fn default() -> Self {
        Create {
            allowed: true,
            serialize: true,
            fsync: true,
            on_open: false,
            only: false,
            overwrite: false,
            fallocate: Fallocate::default(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallocate {
    None,
    #[default]
    Native,
    Posix,
    Keep,
    Truncate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fadvise {
    None,
    /// Random or sequential, as the pattern is.
    #[default]
    Pattern,
    Random,
    Sequential,
    NoReuse,
}

/// In which order a worker goes from file to file.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileService {
    pub order: FileOrder,
    /// I/Os on a file before the next is chosen.
    pub ios_each: u32,
}

impl Default for FileService {
    fn default() -> Self {
        FileService { order: FileOrder::default(), ios_each: 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    #[default]
    RoundRobin,
    Sequential,
    Random,
    Zipf {
        theta: f64,
        center: Option<f64>,
    },
    Pareto {
        power: f64,
        center: Option<f64>,
    },
    Normal {
        deviation_percent: f64,
        center: Option<f64>,
    },
}
