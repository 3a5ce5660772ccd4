//! Files of limits, expectations, output of vendors' tools.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("limits", input));
