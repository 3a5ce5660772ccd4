//! Tests of the terse format.

use super::*;
use crate::render::terse;

fn fields(record: &Record, version: u8) -> Vec<String> {
    let options = ReportOptions { terse_version: version, ..options() };
    terse(record, &options).trim_end().split(';').map(str::to_string).collect()
}

#[test]
fn each_version_has_its_number_of_fields() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read, Ddir::Write], 100))]);
    for (version, count) in [(2, 161), (3, 121), (4, 162), (5, 180)] {
        assert_eq!(fields(&record, version).len(), count, "version {version}");
    }
}

#[test]
fn percentiles_are_those_of_json_in_whole_microseconds() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read, Ddir::Write], 500))]);
    let fields = fields(&record, 3);
    let document =
        crate::render::json(&record, &options(), crate::render::Detail::Plain, &crate::render::Analysis::NONE);
    let document: serde_json::Value = serde_json::from_str(&document).expect("the report is JSON");
    for (name, first) in [("read", 17), ("write", 58)] {
        let percentiles = document["jobs"][0][name]["clat_ns"]["percentile"].as_object().expect("percentiles");
        for (field, (percent, ns)) in fields[first..first + 17].iter().zip(percentiles) {
            assert_eq!(*field, format!("{percent}%={}", ns.as_u64().expect("a time") / 1000));
        }
    }
}

#[test]
fn fields_are_at_fios_positions() {
    let record = ended(vec![(worker("a"), stats(&[Ddir::Read, Ddir::Write], 1000))]);
    let fields = fields(&record, 3);
    assert_eq!((fields[0].as_str(), fields[2].as_str(), fields[4].as_str()), ("3", "a", "0"));
    assert!(fields[1].starts_with("fio-3."));
    assert_eq!(fields[5..9], ["4000", "2000", "500", "2000"], "read: KiB, KiB/s, IOPS, ms");
    assert_eq!(fields[46..50], ["4000", "2000", "500", "2000"], "write");
    assert_eq!(fields[37..46][4..], ["1800", "2200", "100.000000%", "2000.000000", "163.299316"]);
    assert_eq!(fields[87], "24.962556%", "user time");
}

#[test]
fn disks_errors_and_description_are_last() {
    let mut job = worker("a");
    job.errors.continue_on_read = true;
    echo(&mut job, |echo| echo.description = Some("text".into()));
    let mut record = ended(vec![(job, stats(&[Ddir::Read], 10))]);
    record.disks = vec![disk("vda")];
    (record.workers[0].nonfatal_errors, record.workers[0].first_nonfatal_errno) = (3, 5);
    let three = fields(&record, 3);
    assert_eq!(three[121..].join(";"), "vda;10;20;1;2;3;4;7;50.00%;3;5;text");
    assert_eq!(three[4], "5", "the nonfatal error");
    let options = ReportOptions { terse_version: 2, ..options() };
    assert!(terse(&record, &options).ends_with(";3;5\n;text\n"));
}
