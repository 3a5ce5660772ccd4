//! Any text as requirements, in words and as a file. `data/requirements` is where to begin.
#![no_main]

use judge::requirements::Requirements;
use libfuzzer_sys::fuzz_target;
use units::diagnostic::Source;

fuzz_target!(|text: &str| {
    let read = [
        Requirements::parse(&Source::new("--require", text)),
        Requirements::read(&Source::new("any.toml", text)),
        Requirements::of_application(&Source::new("--for", text)),
    ];
    for requirements in read {
        if let Err(error) = requirements {
            error.to_string();
        }
    }
});
