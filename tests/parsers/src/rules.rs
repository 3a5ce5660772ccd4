//! TOML files and rules of the user: suites, limits and requirements.

use std::sync::LazyLock;

use judge::limits::{Catalogue, import};
use judge::requirements::Requirements;
use study::suite::{FillWay, Form, Place, Site, Sites, Suite, SuiteParams};
use units::diagnostic::Source;

use crate::Progress;

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);
/// Jobs made of each test of a suite.
const CELLS_MAX: usize = 50;
/// The smallest block that a device accepts.
const BLOCK_BYTES: u64 = 4096;

/// Reads any text as a suite. All jobs of a suite can be made.
pub fn suite(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    let read = Suite::read("any.toml", text);
    let progress = Progress::of(&read);
    match read {
        Ok(suite) => {
            make_jobs(&suite, Form::Literal, false);
            make_jobs(&suite, Form::AsMeant, true);
        }
        Err(error) => drop(error.to_string()),
    }
    progress
}

fn make_jobs(suite: &Suite, form: Form, short: bool) {
    let site = Site::new(Place::Directory("/d".to_owned()), suite.default_size(short, false, None));
    let params =
        SuiteParams { form, short, is_resized: false, sites: Sites::one(site), fill: FillWay::Suite, runtime_s: None };
    for test in &suite.tests {
        for cell in test.cells_of(short, BLOCK_BYTES).iter().take(CELLS_MAX) {
            suite.job(test, cell, &params).text();
        }
    }
    suite.fill_options(&params, params.sites.of(None));
}

/// Reads any text as an expectation, a file of limits, and a vendor's answer to import.
///
/// # Panics
/// What was imported cannot be read.
pub fn limits(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    let mut catalogue = BUILT_IN.clone();
    let added = catalogue.add(&Source::new("any.toml", text));
    let expected = catalogue.expect(&Source::new("--expect", text));
    if let Ok(expectation) = &expected {
        report::limits::expectation(expectation);
    }
    let imported = import(text, "2026-11-21");
    if let Ok(imported) = &imported {
        let own = Source::new("imported.toml", imported.toml.as_str());
        catalogue.add(&own).expect("what was imported can be read");
        report::limits::imported(imported);
    }
    added.as_ref().err().into_iter().chain(expected.as_ref().err()).for_each(|error| drop(error.to_string()));
    let of_import = if imported.is_ok() { Progress::Accepted } else { Progress::FirstToken };
    Progress::of(&added).max(Progress::of(&expected)).max(of_import)
}

/// Reads any text as requirements, in words and as a file.
pub fn requirements(bytes: &[u8]) -> Progress {
    let Ok(text) = std::str::from_utf8(bytes) else { return Progress::FirstToken };
    let read = [
        Requirements::parse(&Source::new("--require", text)),
        Requirements::read(&Source::new("any.toml", text)),
        Requirements::of_application(&Source::new("--for", text)),
    ];
    read.iter().filter_map(|outcome| outcome.as_ref().err()).for_each(|error| drop(error.to_string()));
    read.iter().map(Progress::of).max().unwrap_or(Progress::FirstToken)
}
