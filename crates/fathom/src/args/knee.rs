//! Arguments of `fathom knee`.

use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use units::quantity::option_value;

use super::dialect_line::find;
use super::live::Live;
use super::refusal::Refusal;
use super::value::{keep_free, report, size, time_ns};
use app::exit;
use app::like::LikeArgs;
use app::target::KeepFree;

const SEARCH: &str = "Search";
const WORKLOAD: &str = "Workload";
const RESULTS: &str = "Results";
/// Options of a load that is not captured.
const NOT_WITH_LIKE: [&str; 8] =
    ["is_closed", "is_poisson", "ramp_ns", "rw", "bs", "ioengine", "iodepth", "size_bytes"];
/// Measured time of a step.
const STEP_NS: u64 = 5_000_000_000;

/// Find the highest rate that a target sustains within a latency bound.
///
/// The loop is open: I/Os start at a fixed rate, independently of earlier I/Os. The rate is increased until the target
/// does not sustain it. Bisection then finds the highest sustained rate.
///
/// Options of fio are accepted as --NAME=VALUE.
#[derive(clap::Args, Clone, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// A directory, a file or a block device
    ///
    /// In a directory, a file is created, filled and removed.
    pub target: String,

    /// Highest allowed 99th percentile of the response time, such as 500us or 5ms
    ///
    /// It bounds the metric response.p99, or lat.p99 with --closed. For other percentiles use --p50, --p99.9, --p99.99
    /// or any other number. Without a bound, a rate is sustained if it is met.
    #[arg(long = "p99", value_name = "TIME", value_parser = bound, help_heading = SEARCH)]
    bounds: Vec<Bound>,
    /// Search over iodepth (closed loop) instead of over rates
    #[arg(long = "closed", help_heading = SEARCH)]
    pub is_closed: bool,
    /// Start I/Os at random times (Poisson process) instead of evenly
    #[arg(long = "poisson", conflicts_with = "is_closed", help_heading = SEARCH)]
    pub is_poisson: bool,
    /// Measured time of each step (default 5s)
    ///
    /// With --like, it is the length of the replayed part (default 60s).
    #[arg(long = "runtime", value_name = "TIME", value_parser = step_ns, help_heading = SEARCH)]
    runtime_ns: Option<u64>,
    /// Ramp time before the measured time of each step
    #[arg(long = "ramp", alias = "ramp_time", value_name = "TIME", value_parser = time_ns, default_value = "1s", help_heading = SEARCH)]
    pub ramp_ns: u64,

    /// Search over multiples of a captured load
    ///
    /// FILE is a file of `fathom capture`. Without a bound, each direction has its captured 99th percentile. Writes need
    /// --overwrite for a file or device that exists. With `fathom fleet`, each host replays a part of the load.
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_WITH_LIKE, help_heading = SEARCH)]
    like: Option<String>,

    /// randread, randwrite, read, write, randrw or rw
    #[arg(long, alias = "readwrite", value_name = "NAME", default_value = "randread", help_heading = WORKLOAD)]
    pub rw: String,
    /// Block size
    #[arg(long, alias = "blocksize", value_name = "SIZE", value_parser = block, default_value = "4k", help_heading = WORKLOAD)]
    pub bs: String,
    /// I/O engine of fio
    #[arg(long, value_name = "NAME", default_value = "io_uring", help_heading = WORKLOAD)]
    pub ioengine: String,
    /// Queue depth (default 64); with --closed the highest depth (default 1024)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = WORKLOAD)]
    pub iodepth: Option<u32>,
    /// Size of the used range of the target, or of the created file (default 1G)
    #[arg(long = "size", value_name = "SIZE", value_parser = size, help_heading = WORKLOAD)]
    pub size_bytes: Option<u64>,
    /// Space of the file system that stays free, such as 20G or 5% (auto: 10 %, at most 10 GiB)
    #[arg(long, value_name = "SIZE", value_parser = keep_free, default_value = "auto", help_heading = WORKLOAD)]
    pub keep_free: KeepFree,
    /// Allow writes to overwrite this TARGET
    #[arg(long, value_name = "PATH", help_heading = WORKLOAD)]
    pub overwrite: Option<String>,
    /// Start without confirmation
    ///
    /// Without this option, fathom asks on a terminal, and refuses to start without a terminal: if TARGET does not
    /// exist, or if the search takes more than 5 minutes, 20 GiB or a tenth of the free space.
    #[arg(long, short = 'y', help_heading = WORKLOAD)]
    pub yes: bool,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = RESULTS)]
    pub format: Format,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub output: Option<String>,
    /// Write a report: NAME.html, .md, .xml (JUnit), .svg, .png, card.png, or a folder NAME/ of charts; repeatable
    #[arg(long = "report", value_name = "FILE", value_parser = report, help_heading = RESULTS)]
    pub reports: Vec<String>,
    /// Tag of the result in the history; repeatable
    #[arg(long = "tag", value_name = "WORD", help_heading = RESULTS)]
    pub tags: Vec<String>,
    /// Do not save the search in the history
    #[arg(long, help_heading = RESULTS)]
    pub no_history: bool,

    #[command(flatten)]
    pub live: Live,

    /// Options of fio, by name.
    #[arg(skip)]
    pub options: Vec<(String, String)>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Json,
}

/// The highest allowed value of a percentile.
#[derive(Clone, PartialEq, Debug)]
struct Bound {
    percent: f64,
    at_most_ns: u64,
}

/// The percentile that is judged if none has a bound.
const PERCENT: f64 = 99.0;
/// A bound on a lower percentile allows most I/Os to be slower.
const LOW_PERCENT: f64 = 50.0;

impl Args {
    /// Returns the percentile that is judged, such as 99.9.
    pub fn percent(&self) -> f64 {
        self.bounds.first().map_or(PERCENT, |bound| bound.percent)
    }

    /// Returns the highest allowed value of that percentile, in ns.
    pub fn bound_ns(&self) -> Option<u64> {
        self.bounds.first().map(|bound| bound.at_most_ns)
    }

    /// Returns the measured time of each step.
    pub fn step_ns(&self) -> u64 {
        self.runtime_ns.unwrap_or(STEP_NS)
    }

    /// Returns the request of `--like`.
    pub fn like(&self) -> Option<LikeArgs<'_>> {
        Some(LikeArgs {
            file: self.like.as_deref()?,
            percent: self.percent(),
            bound_ns: self.bound_ns(),
            length_ns: self.runtime_ns,
            margin: None,
            keep_free: self.keep_free,
        })
    }

    /// Returns a warning if most I/Os may exceed the bound: `--p9 5ms` for `--p99 5ms`.
    pub fn low_percentile(&self) -> Option<String> {
        let percent = self.bounds.first().map(|bound| bound.percent).filter(|percent| *percent < LOW_PERCENT)?;
        Some(format!(
            "--p{percent} allows {} % of the I/Os to be slower than the bound\nhelp: to bound the slow I/Os, use --p99 or \
             --p99.9",
            100.0 - percent
        ))
    }

    pub(super) fn complete(&mut self, options: Vec<(String, String)>) -> Result<(), Refusal> {
        if self.bounds.len() > 1 {
            let message = "--pNN bounds one percentile; give it once";
            return Err(Refusal::new("knee", ErrorKind::ArgumentConflict, message));
        }
        if let Some((name, _)) = options.iter().find(|(name, _)| FIXED.contains(&name.as_str())) {
            let message = format!("--{name} has a fixed value in a knee search; remove it");
            return Err(Refusal::new("knee", ErrorKind::ArgumentConflict, message));
        }
        if let Some((name, _)) = options.first().filter(|_| self.like.is_some()) {
            let message = format!("--{name} has no effect on a captured load; remove it");
            return Err(Refusal::new("knee", ErrorKind::ArgumentConflict, message));
        }
        self.options = options;
        Ok(())
    }
}

/// Options of fio that the search sets itself, or that would change what its figures mean.
const FIXED: [&str; 31] = [
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

/// Takes the options of fio out of the arguments, and writes any `--pNN TIME` as `--p99 NN=TIME`.
pub fn take_fio_options(command: &clap::Command, args: &mut Vec<String>) -> Vec<(String, String)> {
    let mut options = Vec::new();
    let mut own = Vec::new();
    let mut rest = std::mem::take(args).into_iter();
    while let Some(arg) = rest.next() {
        let name = arg.split('=').next().unwrap_or_default();
        let value = arg.split_once('=').map(|(_, value)| value.to_owned());
        match name.strip_prefix("--") {
            Some(name) if percent(name).is_some() => {
                let value = value.or_else(|| rest.next()).unwrap_or_default();
                own.push(format!("--p99={}={value}", &name[1..]));
            }
            Some(option) if find(command, name).is_none() && is_of_fio(option) => {
                // An option of fio without a value is switched on.
                options.push((option.to_owned(), value.unwrap_or_else(|| "1".to_owned())));
            }
            _ => own.push(arg),
        }
    }
    *args = own;
    options
}

/// Shows a refused bound as it was typed: `--p50 5` instead of `--p99 50=5`.
pub fn restore_bound(error: &mut clap::Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let (option, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
    if let (Some(rest), Some((percent, time))) = (option.strip_prefix("--p99 "), value.split_once('=')) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(format!("--p{percent} {rest}")));
        error.insert(ContextKind::InvalidValue, ContextValue::String(time.to_owned()));
    }
}

fn is_of_fio(name: &str) -> bool {
    let mut engines = fio::options::engines::ENGINES.iter();
    fio::options::core_option(name).is_some()
        || engines.any(|engine| fio::options::engine_option(engine.name, name).is_some())
}

/// The number of `p99.9`.
pub fn percent(name: &str) -> Option<f64> {
    let digits = name.strip_prefix('p')?;
    let is_plain =
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let percent = is_plain.then(|| digits.parse::<f64>().ok()).flatten()?;
    (percent > 0.0 && percent < 100.0).then_some(percent)
}

/// A time with its unit: a bound of 5 seconds is never meant by `5`. A percentile may stand before it: `99.9=5ms`.
fn bound(text: &str) -> Result<Bound, String> {
    let (percent, time) = text.split_once('=').map_or((None, text), |(number, time)| (number.parse().ok(), time));
    if let Some(number) = time.strip_suffix('m') {
        return Err(format!("{time} is a time of minutes: is {number}ms meant? ({number}min is accepted)"));
    }
    let has_unit = time.ends_with(char::is_alphabetic);
    let at_most_ns = time_ns(time).ok().filter(|ns| has_unit && *ns > 0);
    let at_most_ns = at_most_ns.ok_or_else(|| "expected a time with its unit, such as 500us or 5ms".to_owned())?;
    Ok(Bound { percent: percent.unwrap_or(PERCENT), at_most_ns })
}

fn step_ns(text: &str) -> Result<u64, String> {
    Some(time_ns(text)?).filter(|ns| *ns >= 100_000_000).ok_or_else(|| "expected at least 100ms".to_owned())
}

fn block(text: &str) -> Result<String, String> {
    let bytes = size(text).map_err(|_| "expected one block size, such as 4k".to_owned())?;
    // fio reads 4kB as 4096 bytes.
    let is_same_in_fio = option_value(text) == Some(bytes as f64);
    Ok(if is_same_in_fio { text.to_owned() } else { bytes.to_string() })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{command, error};
    use super::super::{Command, Measuring};
    use super::*;

    fn args(line: &str) -> Args {
        match command(line) {
            Ok(Command::Measuring(Measuring::Knee(args))) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn any_percentile_is_bounded_and_fio_options_stand_among_ours() {
        let read = args("knee --p99.9 10ms /dev/x --numjobs=4 --runtime 2 --ramp 500ms --norandommap --bs=8k");
        assert_eq!((read.percent(), read.bound_ns()), (99.9, Some(10_000_000)));
        assert_eq!((read.step_ns(), read.ramp_ns, read.bs.as_str()), (2_000_000_000, 500_000_000, "8k"));
        assert_eq!(read.options, [("numjobs".into(), "4".into()), ("norandommap".into(), "1".into())]);
        let plain = args("knee x");
        assert_eq!((plain.percent(), plain.bound_ns(), plain.rw.as_str()), (99.0, None, "randread"));
        assert_eq!(args("knee x --p99=5ms").bound_ns(), Some(5_000_000));
        let like = args("knee x --like c --p99.9 2ms --runtime 30s");
        let like =
            like.like().map(|like| (like.file.to_owned(), like.percent, like.bound_ns, like.length_ns, like.margin));
        assert_eq!(like, Some(("c".to_owned(), 99.9, Some(2_000_000), Some(30_000_000_000), None)));
        let warning = args("knee x --p9 5ms").low_percentile().unwrap_or_default();
        assert!(warning.starts_with("--p9 allows 91 % of the I/Os") && warning.contains("use --p99"), "{warning}");
        assert!(
            ["knee x", "knee x --p50 5ms", "knee x --p99 5ms"].iter().all(|line| args(line).low_percentile().is_none())
        );
    }

    #[test]
    fn wrong_values_are_errors_that_name_the_option() {
        let all = [
            ("", "<TARGET>"),
            ("x --p99 5", "with its unit"),
            ("x --p99=5m", "is 5ms meant?"),
            ("x --p99 5ms --p50 1ms", "one percentile"),
            ("x --filename=/dev/sda", "--filename has a fixed value"),
            ("x --runtime 1ms", "at least 100ms"),
            ("x --bs=4k,8k", "one block size"),
            ("x --closed --poisson", "--poisson"),
            ("x --like c --bs=8k", "--bs"),
            ("x --like c --numjobs=2", "--numjobs has no effect on a captured load"),
            ("x y", "unexpected argument 'y'"),
            ("x --nosuch=1", "--nosuch"),
        ];
        for (options, expected) in all {
            let error = error(&format!("knee {options}"));
            assert!(error.starts_with("error: ") && error.contains(expected), "{options}: {error}");
        }
    }
}
