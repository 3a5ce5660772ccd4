//! Values of fio's options; the first two bytes choose the option.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("value", input));
