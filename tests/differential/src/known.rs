//! Decided differences from fio, with reasons. `docs/fio-differences.md` prints the list.

use crate::case::{Case, Job};
use crate::compare::Difference;
use crate::facts::Kind;

/// A decided difference.
pub struct Known {
    pub name: &'static str,
    /// Whether it explains a difference of a case.
    pub explains: fn(&Case, &Difference) -> bool,
    /// What fio does.
    pub fio: &'static str,
    /// What fathom does, and why.
    pub fathom: &'static str,
}

/// The decided differences.
pub const KNOWN: &[Known] = &[
    Known {
        name: "unnamed job in the report",
        explains: |case, difference| {
            let named = difference.fio.trim_end_matches(", ");
            case.has("group_reporting") && difference.kind == Kind::Errors && named == difference.fathom
        },
        fio: "Adds a job without a name and I/O to the JSON report if only the last jobs have `group_reporting`.",
        fathom: "Reports the group.",
    },
    Known {
        name: "scrambled buffers without a clock",
        explains: |case, difference| {
            let has_no_clock = |job: &Job| job.is_on("gtod_reduce") || job.is_on("disable_lat");
            let scrambles = |job: &Job| !job.is("scramble_buffers", "0");
            difference.kind == Kind::Contents && case.jobs.iter().any(|job| has_no_clock(job) && scrambles(job))
        },
        fio: "With `gtod_reduce` or `disable_lat`, `scramble_buffers` writes a time of 0 into each block.",
        fathom: "Writes the time. Blocks differ from run to run, as without these options.",
    },
    Known {
        name: "shift register that cannot start",
        explains: |case, difference| {
            case.has_value("random_generator", "lfsr")
                && difference.fathom.contains("the shift register does not change")
        },
        fio: "With `random_generator=lfsr` and a seed that the shift register cannot leave, the job does no I/O. Exit status 0.",
        fathom: "The job fails. Exit status 1.",
    },
    Known {
        name: "direct I/O of pre_read",
        explains: |case, difference| {
            let reads = case.jobs.iter().any(|job| job.is_on("pre_read") && job.is_on("direct"));
            reads && difference.kind == Kind::End && difference.fathom == "exit 0"
        },
        fio: "`pre_read=1` with `direct=1` fails: its buffer is not aligned.",
        fathom: "Reads the file first.",
    },
    Known {
        name: "io_uring with io_submit_mode=offload",
        explains: |case, difference| {
            let offloads =
                case.jobs.iter().any(|job| job.is("io_submit_mode", "offload") && job.engine() == "io_uring");
            offloads && [Kind::End, Kind::Errors].contains(&difference.kind)
        },
        fio: "Rejects `io_submit_mode=offload` with `ioengine=io_uring`.",
        fathom: "Works with every engine.",
    },
    Known {
        name: "sync of a removed file",
        explains: |case, difference| {
            let syncs = case.has("fsync_on_close") || case.has("end_fsync");
            case.has_value("ioengine", "filedelete") && syncs && difference.kind == Kind::End
        },
        fio: "`ioengine=filedelete` with `fsync_on_close` or `end_fsync` fails: the file is gone.",
        fathom: "Removes the files.",
    },
    Known {
        name: "existing file that is too small",
        explains: |case, difference| {
            let exists = case.existing.iter().any(|(name, _)| *name == difference.subject);
            exists && difference.kind == Kind::Contents
        },
        fio: "Removes it and makes a new one.",
        fathom: "Extends it and keeps its content.",
    },
    Known {
        name: "merged I/Os of vsync",
        explains: |case, difference| {
            let merges = case.jobs.iter().any(|job| job.engine() == "vsync" && job.has("iodepth"));
            merges && [Kind::Amounts, Kind::Shorts].contains(&difference.kind)
        },
        fio: "`ioengine=vsync` with `iodepth` above 1 does not count the bytes of some merged I/Os.",
        fathom: "Runs with depth 1.",
    },
    Known {
        name: "logs with io_submit_mode=offload",
        explains: |case, difference| {
            case.has_value("io_submit_mode", "offload") && difference.kind == Kind::Logs && difference.fio == "0 lines"
        },
        fio: "Logs of bandwidth and IOPS are empty.",
        fathom: "One line per I/O, as without `io_submit_mode=offload`.",
    },
    Known {
        name: "sync_file_range with a queue",
        explains: |case, difference| {
            let queues = ["libaio", "io_uring", "posixaio"];
            let syncs = case.jobs.iter().any(|job| job.has("sync_file_range") && queues.contains(&job.engine()));
            syncs && [Kind::End, Kind::Errors, Kind::Syncs].contains(&difference.kind)
        },
        fio: "`sync_file_range` fails with io_uring, and has no effect with libaio.",
        fathom: "Works with every engine.",
    },
    Known {
        name: "cache of a device",
        explains: |case, difference| {
            let invalidates = case.jobs.iter().any(|job| job.is_on_device() && !job.is("invalidate", "0"));
            invalidates && difference.kind == Kind::Calls && difference.subject == "fsync DEVICE"
        },
        fio: "`invalidate=1` writes and drops the cached pages of a device with `BLKFLSBUF`.",
        fathom: "Calls `fsync` and `posix_fadvise`.",
    },
    Known {
        name: "clones with the same generated name",
        explains: |case, difference| {
            let shares = |job: &Job| {
                job.value("filename_format").is_some_and(|format| !format.contains("$jobnum")) && job.has("numjobs")
            };
            difference.kind == Kind::Amounts && case.jobs.iter().any(shares)
        },
        fio: "Clones whose `filename_format` lacks `$jobnum` do no I/O, except the first.",
        fathom: "All clones use the file.",
    },
    Known {
        name: "sync before reading back",
        explains: |case, difference| {
            case.has("verify") && difference.kind == Kind::Calls && difference.subject.starts_with("fsync")
        },
        fio: "Closes the files after a pass of a verification and does not sync them.",
        fathom: "Syncs the files first.",
    },
];

/// Returns the decided difference that explains a difference.
pub fn explanation(case: &Case, difference: &Difference) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.explains)(case, difference))
}

/// Returns whether no decided difference explains a difference.
pub fn is_unexplained(case: &Case, difference: &Difference) -> bool {
    explanation(case, difference).is_none()
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
    let row = |known: &Known| format!("| {} | {} | {} |\n", known.name, known.fio, known.fathom);
    let rows: String = KNOWN.iter().map(row).collect();
    format!("{before}{}\n| subject | fio | fathom |\n|---|---|---|\n{rows}\n{}{after}", MARKERS[0], MARKERS[1])
}
