//! Any words as a command line; NUL separates them.
#![no_main]

use fio::parse::env::FixedEnv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let env = FixedEnv::default().file("a.fio", b"[a]\nrw=read\nsize=1m\n");
    let args: Vec<String> = text.split('\0').map(str::to_owned).collect();
    if let Err(errors) = fio::parse(&args, &env) {
        errors.iter().for_each(|error| drop(error.to_string()));
    }
});
