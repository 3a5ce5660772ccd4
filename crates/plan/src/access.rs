//! The access pattern: offsets, order, directions and block sizes.

use crate::ddir::{Ddir, PerDdir};
use crate::precondition::Precondition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The access pattern of one worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Access {
    pub pattern: Pattern,
    pub block: BlockSizes,
    pub seeds: Seeds,
    /// Share of reads in a mixed pattern, in percent.
    pub rwmix_read_percent: u32,
    /// Share of random offsets in a random pattern, in percent.
    pub random_percent: PerDdir<u32>,
    pub sequencer: Sequencer,
    pub generator: Generator,
    pub distribution: Distribution,
    pub random_map: RandomMap,
    /// Zones with gaps (`zonemode=strided`).
    pub strides: Option<Strides>,
    pub syncs: Syncs,
    /// Each block is trimmed, then written (`rw=trimwrite`, `rw=randtrimwrite`).
    pub trim_then_write: bool,
}

impl Default for Access {
    fn default() -> Self {
        Access {
            pattern: Pattern::default(),
            block: BlockSizes::all(4096),
            seeds: Seeds::default(),
            rwmix_read_percent: 50,
            random_percent: PerDdir::all(100),
            sequencer: Sequencer::default(),
            generator: Generator::default(),
            distribution: Distribution::default(),
            random_map: RandomMap::default(),
            strides: None,
            syncs: Syncs::default(),
            trim_then_write: false,
        }
    }
}

impl Access {
    /// Returns true if the job makes I/Os in that direction: the pattern has it, and its share of the mix is not 0.
    pub fn has(&self, ddir: Ddir) -> bool {
        self.pattern.has(ddir) && self.share_percent(ddir) > 0
    }

    /// Returns the share of a direction of the pattern in the mix of reads and writes.
    pub fn share_percent(&self, ddir: Ddir) -> u32 {
        match ddir {
            Ddir::Read if self.pattern.is_mixed() => self.rwmix_read_percent,
            Ddir::Write if self.pattern.is_mixed() => 100_u32.saturating_sub(self.rwmix_read_percent),
            Ddir::Read | Ddir::Write | Ddir::Trim => 100,
        }
    }
}

/// fio's `rw`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Pattern {
    pub reads: bool,
    pub writes: bool,
    pub trims: bool,
    pub random: bool,
}

impl Default for Pattern {
    fn default() -> Self {
        Pattern { reads: true, writes: false, trims: false, random: false }
    }
}

impl Pattern {
    pub fn has(&self, ddir: Ddir) -> bool {
        match ddir {
            Ddir::Read => self.reads,
            Ddir::Write => self.writes,
            Ddir::Trim => self.trims,
        }
    }

    /// Reads and writes in one job, chosen by the mix.
    pub fn is_mixed(&self) -> bool {
        self.reads && self.writes
    }
}

/// Block sizes for each direction.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlockSizes {
    pub min_bytes: PerDdir<u64>,
    pub max_bytes: PerDdir<u64>,
    /// Sizes with their shares in percent; empty if only `min` and `max` are set.
    pub split: [Vec<SizeShare>; 3],
    /// Offsets of random I/O are multiples of this; 0 is the smallest block.
    pub align_bytes: PerDdir<u64>,
    /// Sizes within a range need not be multiples of the smallest.
    pub unaligned: bool,
    /// The first size is for sequential I/O, the second for random I/O, in all directions.
    pub by_sequential_or_random: bool,
}

impl BlockSizes {
    /// One size for all I/O.
    pub fn all(bytes: u64) -> Self {
        BlockSizes {
            min_bytes: PerDdir::all(bytes),
            max_bytes: PerDdir::all(bytes),
            split: Default::default(),
            align_bytes: PerDdir::all(0),
            unaligned: false,
            by_sequential_or_random: false,
        }
    }

    /// Returns the mean size of the I/Os of a direction.
    pub fn mean_bytes(&self, ddir: Ddir) -> u64 {
        match &self.split[ddir as usize][..] {
            [] => self.min_bytes[ddir].midpoint(self.max_bytes[ddir]),
            split => split.iter().map(|share| share.bytes.saturating_mul(u64::from(share.percent)) / 100).sum(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SizeShare {
    pub bytes: u64,
    pub percent: u32,
}

/// The seeds of a worker's generators. The dialect computes them. Equal seeds give equal offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Seeds {
    /// fio's scheme: `randseed` spread over the generators by the worker's number.
    Repeatable {
        seed: u64,
        /// Every pass starts from the seed again, as with fio's `randrepeat=1`; a `randseed` in the job turns that
        /// off, and the generators run on from pass to pass.
        each_pass: bool,
    },
    /// Drawn from the system at the start of the run.
    System,
}

impl Default for Seeds {
    fn default() -> Self {
        Seeds::Repeatable { seed: 0x89, each_pass: true }
    }
}

/// `rw=<pattern>:<nr>` and `rw_sequencer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sequencer {
    /// Number of I/Os per drawn offset (random patterns). 1 draws one for each I/O.
    pub every_ios: u32,
    /// Bytes added to each sequential offset. Negative values go backwards. 0 is sequential without gaps.
    pub skip_bytes: i64,
    /// Repeats the same offset between draws, instead of sequential offsets.
    pub identical: bool,
}

impl Default for Sequencer {
    fn default() -> Self {
        Sequencer { every_ios: 1, skip_bytes: 0, identical: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Generator {
    /// 32 bits; 64 bits if a target has more than 2^32 blocks.
    #[default]
    Tausworthe32,
    /// 32 bits for a target of any size: large targets have offsets that are never drawn.
    Tausworthe32Fixed,
    Tausworthe64,
    Lfsr,
}

/// The distribution of random offsets.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    #[default]
    Uniform,
    /// `center` is the position of the hot spot as a fraction of the target; `None` is a random position.
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
    /// Shares of the accesses over shares of the target.
    Zoned(Box<[Vec<ZoneShare>; 3]>),
    /// Shares of the accesses over sizes in bytes.
    ZonedAbs(Box<[Vec<ZoneBytes>; 3]>),
    /// A list of blocks, again and again.
    Sequence {
        /// Numbers of the blocks.
        blocks: Vec<u32>,
        /// Each time the blocks are behind those of the time before.
        moves: bool,
    },
    /// Writes that bring an SSD to steady state.
    Precondition(Precondition),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ZoneShare {
    pub access_percent: u32,
    pub size_percent: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ZoneBytes {
    pub access_percent: u32,
    pub size_bytes: u64,
}

/// Whether a pass accesses each block once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RandomMap {
    /// Offsets are independent: a block can occur several times (`norandommap`).
    Off,
    #[default]
    On,
    /// As `On`, but without a map if its memory cannot be allocated (`softrandommap`).
    Soft,
}

/// `zonemode=strided`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Strides {
    /// Bytes of I/O done in a zone before going to the next.
    pub size_bytes: u64,
    /// Size of a zone. I/O beyond it wraps around within the zone.
    pub range_bytes: u64,
    /// Gap between zones.
    pub skip_bytes: u64,
}

/// Number of writes between syncs; 0 is never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Syncs {
    pub fsync_every_writes: u32,
    pub fdatasync_every_writes: u32,
    pub sync_file_range: Option<SyncFileRange>,
    pub end_fsync: bool,
    /// Syncs the file systems of the files at the end of the job.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_syncfs: bool,
    pub fsync_on_close: bool,
}

impl Syncs {
    /// Whether the writes are synced.
    pub fn between_writes(&self) -> bool {
        self.fsync_every_writes > 0 || self.fdatasync_every_writes > 0 || self.sync_file_range.is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SyncFileRange {
    pub every_writes: u32,
    pub wait_before: bool,
    pub write: bool,
    pub wait_after: bool,
}
