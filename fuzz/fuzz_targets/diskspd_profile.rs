//! Any bytes as an XML profile: read or refused without a panic; what was read is the same after it was written.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match diskspd::xml::read_bytes(bytes, "a.xml") {
        Ok(reading) => {
            let text = diskspd::xml::write(&reading.profile);
            let again = diskspd::xml::read(&text, "again.xml").expect("what was written can be read");
            assert_eq!(again.profile, reading.profile);
        }
        Err(errors) => errors.iter().for_each(|error| drop(error.to_string())),
    }
});
