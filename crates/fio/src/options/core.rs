//! Table of the job options that all engines have, in fio's order.

use super::engines::DEFAULT_ENGINE;
use super::kind::{ArgumentKind, INT32, INT64, Kind::*, keyword};
use super::option::{Category::*, Opt, Support::*, option};

/// Job options that all engines have, in fio's order.
pub const CORE: &[Opt] = &[
    option("description", Description, Text, Supported, "Free text, printed in the reports"),
    option("name", Description, Text, Supported, "Name of the job; on the command line it starts a new job"),
    option("wait_for", Process, Text, Supported, "Start after all workers of this earlier job have ended"),
    option("filename", Target, Text, Supported, "Target files or devices, separated by ':'").parsed_last(),
    option(
        "filetype",
        Target,
        Keyword(
            &[
                keyword("none", "detect from the file"),
                keyword("file", "a regular file"),
                keyword("block", "a block device"),
                keyword("char", "a character device"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Assume this file type for every target",
    )
    .default("none"),
    option("directory", Target, Text, Supported, "Directory for the job's files, or several separated by ':'"),
    option("filename_format", Target, Text, Supported, "Format of the names of generated files")
        .default("$jobname.$jobnum.$filenum")
        .parsed_last(),
    option(
        "unique_filename",
        Target,
        Bool,
        NoEffect("it affects file names on remote clients only"),
        "Add the client's name to the file names of remote clients",
    )
    .default("1"),
    option(
        "lockfile",
        Target,
        Keyword(
            &[
                keyword("none", "no locking"),
                keyword("exclusive", "exclusive lock"),
                keyword("readwrite", "read lock or write lock"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Lock the file during each I/O",
    )
    .default("none")
    .parent("filename")
    .parsed_first(),
    option("opendir", Target, Text, Supported, "Use all files below this directory as targets"),
    option(
        "rw",
        IoType,
        Keyword(
            &[
                keyword("read", "sequential reads"),
                keyword("write", "sequential writes"),
                keyword("trim", "sequential trims"),
                keyword("randread", "random reads"),
                keyword("randwrite", "random writes"),
                keyword("randtrim", "random trims"),
                keyword("rw", "sequential mixed reads and writes"),
                keyword("readwrite", "same as rw").alias_of("rw"),
                keyword("randrw", "random mixed reads and writes"),
                keyword("trimwrite", "each block trimmed, then written, sequential"),
                keyword("randtrimwrite", "each block trimmed, then written, random"),
            ],
            ArgumentKind::Sequence,
        ),
        Supported,
        "I/O pattern; ':N' sets the step of the sequencer",
    )
    .alias("readwrite")
    .default("read"),
    option(
        "rw_sequencer",
        IoType,
        Keyword(
            &[
                keyword("sequential", "a new random offset after N I/Os"),
                keyword("identical", "the same offset N times"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Next offset when rw has ':N'",
    )
    .default("sequential"),
    option("ioengine", Engine, EngineName, Supported, "I/O engine: how I/Os are submitted").default(DEFAULT_ENGINE),
    option("iodepth", Depth, Number(INT32.min(1)), Supported, "I/Os in flight per worker").default("1"),
    option("iodepth_batch", Depth, Number(INT32), Supported, "Maximum I/Os per submission")
        .alias("iodepth_batch_submit")
        .default("1")
        .parent("iodepth"),
    option("iodepth_batch_complete_min", Depth, Number(INT32), Supported, "Minimum completions to wait for")
        .alias("iodepth_batch_complete")
        .default("1")
        .parent("iodepth"),
    option("iodepth_batch_complete_max", Depth, Number(INT32), Supported, "Maximum completions to reap at once")
        .parent("iodepth"),
    option("iodepth_low", Depth, Number(INT32), Supported, "Depth to which the queue drains before it is refilled")
        .parent("iodepth"),
    option("serialize_overlap", Depth, Bool, Supported, "Delay an I/O that overlaps an I/O in flight")
        .default("0")
        .parent("iodepth"),
    option(
        "io_submit_mode",
        Depth,
        Keyword(
            &[keyword("inline", "the worker submits"), keyword("offload", "a pool of threads submits")],
            ArgumentKind::None,
        ),
        Supported,
        "Thread that submits: the worker or a helper thread",
    )
    .default("inline"),
    option("size", IoSize, Amount, Supported, "Size of the I/O region: bytes, percentage or zones"),
    option("io_size", IoSize, Amount, Supported, "Total amount of I/O: bytes, percentage or zones").alias("io_limit"),
    option("fill_device", IoSize, Bool, Supported, "Write until the device or filesystem is full")
        .alias("fill_fs")
        .default("0"),
    option(
        "filesize",
        IoSize,
        Number(INT64.bytes().min(1).slots(2)),
        Supported,
        "Size of each file, or range of sizes",
    ),
    option("file_append", IoSize, Bool, Supported, "Start at the end of each file").default("0"),
    option("offset", IoType, Amount, Supported, "Start of the I/O region in the target")
        .alias("fileoffset")
        .default("0"),
    option("offset_align", IoType, Number(INT32), Supported, "Round a percentage offset up to a multiple of this size")
        .default("0"),
    option("offset_increment", IoType, Amount, Supported, "Shift of the I/O region per clone of the job")
        .default("0")
        .parent("offset"),
    option("number_ios", IoType, Number(INT64.bytes()), Supported, "Number of I/Os after which the job ends")
        .default("0"),
    option("num_range", Engine, Number(INT32.max(256)), Supported, "Ranges per trim command").default("1"),
    option("bs", BlockSize, Number(INT64.min(1).slots(3)), Supported, "Block size of reads, writes and trims")
        .alias("blocksize")
        .default("4096")
        .parent("rw"),
    option("ba", BlockSize, Number(INT64.min(1).slots(3)), Supported, "Alignment of random offsets")
        .alias("blockalign")
        .parent("rw"),
    option("bsrange", BlockSize, Range, Supported, "Range of random block sizes").alias("blocksize_range").parent("rw"),
    option("bssplit", BlockSize, BlockSplit, Supported, "Block sizes, each with its percentage of I/Os").parent("rw"),
    option("bs_unaligned", BlockSize, Flag, Supported, "Allow random block sizes of any number of bytes")
        .alias("blocksize_unaligned")
        .parent("rw"),
    option("bs_is_seq_rand", BlockSize, Bool, Supported, "First block size for sequential I/O, second for random I/O")
        .default("0")
        .parent("bs"),
    option("randrepeat", IoType, Bool, Supported, "Same random numbers in every run")
        .alias("allrandrepeat")
        .default("1")
        .parent("rw"),
    option("randseed", IoType, Number(INT64.bytes().signed()), Supported, "Seed of the random number generators")
        .default("0x89")
        .parent("rw"),
    option("norandommap", IoType, Flag, Supported, "Do not track which random blocks were accessed").parent("rw"),
    option("softrandommap", IoType, Bool, Supported, "Continue without a random map if its memory cannot be allocated")
        .default("0")
        .parent("norandommap"),
    option("sprandom", IoType, Bool, Supported, "Precondition an SSD in one pass, by an overprovisioning model")
        .default("0")
        .parent("rw"),
    option("spr_num_regions", IoType, Number(INT32), Supported, "Regions of the preconditioning model")
        .default("100")
        .parent("sprandom"),
    option(
        "spr_op",
        IoType,
        Floats { max_len: 1, limits: None },
        Supported,
        "Overprovisioning assumed by the preconditioning model",
    )
    .default("0.15")
    .parent("sprandom"),
    option("spr_cs", IoType, Number(INT64.bytes()), Supported, "Cache size assumed by the preconditioning model")
        .default("0")
        .parent("sprandom"),
    option(
        "random_generator",
        IoType,
        Keyword(
            &[
                keyword("tausworthe", "three-component Tausworthe generator"),
                keyword("lfsr", "shift register; visits each block once"),
                keyword("tausworthe64", "Tausworthe generator with 64 bit state"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Generator of random offsets",
    )
    .default("tausworthe"),
    option(
        "random_distribution",
        IoType,
        Distribution(&[
            keyword("random", "uniform"),
            keyword("zipf", "Zipf, ':theta'"),
            keyword("pareto", "Pareto, ':power'"),
            keyword("normal", "normal, ':deviation in percent'"),
            keyword("zoned", "zones with access percentages, sizes in percent"),
            keyword("zoned_abs", "zones with access percentages, sizes in bytes"),
            keyword("sequence", "a list of blocks"),
        ]),
        Supported,
        "Distribution of random offsets",
    )
    .default("random"),
    option("random_sequence_stride", IoType, Bool, Supported, "Repeat the list of blocks over the whole target")
        .default("0"),
    option(
        "percentage_random",
        IoType,
        Number(INT32.max(100).slots(3)),
        Supported,
        "Percentage of random I/Os in a random workload",
    )
    .default("100,100,100"),
    option("percentage_sequential", IoType, Removed, Unsupported, "Removed from fio; use percentage_random"),
    option("nrfiles", Target, Number(INT32), Supported, "Number of files of the job").alias("nr_files").default("1"),
    option("openfiles", Target, Number(INT32), Supported, "Maximum number of open files"),
    option(
        "file_service_type",
        Target,
        Keyword(
            &[
                keyword("random", "uniform random"),
                keyword("zipf", "Zipf over the files"),
                keyword("pareto", "Pareto over the files"),
                keyword("normal", "normal over the files"),
                keyword("gauss", "same as normal").alias_of("normal"),
                keyword("roundrobin", "next file for each I/O"),
                keyword("sequential", "one file to its end, then the next"),
            ],
            ArgumentKind::Shape,
        ),
        Supported,
        "How the file for the next I/O is selected",
    )
    .default("roundrobin")
    .parent("nrfiles"),
    option(
        "fallocate",
        IoType,
        Keyword(
            &[
                keyword("none", "no preallocation"),
                keyword("native", "best method of the file system"),
                keyword("posix", "posix_fallocate()"),
                keyword("keep", "fallocate() that keeps the file size"),
                keyword("truncate", "ftruncate() only"),
                keyword("0", "same as none").alias_of("none"),
                keyword("1", "same as posix").alias_of("posix"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Preallocation method for files that are laid out",
    )
    .default("native"),
    option(
        "fadvise_hint",
        IoType,
        Keyword(
            &[
                keyword("0", "no advice"),
                keyword("1", "by the I/O pattern"),
                keyword("random", "random access"),
                keyword("sequential", "sequential access"),
                keyword("noreuse", "data used once"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Advice to the kernel about the access pattern",
    )
    .default("1"),
    option("fsync", IoType, Number(INT32), Supported, "Number of writes after which the file is synced").default("0"),
    option("fdatasync", IoType, Number(INT32), Supported, "Number of writes after which the file's data is synced")
        .default("0"),
    option(
        "write_barrier",
        IoType,
        Number(INT32),
        NoEffect("no fio engine uses the barrier flag"),
        "Mark every N-th write as a barrier",
    )
    .default("0"),
    option(
        "sync_file_range",
        IoType,
        KeywordList(
            &[
                keyword("wait_before", "wait for writeback in progress"),
                keyword("write", "start writeback"),
                keyword("wait_after", "wait for writeback to complete"),
            ],
            ArgumentKind::Count,
        ),
        Supported,
        "sync_file_range() flags; ':N' sets the number of writes between two calls",
    ),
    option("direct", IoType, Bool, Supported, "Bypass the page cache (O_DIRECT); inverse of buffered").default("0"),
    option("atomic", Engine, Bool, Supported, "Use untorn writes; implies direct").default("0"),
    option("buffered", IoType, Bool, Supported, "Use the page cache; inverse of direct").default("1"),
    option("overwrite", IoType, Bool, Supported, "Lay out the file first; writes then replace existing data")
        .default("0"),
    option("loops", Description, Number(INT32), Supported, "Number of passes over the job's data").default("1"),
    option("numjobs", Description, Number(INT32), Supported, "Number of clones of this job").default("1"),
    option(
        "startdelay",
        Time,
        Number(INT64.seconds().slots(2)),
        Supported,
        "Delay before the start, or range of random delays",
    )
    .default("0"),
    option("runtime", Time, Number(INT64.seconds()), Supported, "Time after which the job ends")
        .alias("timeout")
        .default("0"),
    option("time_based", Time, Flag, Supported, "Repeat the workload until runtime has passed"),
    option("verify_only", Verify, Flag, Supported, "Verify data of an earlier run, without writing"),
    option("ramp_time", Time, Number(INT64.seconds()), Supported, "Time before the measurement starts"),
    option(
        "ramp_size",
        Time,
        Number(INT64.bytes().min(1)),
        Supported,
        "Bytes transferred before the measurement starts",
    ),
    option(
        "clocksource",
        Time,
        Keyword(
            &[
                keyword("gettimeofday", "gettimeofday()"),
                keyword("clock_gettime", "clock_gettime()"),
                keyword("cpu", "the CPU's cycle counter"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Clock of the time stamps",
    ),
    option(
        "mem",
        Buffers,
        Keyword(
            &[
                keyword("malloc", "malloc()"),
                keyword("shm", "System V shared memory"),
                keyword("shmhuge", "System V shared memory in huge pages"),
                keyword("mmap", "private mapping, of ':file' if given"),
                keyword("mmapshared", "shared mapping"),
                keyword("mmaphuge", "mapping in huge pages"),
                keyword("cudamalloc", "GPU memory").unsupported(),
            ],
            ArgumentKind::Text,
        ),
        Supported,
        "Memory type of the I/O buffers",
    )
    .alias("iomem")
    .default("malloc"),
    option("iomem_align", Buffers, Number(INT32), Supported, "Alignment of I/O buffers")
        .alias("mem_align")
        .default("0")
        .parent("mem"),
    option(
        "verify",
        Verify,
        Keyword(
            &[
                keyword("0", "no verification"),
                keyword("md5", "MD5"),
                keyword("crc64", "CRC-64"),
                keyword("crc32", "CRC-32"),
                keyword("crc32c-intel", "CRC-32C, by the CPU's instruction"),
                keyword("crc32c", "CRC-32C"),
                keyword("crc16", "CRC-16"),
                keyword("crc7", "CRC-7"),
                keyword("sha1", "SHA-1"),
                keyword("sha256", "SHA-256"),
                keyword("sha512", "SHA-512"),
                keyword("sha3-224", "SHA3 of 224 bits"),
                keyword("sha3-256", "SHA3 of 256 bits"),
                keyword("sha3-384", "SHA3 of 384 bits"),
                keyword("sha3-512", "SHA3 of 512 bits"),
                keyword("xxhash", "xxHash"),
                keyword("meta", "header only"),
                keyword("pattern", "pattern without header"),
                keyword("pattern_hdr", "pattern with header"),
                keyword("null", "all steps except the comparison"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Method for verifying written data",
    )
    .default("0"),
    option("do_verify", Verify, Bool, Supported, "Read back and verify after the write phase")
        .default("1")
        .parent("verify"),
    option(
        "verify_policy",
        Verify,
        KeywordList(
            &[keyword("completed", "all completed writes"), keyword("fsynced", "writes before the last sync")],
            ArgumentKind::None,
        ),
        Supported,
        "Writes that must be on the medium",
    )
    .default("completed")
    .parent("verify"),
    option("verifysort", Verify, Ignored, NoEffect("obsolete since fio 1"), "Obsolete"),
    option("verifysort_nr", Verify, Ignored, NoEffect("obsolete since fio 1"), "Obsolete"),
    option("verify_interval", Verify, Number(INT32.min(96)), Supported, "Distance between two headers in a block")
        .parent("verify"),
    option("verify_offset", Verify, Number(INT32.min(48)), Supported, "Offset of the header in the interval")
        .parent("verify"),
    option("verify_pattern", Verify, Pattern { offsets: true }, Supported, "Pattern written to blocks and verified")
        .parent("verify"),
    option("verify_pattern_interval", Verify, Number(INT32), Supported, "Bytes after which the pattern restarts")
        .default("0")
        .parent("verify"),
    option("verify_fatal", Verify, Bool, Supported, "End the job at the first verification error")
        .default("0")
        .parent("verify"),
    option("verify_dump", Verify, Bool, Supported, "Save blocks with verification errors to files")
        .default("0")
        .parent("verify"),
    option("verify_async", Verify, Number(INT32), Supported, "Number of background verification threads")
        .default("0")
        .parent("verify"),
    option(
        "verify_backlog",
        Verify,
        Number(INT64.bytes()),
        Supported,
        "Number of written blocks between verifications",
    )
    .parent("verify"),
    option("verify_backlog_batch", Verify, Number(INT32), Supported, "Number of blocks per verification batch")
        .parent("verify"),
    option("verify_async_cpus", Verify, CpuList, Supported, "CPUs of the verification threads").parent("verify_async"),
    option("experimental_verify", Verify, Bool, Supported, "Regenerate the I/O sequence instead of storing it")
        .parent("verify"),
    option("verify_state_load", Verify, Bool, Supported, "Load the verification state of an earlier run")
        .parent("verify"),
    option("verify_state_save", Verify, Bool, Supported, "Save the verification state when the job ends")
        .default("1")
        .parent("verify"),
    option("verify_write_sequence", Verify, Bool, Supported, "Verify the sequence number in the header")
        .default("1")
        .parent("verify"),
    option("verify_header_seed", Verify, Bool, Supported, "Verify the seed in the header")
        .default("1")
        .parent("verify"),
    option(
        "trim_percentage",
        Verify,
        Number(INT32.max(100)),
        Supported,
        "Percentage of written blocks to trim and verify",
    )
    .default("0")
    .parent("verify"),
    option("trim_verify_zero", Verify, Bool, Supported, "Require that trimmed blocks read as zeroes")
        .default("1")
        .parent("trim_percentage"),
    option("trim_backlog", Verify, Number(INT64.bytes()), Supported, "Number of written blocks between trims")
        .parent("trim_percentage"),
    option("trim_backlog_batch", Verify, Number(INT32), Supported, "Number of blocks per trim batch")
        .parent("trim_percentage"),
    option("write_iolog", Replay, Text, Supported, "File to record all I/Os in"),
    option("read_iolog", Replay, Text, Supported, "File with the I/Os to replay"),
    option("read_iolog_chunked", Replay, Bool, Supported, "Read the I/O log in chunks")
        .default("0")
        .parent("read_iolog"),
    option("replay_no_stall", Replay, Bool, Supported, "Replay without the recorded pauses")
        .default("0")
        .parent("read_iolog"),
    option("replay_redirect", Replay, Text, Supported, "Target of all replayed I/Os").parent("read_iolog"),
    option("replay_scale", Replay, Number(INT32), Supported, "Divisor of the recorded offsets")
        .default("1")
        .parent("read_iolog"),
    option("replay_align", Replay, Number(INT32.power_of_two()), Supported, "Alignment of the recorded offsets")
        .parent("read_iolog"),
    option("replay_time_scale", Replay, Number(INT32.min(1)), Supported, "Percentage of the recorded pauses")
        .default("100")
        .parent("read_iolog"),
    option("replay_skip", Replay, Text, Supported, "Directions that are not replayed").parent("read_iolog"),
    option("merge_blktrace_file", Replay, Text, Supported, "File for the merged traces"),
    option(
        "merge_blktrace_scalars",
        Replay,
        Floats { max_len: 20, limits: None },
        Supported,
        "Time scale of each merged trace, in percent",
    ),
    option(
        "merge_blktrace_iters",
        Replay,
        Floats { max_len: 20, limits: None },
        Supported,
        "Iterations of each merged trace",
    ),
    option("exec_prerun", Process, Text, Supported, "Shell command to run before the job"),
    option("exec_postrun", Process, Text, Supported, "Shell command to run after the job"),
    option("ioscheduler", Target, Text, Supported, "I/O scheduler to set on the target's device"),
    option(
        "zonemode",
        Target,
        Keyword(
            &[
                keyword("none", "no zones"),
                keyword("strided", "I/O in a zone, then skip to the next"),
                keyword("zbd", "zones of a zoned block device, emulated on other targets"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Zone model of the target",
    )
    .default("none"),
    option("zonesize", Target, Number(INT64.bytes()), Supported, "Bytes accessed per zone, or size of a zone")
        .default("0"),
    option("zonecapacity", Target, Number(INT64.bytes()), Supported, "Usable bytes of each zone").default("0"),
    option("zonerange", Target, Number(INT64.bytes()), Supported, "Size of a zone with zonemode=strided").default("0"),
    option("zoneskip", Target, Amount, Supported, "Bytes or zones to skip between zones").default("0"),
    option("read_beyond_wp", Target, Bool, Supported, "Allow reads beyond a zone's write pointer").default("0"),
    option("max_open_zones", Target, Number(INT32.max(4096)), Supported, "Maximum number of open zones of all jobs")
        .default("0"),
    option(
        "job_max_open_zones",
        Target,
        Number(INT32.max(4096)),
        Supported,
        "Maximum number of open zones per clone of the job",
    )
    .default("0"),
    option("ignore_zone_limits", Target, Bool, Supported, "Ignore the device's limit of open zones").default("0"),
    option(
        "zone_reset_threshold",
        Target,
        Floats { max_len: 1, limits: Some((0.0, 1.0)) },
        Supported,
        "Fill level above which zones are reset",
    ),
    option(
        "zone_reset_frequency",
        Target,
        Floats { max_len: 1, limits: Some((0.0, 1.0)) },
        Supported,
        "Frequency of zone resets above the fill level",
    ),
    option(
        "recover_zbd_write_error",
        Target,
        Bool,
        Supported,
        "Continue at the real write pointer after a failed write",
    )
    .default("0"),
    option("write_zone_remainder", Target, Bool, Supported, "Write the rest of a zone instead of finishing the zone")
        .default("0"),
    option("fdp", Engine, Bool, Supported, "Send placement directives with writes").default("0"),
    option(
        "dataplacement",
        Engine,
        Keyword(
            &[
                keyword("none", "no directive"),
                keyword("fdp", "flexible data placement"),
                keyword("streams", "directive streams"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Kind of placement directive sent with writes",
    )
    .alias("data_placement")
    .default("none"),
    option(
        "plid_select",
        Engine,
        Keyword(
            &[
                keyword("random", "random"),
                keyword("roundrobin", "round robin"),
                keyword("scheme", "by the scheme file"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "How the placement identifier is selected",
    )
    .alias("fdp_pli_select")
    .default("roundrobin"),
    option("plids", Engine, Text, Supported, "Placement identifiers to use").alias("fdp_pli"),
    option("dp_scheme", Engine, Text, Supported, "File that maps offsets to placement identifiers"),
    option("lockmem", Buffers, Number(INT64.bytes()), Supported, "Amount of memory to lock while the job runs")
        .default("0"),
    option("rwmixread", IoType, Number(INT32.max(100)), Supported, "Percentage of reads in a mixed workload")
        .default("50"),
    option("rwmixwrite", IoType, Number(INT32.max(100)), Supported, "Percentage of writes in a mixed workload")
        .default("50"),
    option("rwmixcycle", IoType, Removed, Unsupported, "Removed from fio; no replacement"),
    option("comm", Process, Text, Supported, "Name of the worker's thread"),
    option("nice", Process, Number(INT32.min(-20).max(19).signed()), Supported, "Niceness of the workers").default("0"),
    option("prio", Process, Number(INT32.max(7)), Supported, "I/O priority of the workers; 0 is the highest"),
    option("prioclass", Process, Number(INT32.max(3)), Supported, "I/O priority class of the workers"),
    option("priohint", Process, Number(INT32.max(1023)), Supported, "I/O priority hint of the workers"),
    option("thinktime", Rate, Number(INT32.micros()), Supported, "Pause between I/Os").default("0"),
    option("thinktime_spin", Rate, Number(INT32.micros()), Supported, "Part of the pause that spins")
        .default("0")
        .parent("thinktime"),
    option("thinkcycles", Rate, Number(INT32), Supported, "Steps of an empty loop after each I/O")
        .default("0")
        .parent("thinktime"),
    option("thinktime_blocks", Rate, Number(INT32), Supported, "I/Os between two pauses")
        .default("1")
        .parent("thinktime"),
    option(
        "thinktime_blocks_type",
        Rate,
        Keyword(&[keyword("complete", "completed I/Os"), keyword("issue", "submitted I/Os")], ArgumentKind::None),
        Supported,
        "I/Os that thinktime_blocks counts",
    )
    .default("complete")
    .parent("thinktime"),
    option("thinktime_iotime", Rate, Number(INT32.seconds()), Supported, "I/O time between two pauses")
        .default("0")
        .parent("thinktime"),
    option("rate", Rate, Number(INT64.slots(3)), Supported, "Maximum bandwidth"),
    option("rate_min", Rate, Number(INT64.slots(3)), Supported, "Bandwidth below which the job fails")
        .alias("ratemin")
        .parent("rate"),
    option("rate_iops", Rate, Number(INT32.slots(3)), Supported, "Maximum IOPS"),
    option("rate_iops_min", Rate, Number(INT32.slots(3)), Supported, "IOPS below which the job fails")
        .parent("rate_iops"),
    option(
        "rate_process",
        Rate,
        Keyword(&[keyword("linear", "constant interval"), keyword("poisson", "Poisson process")], ArgumentKind::None),
        Supported,
        "Arrival process of rate limited I/Os",
    )
    .default("linear")
    .parent("rate"),
    option("rate_cycle", Rate, Number(INT32), Supported, "Averaging time of minimum rates, in milliseconds")
        .alias("ratecycle")
        .default("1000")
        .parent("rate"),
    option("rate_ignore_thinktime", Rate, Bool, Supported, "Do not catch up after thinktime pauses").parent("rate"),
    option("max_latency", Latency, Number(INT64.micros().slots(3)), Supported, "Latency above which the job fails"),
    option(
        "latency_target",
        Latency,
        Number(INT64.micros()),
        Supported,
        "Find the highest depth that meets this latency",
    ),
    option("latency_window", Latency, Number(INT64.micros()), Supported, "Measurement time at each depth"),
    option(
        "latency_percentile",
        Latency,
        Floats { max_len: 1, limits: Some((0.0, 100.0)) },
        Supported,
        "Percentage of I/Os that must meet the target",
    )
    .default("100"),
    option("latency_run", Latency, Bool, Supported, "Continue at the depth that was found").default("0"),
    option("invalidate", Buffers, Bool, Supported, "Drop cached pages of the target before the start").default("1"),
    option(
        "sync",
        Buffers,
        Keyword(
            &[
                keyword("none", "no flag"),
                keyword("0", "same as none").alias_of("none"),
                keyword("sync", "O_SYNC"),
                keyword("1", "same as sync").alias_of("sync"),
                keyword("dsync", "O_DSYNC"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Write with O_SYNC or O_DSYNC",
    )
    .default("none"),
    option(
        "write_hint",
        IoType,
        Keyword(
            &[
                keyword("none", "no hint"),
                keyword("short", "short"),
                keyword("medium", "medium"),
                keyword("long", "long"),
                keyword("extreme", "very long"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Expected lifetime of written data",
    ),
    option("create_serialize", Target, Bool, Supported, "Lay out the files of one job at a time").default("1"),
    option("create_fsync", Target, Bool, Supported, "Sync files after layout").default("1"),
    option("create_on_open", Target, Bool, Supported, "Create each file when a worker opens it").default("0"),
    option("create_only", Target, Bool, Supported, "Lay out the files, then end").default("0"),
    option("allow_file_create", Target, Bool, Supported, "Allow creation of missing files").default("1"),
    option("allow_mounted_write", Target, Bool, Supported, "Allow writes to mounted devices").default("0"),
    option("pre_read", Target, Bool, Supported, "Read the files into the page cache before the start").default("0"),
    option("cpumask", Process, Number(INT32), Supported, "CPUs of the workers, as a bit mask"),
    option("cpus_allowed", Process, CpuList, Supported, "CPUs of the workers, as a list"),
    option(
        "cpus_allowed_policy",
        Process,
        Keyword(
            &[keyword("shared", "each worker uses all"), keyword("split", "each worker uses one")],
            ArgumentKind::None,
        ),
        Supported,
        "How clones share the allowed CPUs",
    )
    .parent("cpus_allowed")
    .parsed_first(),
    option("numa_cpu_nodes", Process, Text, Supported, "NUMA nodes of the workers' CPUs"),
    option(
        "numa_mem_policy",
        Process,
        Keyword(
            &[
                keyword("default", "system default"),
                keyword("prefer", "preferred node"),
                keyword("bind", "given nodes only"),
                keyword("interleave", "given nodes, interleaved"),
                keyword("local", "local node of the worker"),
            ],
            ArgumentKind::Text,
        ),
        Supported,
        "NUMA policy for the workers' memory",
    ),
    option("end_fsync", IoType, Bool, Supported, "Sync the files when the job ends").default("0"),
    option("fsync_on_close", IoType, Bool, Supported, "Sync each file when it is closed").default("0"),
    option("end_syncfs", IoType, Bool, Supported, "Sync the file system when the job ends").default("0"),
    option("unlink", Target, Bool, Supported, "Delete the job's files when it ends").default("0"),
    option("unlink_each_loop", Target, Bool, Supported, "Delete the job's files after each pass").default("0"),
    option("exitall", Process, Flag, Supported, "End other jobs when one job ends"),
    option(
        "exit_what",
        Process,
        Keyword(
            &[
                keyword("group", "jobs of the same group"),
                keyword("stonewall", "jobs that run now"),
                keyword("all", "all jobs"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Which jobs exitall ends",
    )
    .default("group"),
    option("exitall_on_error", Errors, Flag, Supported, "End all jobs when one job fails"),
    option("stonewall", Process, Flag, Supported, "Wait for all earlier jobs; starts a new report group")
        .alias("wait_for_previous"),
    option("new_group", Report, Flag, Supported, "Start a new report group"),
    option("thread", Process, Flag, Supported, "Report the workers as threads; they always are threads"),
    option("per_job_logs", Report, Bool, Supported, "Write one log file per worker").default("1"),
    option("write_bw_log", Report, LogPrefix, Supported, "Log bandwidth to files with this prefix"),
    option("write_lat_log", Report, LogPrefix, Supported, "Log latencies to files with this prefix"),
    option("write_iops_log", Report, LogPrefix, Supported, "Log IOPS to files with this prefix"),
    option(
        "log_entries",
        Report,
        Number(INT32.min(1024).max(1048576)),
        NoEffect("logs are streamed to their files"),
        "Initial number of log entries in memory",
    )
    .default("1024"),
    option("log_avg_msec", Report, Number(INT32), Supported, "Averaging window of logs, in milliseconds").default("0"),
    option("log_hist_msec", Report, Number(INT32), Supported, "Interval between logged histograms, in milliseconds")
        .default("0"),
    option(
        "log_hist_coarseness",
        Report,
        Number(INT32.max(6)),
        Supported,
        "Merge 2^N neighbouring bins of logged histograms",
    )
    .default("0"),
    option("write_hist_log", Report, LogPrefix, Supported, "Log latency histograms to files with this prefix"),
    option(
        "log_window_value",
        Report,
        Keyword(
            &[
                keyword("avg", "mean"),
                keyword("max", "maximum"),
                keyword("both", "mean and maximum"),
                keyword("0", "same as avg").alias_of("avg"),
                keyword("1", "same as max").alias_of("max"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Value logged per averaging window",
    )
    .alias("log_max_value")
    .default("avg"),
    option("log_offset", Report, Bool, Supported, "Log the offset of each I/O").default("0"),
    option("log_prio", Report, Bool, Supported, "Log the priority of each I/O").default("0"),
    option("log_issue_time", Report, Bool, Supported, "Log the submission time of each I/O").default("0"),
    option(
        "log_compression",
        Report,
        Number(INT32.min(1024).max(536870912)),
        NoEffect("logs are streamed to their files"),
        "Chunk size of log compression in memory",
    ),
    option(
        "log_compression_cpus",
        Report,
        CpuList,
        NoEffect("logs are streamed to their files"),
        "CPUs of log compression",
    )
    .parent("log_compression"),
    option("log_store_compressed", Report, Bool, Supported, "Compress the log files"),
    option("log_alternate_epoch", Report, Bool, Supported, "Log absolute times").alias("log_unix_epoch"),
    option("log_alternate_epoch_clock_id", Report, Number(INT32), Supported, "Clock of absolute times in logs"),
    option(
        "block_error_percentiles",
        Report,
        Bool,
        Supported,
        "Report percentiles of the number of trims per block, up to its first error",
    )
    .default("0"),
    option("bwavgtime", Report, Number(INT32), Supported, "Averaging time of bandwidth samples, in milliseconds")
        .default("500")
        .parent("write_bw_log"),
    option("iopsavgtime", Report, Number(INT32), Supported, "Averaging time of IOPS samples, in milliseconds")
        .default("500")
        .parent("write_iops_log"),
    option("group_reporting", Report, Flag, Supported, "Report the workers of a group as one"),
    option("stats", Report, Bool, Supported, "Include this job in the reports").default("1"),
    option("zero_buffers", Buffers, Flag, Supported, "Fill buffers with zeroes"),
    option("refill_buffers", Buffers, Flag, Supported, "Refill buffers for every write"),
    option("scramble_buffers", Buffers, Bool, Supported, "Change part of the buffer for every write").default("1"),
    option("buffer_pattern", Buffers, Pattern { offsets: false }, Supported, "Fill buffers with this pattern"),
    option(
        "buffer_compress_percentage",
        Buffers,
        Number(INT32.max(100)),
        Supported,
        "Compressible percentage of the written data",
    ),
    option("buffer_compress_chunk", Buffers, Number(INT32), Supported, "Size of the compressible chunks")
        .default("512")
        .parent("buffer_compress_percentage"),
    option("dedupe_percentage", Buffers, Number(INT32.max(100)), Supported, "Percentage of duplicate blocks in writes"),
    option("dedupe_global", Buffers, Bool, Supported, "Share the pool of duplicate blocks between jobs").default("0"),
    option(
        "dedupe_mode",
        Buffers,
        Keyword(
            &[keyword("repeat", "previous block"), keyword("working_set", "fixed set of blocks")],
            ArgumentKind::None,
        ),
        Supported,
        "Source of duplicate blocks",
    )
    .default("repeat")
    .parent("dedupe_percentage"),
    option(
        "dedupe_working_set_percentage",
        Buffers,
        Number(INT32.max(100)),
        Supported,
        "Size of the working set, in percent",
    )
    .default("5")
    .parent("dedupe_percentage"),
    option("clat_percentiles", Report, Bool, Supported, "Report percentiles of completion latency").default("1"),
    option("lat_percentiles", Report, Bool, Supported, "Report percentiles of total latency").default("0"),
    option("slat_percentiles", Report, Bool, Supported, "Report percentiles of submission latency").default("0"),
    option(
        "percentile_list",
        Report,
        Floats { max_len: 20, limits: Some((0.0, 100.0)) },
        Supported,
        "Percentiles to report",
    )
    .default("1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99"),
    option(
        "significant_figures",
        Report,
        Number(INT32.min(1).max(10)),
        Supported,
        "Significant figures in the normal report",
    )
    .default("4"),
    option("disk_util", Report, Bool, Supported, "Report the disk statistics of the kernel").default("1"),
    option("gtod_reduce", Time, Bool, Supported, "Disable latencies and bandwidth samples").default("0"),
    option("disable_lat", Report, Bool, Supported, "Disable total latency").default("0").parent("gtod_reduce"),
    option("disable_clat", Report, Bool, Supported, "Disable completion latency").default("0").parent("gtod_reduce"),
    option("disable_slat", Report, Bool, Supported, "Disable submission latency").default("0").parent("gtod_reduce"),
    option("disable_bw_measurement", Report, Bool, Supported, "Disable bandwidth samples")
        .alias("disable_bw")
        .default("0")
        .parent("gtod_reduce"),
    option(
        "gtod_cpu",
        Time,
        Number(INT32),
        NoEffect("each worker reads the clock itself"),
        "CPU of a clock thread for all workers",
    ),
    option("job_start_clock_id", Time, Number(INT32), Supported, "Clock of the job's start time"),
    option(
        "unified_rw_reporting",
        IoType,
        Keyword(
            &[
                keyword("none", "separate"),
                keyword("mixed", "merged"),
                keyword("both", "separate and merged"),
                keyword("0", "same as none").alias_of("none"),
                keyword("1", "same as mixed").alias_of("mixed"),
                keyword("2", "same as both").alias_of("both"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Report directions separately, merged, or both",
    )
    .default("none"),
    option(
        "continue_on_error",
        Errors,
        Keyword(
            &[
                keyword("none", "every error ends the job"),
                keyword("read", "continue after read errors"),
                keyword("write", "continue after write errors"),
                keyword("io", "continue after read and write errors"),
                keyword("verify", "continue after verification errors"),
                keyword("all", "continue after every error"),
                keyword("0", "same as none").alias_of("none"),
                keyword("1", "same as all").alias_of("all"),
            ],
            ArgumentKind::None,
        ),
        Supported,
        "Errors that do not end the job",
    )
    .default("none"),
    option(
        "ignore_error",
        Errors,
        ErrorLists,
        Supported,
        "Error numbers to ignore, for reads, writes and verification",
    )
    .parent("rw"),
    option("error_dump", Errors, Bool, Supported, "Print each error when it occurs").default("0"),
    option(
        "profile",
        Profile,
        Text,
        NoEffect("only the program option --profile selects a workload"),
        "Run a built-in workload",
    ),
    option("cgroup", Process, Text, Supported, "Control group of the workers"),
    option("cgroup_nodelete", Process, Bool, Supported, "Keep the control group after the run")
        .default("0")
        .parent("cgroup"),
    option("cgroup_weight", Process, Number(INT32.min(100).max(1000)), Supported, "Weight of the control group")
        .parent("cgroup"),
    option("uid", Process, Number(INT32), Supported, "User ID of the workers"),
    option("gid", Process, Number(INT32), Supported, "Group ID of the workers"),
    option(
        "kb_base",
        Units,
        Keyword(&[keyword("1024", "powers of 1024"), keyword("1000", "powers of 1000")], ArgumentKind::None),
        Supported,
        "Base of k, m, g in sizes: 1024 or 1000",
    )
    .default("1024")
    .parsed_first(),
    option(
        "unit_base",
        Units,
        Keyword(
            &[keyword("0", "default of the engine"), keyword("8", "bytes per second"), keyword("1", "bits per second")],
            ArgumentKind::None,
        ),
        Supported,
        "Unit of reported rates: bytes or bits",
    )
    .parsed_first(),
    option("hugepage-size", Buffers, Number(INT32), Supported, "Size of a huge page").default("2097152"),
    option("flow_id", Process, Number(INT32), Supported, "Flow group of the job").default("0"),
    option("flow", Process, Number(INT32.max(1000)), Supported, "Weight of the job in its flow group")
        .default("0")
        .parent("flow_id"),
    option("flow_watermark", Rate, Ignored, NoEffect("obsolete since fio 1"), "Obsolete"),
    option("flow_sleep", Process, Number(INT32), Supported, "Microseconds to sleep when ahead of the flow group")
        .default("0")
        .parent("flow_id"),
    option(
        "steadystate",
        SteadyState,
        Keyword(
            &[
                keyword("iops", "deviation of IOPS"),
                keyword("iops_slope", "slope of IOPS"),
                keyword("bw", "deviation of bandwidth"),
                keyword("bw_slope", "slope of bandwidth"),
                keyword("lat", "deviation of latency"),
                keyword("lat_slope", "slope of latency"),
            ],
            ArgumentKind::Threshold,
        ),
        Supported,
        "Steady state criterion and its limit",
    )
    .alias("ss")
    .default("iops_slope:0.01%"),
    option(
        "steadystate_duration",
        SteadyState,
        Number(INT64.seconds()),
        Supported,
        "Steady time after which the job ends",
    )
    .alias("ss_dur")
    .default("0")
    .parent("steadystate"),
    option(
        "steadystate_ramp_time",
        SteadyState,
        Number(INT64.seconds()),
        Supported,
        "Time before the first steady state check",
    )
    .alias("ss_ramp")
    .default("0")
    .parent("steadystate"),
    option(
        "steadystate_check_interval",
        SteadyState,
        Number(INT64.seconds()),
        Supported,
        "Interval between steady state checks",
    )
    .alias("ss_interval")
    .default("1")
    .parent("steadystate"),
    option("gpu_dev_id", Engine, Number(INT32), Unsupported, "GPU of the I/O buffers"),
    option("use_os_rand", IoType, Bool, Supported, "Seed all random numbers from the operating system"),
];
