//! The words of `fathom assess`.

use std::time::Duration;

use judge::steady::Rule;
use lexopt::prelude::*;
use study::suite::{DEFAULT, FillWay, Form};

use super::asked::Asking;
use super::request::{Format, Request};
use crate::kept;
use crate::words::{Stop, report, size, time};

pub const USAGE: &str = "\
fathom assess measures a disk by a suite of tests and says what that comes to.

usage: fathom assess [TARGET] [options]
       fathom assess NAME=TARGET NAME=TARGET --suite NAME [options]

TARGET is a directory (the current one if nothing is said), where the tests make files of their own and remove them; a
file; or a block device. A suite that tells volumes apart, as azure does (nocache, readcache), takes a target for each by
name; one without a name stands for all of them. `fathom suite show` lists a suite's volumes.

       --suite NAME      which tests: quick if nothing is said; `fathom suite list` shows all; the path of a file works too
       --test NAME       only this one of the suite's tests; may be said several times
       --literal         tests as published, letter for letter, even where that has a trap; with --size or --short, sizes
                         and offsets as they were meant
       --size S          the tests take so many bytes of each target in all, such as 10G
       --runtime T       each test is measured for so long, such as 30s or 5m
       --short           the suite's short form: to see how it goes, or for small devices
       --until-steady RULE
                         repeat each test until its figures are steady, by the rule snia or, for disks that are shared,
                         cloud; 25 rounds at most
       --overwrite PATH  the tests may overwrite what this file or device holds; PATH is TARGET once more, and is said
                         for each. Without it only tests that read are run on a file or device that was there before
       --purge           discard all that the devices hold before that (with --overwrite for each)
       --fill WAY        how what the tests need filled is filled: suite (as the suite says), snia (twice from start to end
                         in blocks of 128 KiB), or random (once, then at random places until that is steady)
       --no-prepare      neither fill, initialise nor warm what the tests need so
       --keep-files      leave the tests' files
       --resume          go on with what was stopped: tests that are done are not repeated
       --expect WORDS    what the target should deliver, such as azure:P30x3+Standard_D8ds_v4/uncached or
                         aws:gp3?iops=6000&throughput=250; `fathom limits --help` describes the words. NAME=WORDS is for
                         one volume, read=WORDS and write=WORDS for one direction
       --require WORDS   what is needed of it, such as 'read.iops>=5000,write.clat.p99<=10ms'; of one volume
                         'nocache:write.iops>=5000'; or a file NAME.toml
       --for NAME        what an application needs, such as etcd or sql-server
                         (all three may be said several times)
       --report FILE     a report with charts goes there: NAME.html is a page, NAME.md Markdown, NAME.svg or NAME.png the
                         charts alone, NAME/ a folder with a picture of each; may be said several times
       --save FILE       the assessment goes there, as JSON
       --format NAME     on standard output: card (for people) or json
       --tag WORD        a word to find the assessment by; may be said several times
       --no-history      don't keep the assessment; else `fathom history` lists it
       --yes             don't ask before a long or large run
       --help

exit status: 0 PASS, or MEASURED where nothing was expected; 1 FAIL, 3 INCONCLUSIVE, 4 INVALID, 2 where nothing was
run, 130 after Ctrl-C
";

pub fn read(words: &[String]) -> Result<Request, Stop> {
    let mut read = Request {
        targets: Vec::new(),
        suite: DEFAULT.to_owned(),
        tests: Vec::new(),
        form: Form::AsMeant,
        size_bytes: None,
        runtime_s: None,
        short: false,
        until_steady: None,
        overwrite: Vec::new(),
        purge: false,
        fill: FillWay::Suite,
        prepare: true,
        keep_files: false,
        resume: false,
        asking: Asking::default(),
        reports: Vec::new(),
        save: None,
        format: Format::Card,
        tags: Vec::new(),
        history: !kept::is_off(),
        yes: false,
    };
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("suite") => read.suite = parser.value()?.string()?,
            Long("test") => read.tests.push(parser.value()?.string()?),
            Long("literal") => read.form = Form::Literal,
            Long("size") => read.size_bytes = Some(parser.value()?.parse_with(size)?),
            Long("runtime") => read.runtime_s = Some(parser.value()?.parse_with(measured_time)?),
            Long("short") => read.short = true,
            Long("until-steady") => read.until_steady = Some(parser.value()?.parse_with(rule)?),
            Long("overwrite") => read.overwrite.push(parser.value()?.string()?),
            Long("purge") => read.purge = true,
            Long("fill") => read.fill = parser.value()?.parse_with(fill)?,
            Long("no-prepare") => read.prepare = false,
            Long("keep-files") => read.keep_files = true,
            Long("resume") => read.resume = true,
            Long("expect") => read.asking.expect.push(parser.value()?.string()?),
            Long("require") => read.asking.require.push(parser.value()?.string()?),
            Long("for") => read.asking.applications.push(parser.value()?.string()?),
            Long("report") => read.reports.push(report(&mut parser)?),
            Long("save") => read.save = Some(parser.value()?.string()?),
            Long("format") => read.format = parser.value()?.parse_with(format)?,
            Long("tag") => read.tags.push(parser.value()?.string()?),
            Long("no-history") => read.history = false,
            Long("yes") | Short('y') => read.yes = true,
            Long("help") | Short('h') => return Err(Stop::Help),
            Value(word) => read.targets.push(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if read.purge && read.overwrite.is_empty() {
        return Err(Stop::Wrong(
            "--purge throws away all that the device holds: agree to that with --overwrite".into(),
        ));
    }
    Ok(read)
}

/// In seconds.
fn measured_time(word: &str) -> Result<u64, String> {
    let whole = |time: &Duration| time.as_secs() > 0 && time.subsec_nanos() == 0;
    let told = || "expected whole seconds, such as 30s or 5m".to_owned();
    time(word).and_then(|time| Some(time).filter(whole).map(|time| time.as_secs()).ok_or_else(told))
}

fn rule(word: &str) -> Result<Rule, String> {
    Rule::named(word).ok_or_else(|| "expected snia or cloud".to_owned())
}

fn fill(word: &str) -> Result<FillWay, String> {
    match word {
        "suite" => Ok(FillWay::Suite),
        "snia" => Ok(FillWay::Snia),
        "random" => Ok(FillWay::Random),
        _ => Err("expected suite, snia or random".into()),
    }
}

fn format(word: &str) -> Result<Format, String> {
    match word {
        "card" => Ok(Format::Card),
        "json" => Ok(Format::Json),
        _ => Err("expected card or json".into()),
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
    fn the_target_stands_anywhere() {
        let words = read_line("--size 10G /mnt --runtime 5m --suite etcd").unwrap();
        assert_eq!((words.targets.as_slice(), words.suite.as_str()), (&["/mnt".to_owned()][..], "etcd"));
        assert_eq!((words.size_bytes, words.runtime_s), (Some(10 << 30), Some(300)));
        assert_eq!(read_line("").unwrap().suite, "quick");
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let refused = |line: &str| read_line(line).err().unwrap_or_default();
        assert!(refused("--size much").contains("such as 10G"));
        assert!(refused("--runtime 0").contains("such as 30s"));
        assert!(refused("--runtime 99999999999999999999h").contains("such as 30s"));
        assert!(refused("--purge /dev/x").contains("--overwrite"));
        assert!(refused("--format xml").contains("card or json"));
        assert!(refused("--colour").contains("--colour"));
        assert_eq!(refused("--help"), "help");
    }
}
