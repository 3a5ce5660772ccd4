//! What the user expects of the target: published limits (`--expect`), requirements (`--require`, `--for`).

use std::path::Path;

use judge::requirements::Requirements;
use study::suite::{Criteria, Suite};
use units::diagnostic::Source;

use super::volumes::listed;
use crate::command_error::CommandError;
use crate::output::stderr_line;
use crate::{input, user_limits};

/// Criteria as a user writes them.
#[derive(Clone, Copy, Debug)]
pub struct Requested<'a> {
    /// `--expect`
    pub expect: &'a [String],
    /// `--require`
    pub require: &'a [String],
    /// `--for`
    pub applications: &'a [String],
}

/// Reads all criteria before anything runs.
///
/// # Errors
///
/// A limit, a rule, a file or a volume is unknown.
pub fn read(requested: &Requested, suite: &Suite) -> Result<Criteria, CommandError> {
    let mut criteria = Criteria::default();
    if !requested.expect.is_empty() {
        let catalogue = user_limits::catalogue()?;
        for text in requested.expect {
            let expectation = catalogue.expect(&Source::new("--expect", text.as_str()))?;
            if let Some(name) = expectation.volume.as_ref().filter(|name| !has_volume(suite, name)) {
                let option = format!("--expect {text}");
                return Err(no_volume(
                    &option,
                    name,
                    suite,
                    "to limit an expectation to a direction, use read= or write=",
                ));
            }
            expectation.warnings.iter().for_each(|warning| stderr_line!("{warning}"));
            criteria.expectations.push(expectation);
        }
    }
    for text in requested.require {
        criteria.requirements.push(required(text, suite)?);
    }
    for name in requested.applications {
        let known = Requirements::of_application(&Source::new("--for", name.as_str()));
        criteria.requirements.push(known?);
    }
    Ok(criteria)
}

fn has_volume(suite: &Suite, name: &str) -> bool {
    suite.volumes.iter().any(|volume| volume.name == name)
}

/// Returns the error of an unknown volume. `help` is for a suite without volumes.
fn no_volume(option: &str, name: &str, suite: &Suite, help: &str) -> CommandError {
    let help = if suite.volumes.is_empty() { format!("\nhelp: {help}") } else { listed(suite) };
    format!("{option}: the suite {} has no volume {name}{help}", suite.name).into()
}

/// Reads the rules of a `--require`, or of its file. A rule never ends with `.toml`.
fn required(value: &str, suite: &Suite) -> Result<Requirements, CommandError> {
    let requirements = if value.ends_with(".toml") {
        let text = input::read_text(Path::new(value), input::Kind::Requirements)
            .map_err(|error| format!("--require {value}: {}", units::errno::reason(&error)))?;
        Requirements::read(&Source::new(value, text))
    } else {
        Requirements::parse(&Source::new("--require", value))
    };
    let requirements = requirements?;
    for rule in &requirements.list {
        if let Some(name) = rule.volume.as_ref().filter(|name| !has_volume(suite, name)) {
            let shown = if value == rule.text { value.to_owned() } else { format!("{value}: {}", rule.text) };
            return Err(no_volume(&format!("--require {shown}"), name, suite, "this suite has one target"));
        }
    }
    Ok(requirements)
}
