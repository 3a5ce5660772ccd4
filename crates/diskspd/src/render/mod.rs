//! DiskSpd's reports, from the profile and the record of a run.

mod buckets;
mod byte_size;
mod distribution;
mod figures;
mod plan_profile;
mod profile_text;
mod report;
mod system;
mod text;
mod topology;
mod xml;

pub use profile_text::profile_text;

use crate::xml::writer::Writer;
use plan::Origin;
use record::{Machine, Record};
use report::Report;
use units::diagnostic::Diagnostic;
use units::markup::printable;

/// Renders the text report.
///
/// # Errors
/// Returns the errors of the record's XML profile.
pub fn text(record: &Record) -> Result<String, Vec<Diagnostic>> {
    report_of(record).map(|report| printable(&text::report(&report)).into_owned())
}

/// Renders the XML report. It has no final newline, as in DiskSpd.
///
/// # Errors
/// Returns the errors of the record's XML profile.
pub fn xml(record: &Record) -> Result<String, Vec<Diagnostic>> {
    report_of(record).map(|report| xml::report(&report))
}

/// Renders the system information as text. `started_unix_ms` of 0 means an unknown time.
pub fn system_text(machine: &Machine, started_unix_ms: u64) -> String {
    system::text(machine, started_unix_ms)
}

pub fn system_xml(machine: &Machine, started_unix_ms: u64) -> String {
    let mut writer = Writer::new(0);
    system::xml(&mut writer, machine, started_unix_ms);
    writer.finish()
}

/// Returns the report of a record. Runs of another dialect are converted to the closest profile.
fn report_of(record: &Record) -> Result<Report<'_>, Vec<Diagnostic>> {
    let profile = match &record.plan.origin {
        Origin::DiskSpd { profile_xml, .. } => crate::xml::read(profile_xml, "the record's profile")?.profile,
        Origin::Fio(_) => plan_profile::profile(record),
    };
    Ok(Report::new(record, record.plan.origin.command_line(), profile))
}
