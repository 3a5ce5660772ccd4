//! Jobs that only one of the programs runs to its end.

use crate::case::Job;
use crate::facts::Kind::{Amounts, Calls, Contents, End, Errors, FileAmounts, Files, Logs, Sequence, Syncs};
use crate::known::entry::{ANY, ENDS, Known, RUNS};

pub(super) const KNOWN: &[Known] = &[
    Known {
        name: "unnamed job in the report",
        last: None,
        kinds: &[Errors],
        cases: |case| case.has("group_reporting"),
        differences: |difference| difference.fio.trim_end_matches(", ") == difference.fathom,
        fio: "Adds a job without a name and I/O to the JSON report if only the last jobs have `group_reporting`.",
        fathom: "Reports the group.",
    },
    Known {
        name: "shift register that cannot start",
        last: None,
        kinds: ENDS,
        cases: |case| case.has_value("random_generator", "lfsr"),
        differences: |difference| {
            difference.kind == Errors || difference.fathom.contains("the shift register does not change")
        },
        fio: "With `random_generator=lfsr` and a seed that the shift register cannot leave, the job does no I/O. Exit status 0.",
        fathom: "The job fails. Exit status 1.",
    },
    Known {
        name: "direct I/O of pre_read",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is_on("pre_read") && (job.is_on("direct") || job.is("buffered", "0"))),
        differences: RUNS,
        fio: "`pre_read=1` with `direct=1` fails: its buffer is not aligned.",
        fathom: "Reads the file first.",
    },
    Known {
        name: "io_uring with io_submit_mode=offload",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is("io_submit_mode", "offload") && job.engine() == "io_uring"),
        differences: ANY,
        fio: "Rejects `io_submit_mode=offload` with `ioengine=io_uring`.",
        fathom: "Works with every engine.",
    },
    Known {
        name: "syncs of engines without I/O",
        last: None,
        kinds: ENDS,
        cases: |case| {
            case.any(|job| {
                ["filedelete", "filestat"].contains(&job.engine())
                    && job.has_any(&[
                        "fsync",
                        "fdatasync",
                        "sync_file_range",
                        "write_barrier",
                        "fsync_on_close",
                        "end_fsync",
                    ])
            })
        },
        differences: RUNS,
        fio: "`ioengine=filedelete` and `filestat` with `fsync`, `fsync_on_close` or `end_fsync` fail: no file is open.",
        fathom: "The options have no effect.",
    },
    Known {
        name: "sync_file_range with a queue",
        last: None,
        kinds: &[End, Errors, Amounts, FileAmounts, Sequence, Syncs, Calls, Contents, Logs],
        cases: |case| {
            case.any(|job| job.has("sync_file_range") && (job.is_asynchronous() || job.has("io_submit_mode")))
        },
        differences: ANY,
        fio: "`sync_file_range` fails with io_uring. With libaio and `io_submit_mode=offload` it has no effect, and ends passes.",
        fathom: "Works with every engine.",
    },
    Known {
        name: "verification of a mapped device",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.engine() == "mmap" && job.is_on_device() && job.has("verify")),
        differences: RUNS,
        fio: "`ioengine=mmap` with `verify` fails on a device: the mapped pages are dropped before they are written.",
        fathom: "Verifies the device.",
    },
    Known {
        name: "exit status of failed jobs",
        last: None,
        kinds: &[End],
        cases: |_| true,
        differences: |difference| {
            let number =
                difference.fio.strip_prefix("exit ").and_then(|text| text.split(' ').next()?.parse::<u32>().ok());
            difference.fathom.starts_with("exit 1 ") && number.is_some_and(|number| number > 1)
        },
        fio: "The exit status is the number of failed jobs.",
        fathom: "The exit status is 1.",
    },
    Known {
        name: "pre_read of a file without data",
        last: None,
        kinds: &[End, Errors, Amounts],
        cases: |case| case.any(|job| job.is_on("pre_read") && (job.writes() || job.has("create_on_open"))),
        differences: ANY,
        fio: "`pre_read=1` on a new file fails after the I/O of the job.",
        fathom: "Fails before it.",
    },
    Known {
        name: "percentiles of a group",
        last: None,
        kinds: &[End],
        cases: |case| case.has("group_reporting"),
        differences: |difference| difference.fio.ends_with("differs from group"),
        fio: "Rejects jobs of a reporting group with different `lat_percentiles`.",
        fathom: "Reports the group.",
    },
    Known {
        name: "blocks of a mapped file",
        last: None,
        kinds: ENDS,
        cases: |case| {
            case.any(|job| {
                job.engine() == "mmap"
                    && (job.has_any(&["blockalign", "bs_unaligned", "offset", "file_append"])
                        || job.has_part_blocks()
                        || job
                            .value("bs")
                            .is_some_and(|bs| bs.starts_with("512") || bs.starts_with("1k") || bs.starts_with("2k")))
            })
        },
        differences: RUNS,
        fio: "`ioengine=mmap` fails at an offset that is no multiple of a page, in a file that it maps in parts.",
        fathom: "Maps the pages around the block.",
    },
    Known {
        name: "size below one block",
        last: None,
        kinds: &[End, Errors, Files, Contents],
        cases: |case| {
            case.any(|job| {
                job.has_part_blocks()
                    || job.has_any(&["filesize", "offset", "offset_increment", "io_size", "file_append"])
            })
        },
        differences: |difference| match difference.kind {
            End => {
                difference.fathom.contains("smaller than one block of")
                    || difference.fathom.contains("blocksize is larger")
            }
            Errors => difference.fathom.contains("err 22"),
            _ => difference.fathom == "none",
        },
        fio: "A job whose region is smaller than its block does no I/O, and leaves an empty file. Exit status 0.",
        fathom: "Rejects the job. A single file that is too small is left out.",
    },
    Known {
        name: "checks before the run",
        last: None,
        kinds: ENDS,
        cases: |case| case.jobs.len() > 1 || case.has("numjobs"),
        differences: |difference| match difference.kind {
            End => difference.fio == "exit 0" && difference.fathom.starts_with("exit 1 error: job "),
            _ => difference.fathom == "none",
        },
        fio: "A job that cannot run fails or is left out, while others run.",
        fathom: "Checks all jobs first, and runs none.",
    },
    Known {
        name: "unlink_each_loop with io_submit_mode=offload",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is("io_submit_mode", "offload") && job.has("unlink_each_loop")),
        differences: |difference| difference.kind == Errors || difference.fathom.contains("No such file"),
        fio: "Ends after one pass.",
        fathom: "The next pass fails: the file is gone, as without `io_submit_mode=offload`.",
    },
    Known {
        name: "verification with io_submit_mode=offload",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is("io_submit_mode", "offload") && job.has("verify")),
        differences: |difference| difference.kind == Errors || difference.fathom.contains("verify: bad"),
        fio: "An error of the verification can be lost.",
        fathom: "It is an error of the job.",
    },
    Known {
        name: "verification with serialize_overlap",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is_on("serialize_overlap") && job.has("verify")),
        differences: |difference| difference.fio.contains("verify: bad") || difference.fio.contains("err 84"),
        fio: "`serialize_overlap` compares offsets of different files, and draws the seeds of blocks in another order.",
        fathom: "Compares blocks of the same file.",
    },
    Known {
        name: "file_append with mmap",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.has("file_append") && job.engine() == "mmap"),
        differences: |difference| difference.kind == Errors || difference.fathom.contains("can't append/extent"),
        fio: "Rejects `file_append` with `ioengine=mmap`, and runs the other jobs. Exit status 0.",
        fathom: "Runs no job. Exit status 1.",
    },
    Known {
        name: "verification of blocks that are written twice",
        last: None,
        kinds: &[End, Errors],
        cases: |case| case.any(Job::verifies_overwrites),
        differences: |difference| difference.fio.contains("verify: bad") || difference.fio.contains("err 84"),
        fio: "Can compare a block with an earlier write, and fails.",
        fathom: "Compares each block with its last write.",
    },
    Known {
        name: "verification of zones behind the end",
        last: None,
        kinds: ENDS,
        cases: |case| {
            let has_zones =
                |job: &Job| job.value("random_distribution").is_some_and(|name| name.starts_with("zoned_abs"));
            case.any(|job| has_zones(job) && job.has("verify"))
        },
        differences: |difference| {
            difference.fio.contains("zoned_abs sizes exceed") || difference.fio.contains("err 84")
        },
        fio: "With zones behind the end of the file, the seeds of the verification differ from those of the writes.",
        fathom: "Verifies the blocks that were written.",
    },
    Known {
        name: "synchronous reads of a file that is created on open",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is_created_on_open() && job.reads() && !job.is_asynchronous()),
        differences: RUNS,
        fio: "Synchronous engines fail at the end of the file.",
        fathom: "The read is short, as with asynchronous engines.",
    },
    Known {
        name: "verification of a file that is created on open",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is_created_on_open() && job.has("verify") && job.reads()),
        differences: |difference| {
            ["err 5", "transferred 0 bytes", "err 84"].iter().any(|text| difference.fathom.contains(text))
        },
        fio: "A read of 0 bytes is not verified.",
        fathom: "The read fails: there is nothing to verify.",
    },
    Known {
        name: "offset behind a file with create_serialize=0",
        last: None,
        kinds: ENDS,
        cases: |case| case.any(|job| job.is("create_serialize", "0") && job.has_any(&["offset", "offset_increment"])),
        differences: |difference| match difference.kind {
            End => difference.fio == "exit 0" && difference.fathom.contains("you need to specify valid offset="),
            _ => true,
        },
        fio: "With `create_serialize=0`, a job whose `offset` is behind its file does no I/O. Exit status 0.",
        fathom: "The job fails. Exit status 1.",
    },
    Known {
        name: "files without allow_file_create",
        last: None,
        kinds: ENDS,
        cases: |case| case.has_value("allow_file_create", "0"),
        differences: ANY,
        fio: "`allow_file_create=0` rejects an existing file that is too small. It has no effect with `create_serialize=0`, and if another job makes the file.",
        fathom: "Extends an existing file. Otherwise a file that is missing is an error.",
    },
    Known {
        name: "working set of dedupe_mode",
        last: None,
        kinds: ENDS,
        cases: |case| case.has_value("dedupe_mode", "working_set"),
        differences: |difference| {
            difference.kind == Errors
                || difference.fathom.contains("is less than one write")
                || difference.fio.contains("single file per job")
        },
        fio: "Rejects `dedupe_mode=working_set` with several files. Runs with an empty set: reads memory outside it.",
        fathom: "Works with several files. Rejects an empty set.",
    },
];
