//! What the user expects of the target: published limits (`--expect`), requirements (`--require`, `--for`).

use judge::requirements::Requirements;
use study::suite::{Criteria, Suite};
use units::diagnostic::{Diagnostic, Source};

use super::volumes::listed;
use crate::output::tell_line;
use crate::own_limits as own;

/// The options of the criteria, as typed.
#[derive(Clone, Debug, Default)]
pub struct CriteriaOptions {
    pub expect: Vec<String>,
    pub require: Vec<String>,
    pub applications: Vec<String>,
}

/// Reads all criteria before anything runs.
///
/// # Errors
///
/// A limit, a rule, a file or a volume is unknown.
pub fn read(options: &CriteriaOptions, suite: &Suite) -> Result<Criteria, String> {
    let shown = |error: Diagnostic| error.to_string();
    let mut criteria = Criteria::default();
    if !options.expect.is_empty() {
        let catalogue = own::catalogue()?;
        for text in &options.expect {
            let expectation = catalogue.expect(&Source::new("--expect", text.as_str())).map_err(shown)?;
            if let Some(name) = expectation.volume.as_ref().filter(|name| !has_volume(suite, name)) {
                let option = format!("--expect {text}");
                return Err(no_volume(&option, name, suite, "read= and write= are for a direction"));
            }
            expectation.warnings.iter().for_each(|warning| tell_line!("{warning}"));
            criteria.expectations.push(expectation);
        }
    }
    for text in &options.require {
        criteria.requirements.push(required(text, suite)?);
    }
    for name in &options.applications {
        let known = Requirements::of_application(&Source::new("--for", name.as_str()));
        criteria.requirements.push(known.map_err(shown)?);
    }
    Ok(criteria)
}

fn has_volume(suite: &Suite, name: &str) -> bool {
    suite.volumes.iter().any(|volume| volume.name == name)
}

fn no_volume(words: &str, name: &str, suite: &Suite, without: &str) -> String {
    let help = if suite.volumes.is_empty() { format!("\nhelp: {without}") } else { listed(suite) };
    format!("{words}: the suite {} has no volume {name}{help}", suite.name)
}

/// Rules in words, or a file with them: no rule ends like one.
fn required(words: &str, suite: &Suite) -> Result<Requirements, String> {
    let requirements = if words.ends_with(".toml") {
        let text = std::fs::read_to_string(words)
            .map_err(|error| format!("--require {words}: {}", units::errno::reason(&error)))?;
        Requirements::read(&Source::new(words, text))
    } else {
        Requirements::parse(&Source::new("--require", words))
    };
    let requirements = requirements.map_err(|wrong| wrong.to_string())?;
    for rule in &requirements.list {
        if let Some(name) = rule.volume.as_ref().filter(|name| !has_volume(suite, name)) {
            let words = if words == rule.words { words.to_owned() } else { format!("{words}: {}", rule.words) };
            return Err(no_volume(&format!("--require {words}"), name, suite, "this suite has one target"));
        }
    }
    Ok(requirements)
}
