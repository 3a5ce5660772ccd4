//! The words of `fathom knee`.

use lexopt::prelude::*;
use units::quantity::option_value;

use super::request::{Format, Request};
use crate::kept;
use crate::words::{Stop, report, size, time};

pub const USAGE: &str = "\
fathom knee finds the load at which the latency of a disk breaks.

usage: fathom knee TARGET [options] [fio's options as --NAME=VALUE]

TARGET is a directory, where a file is made, filled and removed; a file; or a block device. Rates of an open loop (I/Os are
due whether or not others are done) go up until they are too much; then the highest rate that holds is searched for.

       --p99 T           the bound: this percentile of the response times is to be at most T, such as 500us or 5ms; any
                         other percentile in its place (--p50, --p99.9, --p99.99). Without one a rate is good as long as
                         it is met
       --closed          a closed loop in place of rates: iodepth 1, 2, 4 and so on, until more brings nothing
       --rw NAME         randread if nothing is said; randwrite, read, write, randrw, rw
       --bs S            4k
       --ioengine NAME   io_uring
       --iodepth N       64: places in the queue; with --closed the deepest of them, 1024
       --runtime T       each step is measured for so long: 5s
       --ramp T          and for so long before that it is not: 1s
       --poisson         I/Os are due at random times, as of many users; evenly if not given
       --size S          of the target, or of the file that is made: all of it, or 1G
       --overwrite PATH  writes may overwrite what this file or device holds; PATH is TARGET once more
       --format NAME     text or json
       --output FILE     the report goes there, not to standard output
       --report FILE     a report with charts goes there: NAME.html is a page, NAME.md Markdown, NAME.svg or NAME.png the
                         charts alone, NAME/ a folder with a picture of each; may be said several times
       --tag WORD        kept with the search; may be said several times
       --no-history      don't keep the search; else `fathom history` lists it
       --help

exit status: 0 found; 1 no rate meets the bound, or a run failed; 3 this machine was the limit and not the target;
2 where nothing was run; 130 after Ctrl-C, with what was measured
";

/// The percentile that is looked at where none is named.
const PERCENTILE: &str = "p99";

pub fn read(words: &[String]) -> Result<Request, Stop> {
    let mut target = None;
    let mut read = Request {
        target: String::new(),
        percentile: PERCENTILE.to_owned(),
        percent: 99.0,
        bound_ns: None,
        is_closed: false,
        rw: "randread".to_owned(),
        bs: "4k".to_owned(),
        ioengine: "io_uring".to_owned(),
        iodepth: None,
        runtime_ns: 5_000_000_000,
        ramp_ns: 1_000_000_000,
        is_poisson: false,
        size_bytes: None,
        overwrite: None,
        format: Format::Text,
        output: None,
        reports: Vec::new(),
        tags: Vec::new(),
        in_history: !kept::is_off(),
        options: Vec::new(),
    };
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("closed") => read.is_closed = true,
            Long("poisson") => read.is_poisson = true,
            Long("rw" | "readwrite") => read.rw = parser.value()?.string()?,
            Long("bs" | "blocksize") => read.bs = parser.value()?.parse_with(block)?,
            Long("ioengine") => read.ioengine = parser.value()?.string()?,
            Long("iodepth") => read.iodepth = Some(parser.value()?.parse_with(depth)?),
            Long("runtime") => read.runtime_ns = parser.value()?.parse_with(measured_time)?,
            Long("ramp" | "ramp_time") => read.ramp_ns = parser.value()?.parse_with(nanoseconds)?,
            Long("size") => read.size_bytes = Some(parser.value()?.parse_with(size)?),
            Long("overwrite") => read.overwrite = Some(parser.value()?.string()?),
            Long("format") => read.format = parser.value()?.parse_with(format)?,
            Long("output") => read.output = Some(parser.value()?.string()?),
            Long("report") => read.reports.push(report(&mut parser)?),
            Long("tag") => read.tags.push(parser.value()?.string()?),
            Long("no-history") => read.in_history = false,
            Long("help") | Short('h') => return Err(Stop::Help),
            Long(name) if percent(name).is_some() => {
                (read.percentile, read.percent) = (name.to_owned(), percent(name).unwrap_or_default());
                if read.bound_ns.is_some() {
                    return Err(Stop::Wrong("one percentile is bounded at a time".to_owned()));
                }
                read.bound_ns = Some(parser.value()?.parse_with(bound)?);
            }
            Long(name) => {
                let name = name.to_owned();
                let value = parser.optional_value().map(|value| value.to_string_lossy().into_owned());
                read.options.push(own_option(name, value)?);
            }
            Value(word) if target.is_none() => target = Some(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if read.is_closed && read.is_poisson {
        return Err(Stop::Wrong("--poisson is for rates, and --closed has none".to_owned()));
    }
    read.target =
        target.ok_or_else(|| Stop::Wrong("what is to be measured? a directory, file or device".to_owned()))?;
    Ok(read)
}

/// Options that are this command's to set, or would make its figures others than they seem.
const TAKEN: [&str; 31] = [
    "name",
    "filename",
    "directory",
    "opendir",
    "filename_format",
    "nrfiles",
    "filesize",
    "io_size",
    "number_ios",
    "rate",
    "rate_iops",
    "rate_min",
    "rate_iops_min",
    "rate_process",
    "rate_cycle",
    "time_based",
    "loops",
    "stonewall",
    "wait_for",
    "new_group",
    "thinktime",
    "disable_lat",
    "disable_clat",
    "gtod_reduce",
    "bsrange",
    "bssplit",
    "latency_target",
    "startdelay",
    "read_iolog",
    "exec_prerun",
    "exec_postrun",
];

fn own_option(name: String, value: Option<String>) -> Result<(String, String), Stop> {
    if TAKEN.contains(&name.as_str()) {
        return Err(Stop::Wrong(format!("--{name} can't be said here: the search sets it, or needs it as it is")));
    }
    // fio's options without a value are switched on.
    Ok((name, value.unwrap_or_else(|| "1".to_owned())))
}

/// `p99.9`.
fn percent(name: &str) -> Option<f64> {
    let digits = name.strip_prefix('p')?;
    let is_plain =
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let percent = is_plain.then(|| digits.parse::<f64>().ok()).flatten()?;
    (percent > 0.0 && percent < 100.0).then_some(percent)
}

fn nanoseconds(word: &str) -> Result<u64, String> {
    time(word).map(|time| time.as_nanos() as u64)
}

/// Nobody means 5 seconds by a bound of 5.
fn bound(word: &str) -> Result<u64, String> {
    let has_unit = word.ends_with(char::is_alphabetic);
    let ns = nanoseconds(word).ok().filter(|ns| has_unit && *ns > 0);
    ns.ok_or_else(|| "expected a time with its unit, such as 500us or 5ms".to_owned())
}

fn measured_time(word: &str) -> Result<u64, String> {
    let is_enough = |ns: &u64| *ns >= 100_000_000;
    nanoseconds(word).and_then(|ns| Some(ns).filter(is_enough).ok_or_else(|| "expected 100ms at least".to_owned()))
}

fn block(word: &str) -> Result<String, String> {
    let bytes = size(word).map_err(|_| "expected one block size, such as 4k".to_owned())?;
    // fio reads 4kB as 4096 bytes.
    let is_same_in_fio = option_value(word) == Some(bytes as f64);
    Ok(if is_same_in_fio { word.to_owned() } else { bytes.to_string() })
}

fn depth(word: &str) -> Result<u32, String> {
    word.parse().ok().filter(|depth| *depth > 0).ok_or_else(|| "expected a number of I/Os, at least 1".to_owned())
}

fn format(word: &str) -> Result<Format, String> {
    match word {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        _ => Err("expected text or json".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::told;

    fn read_line(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read(&words).map_err(told)
    }

    #[test]
    fn any_percentile_is_bounded_and_fios_options_stand_among_ours() {
        let words =
            read_line("--p99.9 10ms /dev/x --numjobs=4 --runtime 2 --ramp 500ms --norandommap --bs=8k").unwrap();
        assert_eq!((words.percentile.as_str(), words.percent, words.bound_ns), ("p99.9", 99.9, Some(10_000_000)));
        assert_eq!((words.runtime_ns, words.ramp_ns, words.bs.as_str()), (2_000_000_000, 500_000_000, "8k"));
        assert_eq!(words.options, [("numjobs".into(), "4".into()), ("norandommap".into(), "1".into())]);
        let plain = read_line("x").unwrap();
        assert_eq!((plain.percentile.as_str(), plain.bound_ns, plain.rw.as_str()), ("p99", None, "randread"));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let refused = |line: &str| read_line(line).err().unwrap_or_default();
        assert!(refused("").contains("what is to be measured"));
        assert!(refused("x --p99 5").contains("with its unit"));
        assert!(refused("x --p99 5ms --p50 1ms").contains("one percentile"));
        assert!(refused("x --filename=/dev/sda").contains("can't be said here"));
        assert!(refused("x --runtime 1ms").contains("100ms at least"));
        assert!(refused("x --bs=4k,8k").contains("one block size"));
        assert!(refused("x --closed --poisson").contains("--closed has none"));
        assert!(refused("x y").contains("unexpected argument"));
        assert_eq!(refused("--help"), "help");
    }
}
