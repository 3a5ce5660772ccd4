//! Decided differences from fio, with reasons. `docs/fio-differences.md` prints the list.

use crate::case::{Case, Job};
use crate::compare::Difference;
use crate::facts::Kind::{
    self, Amounts, Calls, Contents, End, Errors, FileAmounts, Files, Keys, Logs, Sequence, Shares, Shorts, Syncs,
};

/// A version of fio, such as 3.42.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// Parses what `fio --version` prints.
    pub fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.trim().strip_prefix("fio-")?.split(|c: char| !c.is_ascii_digit());
        Some(Version(numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
}

/// A decided difference.
pub struct Known {
    pub name: &'static str,
    /// The last version of fio that has it, or `None` if it is in 3.42.
    pub last: Option<Version>,
    /// The kinds of differences that it explains.
    pub kinds: &'static [Kind],
    /// The cases in which it occurs.
    pub cases: fn(&Case) -> bool,
    /// The differences of these kinds and cases that it explains.
    pub differences: fn(&Difference) -> bool,
    /// What fio does.
    pub fio: &'static str,
    /// What fathom does, and why.
    pub fathom: &'static str,
}

/// What differs between jobs that do other I/Os. Contents, syncs and lines of logs follow from the I/Os.
const IOS: &[Kind] = &[Amounts, FileAmounts, Sequence, Syncs, Calls, Contents, Logs];
const IOS_AND_FILES: &[Kind] = &[Amounts, FileAmounts, Sequence, Syncs, Calls, Contents, Logs, Files];
const ENDS: &[Kind] = &[End, Errors];

const ANY: fn(&Difference) -> bool = |_| true;
/// fathom runs what fio rejects.
const RUNS: fn(&Difference) -> bool = |difference| difference.fathom == "exit 0" || difference.fio.contains("err");
const OF_READS: fn(&Difference) -> bool = |difference| match difference.kind {
    Sequence => [&difference.fathom, &difference.fio].iter().all(|io| io.contains(" read ") || *io == "end"),
    _ => difference.subject.ends_with("read"),
};
const OF_SYNCS: fn(&Difference) -> bool = |difference| match difference.kind {
    Sequence => [&difference.fathom, &difference.fio].iter().any(|io| io.ends_with("sync")),
    Calls => difference.subject.contains("sync"),
    _ => difference.subject.ends_with("sync"),
};

/// The decided differences.
pub const KNOWN: &[Known] = &[
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
        name: "scrambled buffers without a clock",
        last: None,
        kinds: &[Contents],
        cases: |case| case.any(|job| job.has_any(&["gtod_reduce", "disable_lat"]) && !job.is("scramble_buffers", "0")),
        differences: ANY,
        fio: "With `gtod_reduce` or `disable_lat`, `scramble_buffers` writes a time of 0 into each block.",
        fathom: "Writes the time. Blocks differ from run to run, as without these options.",
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
        name: "existing file that is too small",
        last: None,
        kinds: &[Contents],
        cases: |case| !case.existing.is_empty(),
        differences: ANY,
        fio: "Removes it and makes a new one.",
        fathom: "Extends it and keeps its content.",
    },
    Known {
        name: "merged I/Os of vsync",
        last: None,
        kinds: &[Amounts, FileAmounts, Sequence, Syncs, Shorts, Logs, Files, Contents, Keys],
        cases: |case| case.any(|job| job.engine() == "vsync" && job.has_any(&["iodepth", "loops"])),
        differences: ANY,
        fio: "`ioengine=vsync` merges I/Os. It does not count the bytes of some of them with `iodepth` above 1, and repeats the last one in the next loop.",
        fathom: "Does each I/O by itself.",
    },
    Known {
        name: "logs with io_submit_mode=offload",
        last: None,
        kinds: &[Logs],
        cases: |case| case.has_value("io_submit_mode", "offload"),
        differences: |difference| difference.fio == "0 lines",
        fio: "Logs of bandwidth and IOPS are empty.",
        fathom: "One line per I/O, as without `io_submit_mode=offload`.",
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
        name: "cache of a device",
        last: None,
        kinds: &[Calls],
        cases: Case::uses_device,
        differences: |difference| {
            let number = |text: &str| text.parse::<usize>().unwrap_or(0);
            difference.subject == "fsync DEVICE" && number(&difference.fathom) > number(&difference.fio)
        },
        fio: "Writes and drops the cached pages of a device with `BLKFLSBUF` before the run.",
        fathom: "Calls `fsync` and `posix_fadvise`.",
    },
    Known {
        name: "clones with the same generated name",
        last: None,
        kinds: &[Amounts],
        cases: |case| {
            case.any(|job| {
                job.has("numjobs") && job.value("filename_format").is_some_and(|format| !format.contains("$jobnum"))
            })
        },
        differences: ANY,
        fio: "Clones whose `filename_format` lacks `$jobnum` do no I/O, except the first.",
        fathom: "All clones use the file.",
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
        name: "jobs with io_submit_mode=offload",
        last: None,
        kinds: &[Amounts, FileAmounts, Syncs, Calls, Shares, Files, Contents, Keys],
        cases: |case| {
            let affected = [
                "loops",
                "io_size",
                "number_ios",
                "iodepth",
                "fsync",
                "fdatasync",
                "sync_file_range",
                "write_barrier",
                "verify",
            ];
            case.any(|job| job.is("io_submit_mode", "offload") && job.has_any(&affected))
        },
        differences: ANY,
        fio: "Ends after one pass over the file, exceeds `number_ios` and `size`, and does no `fsync`, or one at the end.",
        fathom: "Does the same I/Os as without `io_submit_mode=offload`.",
    },
    Known {
        name: "buffers at a depth above 1",
        last: None,
        kinds: &[Contents],
        cases: |case| case.any(|job| job.has("iodepth") && !job.is("iodepth", "1") && job.writes()),
        differences: ANY,
        fio: "Takes the buffer that was freed last.",
        fathom: "Has another order of buffers. With `verify` or `refill_buffers` the content of a block depends on the write only.",
    },
    Known {
        name: "jobs that share a file and need different sizes",
        last: None,
        kinds: &[Contents],
        cases: |case| {
            (case.jobs.len() > 1 || case.has("numjobs"))
                && case.any(|job| job.has_any(&["filename", "filename_format"]))
        },
        differences: ANY,
        fio: "Makes the file again for the job that needs more.",
        fathom: "Extends the file.",
    },
    Known {
        name: "second pass with file_append",
        last: None,
        kinds: IOS_AND_FILES,
        cases: |case| case.any(|job| job.has("file_append") && job.has_any(&["io_size", "loops", "zonemode"])),
        differences: ANY,
        fio: "Ends after the first pass.",
        fathom: "Does the I/O that `io_size`, `loops` or the zones request.",
    },
    Known {
        name: "sizes with file_append",
        last: None,
        kinds: IOS,
        cases: |case| case.any(|job| job.has("file_append") && job.has_part_blocks()),
        differences: ANY,
        fio: "Draws sizes beyond the appended part, and ends at the first of them.",
        fathom: "Sizes fit into the appended part.",
    },
    Known {
        name: "zones of clones",
        last: None,
        kinds: &[Amounts, FileAmounts, Contents],
        cases: |case| case.any(|job| job.is("zonemode", "strided") && job.has("numjobs")),
        differences: ANY,
        fio: "With `numjobs`, clones after the first have no zones.",
        fathom: "All clones have zones.",
    },
    Known {
        name: "fsync_on_close at the end of a pass",
        last: None,
        kinds: &[Sequence, FileAmounts, Syncs, Calls],
        cases: |case| case.has("fsync_on_close"),
        differences: |difference| difference.kind == Syncs || OF_SYNCS(difference),
        fio: "Also syncs all files at the end of a pass. `write_iolog` has lines for these syncs.",
        fathom: "Syncs at each close. Only I/Os of the job have lines.",
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
        name: "offset in percent",
        last: None,
        kinds: IOS,
        cases: |case| {
            case.any(|job| {
                ["offset", "offset_increment"]
                    .iter()
                    .any(|name| job.value(name).is_some_and(|value| value.ends_with('%')))
            })
        },
        differences: ANY,
        fio: "Computes a percentage again with the size after the layout, and begins later passes there.",
        fathom: "Computes it once.",
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
        name: "end of a ramp",
        last: None,
        kinds: IOS,
        cases: |case| {
            case.any(|job| {
                job.has("ramp_size")
                    && (job.is_mixed()
                        || job.has_any(&[
                            "zonemode",
                            "number_ios",
                            "fsync",
                            "fdatasync",
                            "sync_file_range",
                            "write_barrier",
                        ]))
            })
        },
        differences: |difference| [Sequence, FileAmounts, Calls, Contents].contains(&difference.kind),
        fio: "A timer looks for the end of `ramp_size`: a short job can end first. Counts of I/Os, directions, syncs and zones start again there.",
        fathom: "The ramp ends with the I/O that completes `ramp_size`.",
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
        name: "buffers after a layout",
        last: None,
        kinds: &[Contents],
        cases: |case| {
            let lays_out = |job: &Job| {
                job.reads() || job.engine() == "mmap" || job.is_on("overwrite") || job.is("create_serialize", "0")
            };
            case.any(|job| job.writes() && lays_out(job) && !job.is_on_device())
        },
        differences: ANY,
        fio: "The content of writes depends on the files that were laid out before: one generator fills both.",
        fathom: "The content of writes is the same for new and existing files.",
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
        name: "logs of engines without data",
        last: None,
        kinds: &[Logs, Keys],
        cases: |case| case.any(|job| ["filecreate", "filestat", "filedelete"].contains(&job.engine())),
        differences: |difference| difference.kind == Keys || ["0 lines", "1 lines"].contains(&difference.fio.as_str()),
        fio: "Logs of `filecreate`, `filestat` and `filedelete` are empty, or have one line.",
        fathom: "One line per file.",
    },
    Known {
        name: "checks before the run",
        last: None,
        kinds: &[Errors],
        cases: |_| true,
        differences: |difference| difference.fathom == "none",
        fio: "A job that cannot run fails while others run.",
        fathom: "Checks all jobs first, and runs none.",
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
        name: "reads of blocks that are written twice",
        last: None,
        kinds: &[Amounts, FileAmounts, Sequence, Logs],
        cases: |case| case.any(Job::verifies_overwrites),
        // It does not explain a job that reads nothing back.
        differences: |difference| difference.fathom != "none" && (difference.kind == Logs || OF_READS(difference)),
        fio: "Reads each write again, or does not read a block that a later write overlaps partly.",
        fathom: "Reads each block once, and what a later write left of a block.",
    },
    Known {
        name: "skewed positions without room for a block",
        last: None,
        kinds: IOS_AND_FILES,
        cases: |case| {
            let uneven = ["nrfiles", "filesize", "zonemode", "offset"];
            let has_part_blocks = |job: &Job| job.has_any(&uneven) || job.has_several_sizes() || job.has_part_blocks();
            case.any(|job| job.is_skewed() && has_part_blocks(job))
        },
        differences: ANY,
        fio: "The first drawn position whose block would cross the end of the file ends the I/O on this file.",
        fathom: "Draws again.",
    },
    Known {
        name: "several sizes with a shift register",
        last: None,
        kinds: IOS,
        cases: |case| {
            case.any(|job| {
                job.is("random_generator", "lfsr")
                    && (job.has_several_sizes() || job.has_any(&["random_distribution", "zonemode"]))
            })
        },
        differences: ANY,
        fio: "`random_generator=lfsr` multiplies its values by the alignment, or adds the start of a zone. The first offset beyond the end of a file ends the I/O on it.",
        fathom: "Values are positions in the file.",
    },
    Known {
        name: "block sizes of unused directions",
        last: None,
        kinds: IOS,
        cases: |case| {
            case.any(|job| {
                job.is_random()
                    && !job.is_mixed()
                    && ["bs", "bsrange", "bssplit"]
                        .iter()
                        .any(|name| job.value(name).is_some_and(|sizes| sizes.contains(',')))
            })
        },
        differences: ANY,
        fio: "The map of a random job has the smallest block of all directions: larger blocks fill it early.",
        fathom: "Block sizes of directions that the job has not are ignored.",
    },
    Known {
        name: "sizes at the end of a random map",
        last: None,
        kinds: IOS,
        cases: |case| case.any(|job| job.is_random() && job.has("zonemode") && job.has_any(&["bsrange", "bssplit"])),
        differences: ANY,
        fio: "`bsrange` and `bssplit` with `zonemode=strided` mark blocks behind the map, in other memory.",
        fathom: "A block ends at the end of the map.",
    },
    Known {
        name: "size that is no multiple of the block",
        last: None,
        kinds: IOS,
        cases: |case| {
            let shares = |job: &Job| case.jobs.len() > 1 && job.has_any(&["filename", "filename_format"]);
            case.any(|job| job.has_part_blocks() && (job.is_on_device() || shares(job) || !case.existing.is_empty()))
        },
        differences: ANY,
        fio: "The last block on a device or a larger file crosses the end of the region.",
        fathom: "I/Os stay within `offset` and `size`.",
    },
    Known {
        name: "directory after filename",
        last: None,
        kinds: &[Amounts, FileAmounts, Sequence, Syncs, Calls, Contents, Logs, Files, Shares],
        cases: |case| {
            let place = |job: &Job, name: &str| job.options.iter().position(|setting| setting.name == name);
            case.any(|job| {
                place(job, "filename").is_some_and(|file| place(job, "directory").is_some_and(|folder| folder > file))
            })
        },
        differences: ANY,
        fio: "On the command line, `--filename=f --directory=d` uses the file `f` of the current folder.",
        fathom: "Uses `d/f` in both orders, as job files do.",
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
        name: "reads at the end of a file that is created on open",
        last: None,
        kinds: &[Amounts, FileAmounts, Sequence, Shorts, Contents, Files],
        cases: |case| case.any(|job| job.is_created_on_open() && job.reads()),
        differences: |difference| [Shorts, Contents, Files].contains(&difference.kind) || OF_READS(difference),
        fio: "Does not count them as short. The bytes of a read across the end are lost, and its rest is read again.",
        fathom: "Counts them, with the bytes that are there.",
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
        name: "files without allow_file_create",
        last: None,
        kinds: ENDS,
        cases: |case| case.has_value("allow_file_create", "0"),
        differences: ANY,
        fio: "`allow_file_create=0` rejects an existing file that is too small. It has no effect with `create_serialize=0`, and if another job makes the file.",
        fathom: "Extends an existing file. Otherwise a file that is missing is an error.",
    },
    Known {
        name: "unlink with the null engine",
        last: None,
        kinds: &[Files, Contents],
        cases: |case| case.any(|job| job.engine() == "null" && job.has_any(&["unlink", "unlink_each_loop"])),
        differences: |difference| difference.fio == "none",
        fio: "Removes the file of this name.",
        fathom: "Touches no file.",
    },
    Known {
        name: "passes with experimental_verify",
        last: None,
        kinds: IOS,
        cases: |case| case.any(|job| job.has("experimental_verify") && job.has_any(&["loops", "io_size"])),
        differences: ANY,
        fio: "`experimental_verify` ends after the first pass.",
        fathom: "Does the I/O that `loops` or `io_size` requests.",
    },
    Known {
        name: "trims of a device with written pages in the cache",
        last: None,
        kinds: &[Calls],
        cases: |case| case.any(Job::trims),
        differences: |difference| difference.subject == "trim DEVICE" || difference.subject == "sync_file_range DEVICE",
        fio: "Does not claim the device. The kernel drops the pages.",
        fathom: "Claims the device. The kernel then reports EBUSY: the pages are written, and the trim is repeated.",
    },
    Known {
        name: "removal of files below one block",
        last: None,
        kinds: &[Files, Contents],
        cases: |case| case.any(|job| job.engine() == "filedelete" && job.has_part_blocks()),
        differences: |difference| difference.fio == "none",
        fio: "`ioengine=filedelete` removes also files that are smaller than a block.",
        fathom: "Such a file has no I/O, and is left.",
    },
    Known {
        name: "percentiles of a ramp",
        last: None,
        kinds: &[Keys],
        cases: |case| case.has("ramp_size"),
        differences: ANY,
        fio: "A ramp by size does not end without data, as with `ioengine=filestat`: its I/Os are reported.",
        fathom: "The report has no I/O.",
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
    Known {
        name: "end_fsync after a sync of one of several files",
        last: None,
        kinds: IOS,
        cases: |case| {
            let has_files =
                |job: &Job| job.has("nrfiles") || job.value("filename").is_some_and(|names| names.contains(':'));
            case.any(|job| job.has("end_fsync") && has_files(job) && job.has_any(&["fsync", "fdatasync"]))
        },
        differences: |difference| difference.kind == Syncs || OF_SYNCS(difference),
        fio: "`end_fsync` does nothing if the last step was a sync of any file.",
        fathom: "Syncs all files.",
    },
    Known {
        name: "last blocks of verify_backlog",
        last: None,
        kinds: &[Sequence],
        cases: |case| case.any(|job| job.has("verify_backlog") && job.has_any(&["end_fsync", "loops"])),
        differences: ANY,
        fio: "Reads the last blocks of a pass after `end_fsync`.",
        fathom: "Reads them before it, as other blocks of `verify_backlog`.",
    },
    Known {
        name: "verification of jobs by time",
        last: None,
        kinds: &[Shares],
        cases: |case| case.any(|job| job.is_on("time_based") && job.has("verify") && job.writes()),
        differences: ANY,
        fio: "Synchronous engines write until the time is over, and verify nothing.",
        fathom: "Verifies after each pass of `size`.",
    },
    Known {
        name: "size of a file that is created on open",
        last: Some(Version(3, 33)),
        kinds: &[Files],
        cases: |case| case.any(|job| job.is_on("create_on_open") && (job.is_random() || job.is_mixed())),
        differences: ANY,
        fio: "Has other random numbers: the last write has another offset.",
        fathom: "Generates the numbers of 3.42.",
    },
    Known {
        name: "syncs of trims",
        last: Some(Version(3, 33)),
        kinds: &[Sequence, FileAmounts, Calls],
        cases: |case| case.any(Job::trims) && (case.has("fsync") || case.has("fdatasync")),
        differences: ANY,
        fio: "`fsync` and `fdatasync` do not count the writes of `trimwrite`.",
        fathom: "Syncs after each of these writes, as 3.42.",
    },
    Known {
        name: "random numbers",
        last: Some(Version(3, 33)),
        kinds: &[Sequence, FileAmounts, Amounts, Calls, Logs],
        cases: |case| {
            let is_mixed = |job: &Job| job.pattern().ends_with("rw") || job.has_any(&["bssplit", "bsrange"]);
            case.any(|job| job.is_random() || job.has("percentage_random") || is_mixed(job))
        },
        differences: ANY,
        fio: "Has other seeds.",
        fathom: "Generates the numbers of 3.42.",
    },
    Known {
        name: "random contents",
        last: Some(Version(3, 33)),
        kinds: &[Contents],
        cases: |_| true,
        differences: ANY,
        fio: "Has other seeds, and another header of verified blocks.",
        fathom: "Generates the contents of 3.42.",
    },
    Known {
        name: "saved state of a verification",
        last: Some(Version(3, 33)),
        kinds: &[Files],
        cases: |case| case.has("verify"),
        differences: |difference| difference.subject.ends_with("-verify.state"),
        fio: "Has another format.",
        fathom: "Writes the format of 3.42.",
    },
    Known {
        name: "number of syncs",
        last: Some(Version(3, 33)),
        kinds: &[Syncs, Shorts],
        cases: |case| {
            case.any(|job| {
                job.has_any(&["fsync", "fdatasync", "sync_file_range", "write_barrier", "end_fsync", "fsync_on_close"])
            })
        },
        differences: ANY,
        fio: "Reports another number of syncs, or none, and counts some as short I/Os.",
        fathom: "Reports their number, as 3.42.",
    },
    Known {
        name: "options of later versions",
        last: Some(Version(3, 33)),
        kinds: &[End],
        cases: |_| true,
        differences: |difference| difference.fio.contains("unrecognized option"),
        fio: "Rejects options that later versions have.",
        fathom: "Has the options of 3.42.",
    },
    Known {
        name: "sync before reading back",
        last: None,
        kinds: &[Calls],
        cases: |case| case.has("verify"),
        differences: |difference| difference.subject.starts_with("fsync"),
        fio: "Closes the files after a pass of a verification and does not sync them.",
        fathom: "Syncs the files first.",
    },
];

/// Returns the decided difference from this version of fio that explains a difference.
pub fn explanation(version: Version, case: &Case, difference: &Difference) -> Option<&'static Known> {
    let applies = |known: &&Known| {
        known.last.is_none_or(|last| version <= last)
            && known.kinds.contains(&difference.kind)
            && (known.cases)(case)
            && (known.differences)(difference)
    };
    KNOWN.iter().find(applies)
}

/// Lines of the page around the table.
const MARKERS: [&str; 2] = ["<!-- table: known -->\n", "<!-- end -->"];

/// Returns the page with the table of decided differences between its markers replaced.
///
/// # Panics
///
/// Panics if the page has no markers.
pub fn in_page(page: &str) -> String {
    let (before, rest) = page.split_once(MARKERS[0]).expect("the page has the first marker");
    let (_, after) = rest.split_once(MARKERS[1]).expect("the page has the last marker");
    let row = |known: &Known| {
        let versions = known.last.map_or(String::new(), |last| format!("Up to {}.{}: ", last.0, last.1));
        format!("| {} | {versions}{} | {} |\n", known.name, known.fio, known.fathom)
    };
    let rows: String = KNOWN.iter().map(row).collect();
    format!("{before}{}\n| subject | fio | fathom |\n|---|---|---|\n{rows}\n{}{after}", MARKERS[0], MARKERS[1])
}
