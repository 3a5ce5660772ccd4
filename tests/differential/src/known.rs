//! Decided differences from fio, with reasons. `docs/fio-differences.md` prints the list.

use crate::case::{Case, Job};
use crate::compare::Difference;
use crate::facts::Kind;

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
    /// Whether it explains a difference of a case.
    pub explains: fn(&Case, &Difference) -> bool,
    /// What fio does.
    pub fio: &'static str,
    /// What fathom does, and why.
    pub fathom: &'static str,
}

/// Kinds of differences between jobs that do other I/Os.
const CONTENT_AND_ORDER: [Kind; 4] = [Kind::Amounts, Kind::FileAmounts, Kind::Sequence, Kind::Contents];

/// The decided differences.
pub const KNOWN: &[Known] = &[
    Known {
        name: "unnamed job in the report",
        last: None,
        explains: |case, difference| {
            let named = difference.fio.trim_end_matches(", ");
            case.has("group_reporting") && difference.kind == Kind::Errors && named == difference.fathom
        },
        fio: "Adds a job without a name and I/O to the JSON report if only the last jobs have `group_reporting`.",
        fathom: "Reports the group.",
    },
    Known {
        name: "scrambled buffers without a clock",
        last: None,
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
        last: None,
        explains: |case, difference| {
            case.has_value("random_generator", "lfsr")
                && difference.fathom.contains("the shift register does not change")
        },
        fio: "With `random_generator=lfsr` and a seed that the shift register cannot leave, the job does no I/O. Exit status 0.",
        fathom: "The job fails. Exit status 1.",
    },
    Known {
        name: "direct I/O of pre_read",
        last: None,
        explains: |case, difference| {
            let reads = case.jobs.iter().any(|job| job.is_on("pre_read") && job.is_on("direct"));
            reads && difference.kind == Kind::End && difference.fathom == "exit 0"
        },
        fio: "`pre_read=1` with `direct=1` fails: its buffer is not aligned.",
        fathom: "Reads the file first.",
    },
    Known {
        name: "io_uring with io_submit_mode=offload",
        last: None,
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
        last: None,
        explains: |case, difference| {
            let syncs = case.has("fsync_on_close") || case.has("end_fsync");
            case.has_value("ioengine", "filedelete") && syncs && difference.kind == Kind::End
        },
        fio: "`ioengine=filedelete` with `fsync_on_close` or `end_fsync` fails: the file is gone.",
        fathom: "Removes the files.",
    },
    Known {
        name: "existing file that is too small",
        last: None,
        explains: |case, difference| {
            // Other files of the job draw their content from the same generator.
            !case.existing.is_empty() && difference.kind == Kind::Contents
        },
        fio: "Removes it and makes a new one.",
        fathom: "Extends it and keeps its content.",
    },
    Known {
        name: "merged I/Os of vsync",
        last: None,
        explains: |case, difference| {
            let merges =
                case.jobs.iter().any(|job| job.engine() == "vsync" && (job.has("iodepth") || job.has("loops")));
            merges && [Kind::Amounts, Kind::Shorts, Kind::Sequence].contains(&difference.kind)
        },
        fio: "`ioengine=vsync` merges I/Os. It does not count the bytes of some of them with `iodepth` above 1, and repeats the last one in \
              the next loop.",
        fathom: "Does each I/O by itself.",
    },
    Known {
        name: "logs with io_submit_mode=offload",
        last: None,
        explains: |case, difference| {
            case.has_value("io_submit_mode", "offload") && difference.kind == Kind::Logs && difference.fio == "0 lines"
        },
        fio: "Logs of bandwidth and IOPS are empty.",
        fathom: "One line per I/O, as without `io_submit_mode=offload`.",
    },
    Known {
        name: "sync_file_range with a queue",
        last: None,
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
        last: None,
        explains: |case, difference| {
            let number = |text: &str| text.parse::<usize>().unwrap_or(0);
            let is_device = difference.kind == Kind::Calls && difference.subject == "fsync DEVICE";
            is_device && number(&difference.fathom) <= number(&difference.fio) + case.jobs.len()
        },
        fio: "Writes and drops the cached pages of a device with `BLKFLSBUF` before the run.",
        fathom: "Calls `fsync` and `posix_fadvise`.",
    },
    Known {
        name: "clones with the same generated name",
        last: None,
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
        name: "verification of a mapped device",
        last: None,
        explains: |case, difference| {
            let maps = case.jobs.iter().any(|job| job.engine() == "mmap" && job.is_on_device() && job.has("verify"));
            maps && difference.kind == Kind::End && difference.fathom == "exit 0"
        },
        fio: "`ioengine=mmap` with `verify` fails on a device: the mapped pages are dropped before they are written.",
        fathom: "Verifies the device.",
    },
    Known {
        name: "jobs with io_submit_mode=offload",
        last: None,
        explains: |case, difference| {
            let repeats = ["loops", "io_size", "fsync", "fdatasync", "write_barrier"];
            let offloads = |job: &Job| job.is("io_submit_mode", "offload") && repeats.iter().any(|name| job.has(name));
            let kinds = [Kind::Amounts, Kind::FileAmounts, Kind::Syncs, Kind::Calls];
            kinds.contains(&difference.kind) && case.jobs.iter().any(offloads)
        },
        fio: "Ends after one pass over the file, and does no `fsync`.",
        fathom: "Does the same I/Os as without `io_submit_mode=offload`.",
    },
    Known {
        name: "buffers at a depth above 1",
        last: None,
        explains: |case, difference| {
            let is_deep = |job: &Job| job.has("iodepth") && !job.is("iodepth", "1") && job.writes();
            difference.kind == Kind::Contents && case.jobs.iter().any(is_deep)
        },
        fio: "Takes the buffer that was freed last.",
        fathom: "Has another order of buffers. With `verify` or `refill_buffers` the content of a block depends on the write only.",
    },
    Known {
        name: "jobs that share a file and need different sizes",
        last: None,
        explains: |case, difference| {
            let shares = |job: &Job| job.has("filename") || job.has("filename_format");
            let is_shared = case.jobs.len() > 1 || case.has("numjobs");
            difference.kind == Kind::Contents && is_shared && case.jobs.iter().any(shares)
        },
        fio: "Makes the file again for the job that needs more.",
        fathom: "Extends the file.",
    },
    Known {
        name: "second pass with file_append",
        last: None,
        explains: |case, difference| {
            let repeats = |job: &Job| job.has("file_append") && (job.has("io_size") || job.has("loops"));
            let kinds = [Kind::Amounts, Kind::FileAmounts, Kind::Sequence, Kind::Contents];
            kinds.contains(&difference.kind) && case.jobs.iter().any(repeats)
        },
        fio: "Ends after the first pass.",
        fathom: "Does the I/O that `io_size` or `loops` requests.",
    },
    Known {
        name: "zones of clones",
        last: None,
        explains: |case, difference| {
            let clones = case.jobs.iter().any(|job| job.is("zonemode", "strided") && job.has("numjobs"));
            let kinds = [Kind::Amounts, Kind::FileAmounts, Kind::Contents];
            clones && kinds.contains(&difference.kind)
        },
        fio: "With `numjobs`, clones after the first have no zones.",
        fathom: "All clones have zones.",
    },
    Known {
        name: "log of fsync_on_close",
        last: None,
        explains: |case, difference| {
            let is_sync = match difference.kind {
                Kind::Sequence => difference.fio.ends_with(" sync"),
                Kind::FileAmounts => difference.subject.ends_with(" sync"),
                _ => false,
            };
            is_sync && case.has("fsync_on_close")
        },
        fio: "`write_iolog` has a line for the `fsync` of `fsync_on_close`.",
        fathom: "Only I/Os of the job have lines.",
    },
    Known {
        name: "exit status of failed jobs",
        last: None,
        explains: |_, difference| {
            let number =
                difference.fio.strip_prefix("exit ").and_then(|text| text.split(' ').next()?.parse::<u32>().ok());
            difference.kind == Kind::End
                && difference.fathom.starts_with("exit 1 ")
                && number.is_some_and(|number| number > 1)
        },
        fio: "The exit status is the number of failed jobs.",
        fathom: "The exit status is 1.",
    },
    Known {
        name: "offset in percent",
        last: None,
        explains: |case, difference| {
            let is_percent =
                |name: &str| case.jobs.iter().any(|job| job.value(name).is_some_and(|value| value.ends_with('%')));
            let kinds = [Kind::Amounts, Kind::FileAmounts, Kind::Sequence, Kind::Contents];
            kinds.contains(&difference.kind) && ["offset", "offset_increment"].iter().any(|name| is_percent(name))
        },
        fio: "Computes a percentage again with the size after the layout, and begins later passes there.",
        fathom: "Computes it once.",
    },
    Known {
        name: "pre_read of a file without data",
        last: None,
        explains: |case, difference| {
            let reads = case.jobs.iter().any(|job| job.is_on("pre_read") && job.writes());
            reads && [Kind::End, Kind::Errors, Kind::Amounts].contains(&difference.kind)
        },
        fio: "`pre_read=1` on a new file fails after the I/O of the job.",
        fathom: "Fails before it.",
    },
    Known {
        name: "zones at the end of a ramp",
        last: None,
        explains: |case, difference| {
            let ramps = case.has("ramp_size") && case.has_value("zonemode", "strided");
            ramps && [Kind::Sequence, Kind::FileAmounts].contains(&difference.kind)
        },
        fio: "A timer looks for the end of `ramp_size`: a short job can end first.",
        fathom: "The ramp ends with the I/O that completes `ramp_size`.",
    },
    Known {
        name: "percentiles of a group",
        last: None,
        explains: |_, difference| difference.kind == Kind::End && difference.fio.ends_with("differs from group"),
        fio: "Rejects jobs of a reporting group with different `lat_percentiles`.",
        fathom: "Reports the group.",
    },
    Known {
        name: "blocks of a mapped file",
        last: None,
        explains: |case, difference| {
            let is_odd = |job: &Job| job.engine() == "mmap" && (job.has("blockalign") || job.has("bs_unaligned"));
            difference.kind == Kind::End && difference.fathom == "exit 0" && case.jobs.iter().any(is_odd)
        },
        fio: "`ioengine=mmap` fails at an offset that is no multiple of a page, in a file that it maps in parts.",
        fathom: "Maps the pages around the block.",
    },
    Known {
        name: "buffers after a layout",
        last: None,
        explains: |case, difference| {
            let lays_out = |job: &Job| {
                let needs_file =
                    job.reads() || job.engine() == "mmap" || job.is_on("overwrite") || job.is("create_serialize", "0");
                job.writes() && needs_file && !job.is_on_device()
            };
            difference.kind == Kind::Contents && case.jobs.iter().any(lays_out)
        },
        fio: "The content of writes depends on the files that were laid out before: one generator fills both.",
        fathom: "The content of writes is the same for new and existing files.",
    },
    Known {
        name: "size below one block",
        last: None,
        explains: |_, difference| {
            difference.kind == Kind::End && difference.fathom.contains("is smaller than one block of")
        },
        fio: "A job whose `size` is smaller than its block does no I/O. Exit status 0.",
        fathom: "Rejects the job.",
    },
    Known {
        name: "logs of engines without data",
        last: None,
        explains: |case, difference| {
            let has_no_data = |job: &Job| ["filecreate", "filestat", "filedelete"].contains(&job.engine());
            difference.kind == Kind::Logs && difference.fio == "0 lines" && case.jobs.iter().any(has_no_data)
        },
        fio: "Logs of `filecreate`, `filestat` and `filedelete` are empty.",
        fathom: "One line per file.",
    },
    Known {
        name: "checks before the run",
        last: None,
        explains: |_, difference| difference.kind == Kind::Errors && difference.fathom == "none",
        fio: "A job that cannot run fails while others run.",
        fathom: "Checks all jobs first, and runs none.",
    },
    Known {
        name: "verification of blocks that are written twice",
        last: None,
        explains: |case, difference| {
            let repeats = [
                "norandommap",
                "percentage_random",
                "random_distribution",
                "blockalign",
                "bs_unaligned",
                "bssplit",
                "bsrange",
                "io_size",
                "loops",
                "numjobs",
                "random_generator",
                "verify_backlog",
                "experimental_verify",
                "time_based",
            ];
            let can_write_twice = |job: &Job| {
                repeats.iter().any(|name| job.has(name)) || job.value("rw").is_some_and(|rw| rw.contains(':'))
            };
            let accuses = difference.kind == Kind::End && difference.fio.contains("verify: bad");
            let verifies = |job: &Job| job.writes() && job.has("verify") && can_write_twice(job);
            accuses && difference.fathom == "exit 0" && case.jobs.iter().any(verifies)
        },
        fio: "Can compare a block with an earlier write, and fails.",
        fathom: "Compares each block with its last write.",
    },
    Known {
        name: "skewed positions without room for a block",
        last: None,
        explains: |case, difference| {
            let skewed = ["zipf", "pareto", "normal"];
            let is_skewed = |job: &Job| {
                job.value("random_distribution").is_some_and(|value| skewed.iter().any(|name| value.starts_with(name)))
            };
            let uneven = ["nrfiles", "filesize", "bsrange", "bssplit", "blockalign", "zonemode", "offset"];
            let has_part_blocks = |job: &Job| uneven.iter().any(|name| job.has(name)) || !job.ends_with_a_block();
            CONTENT_AND_ORDER.contains(&difference.kind)
                && case.jobs.iter().any(|job| is_skewed(job) && has_part_blocks(job))
        },
        fio: "The first drawn position whose block would cross the end of the file ends the I/O on this file.",
        fathom: "Draws again.",
    },
    Known {
        name: "block sizes of unused directions",
        last: None,
        explains: |case, difference| {
            let has_unused = |job: &Job| job.value("bs").is_some_and(|sizes| sizes.contains(',')) && !job.is_mixed();
            CONTENT_AND_ORDER.contains(&difference.kind)
                && case.jobs.iter().any(|job| job.is_random() && has_unused(job))
        },
        fio: "The map of a random job has the smallest block of all directions: larger blocks fill it early.",
        fathom: "Block sizes of directions that the job has not are ignored.",
    },
    Known {
        name: "size that is no multiple of the block",
        last: None,
        explains: |case, difference| {
            let is_cut = |job: &Job| job.is_on_device() && !job.ends_with_a_block();
            CONTENT_AND_ORDER.contains(&difference.kind) && case.jobs.iter().any(is_cut)
        },
        fio: "The last block on a device crosses the end of the region.",
        fathom: "I/Os stay within `offset` and `size`.",
    },
    Known {
        name: "directory after filename",
        last: None,
        explains: |case, difference| {
            let place = |job: &Job, name: &str| job.options.iter().position(|setting| setting.name == name);
            let is_after = |job: &Job| {
                place(job, "filename").is_some_and(|file| place(job, "directory").is_some_and(|folder| folder > file))
            };
            let is_of_file = difference.kind == Kind::Files || difference.kind == Kind::Shares;
            (is_of_file || CONTENT_AND_ORDER.contains(&difference.kind)) && case.jobs.iter().any(is_after)
        },
        fio: "On the command line, `--filename=f --directory=d` uses the file `f` of the current folder.",
        fathom: "Uses `d/f` in both orders, as job files do.",
    },
    Known {
        name: "synchronous reads of a file that is created on open",
        last: None,
        explains: |case, difference| {
            let queues = ["libaio", "io_uring", "posixaio"];
            let reads = |job: &Job| job.is_on("create_on_open") && job.reads() && !queues.contains(&job.engine());
            difference.kind == Kind::End && difference.fathom == "exit 0" && case.jobs.iter().any(reads)
        },
        fio: "Synchronous engines fail at the end of the file.",
        fathom: "The read is short, as with asynchronous engines.",
    },
    Known {
        name: "verification of jobs by time",
        last: None,
        explains: |case, difference| {
            let verifies = |job: &Job| job.is_on("time_based") && job.has("verify") && job.writes();
            difference.kind == Kind::Shares && case.jobs.iter().any(verifies)
        },
        fio: "Synchronous engines write until the time is over, and verify nothing.",
        fathom: "Verifies after each pass of `size`.",
    },
    Known {
        name: "size of a file that is created on open",
        last: Some(Version(3, 33)),
        explains: |case, difference| {
            let draws = |job: &Job| job.is_on("create_on_open") && (job.is_random() || job.is_mixed());
            difference.kind == Kind::Files && case.jobs.iter().any(draws)
        },
        fio: "Has other random numbers: the last write has another offset.",
        fathom: "Generates the numbers of 3.42.",
    },
    Known {
        name: "reads at the end of a file that is created on open",
        last: None,
        explains: |case, difference| case.has("create_on_open") && difference.kind == Kind::Shorts,
        fio: "Does not count them as short.",
        fathom: "Counts them.",
    },
    Known {
        name: "syncs of trims",
        last: Some(Version(3, 33)),
        explains: |case, difference| {
            let syncs = case.has("fsync") || case.has("fdatasync");
            let kinds = [Kind::Sequence, Kind::FileAmounts, Kind::Calls];
            kinds.contains(&difference.kind) && syncs && case.jobs.iter().any(Job::trims)
        },
        fio: "`fsync` and `fdatasync` do not count the writes of `trimwrite`.",
        fathom: "Syncs after each of these writes, as 3.42.",
    },
    Known {
        name: "random numbers",
        last: Some(Version(3, 33)),
        explains: |case, difference| {
            let is_mixed = |job: &Job| job.pattern().ends_with("rw") || job.has("bssplit") || job.has("bsrange");
            let is_random = |job: &Job| job.is_random() || job.has("percentage_random") || is_mixed(job);
            let kinds = [Kind::Sequence, Kind::FileAmounts, Kind::Amounts, Kind::Calls, Kind::Logs];
            match difference.kind {
                Kind::Contents => true,
                kind => kinds.contains(&kind) && case.jobs.iter().any(is_random),
            }
        },
        fio: "Has other seeds.",
        fathom: "Generates the numbers of 3.42.",
    },
    Known {
        name: "saved state of a verification",
        last: Some(Version(3, 33)),
        explains: |_, difference| difference.kind == Kind::Files && difference.subject.ends_with("-verify.state"),
        fio: "Has another format.",
        fathom: "Writes the format of 3.42.",
    },
    Known {
        name: "number of syncs",
        last: Some(Version(3, 33)),
        explains: |case, difference| {
            let syncs = ["fsync", "fdatasync", "sync_file_range", "write_barrier", "end_fsync", "fsync_on_close"];
            let is_count = [Kind::Syncs, Kind::Shorts].contains(&difference.kind);
            is_count && syncs.iter().any(|name| case.has(name))
        },
        fio: "Reports another number of syncs, or none, and counts some as short I/Os.",
        fathom: "Reports their number, as 3.42.",
    },
    Known {
        name: "options of later versions",
        last: Some(Version(3, 33)),
        explains: |_, difference| difference.kind == Kind::End && difference.fio.contains("unrecognized option"),
        fio: "Rejects options that later versions have.",
        fathom: "Has the options of 3.42.",
    },
    Known {
        name: "sync before reading back",
        last: None,
        explains: |case, difference| {
            case.has("verify") && difference.kind == Kind::Calls && difference.subject.starts_with("fsync")
        },
        fio: "Closes the files after a pass of a verification and does not sync them.",
        fathom: "Syncs the files first.",
    },
];

/// Returns the decided difference from this version of fio that explains a difference.
pub fn explanation(version: Version, case: &Case, difference: &Difference) -> Option<&'static Known> {
    let applies = |known: &&Known| known.last.is_none_or(|last| version <= last) && (known.explains)(case, difference);
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
