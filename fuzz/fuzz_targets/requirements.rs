//! Requirements: rules, files, names of applications.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("requirements", input));
