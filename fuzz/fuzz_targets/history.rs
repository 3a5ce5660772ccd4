//! Documents of the history: lists, exports, comparisons.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("history", input));
