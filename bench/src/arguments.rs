//! The words of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "\
fathom beside fio, in turns, on the same job files

usage: fathom-bench [OPTION…] [WORK…]

A WORK is a name of --list or the beginning of some (`device` is all that begin with it); none means all.

  --list               the works with their jobs, variables and goals
  --pairs N            how often each work is done by each program (5); fewer than 5 can't prove a goal
  --seconds S          length of a run (5; works with logs 10)
  --cpu N              the processor for works on one (the last one this process may use)
  --fathom PATH        fathom's binary (built from this workspace under `cargo run`, else beside this one or in $PATH)
  --fio PATH           fio's binary ($FIO, else in $PATH)
  --t-io-uring PATH    fio's t/io_uring ($T_IO_URING, else `t/io_uring` beside fio, else in $PATH; works without it)
  --dir PATH           where files are made ($TMPDIR or /tmp); a real disk for the works with O_DIRECT
  --json FILE          results as JSON too, written again after each work
  --markdown           results as a Markdown table
  --help               this text
";

/// What the command line asks for.
#[derive(Debug)]
pub enum Asked {
    Help,
    List,
    Run(Options),
}

#[derive(Clone, Debug)]
pub struct Options {
    pub works: Vec<String>,
    pub pairs: usize,
    /// `None`: each work's own length.
    pub seconds: Option<f64>,
    pub cpu: Option<u32>,
    pub fathom: Option<PathBuf>,
    pub fio: Option<PathBuf>,
    pub t_io_uring: Option<PathBuf>,
    pub dir: PathBuf,
    pub json: Option<PathBuf>,
    pub markdown: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            works: Vec::new(),
            pairs: 5,
            seconds: None,
            cpu: None,
            fathom: None,
            fio: None,
            t_io_uring: None,
            dir: std::env::temp_dir(),
            json: None,
            markdown: false,
        }
    }
}

pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Asked, String> {
    let mut parser = lexopt::Parser::from_iter(words);
    let mut options = Options::default();
    let mut list = false;
    while let Some(word) = parser.next().map_err(|error| error.to_string())? {
        use lexopt::prelude::*;
        match word {
            Short('h') | Long("help") => return Ok(Asked::Help),
            Long("list") => list = true,
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
            Long("json") => options.json = Some(value(&mut parser)?.into()),
            Value(name) => options.works.push(name.to_string_lossy().into_owned()),
            _ => return Err(format!("{}; see --help", word.unexpected())),
        }
    }
    Ok(if list { Asked::List } else { Asked::Run(options) })
}

fn value(parser: &mut lexopt::Parser) -> Result<OsString, String> {
    parser.value().map_err(|error| error.to_string())
}

fn number<T: std::str::FromStr>(word: OsString, option: &str, is_sane: impl Fn(&T) -> bool) -> Result<T, String> {
    let text = word.to_string_lossy();
    let parsed = text.parse().ok().filter(|number| is_sane(number));
    parsed.ok_or_else(|| format!("{option}: {text:?} is not a number it can take"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Result<Asked, String> {
        parse(std::iter::once("fathom-bench").chain(words.split_whitespace()).map(OsString::from))
    }

    #[test]
    fn options_and_works_are_read_in_any_order() {
        let Ok(Asked::Run(options)) = asked("null --pairs 3 device --seconds 0.5 --cpu 1 --json x") else { panic!() };
        assert_eq!(options.works, ["null", "device"]);
        assert_eq!((options.pairs, options.seconds, options.cpu), (3, Some(0.5), Some(1)));
        assert_eq!(options.json, Some("x".into()));
        assert!(matches!(asked("--list null"), Ok(Asked::List)));
    }

    #[test]
    fn nonsense_is_refused_with_its_option() {
        assert!(asked("--pairs 0").unwrap_err().contains("--pairs"));
        assert!(asked("--seconds NaN").unwrap_err().contains("--seconds"));
        assert!(asked("--what").unwrap_err().contains("--what"));
    }
}
