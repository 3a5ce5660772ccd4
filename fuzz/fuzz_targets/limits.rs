//! Any text as an expectation, a file of limits, and a vendor's answer to import. `data/limits` is where to begin.
#![no_main]

use std::sync::LazyLock;

use judge::limits::{Catalogue, import};
use libfuzzer_sys::fuzz_target;
use units::diagnostic::Source;

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(Catalogue::built_in);

fuzz_target!(|text: &str| {
    let mut catalogue = BUILT_IN.clone();
    if let Err(error) = catalogue.add(&Source::new("any.toml", text)) {
        error.to_string();
    }
    match catalogue.expect(&Source::new("--expect", text)) {
        Ok(expectation) => drop(report::limits::expectation(&expectation)),
        Err(error) => drop(error.to_string()),
    }
    if let Ok(imported) = import(text, "2026-11-21") {
        let own = Source::new("imported.toml", imported.toml.as_str());
        catalogue.add(&own).expect("what was imported can be read");
    }
});
