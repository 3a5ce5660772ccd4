//! DiskSpd's command lines; NUL separates the arguments, the last one is an XML profile.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("diskspd_command_line", input));
