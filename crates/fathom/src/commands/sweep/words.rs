//! The words of `fathom sweep`, up to the line of the dialect that is swept.

use std::time::Duration;

use assessment::Metric;
use lexopt::prelude::*;
use study::show::Format;
use study::{Axis, Order};

use super::request::{ReportFormat, Request};
use crate::kept;
use crate::lines::Dialect;
use crate::words::{Stop, repeats, report, time};

pub const USAGE: &str = "\
fathom sweep runs a workload once for each value of an option and compares what came of it.

usage: fathom sweep OPTION=VALUE,VALUE,... [OPTION=...]... [sweep's options] fio LINE
       fathom sweep OPTION=VALUE,VALUE,... [OPTION=...]... [sweep's options] diskspd LINE

LINE is what that program's command line says, unchanged. OPTION is one of its options, with or without dashes; its
values have the last word in all that is run. 4k..64k is each power of two from the one to the other; values that hold
commas stand between semicolons. Several options make all combinations.

       --metric NAME     draw and judge by bw, iops, lat.mean, lat.p50, lat.p99, lat.p99.9 or cpu, or by one of a
                         direction, as read.iops; default: bw if block sizes are varied, else iops
       --repeat N        run each point N times: figures are medians, and the spread is told
       --order random    shuffle the runs, so that what drifts over time doesn't look like an effect
       --seed N          for another shuffle; 1 if not given
       --cooldown S      seconds of rest between runs
       --format NAME     text, csv, json or markdown
       --output FILE     the report goes there, not to standard output
       --svg FILE        a chart as a picture, too
       --report FILE     a report with charts goes there: NAME.html is a page, NAME.md Markdown, NAME.svg or NAME.png the
                         charts alone, NAME/ a folder with a picture of each; may be said several times
       --save DIR        the record of each run, and the sweep as JSON, go into files there
       --tag WORD        kept with the sweep; may be said several times
       --no-history      don't keep the sweep; else `fathom history` lists it
       --help

exit status: 0, or 1 where a run failed, 2 where nothing was run, 128 and the signal's number after a signal
";

const OWN_OPTIONS: [&str; 13] = [
    "metric",
    "repeat",
    "order",
    "seed",
    "cooldown",
    "format",
    "output",
    "svg",
    "report",
    "save",
    "tag",
    "no-history",
    "help",
];

pub fn read(words: &[String]) -> Result<Request, Stop> {
    let mut read = Request {
        axes: Vec::new(),
        metric: None,
        repeats: 1,
        order: Order::Given,
        cooldown: Duration::ZERO,
        format: ReportFormat::Text,
        output: None,
        svg: None,
        reports: Vec::new(),
        save: None,
        tags: Vec::new(),
        in_history: !kept::is_off(),
        dialect: Dialect::Fio,
        line: Vec::new(),
    };
    let mut seed = None;
    let mut parser = lexopt::Parser::from_args(words);
    loop {
        if let Some(axis) = next_axis(&mut parser) {
            read.axes.push(Axis::parse(&axis)?);
            continue;
        }
        match parser.next()? {
            Some(Long("metric")) => read.metric = Some(parser.value()?.parse_with(metric)?),
            Some(Long("repeat")) => read.repeats = parser.value()?.parse_with(repeats)?,
            Some(Long("order")) => read.order = parser.value()?.parse_with(order)?,
            Some(Long("seed")) => seed = Some(parser.value()?.parse()?),
            Some(Long("cooldown")) => read.cooldown = parser.value()?.parse_with(time)?,
            Some(Long("format")) => read.format = parser.value()?.parse_with(format)?,
            Some(Long("output")) => read.output = Some(parser.value()?.into()),
            Some(Long("svg")) => read.svg = Some(parser.value()?.into()),
            Some(Long("report")) => read.reports.push(report(&mut parser)?),
            Some(Long("save")) => read.save = Some(parser.value()?.into()),
            Some(Long("tag")) => read.tags.push(parser.value()?.string()?),
            Some(Long("no-history")) => read.in_history = false,
            Some(Long("help") | Short('h')) => return Err(Stop::Help),
            Some(Value(word)) => {
                let word = word.string()?;
                read.dialect = Dialect::from_word(&word).ok_or_else(|| not_a_dialect(&word))?;
                read.line = parser.raw_args()?.map(|word| word.to_string_lossy().into_owned()).collect();
                break;
            }
            Some(other) => return Err(other.unexpected().into()),
            None => return Err(wrong("a line to sweep is missing: `fio` or `diskspd` and what follows")),
        }
    }
    match (&mut read.order, seed) {
        (Order::Random { seed }, Some(given)) => *seed = given,
        (_, Some(_)) => return Err(wrong("--seed is of no use without --order random")),
        (_, None) => {}
    }
    if read.axes.is_empty() {
        return Err(wrong("there is nothing to vary: say OPTION=VALUE,VALUE,... before the line"));
    }
    Ok(read)
}

fn wrong(message: &str) -> Stop {
    Stop::Wrong(format!("{message}\nhelp: `fathom sweep --help` shows how it is used"))
}

fn not_a_dialect(word: &str) -> Stop {
    wrong(&format!("`{word}` is neither OPTION=VALUE,... nor `fio` or `diskspd`"))
}

/// The next word, if it is of the form `OPTION=VALUES` and no option of sweep's own.
fn next_axis(parser: &mut lexopt::Parser) -> Option<String> {
    let mut words = parser.try_raw_args()?;
    let word = words.peek()?.to_str()?.to_owned();
    let (name, _) = word.split_once('=')?;
    let is_own = name.strip_prefix("--").is_some_and(|name| OWN_OPTIONS.contains(&name));
    if is_own {
        return None;
    }
    words.next();
    Some(word)
}

fn metric(word: &str) -> Result<Metric, String> {
    let parsed = Metric::parse(word).filter(|metric| study::metric::is_comparable(*metric));
    parsed.ok_or_else(|| format!("expected one of {}", study::metric::SWEEP_METRICS))
}

fn order(word: &str) -> Result<Order, String> {
    match word {
        "given" => Ok(Order::Given),
        "random" => Ok(Order::Random { seed: 1 }),
        _ => Err("expected given or random".into()),
    }
}

fn format(word: &str) -> Result<ReportFormat, String> {
    match word {
        "text" => Ok(ReportFormat::Text),
        "csv" => Ok(ReportFormat::Other(Format::Csv)),
        "json" => Ok(ReportFormat::Other(Format::Json)),
        "markdown" => Ok(ReportFormat::Other(Format::Markdown)),
        _ => Err("expected text, csv, json or markdown".into()),
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
    fn axes_and_options_stand_in_any_order_before_the_line() {
        let words = read_line(
            "b=4K..16K --metric=lat.p99 -o=1,2 --order random --seed 7 --cooldown 0.5 diskspd.exe -b64k --help",
        )
        .unwrap_or_else(|message| panic!("{message}"));
        let options: Vec<&str> = words.axes.iter().map(|axis| axis.option.as_str()).collect();
        assert_eq!((options, words.dialect), (vec!["b", "o"], Dialect::DiskSpd));
        assert_eq!((words.metric, words.order), (Metric::parse("lat.p99"), Order::Random { seed: 7 }));
        assert_eq!((words.cooldown, words.line), (Duration::from_millis(500), vec!["-b64k".into(), "--help".into()]));
    }

    #[test]
    fn options_of_the_dialect_may_be_called_as_they_are() {
        let words = read_line("--bs=4k,8k -rw=read,write fio job.fio").unwrap_or_else(|message| panic!("{message}"));
        assert_eq!(words.axes.iter().map(|axis| axis.option.as_str()).collect::<Vec<_>>(), ["bs", "rw"]);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let refused = |line: &str| read_line(line).err().unwrap_or_default();
        assert!(refused("bs=4k").contains("a line to sweep is missing"));
        assert!(refused("fio job.fio").contains("nothing to vary"));
        assert!(refused("bs=4k mkfs x").contains("`mkfs` is neither"));
        assert!(refused("bs=4k --metric speed fio x").contains("bw, iops"));
        assert!(refused("bs=4k --repeat 0 fio x").contains("at least 1"));
        assert!(refused("bs=4k --seed 3 fio x").contains("--order random"));
        assert!(refused("bs=4k --colour fio x").contains("--colour"));
        assert!(refused("bs=4k --cooldown -1 fio x").contains("expected a time"));
        assert_eq!(refused("--help"), "help");
    }
}
