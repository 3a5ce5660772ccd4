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
        match requirements {
            Ok(requirements) => requirements.list.iter().for_each(|one| drop(one.shown())),
            Err(error) => drop(error.to_string()),
        }
    }
});
