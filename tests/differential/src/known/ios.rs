//! Other I/Os.

use crate::case::{Case, Job};
use crate::facts::Kind::{Amounts, Calls, Contents, FileAmounts, Files, Keys, Logs, Sequence, Shares, Shorts, Syncs};
use crate::known::entry::{ANY, IOS, IOS_AND_FILES, Known, OF_READS, OF_SYNCS};

pub(super) const KNOWN: &[Known] = &[
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
        kinds: IOS,
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
        kinds: IOS_AND_FILES,
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
        name: "end of a ramp",
        last: None,
        kinds: IOS_AND_FILES,
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
        differences: |difference| [Sequence, FileAmounts, Calls, Contents, Files].contains(&difference.kind),
        fio: "A timer looks for the end of `ramp_size`: a short job can end first. Counts of I/Os, directions, syncs and zones start again there.",
        fathom: "The ramp ends with the I/O that completes `ramp_size`.",
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
        kinds: IOS_AND_FILES,
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
        kinds: IOS_AND_FILES,
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
        name: "reads at the end of a file that is created on open",
        last: None,
        kinds: &[Amounts, FileAmounts, Sequence, Shorts, Contents, Files, Logs],
        cases: |case| case.any(|job| job.is_created_on_open() && job.reads()),
        differences: |difference| {
            [Sequence, Shorts, Contents, Files, Logs].contains(&difference.kind) || OF_READS(difference)
        },
        fio: "Does not count them as short. The bytes of a read across the end are lost, and its rest is read again.",
        fathom: "Counts them, with the bytes that are there.",
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
        name: "number_ios with a verification",
        last: None,
        kinds: IOS_AND_FILES,
        cases: |case| {
            let repeats = ["loops", "io_size", "verify_backlog", "experimental_verify"];
            case.any(|job| job.has("number_ios") && job.has("verify") && job.writes() && job.has_any(&repeats))
        },
        differences: ANY,
        fio: "The reads of a verification count for `number_ios`.",
        fathom: "Only I/Os of the pattern count.",
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
        kinds: &[Shares, Keys],
        cases: |case| case.any(|job| job.is_on("time_based") && job.has("verify") && job.writes()),
        differences: ANY,
        fio: "Synchronous engines write until the time is over, and verify nothing.",
        fathom: "Verifies after each pass of `size`.",
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
