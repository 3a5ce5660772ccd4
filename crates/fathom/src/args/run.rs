//! Arguments of `fathom run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::error::ErrorKind;
use judge::compare::ChangeLimit;
use study::Order;

use super::live::Live;
use super::refusal::Refusal;
use super::value::{ChangeLimits, TableFormat, change_limits, repeats, report, time};
use app::exit;
use app::lines::Line;
use app::workload::Workload;

const USAGE: &str = "fathom run [OPTIONS] A [B]\n       fathom run [OPTIONS] fio|diskspd LINE...";
const RUNS: &str = "Runs";
const RESULTS: &str = "Results";

/// Repeat a workload, or compare two workloads.
///
/// A and B are fio job files, DiskSpd XML profiles, or command lines in quotes: 'fio --name=a ...'. A command line
/// without quotes must be the last argument and the only workload.
#[derive(clap::Args, Debug)]
#[command(args_override_self = true, override_usage = USAGE, after_long_help = exit::TABLE)]
pub struct Args {
    /// A workload: job file, XML profile, or command line in quotes
    #[arg(value_name = "WORKLOAD", num_args = 0..=2)]
    workload_args: Vec<String>,

    /// Number of runs of each workload; for a statistical comparison at least 4
    #[arg(long = "repeat", value_name = "N", value_parser = repeats, default_value = "5", help_heading = RUNS)]
    pub repeats: usize,
    /// Alternate the workloads (A B A B), so that a drift over time affects both
    #[arg(long, help_heading = RUNS)]
    interleave: bool,
    /// Order of the runs [default: blocks]
    #[arg(long = "order", value_enum, help_heading = RUNS)]
    order_name: Option<OrderName>,
    /// Seed of --order random [default: 1]
    #[arg(long, value_name = "N", help_heading = RUNS)]
    seed: Option<u32>,
    /// Shell command before each run; if given twice, the first is for A and the second for B
    ///
    /// If the shell command fails, no further run starts.
    #[arg(long, value_name = "COMMAND", help_heading = RUNS)]
    pub prepare: Vec<String>,
    /// Pause between runs
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "0s", help_heading = RUNS)]
    pub cooldown: Duration,
    /// Start without confirmation
    ///
    /// Without this option, fathom asks on a terminal, and refuses to start without a terminal: if the
    /// runs take more than 5 minutes, 20 GiB or a tenth of the free space.
    #[arg(long, short = 'y', help_heading = RUNS)]
    pub yes: bool,

    /// Exit with code 1 if a shown difference exceeds a limit: 'write.iops<-5%,read.clat.p99>10%'; repeatable
    #[arg(long = "fail-on", value_name = "RULES", value_parser = change_limits, help_heading = RESULTS)]
    fail_on: Vec<ChangeLimits>,
    /// Tag of the result in the history; repeatable
    #[arg(long = "tag", value_name = "WORD", help_heading = RESULTS)]
    pub tags: Vec<String>,
    /// Do not save the runs in the history
    #[arg(long, help_heading = RESULTS)]
    pub no_history: bool,

    #[command(flatten)]
    pub live: Live,
    /// Write a report: NAME.html, .md, .xml (JUnit), .svg, .png, card.png, or a folder NAME/ of charts; repeatable
    #[arg(long = "report", value_name = "FILE", value_parser = report, help_heading = RESULTS)]
    pub reports: Vec<String>,
    /// Save the record of each run, and the report as JSON, in this folder
    #[arg(long, value_name = "DIR", help_heading = RESULTS)]
    pub save: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = TableFormat::Table, help_heading = RESULTS)]
    format: TableFormat,

    #[arg(skip)]
    pub workloads: Vec<Workload>,
    #[arg(skip)]
    pub order: Order,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum OrderName {
    /// All runs of A, then all of B
    Blocks,
    /// A B A B
    Interleave,
    /// A B B A A B
    Abba,
    /// In random order
    Random,
}

impl Args {
    /// Returns the changes that fail.
    pub fn limits(&self) -> impl Iterator<Item = &ChangeLimit> {
        self.fail_on.iter().flat_map(|limits| &limits.0)
    }

    pub fn is_json(&self) -> bool {
        self.format == TableFormat::Json
    }

    pub(super) fn complete(&mut self, line: Option<Line>) -> Result<(), Refusal> {
        let conflict = |message: String| Refusal::new("run", ErrorKind::ArgumentConflict, message);
        for arg in &self.workload_args {
            self.workloads.push(Workload::parse(arg).map_err(conflict)?);
        }
        self.workloads.extend(line.map(|line| Workload::of_line(line.dialect, line.args)));
        self.order = self.order_given().map_err(|message| conflict(message.to_owned()))?;
        self.check().map_err(|(kind, message)| Refusal::new("run", kind, message))
    }

    fn order_given(&self) -> Result<Order, &'static str> {
        let order = match (self.order_name, self.interleave) {
            (Some(OrderName::Blocks), true) => return Err("--interleave contradicts --order blocks"),
            (Some(OrderName::Blocks), false) | (None, false) => Order::Blocks,
            (Some(OrderName::Interleave), _) | (None, true) => Order::Given,
            (Some(OrderName::Abba), _) => Order::Mirrored,
            (Some(OrderName::Random), _) => return Ok(Order::Random { seed: self.seed.unwrap_or(1) }),
        };
        if self.seed.is_some() { Err("--seed needs --order random") } else { Ok(order) }
    }

    fn check(&self) -> Result<(), (ErrorKind, &'static str)> {
        match self.workloads.len() {
            0 => {
                let message = "a workload is missing: a job file, an XML profile, or a command line in quotes";
                return Err((ErrorKind::MissingRequiredArgument, message));
            }
            1 | 2 => {}
            _ => {
                let message = "at most two workloads; put a command line of several words in quotes";
                return Err((ErrorKind::TooManyValues, message));
            }
        }
        let is_single = self.workloads.len() == 1;
        let wrong = match () {
            () if is_single && self.order != Order::Blocks => "the order of runs needs two workloads",
            () if is_single && !self.fail_on.is_empty() => "--fail-on needs two workloads",
            () if self.prepare.len() > self.workloads.len() => "--prepare is given more often than there are workloads",
            () => return Ok(()),
        };
        Err((ErrorKind::ArgumentConflict, wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Command, Measuring, read};
    use super::*;

    fn read_args(args: &[&str]) -> Result<Args, String> {
        let args: Vec<String> = std::iter::once(&"run").chain(args).map(|arg| (*arg).to_owned()).collect();
        match read(&args).map(|cli| cli.command) {
            Ok(Command::Measuring(Measuring::Run(args))) => Ok(*args),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn options_stand_before_between_and_after_the_workloads() {
        let args = read_args(&["--repeat", "3", "--interleave", "a.fio", "--cooldown=0.5", "b.fio", "--tag", "x"]);
        let args = args.unwrap_or_else(|message| panic!("{message}"));
        assert_eq!((args.workloads.len(), args.repeats, args.order), (2, 3, Order::Given));
        assert_eq!((args.cooldown, args.tags), (Duration::from_millis(500), vec!["x".to_owned()]));
    }

    #[test]
    fn a_line_without_quotes_comes_last() {
        let args = read_args(&["--repeat=2", "fio", "--name=x", "--repeat", "3"]);
        let args = args.unwrap_or_else(|message| panic!("{message}"));
        assert_eq!((args.repeats, args.workloads[0].line.len()), (2, 3));
    }

    #[test]
    fn wrong_values_are_errors_that_name_the_option() {
        let all: [(&[&str], &str); 9] = [
            (&[], "a workload is missing"),
            (&["a.fio", "b.fio", "c.fio"], "'c.fio'"),
            (&["--interleave", "a.fio"], "needs two workloads"),
            (&["--fail-on", "iops<-5%", "a.fio"], "needs two workloads"),
            (&["--fail-on", "speed<-5%", "a.fio", "b.fio"], "speed"),
            (&["--prepare", "x", "--prepare", "y", "a.fio"], "--prepare"),
            (&["--interleave", "--order", "blocks", "a.fio", "b.fio"], "--order blocks"),
            (&["--seed", "3", "a.fio", "b.fio"], "--order random"),
            (&["fio --name='x", "b.fio"], "quotes"),
        ];
        for (args, expected) in all {
            let error = read_args(args).err().unwrap_or_default();
            assert!(error.starts_with("error: ") && error.contains(expected), "{args:?}: {error}");
        }
    }
}
