//! Files of suites.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("suite", input));
