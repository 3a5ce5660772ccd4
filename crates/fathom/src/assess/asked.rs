//! What is asked of the target: what a vendor publishes (`--expect`), what is needed (`--require`, `--for`).

use judge::assessment::Assessment;
use judge::limits::Expectation;
use judge::requirements::Requirements;
use study::suite::Suite;
use units::diagnostic::{Diagnostic, Source};

use super::volumes::listed;
use crate::limits::own;
use crate::output::tell_line;

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
                    && suite.volumes.iter().all(|volume| volume.name != *name)
                {
                    return Err(no_volume(words, name, suite));
                }
                expectation.warnings.iter().for_each(|warning| tell_line!("{warning}"));
                asked.expectations.push(expectation);
            }
        }
        for words in &asking.require {
            asked.requirements.push(required(words)?);
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

fn no_volume(words: &str, name: &str, suite: &Suite) -> String {
    let help = match suite.volumes.is_empty() {
        true => "\nhelp: read= and write= are for a direction".to_owned(),
        false => listed(suite),
    };
    format!("--expect {words}: the suite {} has no volume {name}{help}", suite.name)
}

/// Rules in words, or a file with them: no rule ends like one.
fn required(words: &str) -> Result<Requirements, String> {
    let told = |wrong: Diagnostic| wrong.to_string();
    if !words.ends_with(".toml") {
        return Requirements::parse(&Source::new("--require", words)).map_err(told);
    }
    let text = std::fs::read_to_string(words)
        .map_err(|error| format!("--require {words}: {}", record::plain(&error.to_string())))?;
    Requirements::read(&Source::new(words, text)).map_err(told)
}
