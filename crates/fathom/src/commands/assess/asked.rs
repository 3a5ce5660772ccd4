//! What is asked of the target: what a vendor publishes (`--expect`), what is needed (`--require`, `--for`).

use assessment::Assessment;
use judge::limits::Expectation;
use judge::requirements::Requirements;
use study::suite::Suite;
use units::diagnostic::{Diagnostic, Source};

use super::volumes::listed;
use crate::output::tell_line;
use crate::own_limits as own;

/// The words that ask, as they were given.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    pub expect: Vec<String>,
    pub require: Vec<String>,
    pub applications: Vec<String>,
}

pub struct Asked {
    expectations: Vec<Expectation>,
    requirements: Vec<Requirements>,
}

impl Asked {
    /// Reads all of it, before anything is run.
    pub fn read(asking: &Asking, suite: &Suite) -> Result<Asked, String> {
        let told = |wrong: Diagnostic| wrong.to_string();
        let mut asked = Asked { expectations: Vec::new(), requirements: Vec::new() };
        if !asking.expect.is_empty() {
            let catalogue = own::catalogue()?;
            for words in &asking.expect {
                let expectation = catalogue.expect(&Source::new("--expect", words.as_str())).map_err(told)?;
                if let Some(name) = &expectation.volume
                    && !has_volume(suite, name)
                {
                    return Err(no_volume(
                        &format!("--expect {words}"),
                        name,
                        suite,
                        "read= and write= are for a direction",
                    ));
                }
                expectation.warnings.iter().for_each(|warning| tell_line!("{warning}"));
                asked.expectations.push(expectation);
            }
        }
        for words in &asking.require {
            asked.requirements.push(required(words, suite)?);
        }
        for name in &asking.applications {
            let known = Requirements::of_application(&Source::new("--for", name.as_str()));
            asked.requirements.push(known.map_err(told)?);
        }
        Ok(asked)
    }

    /// Holds what was measured against it; where nothing is asked, what is there stays. What applications need is held
    /// against it in any case.
    pub fn judge(&self, assessment: &mut Assessment) {
        assessment.applications = judge::applications::judge(&assessment.tests);
        if !self.expectations.is_empty() || !self.requirements.is_empty() {
            judge::verdict::judge(assessment, &self.expectations, &self.requirements);
        }
    }
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
            return Err(no_volume(&format!("--require {words}"), name, suite, "it tells no volumes apart"));
        }
    }
    Ok(requirements)
}
