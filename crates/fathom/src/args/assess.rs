//! Arguments of `fathom assess`.

use std::time::Duration;

use app::explain::Explain;
use assessment::SteadyRule;
use clap::ValueEnum;
use clap::error::ErrorKind;
use study::suite::{Extension, FillWay, Form};

use super::live::Live;
use super::refusal::Refusal;
use super::value::{keep_free, report, size, time, time_ns};
use app::exit;
use app::like::LikeArgs;
use app::suite_run::criteria::Requested;
use app::target::KeepFree;

const TESTS: &str = "Tests";
const TARGET: &str = "Target and preparation";
const CRITERIA: &str = "Criteria";
const LIKE: &str = "Captured load";
const RESULTS: &str = "Results";
/// Options of suites.
const NOT_WITH_LIKE: [&str; 16] = [
    "fill_method",
    "suite",
    "tests",
    "literal",
    "short",
    "until_steady",
    "until_decided",
    "no_extend",
    "resume",
    "size_bytes",
    "purge",
    "no_prepare",
    "keep_files",
    "expect",
    "require",
    "applications",
];
/// The judged percentile of a captured load.
const LIKE_PERCENT: f64 = 99.0;
/// Largest margin.
const MARGIN_MAX: f64 = 100.0;

/// Measure a disk with a suite of tests and judge the result.
///
/// In a directory, the tests create files and remove them at the end. On an existing file or block device, only tests
/// that read are run, unless --overwrite names the target.
#[derive(clap::Args, Clone, Debug)]
#[command(args_override_self = true, after_long_help = exit::TABLE)]
pub struct Args {
    /// A directory, a file or a block device [default: .]
    ///
    /// A suite with volumes takes NAME=PATH for each of them: `fathom suite show` lists them. A path without a name is
    /// used for all volumes.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,

    /// Name (`fathom suite list`) or file of the suite
    ///
    /// The default is quick. With --for it is the tests that judge the applications.
    #[arg(long, value_name = "NAME", help_heading = TESTS)]
    pub suite: Option<String>,
    /// Run only this test of the suite; repeatable
    #[arg(long = "test", value_name = "NAME", help_heading = TESTS)]
    pub tests: Vec<String>,
    /// Run the tests exactly as published, including known traps
    ///
    /// With --size or --short, sizes and offsets are those of the corrected tests.
    #[arg(long, help_heading = TESTS)]
    pub literal: bool,
    /// Measure each test for this time, in whole seconds
    ///
    /// With --like, it is the length of the replayed part (default 60s).
    #[arg(long = "runtime", value_name = "TIME", value_parser = whole_seconds, help_heading = TESTS)]
    pub runtime_s: Option<u64>,
    /// Run the short form of the suite, at most a minute
    ///
    /// Each test runs once, for 1 or 2 s.
    #[arg(long, help_heading = TESTS)]
    pub short: bool,
    /// Repeat each test until steady state, at most 25 rounds
    ///
    /// snia is the rule of SNIA's Performance Test Specification. cloud is a rule for shared disks.
    #[arg(long, value_name = "RULE", value_parser = rule, help_heading = TESTS)]
    pub until_steady: Option<SteadyRule>,
    /// Continue a test until its verdict is certain, for at most this time
    ///
    /// Requires --expect, --require or --for.
    /// Without this option, a test whose intervals do not decide is extended up to three times its length.
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with_all = ["no_extend", "until_steady"], help_heading = TESTS)]
    pub until_decided: Option<Duration>,
    /// Do not extend a test whose intervals do not decide
    #[arg(long, help_heading = TESTS)]
    pub no_extend: bool,
    /// Continue a stopped assessment; finished tests do not run again
    #[arg(long, help_heading = TESTS)]
    pub resume: bool,

    /// Total size of the test files on each target, such as 10G
    #[arg(long = "size", value_name = "SIZE", value_parser = size, help_heading = TARGET)]
    pub size_bytes: Option<u64>,
    /// Space of the file system that stays free, such as 20G or 5% (auto: 10 %, at most 10 GiB)
    #[arg(long, value_name = "SIZE", value_parser = keep_free, default_value = "auto", help_heading = TARGET)]
    pub keep_free: KeepFree,
    /// Allow tests to overwrite this TARGET; repeatable
    #[arg(long, value_name = "PATH", help_heading = TARGET)]
    pub overwrite: Vec<String>,
    /// Discard all data of the devices before the tests; requires --overwrite
    #[arg(long, requires = "overwrite", help_heading = TARGET)]
    pub purge: bool,
    /// Method to fill the data that the tests read
    #[arg(long = "fill", value_name = "METHOD", value_enum, default_value_t = Fill::Suite, help_heading = TARGET)]
    fill_method: Fill,
    /// Skip the preparation: do not fill, initialise, precondition or warm the target
    #[arg(long, help_heading = TARGET)]
    pub no_prepare: bool,
    /// Keep the test files
    #[arg(long, help_heading = TARGET)]
    pub keep_files: bool,
    /// Start without confirmation
    ///
    /// Without this option, fathom asks on a terminal, and refuses to start without a terminal: if TARGET does not
    /// exist, or if the tests take more than 5 minutes, 20 GiB or a tenth of the free space.
    #[arg(long, short = 'y', help_heading = TARGET)]
    pub yes: bool,

    /// Find the multiple of a captured load that TARGET holds
    ///
    /// FILE is a file of `fathom capture`. Writes need --overwrite for a file or device that exists. With `fathom fleet`, each
    /// host replays a part of the load.
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_WITH_LIKE, help_heading = LIKE)]
    pub like: Option<String>,
    /// PASS from this multiple of the load on
    #[arg(long, value_name = "N", value_parser = margin, default_value_t = 1.5, requires = "like", help_heading = LIKE)]
    pub margin: f64,
    /// Highest allowed 99th percentile of the response time (default: that of the capture, by direction)
    #[arg(long = "p99", value_name = "TIME", value_parser = bound_ns, requires = "like", help_heading = LIKE)]
    pub p99_ns: Option<u64>,

    #[command(flatten)]
    pub criteria: Criteria,

    /// Write a report; repeatable
    ///
    /// NAME.html is a page, NAME.md Markdown, NAME.xml JUnit XML, card.png or card.svg a picture of the card, any other
    /// NAME.svg or NAME.png only the charts. NAME/ is a folder with one picture per chart.
    #[arg(long = "report", value_name = "FILE", value_parser = report, help_heading = RESULTS)]
    pub reports: Vec<String>,
    /// Save the assessment as JSON
    #[arg(long, value_name = "FILE", help_heading = RESULTS)]
    pub save: Option<String>,
    /// Format on standard output
    #[arg(long, value_enum, default_value_t = Format::Card, help_heading = RESULTS)]
    pub format: Format,
    /// Tag of the result in the history; repeatable
    #[arg(long = "tag", value_name = "WORD", help_heading = RESULTS)]
    pub tags: Vec<String>,
    /// Do not save the assessment in the history
    #[arg(long, help_heading = RESULTS)]
    pub no_history: bool,

    #[command(flatten)]
    pub live: Live,
}

/// What the target must deliver.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Criteria {
    /// Published limits to reach: azure:P30; repeatable
    ///
    /// With a machine: azure:P30x3+Standard_D8ds_v4/uncached. `fathom limits --help` describes the syntax.
    /// NAME=LIMITS applies to one volume, read=LIMITS and write=LIMITS to
    /// one direction.
    #[arg(long, value_name = "LIMITS", help_heading = CRITERIA)]
    pub expect: Vec<String>,
    /// Requirements, such as 'read.iops>=5000'; repeatable
    ///
    /// Several are separated by commas: 'read.iops>=5000,write.clat.p99<=10ms'. Or the path of a file NAME.toml.
    /// 'nocache:write.iops>=5000' applies to one volume.
    #[arg(long, value_name = "RULES", help_heading = CRITERIA)]
    pub require: Vec<String>,
    /// Requirements of an application: etcd; repeatable
    ///
    /// Chooses the tests that judge it, unless --suite or --test does. Several applications share their tests.
    #[arg(long = "for", value_name = "NAME", help_heading = CRITERIA)]
    pub applications: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text of at most 80 columns and 24 lines
    Card,
    Json,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Fill {
    /// As the suite defines
    Suite,
    /// Twice from start to end, in 128 KiB blocks
    Snia,
    /// Once from start to end, then at random until steady
    Random,
}

impl Criteria {
    pub fn requested(&self) -> Requested<'_> {
        Requested { expect: &self.expect, require: &self.require, applications: &self.applications }
    }
}

impl Args {
    /// Returns the request of `--like FILE`.
    pub fn like<'a>(&self, file: &'a str) -> LikeArgs<'a> {
        LikeArgs {
            file,
            percent: LIKE_PERCENT,
            bound_ns: self.p99_ns,
            length_ns: self.runtime_s.map(|seconds| seconds.saturating_mul(1_000_000_000)),
            margin: Some(self.margin),
            keep_free: self.keep_free,
        }
    }

    /// Returns when the slowest I/Os are explained.
    pub fn explain(&self) -> Explain {
        if self.live.explain.is_none() { Explain::Automatic } else { self.live.explain() }
    }

    /// Returns the form in which the tests run.
    pub fn form(&self) -> Form {
        if self.literal { Form::Literal } else { Form::AsMeant }
    }

    /// Returns how long a test without a decision is continued.
    pub fn extension(&self) -> Extension {
        match self.until_decided {
            Some(time) => Extension::Until(time),
            None if self.no_extend => Extension::Off,
            None => Extension::Threefold,
        }
    }

    pub fn fill(&self) -> FillWay {
        match self.fill_method {
            Fill::Suite => FillWay::Suite,
            Fill::Snia => FillWay::Snia,
            Fill::Random => FillWay::Random,
        }
    }

    pub(super) fn check(&self) -> Result<(), Refusal> {
        if self.no_prepare && self.purge {
            let message = "--purge and --no-prepare contradict each other";
            return Err(Refusal::new("assess", ErrorKind::ArgumentConflict, message));
        }
        let Criteria { expect, require, applications } = &self.criteria;
        let decides_nothing = [expect, require, applications].iter().all(|given| given.is_empty());
        if decides_nothing && (self.until_decided.is_some() || self.no_extend) {
            let option = if self.no_extend { "--no-extend" } else { "--until-decided" };
            let message = format!("{option} needs a verdict: add --expect, --require or --for");
            return Err(Refusal::new("assess", ErrorKind::MissingRequiredArgument, message));
        }
        Ok(())
    }
}

fn whole_seconds(text: &str) -> Result<u64, String> {
    let expected = || "expected whole seconds, such as 30s or 5m".to_owned();
    let time = time(text)?;
    (time.as_secs() > 0 && time.subsec_nanos() == 0).then_some(time.as_secs()).ok_or_else(expected)
}

fn margin(text: &str) -> Result<f64, String> {
    let has_two_decimals = text.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= 2);
    let number = text.parse().ok().filter(|number| (1.0..=MARGIN_MAX).contains(number) && has_two_decimals);
    number.ok_or_else(|| format!("expected a number from 1 to {MARGIN_MAX} with at most two decimals, such as 1.5"))
}

/// A time with its unit: a bound of 5 seconds is never meant by `5`.
fn bound_ns(text: &str) -> Result<u64, String> {
    let ns = time_ns(text).ok().filter(|ns| text.ends_with(char::is_alphabetic) && *ns > 0);
    ns.ok_or_else(|| "expected a time with its unit, such as 500us or 5ms".to_owned())
}

fn rule(name: &str) -> Result<SteadyRule, String> {
    name.parse().map_err(|_| "expected snia or cloud".to_owned())
}

#[cfg(test)]
pub mod tests {
    use super::super::tests::{command, error};
    use super::super::{Command, Measuring};
    use super::*;

    pub fn args(line: &str) -> Args {
        match command(line) {
            Ok(Command::Measuring(Measuring::Assess(args))) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_target_may_stand_anywhere() {
        let read = args("assess --size 10G /mnt --runtime 5m --suite etcd");
        assert_eq!((read.targets.as_slice(), read.suite.as_deref()), (&["/mnt".to_owned()][..], Some("etcd")));
        assert_eq!((read.size_bytes, read.runtime_s), (Some(10 << 30), Some(300)));
        assert_eq!(args("assess").suite, None);
    }

    #[test]
    fn wrong_values_are_errors_that_name_the_option() {
        let all = [
            ("--size much", "such as 10G"),
            ("--keep-free 101%", "such as 20G or 5%"),
            ("--runtime 0", "such as 30s"),
            ("--runtime 99999999999999999999h", "such as 30s"),
            ("--purge /dev/x", "--overwrite"),
            ("--format xml", "card, json"),
            ("--colour", "--colour"),
            ("--purge --overwrite x --no-prepare x", "--no-prepare"),
            ("--until-decided 30m", "--until-decided needs a verdict: add --expect, --require or --for"),
            ("--no-extend", "--no-extend needs a verdict"),
            ("--until-decided 30m --until-steady snia --for etcd", "--until-steady"),
        ];
        for (options, expected) in all {
            let error = error(&format!("assess {options}"));
            assert!(error.starts_with("error: ") && error.contains(expected), "{options}: {error}");
        }
    }
}
