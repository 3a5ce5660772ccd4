//! XML profiles of DiskSpd.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("diskspd_profile", input));
