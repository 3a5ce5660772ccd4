//! What DiskSpd is asked to do: command lines and XML profiles both become this, without loss.
//!
//! The names are those of the XML profile; numbers have its widths.

/// A whole run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    pub time_spans: Vec<TimeSpan>,
    pub verbose: bool,
    pub verbose_stats: bool,
    /// A dot for so many completions of a thread; 0 is none.
    pub progress: u32,
    pub experiment_flags: u32,
    pub result_format: ResultFormat,
    pub precreate: Precreate,
    pub etw: Option<Etw>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ResultFormat {
    #[default]
    Text,
    Xml,
}

/// Files made once for the whole run, before the first time span.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precreate {
    #[default]
    None,
    UseMaxSize,
    OnlyConstantSizes,
    OnlyConstantOrZeroSizes,
}

/// Windows' kernel logger, which Linux doesn't have: kept, so that a profile is written as it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Etw {
    pub process: bool,
    pub thread: bool,
    pub image_load: bool,
    pub disk_io: bool,
    pub memory_page_faults: bool,
    pub memory_hard_faults: bool,
    pub network: bool,
    pub registry: bool,
    pub use_paged_memory: bool,
    pub use_perf_timer: bool,
    pub use_system_timer: bool,
    pub use_cycles_counter: bool,
}

/// Threads that start together, warm up, are measured and cool down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeSpan {
    pub targets: Vec<Target>,
    pub duration_s: u32,
    pub warmup_s: u32,
    pub cooldown_s: u32,
    pub rand_seed: u32,
    /// Threads in all, each on every target (`-F`); 0 is threads for each target.
    pub thread_count: u32,
    /// Outstanding I/O for each thread over all its targets (`-O`); 0 is for each target.
    pub request_count: u32,
    pub io_bucket_ms: u32,
    pub completion_routines: bool,
    pub measure_latency: bool,
    pub calculate_iops_std_dev: bool,
    pub disable_affinity: bool,
    /// New random content for each write (`-Zr`).
    pub random_write_data: bool,
    pub affinity: Vec<Processor>,
    pub traversal: Traversal,
    pub io_ring: Option<IoRing>,
    pub buffer_separation: Option<BufferSeparation>,
    /// Completions taken at once at most (`-oc`).
    pub completion_depth: Option<u32>,
}

impl Default for TimeSpan {
    fn default() -> Self {
        TimeSpan {
            targets: Vec::new(),
            duration_s: 10,
            warmup_s: 5,
            cooldown_s: 0,
            rand_seed: 0,
            thread_count: 0,
            request_count: 0,
            io_bucket_ms: 1000,
            completion_routines: false,
            measure_latency: false,
            calculate_iops_std_dev: false,
            disable_affinity: false,
            random_write_data: false,
            affinity: Vec::new(),
            traversal: Traversal::default(),
            io_ring: None,
            buffer_separation: None,
            completion_depth: None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Processor {
    pub group: u16,
    pub number: u8,
}

/// The order in which threads are put on processors where none are named (2.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traversal {
    /// One thread for each physical core before its siblings (`-ac`).
    pub core_aware: bool,
    /// From group to group, not one group after another (`-as`).
    pub span_groups: bool,
    /// `None` where the profile doesn't say: performance cores first.
    pub efficiency: Option<EfficiencyOrder>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EfficiencyOrder {
    PerformanceFirst,
    FillPerformanceFirst,
    EfficiencyFirst,
    FillEfficiencyFirst,
    Unordered,
}

/// A submission ring (2.3's `-u`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoRing {
    pub registered_buffers: bool,
    pub batch: RingBatch,
}

/// I/Os queued before each submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingBatch {
    Count(u32),
    /// Of the outstanding I/Os.
    Percent(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferSeparation {
    SystemDefault,
    PdeCacheLine,
}

/// What is done to one file or device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub path: String,
    pub block_size: u32,
    pub base_file_offset: u64,
    /// End of the part that is used, from the start of the target; 0 is its own end.
    pub max_file_size: u64,
    pub sequential_scan: bool,
    pub random_access: bool,
    pub temporary_file: bool,
    pub use_large_pages: bool,
    pub cache: Cache,
    pub write_through: bool,
    pub memory_mapped: bool,
    pub flush: Option<FlushType>,
    pub bypass_io: Option<BypassIo>,
    pub write_content: WriteContent,
    pub parallel_async_io: bool,
    pub order: Order,
    pub distribution: Option<Distribution>,
    pub thread_stride: u64,
    /// Create the file anew with this size.
    pub file_size: Option<u64>,
    pub request_count: u32,
    pub write_ratio: u32,
    pub throughput: Throughput,
    pub burst_size: Option<u32>,
    pub think_time_ms: Option<u32>,
    pub threads_per_file: u32,
    /// 1 very low, 2 low, 3 normal.
    pub io_priority: u32,
    pub weight: u32,
    /// The threads of a pool that use this target, with weights of their own; empty is all of them.
    pub thread_targets: Vec<ThreadTarget>,
}

impl Default for Target {
    fn default() -> Self {
        Target {
            path: String::new(),
            block_size: 64 << 10,
            base_file_offset: 0,
            max_file_size: 0,
            sequential_scan: false,
            random_access: false,
            temporary_file: false,
            use_large_pages: false,
            cache: Cache::Cached,
            write_through: false,
            memory_mapped: false,
            flush: None,
            bypass_io: None,
            write_content: WriteContent::Sequential,
            parallel_async_io: false,
            order: Order::Sequential { stride: None, interlocked: false },
            distribution: None,
            thread_stride: 0,
            file_size: None,
            request_count: 2,
            write_ratio: 0,
            throughput: Throughput::Unlimited,
            burst_size: None,
            think_time_ms: None,
            threads_per_file: 1,
            io_priority: 3,
            weight: 1,
            thread_targets: Vec::new(),
        }
    }
}

impl Target {
    /// Alignment of random offsets, or distance of sequential ones.
    pub fn stride(&self) -> u64 {
        let given = match self.order {
            Order::Sequential { stride, .. } => stride,
            Order::Random { align, .. } => align,
        };
        given.unwrap_or(u64::from(self.block_size))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// `None` is one block.
    Sequential { stride: Option<u64>, interlocked: bool },
    /// `percent` of the choices are random and the rest goes on from there; 100 is all random.
    Random { align: Option<u64>, percent: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cache {
    Cached,
    /// Of files on a server: no caching here (`-Sr`).
    NoLocal,
    /// `-Su`.
    Unbuffered,
}

/// How memory-mapped writes are flushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlushType {
    ViewOfFile,
    NonVolatileMemory,
    NonVolatileMemoryNoDrain,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BypassIo {
    Partial,
    Full,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WriteContent {
    /// 0, 1, … 255 over and over.
    Sequential,
    Zero,
    /// Taken from random places of a buffer of so many bytes, of random data or of a file's.
    Source {
        bytes: u64,
        file: Option<String>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Distribution {
    Percent(Vec<Range>),
    Absolute(Vec<Range>),
}

impl Distribution {
    /// What of the I/O no range has goes to what is left of the target. Where nothing is left of it the shares of the
    /// I/O stay below 100 in all.
    #[must_use]
    pub fn with_rest(mut self) -> Distribution {
        let rest = |ranges: &[Range]| {
            let given = ranges.iter().fold(0u32, |sum, range| sum.saturating_add(range.io_percent));
            100u32.checked_sub(given).filter(|&rest| rest > 0)
        };
        match &mut self {
            Distribution::Percent(ranges) => {
                let taken = ranges.iter().fold(0u64, |sum, range| sum.saturating_add(range.target));
                let left = 100u64.saturating_sub(taken);
                if let Some(io_percent) = rest(ranges).filter(|_| left > 0) {
                    ranges.push(Range { io_percent, target: left });
                }
            }
            Distribution::Absolute(ranges) => {
                if let Some(io_percent) = rest(ranges) {
                    ranges.push(Range { io_percent, target: 0 });
                }
            }
        }
        self
    }
}

/// A share of the I/O in percent, and its share of the target: in percent, or in bytes (0 is all that is left).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub io_percent: u32,
    pub target: u64,
}

/// For each thread on this target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Throughput {
    Unlimited,
    BytesPerMs(u32),
    Iops(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadTarget {
    pub thread: u32,
    /// `None` is the target's own.
    pub weight: Option<u32>,
}
