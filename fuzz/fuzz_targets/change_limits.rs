//! Metrics and limits of changes.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("change_limits", input));
