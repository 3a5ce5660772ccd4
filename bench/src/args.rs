//! Command-line arguments.

use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
Compares fathom with fio and t/io_uring on the same job files.

usage: fathom-bench [OPTION…] [WORKLOAD…]

WORKLOAD is a name from --list, or a prefix that ends before a dash (`device` selects all `device-…`).
Without WORKLOAD all of them run.

  --checksums          compare the speed of the checksums of a verification, by `--crctest` of both programs
  --list               list the workloads with their job files, variables and goals
  --pairs N            runs of each program per workload [5]; at least 5 are needed to decide a goal
  --seconds S          runtime of one run [5; workloads with logs: 10]
  --cpu N              CPU for workloads on one CPU [the last CPU that this process may use]
  --fathom PATH        fathom binary [under `cargo run` built from this workspace; else beside this program or in $PATH]
  --fio PATH           fio binary [$FIO, else in $PATH]
  --t-io-uring PATH    t/io_uring binary of fio [$T_IO_URING, else beside fio, else in $PATH]; optional
  --dir PATH           directory for test files [$TMPDIR or /tmp]; O_DIRECT workloads need a file system on a disk
  --json FILE          write results as JSON; the file is rewritten after each workload
  --svg FILE           write the ratios with their intervals and goals as a picture
  --markdown           print results as a Markdown table
  --help               print this text
";

/// A parsed command line.
#[derive(Debug)]
pub enum Command {
    Help,
    List,
    Checksums(Options),
    Run(Options),
}

/// Options of a benchmark session.
#[derive(Clone, Debug)]
pub struct Options {
    /// Names or prefixes; empty for all workloads.
    pub workloads: Vec<String>,
    pub pairs: usize,
    /// Runtime of one run; `None` for each workload's own.
    pub seconds: Option<f64>,
    pub cpu: Option<u32>,
    pub fathom: Option<PathBuf>,
    pub fio: Option<PathBuf>,
    pub t_io_uring: Option<PathBuf>,
    pub dir: PathBuf,
    pub json: Option<PathBuf>,
    pub svg: Option<PathBuf>,
    pub markdown: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            workloads: Vec::new(),
            pairs: 5,
            seconds: None,
            cpu: None,
            fathom: None,
            fio: None,
            t_io_uring: None,
            dir: std::env::temp_dir(),
            json: None,
            svg: None,
            markdown: false,
        }
    }
}

/// Parses a command line; the first argument is the program's name.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut parser = lexopt::Parser::from_iter(args);
    let mut options = Options::default();
    let (mut list, mut checksums) = (false, false);
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        use lexopt::prelude::*;
        match arg {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("list") => list = true,
            Long("checksums") => checksums = true,
            Long("markdown") => options.markdown = true,
            Long("pairs") => {
                options.pairs = number(value(&mut parser)?, "--pairs", |pairs: &usize| (1..=1000).contains(pairs))?
            }
            Long("seconds") => {
                options.seconds =
                    Some(number(value(&mut parser)?, "--seconds", |seconds: &f64| (0.1..=3600.0).contains(seconds))?);
            }
            Long("cpu") => options.cpu = Some(number(value(&mut parser)?, "--cpu", |_: &u32| true)?),
            Long("fathom") => options.fathom = Some(value(&mut parser)?.into()),
            Long("fio") => options.fio = Some(value(&mut parser)?.into()),
            Long("t-io-uring") => options.t_io_uring = Some(value(&mut parser)?.into()),
            Long("dir") => options.dir = value(&mut parser)?.into(),
            Long("svg") => options.svg = Some(value(&mut parser)?.into()),
            Long("json") => options.json = Some(value(&mut parser)?.into()),
            Value(name) => options.workloads.push(name.to_string_lossy().into_owned()),
            _ => return Err(format!("{}; see --help", arg.unexpected())),
        }
    }
    Ok(match (list, checksums) {
        (true, _) => Command::List,
        (false, true) => Command::Checksums(options),
        (false, false) => Command::Run(options),
    })
}

fn value(parser: &mut lexopt::Parser) -> Result<OsString, String> {
    parser.value().map_err(|error| error.to_string())
}

/// Parses a number and checks its range.
fn number<T: std::str::FromStr>(value: OsString, option: &str, is_in_range: impl Fn(&T) -> bool) -> Result<T, String> {
    let text = value.to_string_lossy();
    let parsed = text.parse().ok().filter(|number| is_in_range(number));
    parsed.ok_or_else(|| format!("{option}: {text:?} is not a number or out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(std::iter::once("fathom-bench").chain(line.split_whitespace()).map(OsString::from))
    }

    #[test]
    fn options_and_works_are_read_in_any_order() {
        let Ok(Command::Run(options)) = parsed("null --pairs 3 device --seconds 0.5 --cpu 1 --json x") else {
            panic!()
        };
        assert_eq!(options.workloads, ["null", "device"]);
        assert_eq!((options.pairs, options.seconds, options.cpu), (3, Some(0.5), Some(1)));
        assert_eq!(options.json, Some("x".into()));
        assert!(matches!(parsed("--list null"), Ok(Command::List)));
        assert!(matches!(parsed("--checksums --pairs 3"), Ok(Command::Checksums(Options { pairs: 3, .. }))));
    }

    #[test]
    fn an_error_names_the_option() {
        assert!(parsed("--pairs 0").unwrap_err().contains("--pairs"));
        assert!(parsed("--seconds NaN").unwrap_err().contains("--seconds"));
        assert!(parsed("--what").unwrap_err().contains("--what"));
    }
}
