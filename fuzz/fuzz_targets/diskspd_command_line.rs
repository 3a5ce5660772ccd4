//! Any words as a DiskSpd command line; NUL separates them, and what follows the last is the profile in `p.xml`.
#![no_main]

use diskspd::parse::env::FixedEnv;
use diskspd::{Request, parse, xml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (words, profile) = text.rsplit_once('\0').unwrap_or((text, ""));
    let env = FixedEnv::default().file("p.xml", profile.as_bytes());
    let words: Vec<String> = words.split('\0').map(str::to_owned).collect();
    match parse(&words, &env) {
        Err(errors) => errors.iter().for_each(|error| drop(error.to_string())),
        // XML has no way to say control characters.
        Ok(Request::Run(invocation)) if !words.iter().any(|word| word.contains(unwritable)) => {
            let written = xml::write(&invocation.profile);
            assert!(
                xml::read(&written, "p.xml").is_ok_and(|reading| reading.profile == invocation.profile),
                "{written}"
            );
        }
        Ok(_) => {}
    }
});

fn unwritable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')
}
