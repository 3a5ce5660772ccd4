//! `fathom limits`: the published limits of disks and machines, and the meaning of an expectation.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use judge::limits::import;
use report::limits;
use units::calendar::date_and_time;
use units::diagnostic::Source;

use crate::args::limits::{Action, Args};
use app::command_error::CommandError;
use app::output::{print_text, stderr_line};
use app::{input, user_limits};

/// Prints limits, or imports them.
///
/// # Errors
/// A file is not valid, or the catalogue has no such provider, disk or machine.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    let text = match &args.action {
        None | Some(Action::List { provider: None }) => limits::list(&user_limits::catalogue()?),
        Some(Action::List { provider: Some(name) }) => list(name)?,
        Some(Action::Show { limits }) => show(limits)?,
        Some(Action::Import { file }) => import_file(file)?,
    };
    Ok(print_text(&text))
}

fn list(name: &str) -> Result<String, CommandError> {
    let catalogue = user_limits::catalogue()?;
    let found = catalogue.providers.get(&name.to_ascii_lowercase());
    let known = || catalogue.providers.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let provider =
        found.ok_or_else(|| format!("there is no provider `{name}` in the catalogue; known: {}", known()))?;
    Ok(limits::provider(provider))
}

fn show(text: &str) -> Result<String, CommandError> {
    let expectation = user_limits::catalogue()?.expect(&Source::new("LIMITS", text))?;
    expectation.warnings.iter().for_each(|warning| stderr_line!("{warning}"));
    Ok(limits::expectation(&expectation))
}

/// Imports the JSON of a vendor's program into the user's limits.
fn import_file(file: &str) -> Result<String, CommandError> {
    let json = input::read_text(Path::new(file), input::Kind::Limits);
    let json = json.map_err(|error| format!("{file}: {}", units::errno::reason(&error)))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let today = date_and_time(now).split('T').next().unwrap_or_default().to_owned();
    let imported = import(&json, &today).map_err(|why| format!("{file}: {}", limits::import_error(&why)))?;
    let path = user_limits::save(&format!("{}-imported.toml", imported.provider), &imported.toml)?;
    Ok(format!(
        "imported from {file} to {}:
{}",
        path.display(),
        limits::imported(&imported)
    ))
}
