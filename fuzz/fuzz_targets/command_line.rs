//! fio's command lines; NUL separates the arguments.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("command_line", input));
