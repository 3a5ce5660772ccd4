//! Files and devices: their paths, creation, opening and removal.

use std::ops::Range;

use io::WriteHint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::EnumString;

/// The targets of a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Targets {
    /// Paths in the order of service.
    pub paths: Vec<String>,
    /// The paths are generated from the job's name: they are regular files.
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
    /// Invalidates the cached pages before I/O starts.
    pub invalidate: bool,
    pub fadvise: Fadvise,
    pub unlink: bool,
    pub unlink_each_loop: bool,
    /// I/O scheduler of the device during the run.
    pub ioscheduler: Option<String>,
    pub allow_mounted_write: bool,
    /// `None`: the hint of a file is not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_hint: Option<WriteHint>,
    /// Kind that each existing target must have. `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TargetKind>,
    /// Lock of a target during each submission. Jobs with the same target wait for each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<TargetLock>,
    /// Names that were probably meant as other targets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misread: Vec<MisreadName>,
}

/// A list of names that was probably meant to be separated in another way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MisreadName {
    /// One path, which exists or is a path of Windows, became several targets.
    Split { path: String },
    /// Several paths, which exist, became one target.
    Joined { path: String },
}

impl Targets {
    /// Returns the maximum number of open files; `None` without a limit.
    pub fn open_limit(&self) -> Option<usize> {
        (self.open_files > 0).then_some(self.open_files as usize)
    }
}

/// Kind of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    File,
    BlockDevice,
    CharacterDevice,
}

/// Lock of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetLock {
    /// One submission at a time.
    Exclusive,
    /// Reads at the same time, or one other submission.
    ReadWrite,
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
            write_hint: None,
            kind: None,
            lock: None,
            misread: Vec::new(),
        }
    }
}

/// An amount: bytes, a share of the target's size, or zones.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    Bytes(u64),
    Percent(f64),
    /// Zones of the target.
    Zones(u32),
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
            // The layout replaces zones by bytes.
            Amount::Zones(_) => 0,
        }
    }
}

/// The I/O region of the targets.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    /// Bytes of a pass, over all files; `None` is the size of the targets.
    pub size: Option<Amount>,
    /// Bytes of I/O in all, over passes; `None` is one pass over `size`.
    pub io_size: Option<Amount>,
    pub offset: Amount,
    /// Added to the offset for each clone before this one.
    pub offset_increment: Amount,
    pub offset_align_bytes: u64,
    /// Writes until the device or file system is full.
    pub fill_device: bool,
    /// Writes start at the end of the file.
    pub append: bool,
    /// The job uses one of several equal parts of the region of each target. Other hosts use the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// One of `count` parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Number of the part, from 0.
    pub index: u32,
    /// Number of the parts.
    pub count: u32,
}

impl Part {
    /// Returns this part of a region, in bytes. Parts begin at multiples of `block_bytes` from the start of the region, or, if
    /// they are shorter than a block, at equal distances. The last part includes the remainder.
    pub fn of(self, region: Range<u64>, block_bytes: u64) -> Range<u64> {
        let share = region.end.saturating_sub(region.start) / u64::from(self.count.max(1));
        let each =
            share.checked_div(block_bytes).filter(|blocks| *blocks > 0).map_or(share, |blocks| blocks * block_bytes);
        let start = region.start + each * u64::from(self.index);
        let is_last = self.index + 1 >= self.count;
        start..if is_last { region.end.max(start) } else { start + each }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Open {
    pub direct: bool,
    pub sync: SyncMode,
    /// Writes are atomic (`RWF_ATOMIC`).
    pub atomic: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    #[default]
    None,
    Sync,
    Dsync,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Create {
    /// Missing files may be created.
    pub allowed: bool,
    /// Files are laid out one job after another.
    pub serialize: bool,
    pub fsync: bool,
    /// Files are created when they are first opened, not before the run.
    pub on_open: bool,
    /// The job creates its files and ends (`create_only`).
    pub only: bool,
    /// Files are laid out for jobs that write, too (`overwrite`).
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum Fallocate {
    None,
    #[default]
    Native,
    Posix,
    Keep,
    Truncate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fadvise {
    None,
    /// By the pattern: random or sequential.
    #[default]
    Pattern,
    Random,
    Sequential,
    NoReuse,
}

/// The order in which a worker uses its files.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FileService {
    pub order: FileOrder,
    /// I/Os on a file before the next file is selected.
    pub ios_each: u32,
}

impl Default for FileService {
    fn default() -> Self {
        FileService { order: FileOrder::default(), ios_each: 1 }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
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

impl FileOrder {
    /// Returns true for the orders that draw some files more often than others. Their files start over at their end.
    pub fn is_skewed(self) -> bool {
        match self {
            FileOrder::RoundRobin | FileOrder::Sequential | FileOrder::Random => false,
            FileOrder::Zipf { .. } | FileOrder::Pareto { .. } | FileOrder::Normal { .. } => true,
        }
    }
}
