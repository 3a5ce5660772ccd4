//! Other files, contents and reports after the same I/Os.

use crate::case::Job;
use crate::facts::Kind::{Contents, Files, Keys, Logs};
use crate::known::entry::{ANY, Known};

pub(super) const KNOWN: &[Known] = &[
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
        name: "existing file that is too small",
        last: None,
        kinds: &[Contents],
        cases: |case| !case.existing.is_empty(),
        differences: ANY,
        fio: "Removes it and makes a new one.",
        fathom: "Extends it and keeps its content.",
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
        name: "logs of engines without data",
        last: None,
        kinds: &[Logs, Keys],
        cases: |case| case.any(|job| ["filecreate", "filestat", "filedelete"].contains(&job.engine())),
        differences: ANY,
        fio: "Logs of `filecreate`, `filestat` and `filedelete` have no line, or one for each kind of operation.",
        fathom: "One line per file.",
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
        name: "files without I/O",
        last: None,
        kinds: &[Files, Contents],
        cases: |case| {
            let has_no_room = |job: &Job| job.has_part_blocks() || job.has("zonemode");
            case.any(|job| ["filecreate", "filedelete"].contains(&job.engine()) && has_no_room(job))
        },
        differences: |difference| difference.fio == "none" || difference.fathom == "none",
        fio: "`ioengine=filecreate` and `filedelete` make and remove also files in which no block has room.",
        fathom: "Such a file has no I/O, and is left as it is.",
    },
    Known {
        name: "samples of verify_only",
        last: None,
        kinds: &[Keys],
        cases: |case| case.has("verify_only"),
        differences: ANY,
        fio: "`verify_only` has latencies of the I/Os that it does not do.",
        fathom: "Only I/Os have latencies.",
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
];
