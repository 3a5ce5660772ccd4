//! The table of fio's job options that every engine has, in fio's order.

use super::kind::{Argument, INT, Kind::*, WIDE, word};
use super::{Opt, Section::*, Support::*, option};

pub const CORE: &[Opt] = &[
    option("description", Description, Text, Honoured, "Free text that the reports repeat for this job"),
    option("name", Description, Text, Honoured, "What the job is called; on the command line it begins a new job"),
    option("wait_for", Process, Text, Honoured, "Begin only after all workers of the named earlier job are done"),
    option("filename", Target, Text, Honoured, "Target files or devices, separated by ':'").late(),
    option(
        "filetype",
        Target,
        Word(
            &[
                word("none", "find out from the file itself"),
                word("file", "a regular file"),
                word("block", "a block device"),
                word("char", "a character device"),
            ],
            Argument::None,
        ),
        NotYet,
        "Treat every target as this kind of file without asking the system",
    )
    .default("none"),
    option("directory", Target, Text, Honoured, "Directory or ':' separated directories for the job's files"),
    option("filename_format", Target, Text, Honoured, "Pattern from which names of generated files are made")
        .default("$jobname.$jobnum.$filenum")
        .late(),
    option(
        "unique_filename",
        Target,
        Bool,
        Accepted("only names of files on remote clients are affected"),
        "Give each remote client's files names of their own",
    )
    .default("1"),
    option(
        "lockfile",
        Target,
        Word(
            &[
                word("none", "no locking"),
                word("exclusive", "one user at a time"),
                word("readwrite", "many readers or one writer"),
            ],
            Argument::None,
        ),
        NotYet,
        "Take a lock on a file around each I/O to it",
    )
    .default("none")
    .under("filename")
    .early(),
    option("opendir", Target, Text, Honoured, "Use every file found below this directory as a target"),
    option(
        "rw",
        IoType,
        Word(
            &[
                word("read", "sequential reads"),
                word("write", "sequential writes"),
                word("trim", "sequential trims"),
                word("randread", "random reads"),
                word("randwrite", "random writes"),
                word("randtrim", "random trims"),
                word("rw", "reads and writes mixed, sequential"),
                word("readwrite", "same as rw").means("rw"),
                word("randrw", "reads and writes mixed, random"),
                word("trimwrite", "each block trimmed, then written, in order"),
                word("randtrimwrite", "each block trimmed, then written, at random"),
            ],
            Argument::Sequence,
        ),
        Honoured,
        "Direction and order of the I/O; ':N' sets the sequencer's step",
    )
    .alias("readwrite")
    .default("read"),
    option(
        "rw_sequencer",
        IoType,
        Word(
            &[word("sequential", "a new random offset after N I/Os"), word("identical", "the same offset N times")],
            Argument::None,
        ),
        Honoured,
        "How offsets go on when rw has a ':N'",
    )
    .default("sequential"),
    option("ioengine", Engine, EngineName, Honoured, "How I/O is handed to the system").default("psync"),
    option("iodepth", Depth, Number(INT.min(1)), Honoured, "I/Os that one worker keeps in flight").default("1"),
    option("iodepth_batch", Depth, Number(INT), Honoured, "Most I/Os handed over in one submission")
        .alias("iodepth_batch_submit")
        .default("1")
        .under("iodepth"),
    option("iodepth_batch_complete_min", Depth, Number(INT), Honoured, "Fewest completions to wait for when reaping")
        .alias("iodepth_batch_complete")
        .default("1")
        .under("iodepth"),
    option("iodepth_batch_complete_max", Depth, Number(INT), Honoured, "Most completions to take when reaping")
        .under("iodepth"),
    option("iodepth_low", Depth, Number(INT), Honoured, "Refill only once the queue has drained to this depth")
        .under("iodepth"),
    option("serialize_overlap", Depth, Bool, NotYet, "Hold back an I/O that touches blocks of one still in flight")
        .default("0")
        .under("iodepth"),
    option(
        "io_submit_mode",
        Depth,
        Word(&[word("inline", "the worker submits"), word("offload", "a pool of threads submits")], Argument::None),
        Honoured,
        "Who submits: the worker itself or helper threads",
    )
    .default("inline"),
    option("size", IoSize, Amount, Honoured, "Bytes, percentage or zones of the targets that the job covers"),
    option("io_size", IoSize, Amount, Honoured, "Bytes, percentage or zones to transfer in total").alias("io_limit"),
    option("fill_device", IoSize, Bool, Honoured, "Write until the device or filesystem is full")
        .alias("fill_fs")
        .default("0"),
    option(
        "filesize",
        IoSize,
        Number(WIDE.bytes().min(1).slots(2)),
        Honoured,
        "Size, or range of sizes, of each single file",
    ),
    option("file_append", IoSize, Bool, Honoured, "Begin behind the present end of each file").default("0"),
    option("offset", IoType, Amount, Honoured, "Where in the target the job's region begins")
        .alias("fileoffset")
        .default("0"),
    option("offset_align", IoType, Number(INT), Honoured, "Round a percentage offset up to a multiple of this")
        .default("0"),
    option("offset_increment", IoType, Amount, Honoured, "Move the region by this much for each clone of the job")
        .default("0")
        .under("offset"),
    option("number_ios", IoType, Number(WIDE.bytes()), Honoured, "End after this many I/Os").default("0"),
    option("num_range", Engine, Number(INT.max(256)), NotYet, "Ranges sent with one trim command").default("1"),
    option("bs", BlockSize, Number(WIDE.min(1).slots(3)), Honoured, "Block size of reads, writes and trims")
        .alias("blocksize")
        .default("4096")
        .under("rw"),
    option("ba", BlockSize, Number(WIDE.min(1).slots(3)), Honoured, "Alignment of random offsets")
        .alias("blockalign")
        .under("rw"),
    option("bsrange", BlockSize, Range, Honoured, "Block sizes drawn at random between two limits")
        .alias("blocksize_range")
        .under("rw"),
    option("bssplit", BlockSize, BlockSplit, Honoured, "Block sizes with the percentage of I/Os that use each")
        .under("rw"),
    option("bs_unaligned", BlockSize, Flag, Honoured, "Let random block sizes be any number of bytes")
        .alias("blocksize_unaligned")
        .under("rw"),
    option(
        "bs_is_seq_rand",
        BlockSize,
        Bool,
        Honoured,
        "Use the first block size for sequential and the second for random I/O",
    )
    .default("0")
    .under("bs"),
    option("randrepeat", IoType, Bool, Honoured, "Draw the same random numbers in every run")
        .alias("allrandrepeat")
        .default("1")
        .under("rw"),
    option("randseed", IoType, Number(WIDE.bytes().signed()), Honoured, "Seed of the job's random numbers")
        .default("0x89")
        .under("rw"),
    option("norandommap", IoType, Flag, Honoured, "Do not keep track of which random blocks were touched").under("rw"),
    option("softrandommap", IoType, Bool, Honoured, "Go on without a random map when memory for it is short")
        .default("0")
        .under("norandommap"),
    option("sprandom", IoType, Bool, NotYet, "Precondition an SSD in one pass, following an overprovisioning model")
        .default("0")
        .under("rw"),
    option("spr_num_regions", IoType, Number(INT), Under("sprandom"), "Regions of the preconditioning model")
        .default("100")
        .under("sprandom"),
    option(
        "spr_op",
        IoType,
        Floats { max_len: 1, limits: None },
        Under("sprandom"),
        "Overprovisioning assumed by the preconditioning model",
    )
    .default("0.15")
    .under("sprandom"),
    option("spr_cs", IoType, Number(WIDE), Under("sprandom"), "Cache size assumed by the preconditioning model")
        .default("0")
        .under("sprandom"),
    option(
        "random_generator",
        IoType,
        Word(
            &[
                word("tausworthe", "three-component Tausworthe generator"),
                word("lfsr", "shift register that visits every block once"),
                word("tausworthe64", "Tausworthe generator with 64 bit state"),
            ],
            Argument::None,
        ),
        Honoured,
        "Generator behind random offsets",
    )
    .default("tausworthe"),
    option(
        "random_distribution",
        IoType,
        Distribution(&[
            word("random", "evenly"),
            word("zipf", "Zipf's law, ':theta'"),
            word("pareto", "Pareto's law, ':power'"),
            word("normal", "a bell curve, ':deviation in percent'"),
            word("zoned", "zones with shares, sizes in percent"),
            word("zoned_abs", "zones with shares, sizes in bytes"),
            word("sequence", "a given list of blocks").not_yet(),
        ]),
        Honoured,
        "How random offsets spread over the target",
    )
    .default("random"),
    option(
        "random_sequence_stride",
        IoType,
        Bool,
        Under("random_distribution=sequence"),
        "Repeat the given list of blocks over the whole target",
    )
    .default("0"),
    option(
        "percentage_random",
        IoType,
        Number(INT.max(100).slots(3)),
        Honoured,
        "Share of a random workload's I/Os that are in fact random",
    )
    .default("100,100,100"),
    option("percentage_sequential", IoType, Removed, NotYet, "Removed from fio; use percentage_random"),
    option("nrfiles", Target, Number(INT), Honoured, "Files that the job's size is spread over")
        .alias("nr_files")
        .default("1"),
    option("openfiles", Target, Number(INT), Honoured, "Files kept open at the same time"),
    option(
        "file_service_type",
        Target,
        Word(
            &[
                word("random", "evenly at random"),
                word("zipf", "Zipf's law over the files"),
                word("pareto", "Pareto's law over the files"),
                word("normal", "a bell curve over the files"),
                word("gauss", "same as normal").means("normal"),
                word("roundrobin", "each in turn"),
                word("sequential", "one to its end, then the next"),
            ],
            Argument::Shape,
        ),
        Honoured,
        "How the file of the next I/O is picked",
    )
    .default("roundrobin")
    .under("nrfiles"),
    option(
        "fallocate",
        IoType,
        Word(
            &[
                word("none", "not at all"),
                word("native", "what the system does best"),
                word("posix", "posix_fallocate()"),
                word("keep", "fallocate() that keeps the file's size"),
                word("truncate", "only set the length"),
                word("0", "same as none").means("none"),
                word("1", "same as posix").means("posix"),
            ],
            Argument::None,
        ),
        Honoured,
        "How space is reserved when a file is laid out",
    )
    .default("native"),
    option(
        "fadvise_hint",
        IoType,
        Word(
            &[
                word("0", "nothing"),
                word("1", "what the workload is"),
                word("random", "random access"),
                word("sequential", "sequential access"),
                word("noreuse", "data used once"),
            ],
            Argument::None,
        ),
        Honoured,
        "What the page cache is told about the access pattern",
    )
    .default("1"),
    option("fsync", IoType, Number(INT), Honoured, "Sync the file after this many writes").default("0"),
    option("fdatasync", IoType, Number(INT), Honoured, "Sync the file's data after this many writes").default("0"),
    option(
        "write_barrier",
        IoType,
        Number(INT),
        Accepted("it marks writes, and no engine of fio's does anything about the mark"),
        "Mark every n-th write as a barrier",
    )
    .default("0"),
    option(
        "sync_file_range",
        IoType,
        Words(
            &[
                word("wait_before", "first wait for writeback under way"),
                word("write", "start writeback"),
                word("wait_after", "wait for writeback to end"),
            ],
            Argument::Count,
        ),
        Honoured,
        "Sync the written range after this many writes, in the given way",
    ),
    option("direct", IoType, Bool, Honoured, "Go past the page cache (O_DIRECT); the opposite of buffered")
        .default("0"),
    option("atomic", Engine, Bool, Honoured, "Ask for untorn writes; implies direct").default("0"),
    option("buffered", IoType, Bool, Honoured, "Go through the page cache; the opposite of direct").default("1"),
    option("overwrite", IoType, Bool, Honoured, "Lay the file out first, so that writes replace existing data")
        .default("0"),
    option("loops", Description, Number(INT), Honoured, "Passes over the job's data").default("1"),
    option("numjobs", Description, Number(INT), Honoured, "Clones of this job").default("1"),
    option(
        "startdelay",
        Time,
        Number(WIDE.seconds().slots(2)),
        Honoured,
        "Wait this long, or a random time between two limits, before starting",
    )
    .default("0"),
    option("runtime", Time, Number(WIDE.seconds()), Honoured, "Stop after this time").alias("timeout").default("0"),
    option("time_based", Time, Flag, Honoured, "Start over until the runtime has passed"),
    option("verify_only", Verify, Flag, NotYet, "Check data written by an earlier run without writing"),
    option("ramp_time", Time, Number(WIDE.seconds()), Honoured, "Run this long before anything is measured"),
    option("ramp_size", Time, Number(WIDE.bytes().min(1)), Honoured, "Transfer this much before anything is measured"),
    option(
        "clocksource",
        Time,
        Word(
            &[
                word("gettimeofday", "gettimeofday()"),
                word("clock_gettime", "clock_gettime()"),
                word("cpu", "the CPU's cycle counter"),
            ],
            Argument::None,
        ),
        Honoured,
        "Clock behind the time stamps",
    ),
    option(
        "mem",
        Buffers,
        Word(
            &[
                word("malloc", "ordinary memory"),
                word("shm", "shared memory"),
                word("shmhuge", "shared memory in huge pages"),
                word("mmap", "a mapping, of a file if one is given"),
                word("mmapshared", "a shared mapping"),
                word("mmaphuge", "a mapping in huge pages"),
                word("cudamalloc", "GPU memory").not_yet(),
            ],
            Argument::Text,
        ),
        Honoured,
        "Where I/O buffers come from",
    )
    .alias("iomem")
    .default("malloc"),
    option("iomem_align", Buffers, Number(INT), Honoured, "Alignment of I/O buffers")
        .alias("mem_align")
        .default("0")
        .under("mem"),
    option(
        "verify",
        Verify,
        Word(
            &[
                word("0", "no checking"),
                word("md5", "MD5"),
                word("crc64", "CRC-64"),
                word("crc32", "CRC-32"),
                word("crc32c-intel", "CRC-32C, by the CPU's instruction"),
                word("crc32c", "CRC-32C"),
                word("crc16", "CRC-16"),
                word("crc7", "CRC-7"),
                word("sha1", "SHA-1"),
                word("sha256", "SHA-256"),
                word("sha512", "SHA-512"),
                word("sha3-224", "SHA3 of 224 bits"),
                word("sha3-256", "SHA3 of 256 bits"),
                word("sha3-384", "SHA3 of 384 bits"),
                word("sha3-512", "SHA3 of 512 bits"),
                word("xxhash", "xxHash"),
                word("meta", "only the header's facts"),
                word("pattern", "a pattern without header"),
                word("pattern_hdr", "a pattern with header"),
                word("null", "run the machinery without checking"),
            ],
            Argument::None,
        ),
        NotYet,
        "Write blocks that can be checked, and check them",
    )
    .default("0"),
    option("do_verify", Verify, Bool, Under("verify"), "Read back and check after the writing")
        .default("1")
        .under("verify"),
    option(
        "verify_policy",
        Verify,
        Words(
            &[word("completed", "all completed ones"), word("fsynced", "those before the last sync")],
            Argument::None,
        ),
        Under("verify"),
        "Which writes are held to have reached the medium",
    )
    .default("completed")
    .under("verify"),
    option(
        "verifysort",
        Verify,
        Ignored,
        Accepted("it has had no effect since fio 1"),
        "Had a meaning in old versions only",
    ),
    option(
        "verifysort_nr",
        Verify,
        Ignored,
        Accepted("it has had no effect since fio 1"),
        "Had a meaning in old versions only",
    ),
    option("verify_interval", Verify, Number(INT.min(96)), Under("verify"), "Bytes between two headers in a block")
        .under("verify"),
    option("verify_offset", Verify, Number(INT.min(48)), Under("verify"), "Where in the interval the header lies")
        .under("verify"),
    option(
        "verify_pattern",
        Verify,
        Pattern { offsets: true },
        NotYet,
        "Pattern that blocks are filled with and checked for",
    )
    .under("verify"),
    option(
        "verify_pattern_interval",
        Verify,
        Number(INT),
        Under("verify"),
        "Start the pattern anew after this many bytes",
    )
    .default("0")
    .under("verify"),
    option("verify_fatal", Verify, Bool, Under("verify"), "Stop at the first bad block").default("0").under("verify"),
    option("verify_dump", Verify, Bool, Under("verify"), "Save the contents of bad blocks to files")
        .default("0")
        .under("verify"),
    option("verify_async", Verify, Number(INT), Under("verify"), "Threads that check blocks in the background")
        .default("0")
        .under("verify"),
    option(
        "verify_backlog",
        Verify,
        Number(WIDE.bytes()),
        Under("verify"),
        "Check after this many blocks were written",
    )
    .under("verify"),
    option("verify_backlog_batch", Verify, Number(INT), Under("verify"), "How many blocks to check in one go")
        .under("verify"),
    option("verify_async_cpus", Verify, CpuList, Under("verify"), "CPUs for the checking threads")
        .under("verify_async"),
    option("experimental_verify", Verify, Bool, Under("verify"), "Replay the random numbers instead of keeping a list")
        .under("verify"),
    option("verify_state_load", Verify, Bool, Under("verify"), "Take up the state that an earlier run saved")
        .under("verify"),
    option("verify_state_save", Verify, Bool, Under("verify"), "Save the state of checking when the job ends")
        .default("1")
        .under("verify"),
    option("verify_write_sequence", Verify, Bool, Under("verify"), "Check the order number in the header")
        .default("1")
        .under("verify"),
    option("verify_header_seed", Verify, Bool, Under("verify"), "Check the seed in the header")
        .default("1")
        .under("verify"),
    option(
        "trim_percentage",
        Verify,
        Number(INT.max(100)),
        Under("verify"),
        "Share of written blocks to trim and check",
    )
    .default("0")
    .under("verify"),
    option("trim_verify_zero", Verify, Bool, Under("verify"), "Trimmed blocks must read as zeroes")
        .default("1")
        .under("trim_percentage"),
    option("trim_backlog", Verify, Number(WIDE.bytes()), Under("verify"), "Trim after this many blocks were written")
        .under("trim_percentage"),
    option("trim_backlog_batch", Verify, Number(INT), Under("verify"), "How many blocks to trim in one go")
        .under("trim_percentage"),
    option("write_iolog", Replay, Text, NotYet, "Record every I/O in this file"),
    option("read_iolog", Replay, Text, NotYet, "Replay the I/Os of this file"),
    option("read_iolog_chunked", Replay, Bool, Under("read_iolog"), "Read the replayed file piece by piece")
        .default("0")
        .under("read_iolog"),
    option("replay_no_stall", Replay, Bool, Under("read_iolog"), "Replay without the recorded pauses")
        .default("0")
        .under("read_iolog"),
    option("replay_redirect", Replay, Text, Under("read_iolog"), "Replay everything onto this target")
        .under("read_iolog"),
    option("replay_scale", Replay, Number(INT), Under("read_iolog"), "Divide the recorded offsets by this")
        .default("1")
        .under("read_iolog"),
    option(
        "replay_align",
        Replay,
        Number(INT.power_of_two()),
        Under("read_iolog"),
        "Align the recorded offsets to this",
    )
    .under("read_iolog"),
    option(
        "replay_time_scale",
        Replay,
        Number(INT.min(1)),
        Under("read_iolog"),
        "Percentage of the recorded pauses to keep",
    )
    .default("100")
    .under("read_iolog"),
    option("replay_skip", Replay, Text, Under("read_iolog"), "Directions to leave out of a replay").under("read_iolog"),
    option("merge_blktrace_file", Replay, Text, NotYet, "Merge several recorded traces into this file"),
    option(
        "merge_blktrace_scalars",
        Replay,
        Floats { max_len: 20, limits: None },
        Under("merge_blktrace_file"),
        "Percentages that stretch each merged trace",
    ),
    option(
        "merge_blktrace_iters",
        Replay,
        Floats { max_len: 20, limits: None },
        Under("merge_blktrace_file"),
        "How often each merged trace is run",
    ),
    option("exec_prerun", Process, Text, Honoured, "Shell command to run before the job"),
    option("exec_postrun", Process, Text, Honoured, "Shell command to run after the job"),
    option("ioscheduler", Target, Text, Honoured, "Switch the target's device to this I/O scheduler"),
    option(
        "zonemode",
        Target,
        Word(
            &[
                word("none", "not at all"),
                word("strided", "work in a zone, then skip ahead"),
                word("zbd", "zones of a zoned block device").not_yet(),
            ],
            Argument::None,
        ),
        Honoured,
        "How the target is divided into zones",
    )
    .default("none"),
    option("zonesize", Target, Number(WIDE.bytes()), Honoured, "Bytes of a zone that are worked on").default("0"),
    option("zonecapacity", Target, Number(WIDE.bytes()), Under("zonemode=zbd"), "Usable bytes of each zone")
        .default("0"),
    option("zonerange", Target, Number(WIDE.bytes()), Honoured, "Bytes from one zone's end to the next one's start")
        .default("0"),
    option("zoneskip", Target, Amount, Honoured, "Bytes or zones to leave out between zones").default("0"),
    option("read_beyond_wp", Target, Bool, Under("zonemode=zbd"), "Allow reads behind a zone's write pointer")
        .default("0"),
    option(
        "max_open_zones",
        Target,
        Number(INT.max(4096)),
        Under("zonemode=zbd"),
        "Zones all jobs together may have open for writing",
    )
    .default("0"),
    option(
        "job_max_open_zones",
        Target,
        Number(INT.max(4096)),
        Under("zonemode=zbd"),
        "Zones each clone of the job may have open for writing",
    )
    .default("0"),
    option(
        "ignore_zone_limits",
        Target,
        Bool,
        Under("zonemode=zbd"),
        "Do not ask the device for its limit of open zones",
    )
    .default("0"),
    option(
        "zone_reset_threshold",
        Target,
        Floats { max_len: 1, limits: Some((0.0, 1.0)) },
        Under("zonemode=zbd"),
        "Fill level above which zones are reset",
    ),
    option(
        "zone_reset_frequency",
        Target,
        Floats { max_len: 1, limits: Some((0.0, 1.0)) },
        Under("zonemode=zbd"),
        "How often zones above the level are reset",
    ),
    option(
        "recover_zbd_write_error",
        Target,
        Bool,
        Under("zonemode=zbd"),
        "Go on from the real write pointer after a failed write",
    )
    .default("0"),
    option(
        "write_zone_remainder",
        Target,
        Bool,
        Under("zonemode=zbd"),
        "Write a zone's small rest instead of finishing the zone",
    )
    .default("0"),
    option("fdp", Engine, Bool, NotYet, "Send placement directives with writes").default("0"),
    option(
        "dataplacement",
        Engine,
        Word(
            &[
                word("none", "no directive"),
                word("fdp", "flexible data placement"),
                word("streams", "directive streams"),
            ],
            Argument::None,
        ),
        NotYet,
        "Kind of placement directive sent with writes",
    )
    .alias("data_placement")
    .default("none"),
    option(
        "plid_select",
        Engine,
        Word(
            &[word("random", "at random"), word("roundrobin", "each in turn"), word("scheme", "by the scheme file")],
            Argument::None,
        ),
        Under("dataplacement"),
        "How the placement identifier is picked",
    )
    .alias("fdp_pli_select")
    .default("roundrobin"),
    option("plids", Engine, Text, Under("dataplacement"), "Placement identifiers to use").alias("fdp_pli"),
    option("dp_scheme", Engine, Text, Under("dataplacement"), "File that maps offsets to placement identifiers"),
    option("lockmem", Buffers, Number(WIDE.bytes()), Honoured, "Pin this much memory while the job runs").default("0"),
    option("rwmixread", IoType, Number(INT.max(100)), Honoured, "Percentage of a mixed workload that reads")
        .default("50"),
    option("rwmixwrite", IoType, Number(INT.max(100)), Honoured, "Percentage of a mixed workload that writes")
        .default("50"),
    option("rwmixcycle", IoType, Removed, NotYet, "Removed from fio; has no replacement"),
    option("comm", Process, Text, NotYet, "Name that the worker's thread shows"),
    option("nice", Process, Number(INT.min(-20).max(19).signed()), Honoured, "Niceness of the workers").default("0"),
    option("prio", Process, Number(INT.max(7)), Honoured, "I/O priority of the workers, 0 being the highest"),
    option("prioclass", Process, Number(INT.max(3)), Honoured, "I/O priority class of the workers"),
    option("priohint", Process, Number(INT.max(1023)), Honoured, "I/O priority hint of the workers"),
    option("thinktime", Rate, Number(INT.micros()), Honoured, "Pause between I/Os, by default in microseconds")
        .default("0"),
    option("thinktime_spin", Rate, Number(INT.micros()), Honoured, "Part of the pause that is spent on the CPU")
        .default("0")
        .under("thinktime"),
    option("thinkcycles", Rate, Number(INT), NotYet, "CPU cycles to burn between I/Os").default("0").under("thinktime"),
    option("thinktime_blocks", Rate, Number(INT), Honoured, "I/Os between two pauses").default("1").under("thinktime"),
    option(
        "thinktime_blocks_type",
        Rate,
        Word(&[word("complete", "completed I/Os"), word("issue", "submitted I/Os")], Argument::None),
        Honoured,
        "What is counted for the pauses",
    )
    .default("complete")
    .under("thinktime"),
    option("thinktime_iotime", Rate, Number(INT.seconds()), Honoured, "Time of I/O between two pauses")
        .default("0")
        .under("thinktime"),
    option("rate", Rate, Number(WIDE.slots(3)), Honoured, "Bandwidth not to exceed"),
    option("rate_min", Rate, Number(WIDE.slots(3)), Honoured, "Bandwidth below which the job fails")
        .alias("ratemin")
        .under("rate"),
    option("rate_iops", Rate, Number(INT.slots(3)), Honoured, "I/Os per second not to exceed"),
    option("rate_iops_min", Rate, Number(INT.slots(3)), Honoured, "I/Os per second below which the job fails")
        .under("rate_iops"),
    option(
        "rate_process",
        Rate,
        Word(&[word("linear", "evenly"), word("poisson", "as a Poisson process")], Argument::None),
        Honoured,
        "How rate limited I/Os arrive",
    )
    .default("linear")
    .under("rate"),
    option("rate_cycle", Rate, Number(INT), Honoured, "Milliseconds over which a minimum rate is judged")
        .alias("ratecycle")
        .default("1000")
        .under("rate"),
    option("rate_ignore_thinktime", Rate, Bool, Honoured, "Do not make up for pauses when limiting the rate")
        .under("rate"),
    option("max_latency", Latency, Number(WIDE.micros().slots(3)), Honoured, "Fail when an I/O takes longer than this"),
    option(
        "latency_target",
        Latency,
        Number(WIDE.micros()),
        Honoured,
        "Find the deepest queue that meets this latency",
    ),
    option("latency_window", Latency, Number(WIDE.micros()), Honoured, "How long each depth is judged"),
    option(
        "latency_percentile",
        Latency,
        Floats { max_len: 1, limits: Some((0.0, 100.0)) },
        Honoured,
        "Share of I/Os that must meet the target",
    )
    .default("100"),
    option("latency_run", Latency, Bool, Honoured, "Go on at the depth that was found").default("0"),
    option("invalidate", Buffers, Bool, Honoured, "Drop the target's cached pages before starting").default("1"),
    option(
        "sync",
        Buffers,
        Word(
            &[
                word("none", "neither"),
                word("0", "neither").means("none"),
                word("sync", "O_SYNC"),
                word("1", "O_SYNC").means("sync"),
                word("dsync", "O_DSYNC"),
            ],
            Argument::None,
        ),
        Honoured,
        "Write with O_SYNC or O_DSYNC",
    )
    .default("none"),
    option(
        "write_hint",
        IoType,
        Word(
            &[
                word("none", "not told"),
                word("short", "short"),
                word("medium", "medium"),
                word("long", "long"),
                word("extreme", "very long"),
            ],
            Argument::None,
        ),
        NotYet,
        "Expected lifetime of written data",
    ),
    option("create_serialize", Target, Bool, Honoured, "Lay out the files of one job after another").default("1"),
    option("create_fsync", Target, Bool, Honoured, "Sync files after laying them out").default("1"),
    option("create_on_open", Target, Bool, Honoured, "Create a file only when a worker opens it").default("0"),
    option("create_only", Target, Bool, Honoured, "Lay the files out and do nothing else").default("0"),
    option("allow_file_create", Target, Bool, Honoured, "May create files that are missing").default("1"),
    option("allow_mounted_write", Target, Bool, Honoured, "May write to a device that is mounted").default("0"),
    option("pre_read", Target, Bool, Honoured, "Read the files into the cache before starting").default("0"),
    option("cpumask", Process, Number(INT), Honoured, "CPUs the workers may use, as a bit mask"),
    option("cpus_allowed", Process, CpuList, Honoured, "CPUs the workers may use, as a list"),
    option(
        "cpus_allowed_policy",
        Process,
        Word(&[word("shared", "each may use all"), word("split", "each gets one of its own")], Argument::None),
        Honoured,
        "How clones share the allowed CPUs",
    )
    .under("cpus_allowed")
    .early(),
    option("numa_cpu_nodes", Process, Text, Honoured, "NUMA nodes whose CPUs the workers may use"),
    option(
        "numa_mem_policy",
        Process,
        Word(
            &[
                word("default", "the system's policy"),
                word("prefer", "one node if it has room"),
                word("bind", "only the given nodes"),
                word("interleave", "the given nodes in turn"),
                word("local", "the node a worker runs on"),
            ],
            Argument::Text,
        ),
        Honoured,
        "NUMA policy for the workers' memory",
    ),
    option("end_fsync", IoType, Bool, Honoured, "Sync the files when the job is done").default("0"),
    option("fsync_on_close", IoType, Bool, Honoured, "Sync each file when it is closed").default("0"),
    option("end_syncfs", IoType, Bool, NotYet, "Sync the whole filesystem when the job is done").default("0"),
    option("unlink", Target, Bool, Honoured, "Delete the job's files at its end").default("0"),
    option("unlink_each_loop", Target, Bool, Honoured, "Delete the job's files after each pass").default("0"),
    option("exitall", Process, Flag, Honoured, "When one job ends, end the others too"),
    option(
        "exit_what",
        Process,
        Word(
            &[
                word("group", "those of the same group"),
                word("stonewall", "those that run now"),
                word("all", "every one"),
            ],
            Argument::None,
        ),
        Honoured,
        "Which jobs exitall ends",
    )
    .default("group"),
    option("exitall_on_error", Errors, Flag, Honoured, "End every job when one fails"),
    option("stonewall", Process, Flag, Honoured, "Wait for all earlier jobs, and start a new report group")
        .alias("wait_for_previous"),
    option("new_group", Report, Flag, Honoured, "Start a new report group"),
    option("thread", Process, Flag, Honoured, "What the report says workers are; they are always threads"),
    option("per_job_logs", Report, Bool, Honoured, "Write one log file for each worker").default("1"),
    option("write_bw_log", Report, LogPrefix, Honoured, "Log bandwidth to files with this prefix"),
    option("write_lat_log", Report, LogPrefix, Honoured, "Log latencies to files with this prefix"),
    option("write_iops_log", Report, LogPrefix, Honoured, "Log I/O rates to files with this prefix"),
    option(
        "log_entries",
        Report,
        Number(INT.min(1024).max(1048576)),
        Accepted("logs are streamed to their files and have no initial size"),
        "Entries a log first has room for",
    )
    .default("1024"),
    option("log_avg_msec", Report, Number(INT), Honoured, "Average logged values over this many milliseconds")
        .default("0"),
    option("log_hist_msec", Report, Number(INT), Honoured, "Milliseconds between two logged histograms").default("0"),
    option(
        "log_hist_coarseness",
        Report,
        Number(INT.max(6)),
        Honoured,
        "Merge neighbouring bins of logged histograms, as a power of two",
    )
    .default("0"),
    option("write_hist_log", Report, LogPrefix, Honoured, "Log latency histograms to files with this prefix"),
    option(
        "log_window_value",
        Report,
        Word(
            &[
                word("avg", "the mean"),
                word("max", "the largest value"),
                word("both", "mean and largest value"),
                word("0", "same as avg").means("avg"),
                word("1", "same as max").means("max"),
            ],
            Argument::None,
        ),
        Honoured,
        "What is logged for an averaging window",
    )
    .alias("log_max_value")
    .default("avg"),
    option("log_offset", Report, Bool, Honoured, "Log each I/O's offset").default("0"),
    option("log_prio", Report, Bool, Honoured, "Log each I/O's priority").default("0"),
    option("log_issue_time", Report, Bool, Honoured, "Log when each I/O was submitted").default("0"),
    option(
        "log_compression",
        Report,
        Number(INT.min(1024).max(536870912)),
        Accepted("logs are streamed to their files and need no compression in memory"),
        "Compress logs in memory in chunks of this size",
    ),
    option(
        "log_compression_cpus",
        Report,
        CpuList,
        Accepted("logs are streamed to their files and need no compression in memory"),
        "CPUs for compressing logs",
    )
    .under("log_compression"),
    option("log_store_compressed", Report, Bool, NotYet, "Keep log files compressed"),
    option("log_alternate_epoch", Report, Bool, Honoured, "Log absolute times").alias("log_unix_epoch"),
    option("log_alternate_epoch_clock_id", Report, Number(INT), Honoured, "Clock behind absolute times in logs"),
    option("block_error_percentiles", Report, Bool, NotYet, "Report percentiles of block errors over erase cycles")
        .default("0"),
    option("bwavgtime", Report, Number(INT), Honoured, "Milliseconds behind each bandwidth sample")
        .default("500")
        .under("write_bw_log"),
    option("iopsavgtime", Report, Number(INT), Honoured, "Milliseconds behind each sample of the I/O rate")
        .default("500")
        .under("write_iops_log"),
    option("group_reporting", Report, Flag, Honoured, "Report the workers of a group as one"),
    option("stats", Report, Bool, Honoured, "Count this job in the reports").default("1"),
    option("zero_buffers", Buffers, Flag, Honoured, "Fill buffers with zeroes"),
    option("refill_buffers", Buffers, Flag, Honoured, "Fill buffers anew for every write"),
    option("scramble_buffers", Buffers, Bool, Honoured, "Change a little of the buffer for every write").default("1"),
    option("buffer_pattern", Buffers, Pattern { offsets: false }, Honoured, "Fill buffers with this pattern"),
    option(
        "buffer_compress_percentage",
        Buffers,
        Number(INT.max(100)),
        Honoured,
        "How far the data written can be compressed",
    ),
    option(
        "buffer_compress_chunk",
        Buffers,
        Number(INT),
        Honoured,
        "Size of the pieces that can be compressed that far",
    )
    .default("512")
    .under("buffer_compress_percentage"),
    option(
        "dedupe_percentage",
        Buffers,
        Number(INT.max(100)),
        Honoured,
        "Share of blocks written that are copies of others",
    ),
    option("dedupe_global", Buffers, Bool, Honoured, "Share the pool of copied blocks between jobs").default("0"),
    option(
        "dedupe_mode",
        Buffers,
        Word(
            &[word("repeat", "the block written before"), word("working_set", "a fixed set of blocks")],
            Argument::None,
        ),
        Honoured,
        "Where copies come from",
    )
    .default("repeat")
    .under("dedupe_percentage"),
    option("dedupe_working_set_percentage", Buffers, Number(INT.max(100)), Honoured, "Size of the fixed set")
        .default("5")
        .under("dedupe_percentage"),
    option("clat_percentiles", Report, Bool, Honoured, "Report percentiles of completion latency").default("1"),
    option("lat_percentiles", Report, Bool, Honoured, "Report percentiles of total latency").default("0"),
    option("slat_percentiles", Report, Bool, Honoured, "Report percentiles of submission latency").default("0"),
    option(
        "percentile_list",
        Report,
        Floats { max_len: 20, limits: Some((0.0, 100.0)) },
        Honoured,
        "Percentiles to report",
    )
    .default("1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99"),
    option(
        "significant_figures",
        Report,
        Number(INT.min(1).max(10)),
        Honoured,
        "Significant figures in the normal report",
    )
    .default("4"),
    option("disk_util", Report, Bool, Honoured, "Report what the block devices counted").default("1"),
    option("gtod_reduce", Time, Bool, Honoured, "Measure neither latencies nor bandwidth samples").default("0"),
    option("disable_lat", Report, Bool, Honoured, "Do not measure total latency").default("0").under("gtod_reduce"),
    option("disable_clat", Report, Bool, Honoured, "Do not measure completion latency")
        .default("0")
        .under("gtod_reduce"),
    option("disable_slat", Report, Bool, Honoured, "Do not measure submission latency")
        .default("0")
        .under("gtod_reduce"),
    option("disable_bw_measurement", Report, Bool, Honoured, "Take no bandwidth samples")
        .alias("disable_bw")
        .default("0")
        .under("gtod_reduce"),
    option(
        "gtod_cpu",
        Time,
        Number(INT),
        Accepted("each worker reads the clock itself, which costs less than a thread that does it for all"),
        "CPU of a thread that reads the clock for all workers",
    ),
    option("job_start_clock_id", Time, Number(INT), NotYet, "Clock behind the job's start time"),
    option(
        "unified_rw_reporting",
        IoType,
        Word(
            &[
                word("none", "apart"),
                word("mixed", "merged"),
                word("both", "apart and merged"),
                word("0", "same as none").means("none"),
                word("1", "same as mixed").means("mixed"),
                word("2", "same as both").means("both"),
            ],
            Argument::None,
        ),
        Honoured,
        "Report directions apart, merged, or both",
    )
    .default("none"),
    option(
        "continue_on_error",
        Errors,
        Word(
            &[
                word("none", "every error ends it"),
                word("read", "go on after read errors"),
                word("write", "go on after write errors"),
                word("io", "go on after read and write errors"),
                word("verify", "go on after bad blocks"),
                word("all", "go on after every error"),
                word("0", "same as none").means("none"),
                word("1", "same as all").means("all"),
            ],
            Argument::None,
        ),
        Honoured,
        "Errors that do not end the job",
    )
    .default("none"),
    option(
        "ignore_error",
        Errors,
        ErrorLists,
        Honoured,
        "Error numbers that are not counted, for read, write and verify",
    )
    .under("rw"),
    option("error_dump", Errors, Bool, Honoured, "Print each error when it happens").default("0"),
    option("profile", Profile, Text, NotYet, "Run a built-in workload"),
    option("cgroup", Process, Text, NotYet, "Control group for the workers"),
    option("cgroup_nodelete", Process, Bool, Under("cgroup"), "Leave the control group in place")
        .default("0")
        .under("cgroup"),
    option("cgroup_weight", Process, Number(INT.min(100).max(1000)), Under("cgroup"), "Weight of the control group")
        .under("cgroup"),
    option("uid", Process, Number(INT), NotYet, "User that the workers run as"),
    option("gid", Process, Number(INT), NotYet, "Group that the workers run as"),
    option(
        "kb_base",
        Units,
        Word(&[word("1024", "powers of 1024"), word("1000", "powers of 1000")], Argument::None),
        Honoured,
        "Whether k, m, g in sizes are powers of 1024 or 1000",
    )
    .default("1024")
    .early(),
    option(
        "unit_base",
        Units,
        Word(
            &[word("0", "as the engine has it"), word("8", "bytes per second"), word("1", "bits per second")],
            Argument::None,
        ),
        Honoured,
        "Whether rates are reported in bytes or bits",
    )
    .early(),
    option("hugepage-size", Buffers, Number(INT), Honoured, "Size of a huge page").default("2097152"),
    option("flow_id", Process, Number(INT), Under("flow"), "Which group of balanced jobs this one is in").default("0"),
    option("flow", Process, Number(INT.max(1000)), NotYet, "This job's weight in its balanced group")
        .default("0")
        .under("flow_id"),
    option(
        "flow_watermark",
        Rate,
        Ignored,
        Accepted("it has had no effect since fio 1"),
        "Had a meaning in old versions only",
    ),
    option("flow_sleep", Process, Number(INT), Under("flow"), "Microseconds to sleep when ahead of the group")
        .default("0")
        .under("flow_id"),
    option(
        "steadystate",
        SteadyState,
        Word(
            &[
                word("iops", "deviation of the I/O rate"),
                word("iops_slope", "slope of the I/O rate"),
                word("bw", "deviation of the bandwidth"),
                word("bw_slope", "slope of the bandwidth"),
                word("lat", "deviation of the latency"),
                word("lat_slope", "slope of the latency"),
            ],
            Argument::Threshold,
        ),
        Under("steadystate_duration"),
        "What must settle for the job to be steady, and how closely",
    )
    .alias("ss")
    .default("iops_slope:0.01%"),
    option(
        "steadystate_duration",
        SteadyState,
        Number(WIDE.seconds()),
        NotYet,
        "How long the job must stay steady to end",
    )
    .alias("ss_dur")
    .default("0")
    .under("steadystate"),
    option(
        "steadystate_ramp_time",
        SteadyState,
        Number(WIDE.seconds()),
        Under("steadystate_duration"),
        "How long to wait before judging steadiness",
    )
    .alias("ss_ramp")
    .default("0")
    .under("steadystate"),
    option(
        "steadystate_check_interval",
        SteadyState,
        Number(WIDE.seconds()),
        Under("steadystate_duration"),
        "How often steadiness is judged",
    )
    .alias("ss_interval")
    .default("1")
    .under("steadystate"),
    option("gpu_dev_id", Engine, Number(INT), NotYet, "GPU whose memory I/O goes to"),
    option(
        "use_os_rand",
        IoType,
        Bool,
        Accepted("random numbers come from the job's own generators, as in fio since version 2"),
        "Had a meaning in old versions only",
    ),
];
