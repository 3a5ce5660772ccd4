//! Any bytes as a saved record; what can be read is shown in every format, and written again loses nothing.
//! `corpus/records` is where to begin.
#![no_main]

use fio::render::{Analysis, Detail, Formats, ReportOptions, report};
use libfuzzer_sys::fuzz_target;
use record::schema;

fuzz_target!(|text: &[u8]| {
    match schema::read(text) {
        Err(broken) => drop(broken.to_string()),
        Ok(record) => {
            let formats = Formats { normal: true, json: Some(Detail::Bins), terse: true };
            report(&record, formats, &ReportOptions::default(), &Analysis::NONE);
            drop((diskspd::render::text(&record), diskspd::render::xml(&record)));
            let written = schema::write(&record).expect("what was read can be written");
            let again = schema::read(written.as_bytes()).expect("what was written can be read");
            assert_eq!(written, schema::write(&again).expect("it can be written again"));
        }
    }
});
