//! The words of `fathom run`.

use std::time::Duration;

use ::history::compare::Bound;
use lexopt::prelude::*;
use study::Order;

use super::request::Request;
use crate::kept;
use crate::lines::Dialect;
use crate::words::{Stop, repeats, time};
use crate::workload::Workload;

pub const USAGE: &str = "\
fathom run repeats a workload, or two of them in turns, and says how far repeats lie apart and whether the two differ.

usage: fathom run [options] A [B]
       fathom run [options] fio LINE | diskspd LINE

A and B are each a job file of fio's, an XML profile of DiskSpd's, or a whole line in quotes: 'fio --name=a ...'. Without
quotes a line is the last thing, and the only workload.

       --repeat N        run each so often: 5 if nothing is said. From 4 on the repeats tell how sure a difference is
       --interleave      A B A B, so that what changes over time hits both; else all of A come before all of B
       --order NAME      blocks, interleave, abba (A B B A A B), or random
       --seed N          for another random order; 1 if not given
       --prepare CMD     a shell's command before each run; said twice, one for A and one for B. Where it fails, all ends
       --cooldown S      seconds of rest between runs
       --fail-on WORDS   exit with 1 where a difference is shown and beyond: 'write.iops<-5%,read.clat.p99>10%'; may be
                         said several times
       --tag WORD        a tag for the runs in the history; may be said several times
       --no-history      keep nothing there
       --save DIR        the record of each run, and the report as JSON, go into files there
       --format NAME     table (for people) or json
       --help

exit status: 0, or 1 where a run or --prepare failed or --fail-on came true, 2 where nothing was run, 128 and the
signal's number after a signal, with what was measured
";

/// What people wait for, and what tells something.
const REPEATS: usize = 5;

pub fn read(words: &[String]) -> Result<Request, Stop> {
    let mut read = Request {
        workloads: Vec::new(),
        prepare: Vec::new(),
        repeats: REPEATS,
        order: Order::Blocks,
        cooldown: Duration::ZERO,
        bounds: Vec::new(),
        tags: Vec::new(),
        in_history: !kept::is_off(),
        save: None,
        json: false,
    };
    let (mut interleave, mut order, mut seed) = (false, None, None);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("repeat") => read.repeats = parser.value()?.parse_with(repeats)?,
            Long("interleave") => interleave = true,
            Long("order") => order = Some(parser.value()?.parse_with(order_of)?),
            Long("seed") => seed = Some(parser.value()?.parse()?),
            Long("prepare") => read.prepare.push(parser.value()?.string()?),
            Long("cooldown") => read.cooldown = parser.value()?.parse_with(time)?,
            Long("fail-on") => read.bounds.extend(Bound::parse_all(&parser.value()?.string()?).map_err(Stop::Wrong)?),
            Long("tag") => read.tags.push(parser.value()?.string()?),
            Long("no-history") => read.in_history = false,
            Long("save") => read.save = Some(parser.value()?.into()),
            Long("format") => read.json = parser.value()?.parse_with(crate::words::is_json)?,
            Long("help") | Short('h') => return Err(Stop::Help),
            Value(word) => {
                let word = word.string()?;
                if let Some(dialect) = Dialect::from_word(&word)
                    && !word.contains('/')
                {
                    let rest = parser.raw_args()?.map(|word| word.to_string_lossy().into_owned()).collect();
                    read.workloads.push(Workload::of_line(dialect, rest));
                    break;
                }
                read.workloads.push(Workload::read(&word).map_err(Stop::Wrong)?);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    read.order = order_given(order, interleave, seed).map_err(|message| wrong(&message))?;
    check(&read).map_err(wrong)?;
    Ok(read)
}

fn check(words: &Request) -> Result<(), &'static str> {
    match words.workloads.len() {
        0 => return Err("what is to be run? A job file, a profile, or a line in quotes"),
        1 | 2 => {}
        _ => return Err("two workloads are compared, and not more: put a line of several words in quotes"),
    }
    if words.workloads.len() == 1 {
        if words.order != Order::Blocks {
            return Err("one workload alone has no order: name a second one");
        }
        if !words.bounds.is_empty() {
            return Err("--fail-on is of the difference between two workloads");
        }
    }
    if words.prepare.len() > words.workloads.len() {
        return Err("there are more --prepare than workloads");
    }
    Ok(())
}

fn wrong(message: &str) -> Stop {
    Stop::Wrong(format!("{message}\nhelp: `fathom run --help` shows how it is used"))
}

fn order_of(word: &str) -> Result<Order, String> {
    match word {
        "blocks" => Ok(Order::Blocks),
        "interleave" => Ok(Order::Given),
        "abba" => Ok(Order::Mirrored),
        "random" => Ok(Order::Random { seed: 1 }),
        _ => Err("expected blocks, interleave, abba or random".into()),
    }
}

fn order_given(order: Option<Order>, interleave: bool, seed: Option<u32>) -> Result<Order, String> {
    let order = match (order, interleave) {
        (Some(Order::Blocks), true) => return Err("--interleave and --order blocks say two things".into()),
        (Some(order), _) => order,
        (None, true) => Order::Given,
        (None, false) => Order::Blocks,
    };
    match (order, seed) {
        (Order::Random { .. }, Some(seed)) => Ok(Order::Random { seed }),
        (_, Some(_)) => Err("--seed is of no use without --order random".into()),
        (order, None) => Ok(order),
    }
}

/// As `--order` calls it.
pub fn name_of(order: Order) -> &'static str {
    match order {
        Order::Given => "interleave",
        order => order.kind(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::told;

    fn read_words(words: &[&str]) -> Result<Request, String> {
        read(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).map_err(told)
    }

    #[test]
    fn options_stand_before_between_and_after_the_workloads() {
        let words = read_words(&["--repeat", "3", "--interleave", "a.fio", "--cooldown=0.5", "b.fio", "--tag", "x"])
            .unwrap_or_else(|message| panic!("{message}"));
        assert_eq!((words.workloads.len(), words.repeats, words.order), (2, 3, Order::Given));
        assert_eq!((words.cooldown, words.tags), (Duration::from_millis(500), vec!["x".to_owned()]));
    }

    #[test]
    fn a_line_without_quotes_is_the_last_thing() {
        let words = read_words(&["--repeat=2", "fio", "--name=x", "--repeat", "3"]);
        let words = words.unwrap_or_else(|message| panic!("{message}"));
        assert_eq!((words.repeats, words.workloads[0].line.len()), (2, 3));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let refused = |words: &[&str]| read_words(words).err().unwrap_or_default();
        assert!(refused(&[]).contains("what is to be run?"));
        assert!(refused(&["a", "b", "c"]).contains("not more"));
        assert!(refused(&["--interleave", "a"]).contains("name a second one"));
        assert!(refused(&["--fail-on", "iops<-5%", "a"]).contains("two workloads"));
        assert!(refused(&["--fail-on", "speed<-5%", "a", "b"]).contains("speed"));
        assert!(refused(&["--prepare", "x", "--prepare", "y", "a"]).contains("more --prepare"));
        assert!(refused(&["--interleave", "--order", "blocks", "a", "b"]).contains("two things"));
        assert!(refused(&["--seed", "3", "a", "b"]).contains("--order random"));
        assert!(refused(&["fio --name='x", "b"]).contains("quotes"));
    }
}
