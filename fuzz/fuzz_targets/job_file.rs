//! Job files of fio.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fathom_fuzz::run("job_file", input));
