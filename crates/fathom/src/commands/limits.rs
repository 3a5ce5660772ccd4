//! `fathom limits`: what vendors publish of their disks and machines, and what comes of the words of an expectation.

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use judge::limits::{import, list, show};
use units::calendar::date_and_time;
use units::diagnostic::Source;

use crate::args::limits::{Action, Args};
use crate::exit;
use crate::output::{print_and_flush, tell_line};
use crate::own_limits;

pub fn main(args: &Args) -> ExitCode {
    match carry_out(args) {
        Ok(text) => {
            print_and_flush(&text);
            ExitCode::SUCCESS
        }
        Err(message) => {
            tell_line!("fathom limits: {message}");
            ExitCode::from(exit::REFUSED)
        }
    }
}

fn carry_out(args: &Args) -> Result<String, String> {
    match &args.action {
        None => list(&own_limits::catalogue()?, None),
        Some(Action::List { provider }) => list(&own_limits::catalogue()?, provider.as_deref()),
        Some(Action::Show { limits }) => show_words(limits),
        Some(Action::Import { file }) => take(file),
    }
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
    let json = json.map_err(|error| format!("{file}: {}", units::errno::reason(&error)))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let today = date_and_time(now).split('T').next().unwrap_or_default().to_owned();
    let imported = import(&json, &today).map_err(|why| format!("{file}: {why}"))?;
    let path = own_limits::keep(&format!("{}-imported.toml", imported.provider), &imported.toml)?;
    let taken: String = imported.taken.iter().map(|line| format!("  {line}\n")).collect();
    Ok(format!("taken from {file} into {}:\n{taken}", path.display()))
}
