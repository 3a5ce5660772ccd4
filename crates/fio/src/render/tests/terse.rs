//! The fields of terse output.

use super::*;
use crate::render::terse;

fn fields(record: &Record, version: u8) -> Vec<String> {
    let options = super::super::Options { terse_version: version, ..options() };
    terse(record, &options).trim_end().split(';').map(str::to_string).collect()
}

#[test]
fn each_version_has_its_number_of_fields() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read, Ddir::Write], 100))]);
    for (version, count) in [(2, 161), (3, 121), (4, 162), (5, 180)] {
        assert_eq!(fields(&record, version).len(), count, "version {version}");
    }
}
