//! `fathom limits`: what vendors publish of their disks and machines, and what comes of the words of an expectation.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use judge::limits::{import, list, show};
use lexopt::prelude::*;
use units::calendar::date_and_time;
use units::diagnostic::Source;

use crate::output::{print_and_flush, tell_line};
use crate::own_limits;

const USAGE: &str = "\
fathom limits shows what vendors publish of their disks and machines: what a measurement is held against.

usage: fathom limits list                   the providers
       fathom limits list PROVIDER          the disks and machines of one, and what they are given with
       fathom limits show WORDS             what an expectation comes to, which limit comes first, and its source
       fathom limits import FILE            takes machines' limits from a file with the output of
                                              az vm list-skus -o json
                                              aws ec2 describe-instance-types
                                            into ~/.config/fathom/limits (`-` reads standard input)

WORDS are those of --expect: PROVIDER:DISK, PROVIDER:MACHINE/PATH or both with a `+`, and parameters after a `?`:

       azure:P30x3+Standard_D8ds_v4/uncached            three disks P30 striped on a VM
       aws:gp3?iops=6000&throughput=250&instance=m5.xlarge
       gcp:pd-ssd?size=500GB&vm=n2-standard-8
       read=azure:Standard_D8ds_v4/cached               for reads only

Limits of one's own are kept in ~/.config/fathom/limits as NAME.toml; docs/limits.md describes the form.

exit status: 0, or 2 where something is not known or can't be read
";

const REFUSED: u8 = 2;

pub fn main(words: &[String]) -> ExitCode {
    match carry_out(words) {
        Ok(text) => {
            print_and_flush(&text);
            ExitCode::SUCCESS
        }
        Err(message) => {
            tell_line!("fathom limits: {message}");
            ExitCode::from(REFUSED)
        }
    }
}

fn carry_out(words: &[String]) -> Result<String, String> {
    let Some(given) = read(words).map_err(|error| error.to_string())? else { return Ok(USAGE.to_owned()) };
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    match given[..] {
        [] | ["list"] => list(&own_limits::catalogue()?, None),
        ["list", provider] => list(&own_limits::catalogue()?, Some(provider)),
        ["show", words] => show_words(words),
        ["import", file] => take(file),
        ["show"] => Err("which expectation? `fathom limits --help` shows some".to_owned()),
        ["import"] => Err("which file? It is the output of `az vm list-skus -o json` or its like".to_owned()),
        [verb @ ("list" | "show" | "import"), _, more, ..] => {
            Err(format!("{verb} takes no further words, such as {more}"))
        }
        [verb, ..] => Err(format!("`{verb}` is none of list, show and import")),
    }
}

/// The words, or none where help was asked for.
fn read(words: &[String]) -> Result<Option<Vec<String>>, lexopt::Error> {
    let mut given = Vec::new();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("help") | Short('h') => return Ok(None),
            Value(word) => given.push(word.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(given))
}

fn show_words(words: &str) -> Result<String, String> {
    let expectation =
        own_limits::catalogue()?.expect(&Source::new("words", words)).map_err(|wrong| wrong.to_string())?;
    for warning in &expectation.warnings {
        tell_line!("{warning}");
    }
    Ok(show(&expectation))
}

/// Takes an answer of a vendor's into the user's own limits.
fn take(file: &str) -> Result<String, String> {
    let json = match file {
        "-" => std::io::read_to_string(std::io::stdin()),
        path => std::fs::read_to_string(path),
    };
    let json = json.map_err(|error| format!("{file}: {}", record::plain(&error.to_string())))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let today = date_and_time(now).split('T').next().unwrap_or_default().to_owned();
    let imported = import(&json, &today).map_err(|why| format!("{file}: {why}"))?;
    let path = own_limits::keep(&format!("{}-imported.toml", imported.provider), &imported.toml)?;
    let taken: String = imported.taken.iter().map(|line| format!("  {line}\n")).collect();
    Ok(format!("taken from {file} into {}:\n{taken}", path.display()))
}
