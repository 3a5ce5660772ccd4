//! `fathom suite`: which suites there are, and one of them in plain words.

use std::process::ExitCode;

use lexopt::prelude::*;
use study::suite::{FillWay, Form, Place, Planned, Site, Sites, Suite, Terms, explain};

use crate::output::{print_and_flush, tell_line};
use crate::{plans, suites};

const USAGE: &str = "\
fathom suite shows the suites of tests that `fathom assess` runs.

usage: fathom suite list                    all that there are
       fathom suite show NAME               one in plain words: what it measures, what it writes where, how long it takes
       fathom suite show PATH.toml          the same of a file
       fathom suite show NAME --jobs        with the jobs as they are run, in fio's or DiskSpd's words

       --literal         as published, letter for letter, where that has a trap
       --short           the short form

Suites of one's own are kept in ~/.config/fathom/suites as NAME.toml.

exit status: 0, or 2 where there is no such suite or something is wrong with it
";

const REFUSED: u8 = 2;
const WIDTH: usize = 100;

#[derive(Default)]
struct Words {
    verb: Option<String>,
    name: Option<String>,
    form: Form,
    short: bool,
    jobs: bool,
}

pub fn main(words: &[String]) -> ExitCode {
    let done = match read(words) {
        Ok(None) => {
            print_and_flush(USAGE);
            return ExitCode::SUCCESS;
        }
        Ok(Some(words)) => match (words.verb.as_deref(), &words.name) {
            (Some("list") | None, None) => list(),
            (Some("show"), Some(name)) => show(name, &words),
            (Some("show"), None) => Err("which suite? `fathom suite list` shows all".to_owned()),
            (Some("list"), Some(word)) => Err(format!("list takes no further words, such as {word}")),
            (Some(verb), _) => Err(format!("`{verb}` is neither list nor show")),
            (None, Some(_)) => Err("say list or show".to_owned()),
        },
        Err(error) => Err(error.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            tell_line!("fathom suite: {message}");
            ExitCode::from(REFUSED)
        }
    }
}

fn read(words: &[String]) -> Result<Option<Words>, lexopt::Error> {
    let mut read = Words::default();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("literal") => read.form = Form::Literal,
            Long("short") => read.short = true,
            Long("jobs") => read.jobs = true,
            Long("help") | Short('h') => return Ok(None),
            Value(word) if read.verb.is_none() => read.verb = Some(word.string()?),
            Value(word) if read.name.is_none() => read.name = Some(word.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(read))
}

fn list() -> Result<(), String> {
    let all = suites::all();
    let width = all.iter().map(|known| known.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut wrong = Vec::new();
    for known in all {
        match (known.suite, known.path) {
            (Ok(suite), None) => text += &format!("{:width$}  {}\n", known.name, suite.title),
            (Ok(suite), Some(path)) => {
                text += &format!("{:width$}  {} ({})\n", known.name, suite.title, path.display())
            }
            (Err(message), _) => wrong.push(message),
        }
    }
    print_and_flush(&text);
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn show(name: &str, words: &Words) -> Result<(), String> {
    let suite = suites::find(name)?;
    let terms = shown_terms(&suite, words);
    let mut tests = Vec::new();
    let mut jobs = String::new();
    for test in &suite.tests {
        let mut planned = Vec::new();
        for (nth, cell) in test.cells(words.short).into_iter().enumerate() {
            let job = suite.job(test, &cell, &terms);
            let (plan, _) = plans::plan(&job).map_err(|told| plans::told(&told))?;
            planned.push(plan);
            if nth == 0 {
                jobs += &format!("\n{}\n", job.text().trim_end());
            }
        }
        tests.push(Planned { test, plans: planned });
    }
    let mut text = explain(&suite, &tests, words.form, WIDTH);
    if words.jobs {
        text += "\nJobs (the first run of each test)\n";
        text += &jobs;
    }
    print_and_flush(&text);
    Ok(())
}

/// In directories, where nothing is known of the target: one for each volume.
fn shown_terms(suite: &Suite, words: &Words) -> Terms {
    let site = |name: &str| Site::new(Place::Directory(name.to_owned()), suite.default_size(words.short, false));
    let of_volume = |name: &String| Site { volumes: vec![name.clone()], ..site(name) };
    let of_volumes = suite.volumes.iter().map(|volume| of_volume(&volume.name)).collect();
    let sites = Sites::new(of_volumes).unwrap_or_else(|| Sites::one(site("TARGET")));
    Terms {
        form: words.form,
        short: words.short,
        is_resized: words.short,
        sites,
        fill: FillWay::Suite,
        runtime_s: None,
    }
}
