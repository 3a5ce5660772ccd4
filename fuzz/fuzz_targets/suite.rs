//! Any text as a suite: refused with its place, or all its jobs can be made. `data/suites` is where to begin.
#![no_main]

use libfuzzer_sys::fuzz_target;
use study::suite::{FillWay, Form, Place, Site, Sites, Suite, SuiteParams};

fuzz_target!(|text: &str| {
    let suite = match Suite::read("any.toml", text) {
        Ok(suite) => suite,
        Err(error) => return drop(error.to_string()),
    };
    for (form, short) in [(Form::Literal, false), (Form::AsMeant, true)] {
        let site = Site::new(Place::Directory("/d".to_owned()), suite.default_size(short, false));
        let params = SuiteParams {
            form,
            short,
            is_resized: false,
            sites: Sites::one(site),
            fill: FillWay::Suite,
            runtime_s: None,
        };
        for test in &suite.tests {
            for cell in test.cells_of(short, 4096).iter().take(50) {
                suite.job(test, cell, &params).text();
            }
        }
        suite.fill_options(&params, params.sites.of(None));
    }
});
