//! Axes of sweeps; NUL separates them.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("axes", input));
