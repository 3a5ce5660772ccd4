//! Any text as a suite: refused with its place, or all its jobs can be made. `data/suites` is where to begin.
#![no_main]

use libfuzzer_sys::fuzz_target;
use study::suite::{FillWay, Form, Place, Suite, Terms};

fuzz_target!(|text: &str| {
    let suite = match Suite::read("any.toml", text) {
        Ok(suite) => suite,
        Err(told) => return drop(told.to_string()),
    };
    for (form, short) in [(Form::Literal, false), (Form::AsMeant, true)] {
        let terms = Terms {
            form,
            short,
            place: Place::Directory("/d".to_owned()),
            size_bytes: suite.default_size(short, false),
            least_block_bytes: 4096,
            fill: FillWay::Suite,
            runtime_s: None,
            last: Vec::new(),
        };
        for test in &suite.tests {
            for cell in test.cells_of(short, 4096).iter().take(50) {
                suite.job(test, cell, &terms).text();
            }
        }
        suite.fill_options(&terms);
    }
});
