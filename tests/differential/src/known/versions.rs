//! What fio did before 3.42.

use crate::case::Job;
use crate::facts::Kind::{Amounts, Calls, Contents, End, FileAmounts, Files, Logs, Sequence, Shorts, Syncs};
use crate::known::entry::{ANY, Known, Version};

pub(super) const KNOWN: &[Known] = &[
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
];
