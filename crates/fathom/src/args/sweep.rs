//! Arguments of `fathom sweep`, up to the line of the dialect.

use std::path::PathBuf;
use std::time::Duration;

use assessment::Metric;
use clap::ValueEnum;
use clap::error::ErrorKind;
use study::{Axis, Order};

use super::live::Live;
use super::refusal::Refusal;
use super::value::{repeats, report, time};
use app::exit;
use app::lines::Line;

const USAGE: &str = "fathom sweep OPTION=VALUES... [OPTIONS] fio|diskspd LINE...";
const RUNS: &str = "Runs";
const RESULTS: &str = "Results";

/// Run a fio or DiskSpd command line once per value of an option.
///
/// LINE is the program's command line. With several options, all combinations of their values are run. The values
/// replace those in the line and in its job files.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, override_usage = USAGE, after_long_help = exit::TABLE)]
pub struct Args {
    /// An option of the line and its values: bs=4k,8k or iodepth=1..32
    ///
    /// 4k..64k means each power of two from 4k to 64k. Values that contain commas are separated by semicolons. Dashes
    /// before the option are optional.
    #[arg(value_name = "OPTION=VALUES", required = true)]
    axes_given: Vec<String>,

    /// Metric that ranks the points: bw, iops, lat.mean, lat.p50, lat.p99, cpu, or another metric
    ///
    /// The default is bw if block sizes vary, else iops.
    #[arg(long, value_name = "NAME", value_parser = metric, help_heading = RESULTS)]
    pub metric: Option<Metric>,
    /// Run each point N times; figures are medians
    #[arg(long = "repeat", value_name = "N", value_parser = repeats, default_value = "1", help_heading = RUNS)]
    pub repeats: usize,
    /// Order of the runs
    #[arg(long = "order", value_enum, default_value_t = Shuffle::Given, help_heading = RUNS)]
    shuffle: Shuffle,
    /// Seed of --order random [default: 1]
    #[arg(long, value_name = "N", help_heading = RUNS)]
    seed: Option<u32>,
    /// Pause between runs
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "0s", help_heading = RUNS)]
    pub cooldown: Duration,
    /// Start without confirmation
    ///
    /// Without this option, fathom asks on a terminal, and refuses to start without a terminal: if the
    /// runs take more than 5 minutes, 20 GiB or a tenth of the free space.
    #[arg(long, short = 'y', help_heading = RUNS)]
    pub yes: bool,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = RESULTS)]
    pub format: Format,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub output: Option<PathBuf>,
    /// Write a chart as SVG
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub svg: Option<PathBuf>,
    /// Write a report: NAME.html, .md, .xml (JUnit), .svg, .png, card.png, or a folder NAME/ of charts; repeatable
    #[arg(long = "report", value_name = "FILE", value_parser = report, help_heading = RESULTS)]
    pub reports: Vec<String>,
    /// Save the record of each run, and the sweep as JSON, in this folder
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    pub save: Option<PathBuf>,
    /// Tag of the result in the history; repeatable
    #[arg(long = "tag", value_name = "WORD", help_heading = RESULTS)]
    pub tags: Vec<String>,
    /// Do not save the sweep in the history
    #[arg(long, help_heading = RESULTS)]
    pub no_history: bool,

    #[command(flatten)]
    pub live: Live,

    /// The options that vary, with their values.
    #[arg(skip)]
    pub axes: Vec<Axis>,
    #[arg(skip)]
    pub line: Line,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Shuffle {
    /// In the order of the values
    Given,
    /// In random order, so that a drift over time does not look like an effect of an option
    Random,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    Csv,
    Json,
    Markdown,
}

impl Args {
    /// Returns the order of the runs.
    pub fn order(&self) -> Order {
        match self.shuffle {
            Shuffle::Given => Order::Given,
            Shuffle::Random => Order::Random { seed: self.seed.unwrap_or(1) },
        }
    }

    pub(super) fn complete(&mut self, line: Option<Line>) -> Result<(), Refusal> {
        let conflict = |kind, message: String| Err(Refusal::new("sweep", kind, message));
        if let Some(other) = self.axes_given.iter().find(|axis| !axis.contains('=')) {
            let message = format!(
                "'{other}' is neither OPTION=VALUES nor 'fio' or 'diskspd'\nhelp: the line to run comes last: fathom sweep \
                 iodepth=1..32 fio job.fio"
            );
            return conflict(ErrorKind::InvalidValue, message);
        }
        let Some(line) = line else {
            let message = "the line to run is missing: 'fio' or 'diskspd' and its arguments".to_owned();
            return conflict(ErrorKind::MissingRequiredArgument, message);
        };
        self.line = line;
        if self.seed.is_some() && self.shuffle != Shuffle::Random {
            return conflict(ErrorKind::ArgumentConflict, "--seed needs --order random".to_owned());
        }
        for text in &self.axes_given {
            self.axes.push(Axis::parse(text)?);
        }
        Ok(())
    }
}

fn metric(name: &str) -> Result<Metric, String> {
    let parsed = Metric::parse(name).filter(|metric| study::sweep::is_comparable(*metric));
    parsed.ok_or_else(|| format!("expected one of {}", study::sweep::METRICS))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{command, error};
    use super::super::{Command, Measuring};
    use super::*;
    use app::lines::Dialect;

    fn args(line: &str) -> Args {
        match command(line) {
            Ok(Command::Measuring(Measuring::Sweep(args))) => *args,
            other => panic!("{other:?}"),
        }
    }

    fn options(args: &Args) -> Vec<String> {
        args.axes.iter().map(|axis| axis.option.clone()).collect()
    }

    #[test]
    fn axes_and_options_stand_in_any_order_before_the_line() {
        let read = args(
            "sweep b=4K..16K --metric=lat.p99 -o=1,2 --order random --seed 7 --cooldown 0.5 diskspd.exe -b64k --help",
        );
        assert_eq!((options(&read), read.line.dialect), (vec!["b".to_owned(), "o".to_owned()], Dialect::DiskSpd));
        assert_eq!((read.metric, read.order()), (Metric::parse("lat.p99"), Order::Random { seed: 7 }));
        assert_eq!(read.cooldown, Duration::from_millis(500));
        assert_eq!(read.line.args, ["-b64k", "--help"]);
    }

    #[test]
    fn options_of_the_dialect_may_have_their_dashes() {
        assert_eq!(options(&args("sweep --bs=4k,8k -rw=read,write fio job.fio")), ["bs", "rw"]);
    }

    #[test]
    fn a_value_of_an_option_is_not_the_line() {
        let read = args("sweep bs=4k,8k --tag fio fio job.fio");
        assert_eq!((read.tags, read.line.args), (vec!["fio".to_owned()], vec!["job.fio".to_owned()]));
    }

    #[test]
    fn wrong_values_are_errors_that_name_the_option() {
        let all = [
            ("bs=4k", "the line to run is missing"),
            ("fio job.fio", "OPTION=VALUES"),
            ("bs=4k mkfs x", "'mkfs' is neither"),
            ("bs=4k --metric speed fio x", "bw, iops"),
            ("bs=4k --repeat 0 fio x", "at least 1"),
            ("bs=4k --seed 3 fio x", "--order random"),
            ("bs=4k --colour fio x", "--colour"),
            ("bs=4k --cooldown=-1 fio x", "expected a time"),
        ];
        for (options, expected) in all {
            let error = error(&format!("sweep {options}"));
            assert!(error.starts_with("error: ") && error.contains(expected), "{options}: {error}");
        }
    }
}
