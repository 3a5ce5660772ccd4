//! DiskSpd's run parameters. Command lines and XML profiles both convert to this without loss.
//!
//! Names and integer widths are those of the XML profile.

/// Parameters of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    pub time_spans: Vec<TimeSpan>,
    pub verbose: bool,
    pub verbose_stats: bool,
    /// Completions per thread for one progress dot. 0 means none.
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

/// Files that are created once, before the first time span.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precreate {
    #[default]
    None,
    UseMaxSize,
    OnlyConstantSizes,
    OnlyConstantOrZeroSizes,
}

/// Windows kernel logger. It has no effect on Linux, but is written back with the profile.
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

impl Etw {
    /// Returns the events with the names of their XML elements, in DiskSpd's order.
    pub fn events(&mut self) -> [(&'static str, &mut bool); 12] {
        [
            ("Process", &mut self.process),
            ("Thread", &mut self.thread),
            ("ImageLoad", &mut self.image_load),
            ("DiskIO", &mut self.disk_io),
            ("MemoryPageFaults", &mut self.memory_page_faults),
            ("MemoryHardFaults", &mut self.memory_hard_faults),
            ("Network", &mut self.network),
            ("Registry", &mut self.registry),
            ("UsePagedMemory", &mut self.use_paged_memory),
            ("UsePerfTimer", &mut self.use_perf_timer),
            ("UseSystemTimer", &mut self.use_system_timer),
            ("UseCyclesCounter", &mut self.use_cycles_counter),
        ]
    }
}

/// A group of threads that start together: warm-up, measurement, cool-down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimeSpan {
    pub targets: Vec<Target>,
    pub duration_s: u32,
    pub warmup_s: u32,
    pub cooldown_s: u32,
    pub rand_seed: u32,
    /// Total threads, each on every target (`-F`). 0 means threads per target.
    pub thread_count: u32,
    /// Outstanding I/Os per thread over all its targets (`-O`). 0 means per target.
    pub request_count: u32,
    pub io_bucket_ms: u32,
    pub completion_routines: bool,
    pub measure_latency: bool,
    pub calculate_iops_std_dev: bool,
    pub disable_affinity: bool,
    /// Write new random data in each I/O (`-Zr`).
    pub random_write_data: bool,
    pub affinity: Vec<AffinityCpu>,
    pub traversal: Traversal,
    pub io_ring: Option<IoRing>,
    pub buffer_separation: Option<BufferSeparation>,
    /// Maximum completions per dequeue (`-oc`).
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
pub struct AffinityCpu {
    pub group: u16,
    pub number: u8,
}

/// Order in which threads are assigned to CPUs if none are listed (2.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traversal {
    /// Use one thread per physical core before its siblings (`-ac`).
    pub core_aware: bool,
    /// Alternate between groups instead of filling one after another (`-as`).
    pub span_groups: bool,
    /// `None` is the default, performance cores first.
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

/// Submission ring (`-u`, 2.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IoRing {
    pub registered_buffers: bool,
    pub batch: RingBatch,
}

/// I/Os queued per submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingBatch {
    Count(u32),
    /// Percentage of the outstanding I/Os.
    Percent(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferSeparation {
    SystemDefault,
    PdeCacheLine,
}

/// Parameters of a file or device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub path: String,
    pub block_size: u32,
    pub base_file_offset: u64,
    /// End of the used range, from the start of the target. 0 means the end of the target.
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
    /// Create the file with this size.
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
    /// Threads of a pool that use this target, with their weights. Empty means all threads.
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
    /// Returns the alignment of random offsets, or the stride of sequential ones.
    pub fn stride(&self) -> u64 {
        let given = match self.order {
            Order::Sequential { stride, .. } => stride,
            Order::Random { align, .. } => align,
        };
        given.unwrap_or(u64::from(self.block_size))
    }

    /// Returns the size of the ranges and of the name of the source, which several targets can share.
    pub(crate) fn shared_bytes(&self) -> usize {
        let ranges = match &self.distribution {
            Some(Distribution::Percent(ranges) | Distribution::Absolute(ranges)) => ranges.len(),
            None => 0,
        };
        let name = match &self.write_content {
            WriteContent::Source { file: Some(file), .. } => file.len(),
            _ => 0,
        };
        ranges * size_of::<Range>() + name
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// `None` means one block.
    Sequential { stride: Option<u64>, interlocked: bool },
    /// `percent` of the offsets are random, the others continue sequentially. 100 means all random.
    Random { align: Option<u64>, percent: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cache {
    Cached,
    /// For files on a server: no local caching (`-Sr`).
    NoLocal,
    /// `-Su`.
    Unbuffered,
}

/// Flush mode of memory-mapped writes.
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
    /// Bytes 0, 1, … 255, repeated.
    Sequential,
    Zero,
    /// Data from random positions of a buffer of this size, filled with random data or from a file.
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
    /// Assigns the I/O without a range to the rest of the target. If no target is left, the sum of the I/O stays below
    /// 100.
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

/// A share of the I/O in percent and its range of the target: in percent, or in bytes (0 means all of the rest).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub io_percent: u32,
    pub target: u64,
}

/// Rate limit per thread on this target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Throughput {
    Unlimited,
    BytesPerMs(u32),
    Iops(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadTarget {
    pub thread: u32,
    /// `None` means the weight of the target.
    pub weight: Option<u32>,
}
