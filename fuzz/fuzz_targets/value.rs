//! Any text as the value of any option; the first byte chooses the option.
#![no_main]

use fio::options::{CORE, ENGINE_OPTIONS};
use fio::parse::env::FixedEnv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &str)| {
    let (index, text) = input;
    let index = usize::from(index) % (CORE.len() + ENGINE_OPTIONS.len());
    let option = CORE.get(index).unwrap_or_else(|| &ENGINE_OPTIONS[index - CORE.len()]);
    let engine = option.engines.first().unwrap_or(&"psync");
    let args = ["--name=a".to_owned(), format!("--ioengine={engine}"), format!("--{}={text}", option.name)];
    if let Err(errors) = fio::parse(&args, &FixedEnv::default()) {
        errors.iter().for_each(|error| drop(error.to_string()));
    }
});
