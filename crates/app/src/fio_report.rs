//! fio's reports of a run, in the formats of its command line.

use fio::parse::settings::ProgramSettings;
use fio::render::{self, Detail, Formats, ReportOptions};
use record::Record;

use crate::findings;
use crate::run::unix_ms;

/// Returns the reports. `eta_s` is the estimated time until the end.
pub fn text(record: &Record, program: &ProgramSettings, eta_s: Option<u64>) -> String {
    let options = ReportOptions {
        now_unix_ms: if record.ended_unix_ms > 0 { record.ended_unix_ms } else { unix_ms() },
        utc_offset_s: record.utc_offset_s,
        eta_s,
        terse_version: program.terse_version as u8,
    };
    let formats = program.formats;
    let reports = Formats {
        normal: formats.normal,
        terse: formats.terse,
        json: match (formats.json, formats.json_plus) {
            (_, true) => Some(Detail::Bins),
            (true, false) => Some(Detail::Plain),
            (false, false) => None,
        },
    };
    let findings = if reports.json.is_some() { findings::described(record) } else { Vec::new() };
    render::report(record, reports, &options, &findings::analysis(&findings))
}
