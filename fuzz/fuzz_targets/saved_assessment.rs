//! Any bytes as a saved assessment; what can be read is shown in every format, and written again loses nothing. What
//! `fathom assess --save` writes is where to begin.
#![no_main]

use libfuzzer_sys::fuzz_target;
use report::{card, html, markdown, svg};

fuzz_target!(|text: &[u8]| {
    match assessment::read(text) {
        Err(broken) => drop(broken.to_string()),
        Ok(read) => {
            drop((card(&read, false), html(&read), markdown(&read), svg(&read)));
            let written = assessment::write(&read).expect("what was read can be written");
            let again = assessment::read(written.as_bytes()).expect("what was written can be read");
            assert_eq!(written, assessment::write(&again).expect("it can be written again"));
        }
    }
});
