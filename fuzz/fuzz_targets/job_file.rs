//! Any bytes as a job file: read, explained and shown as a command line without a panic.
#![no_main]

use fio::parse::env::FixedEnv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let env = FixedEnv::default().var("A", "4k").file("a.fio", bytes).file("b.inc", b"bs=8k\n");
    for args in [vec!["a.fio"], vec!["--showcmd", "a.fio"]] {
        let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        if let Err(errors) = fio::parse(&args, &env) {
            errors.iter().for_each(|error| drop(error.to_string()));
        }
    }
});
