//! DiskSpd's reports, from the profile and the record of its run.

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

/// The report for people. A record that is DiskSpd's own carries its profile: the errors are those of its XML.
pub fn text(record: &Record) -> Result<String, Vec<Diagnostic>> {
    report_of(record).map(|report| text::report(&report))
}

/// The report for programs. Nothing follows the last element, not even the end of its line.
pub fn xml(record: &Record) -> Result<String, Vec<Diagnostic>> {
    report_of(record).map(|report| xml::report(&report))
}

/// What the machine is, as the report says it. The time is that of the start; 0 where there was none.
pub fn system_text(machine: &Machine, started_unix_ms: u64) -> String {
    system::text(machine, started_unix_ms)
}

pub fn system_xml(machine: &Machine, started_unix_ms: u64) -> String {
    let mut writer = Writer::new(0);
    system::xml(&mut writer, machine, started_unix_ms);
    writer.finish()
}

/// A run that was asked for in other words is told in these, as well as they can.
fn report_of(record: &Record) -> Result<Report<'_>, Vec<Diagnostic>> {
    let profile = match &record.plan.origin {
        Origin::DiskSpd { profile_xml, .. } => crate::xml::read(profile_xml, "the record's profile")?.profile,
        Origin::Fio(_) => plan_profile::profile(record),
    };
    Ok(Report::new(record, record.plan.origin.command_line(), profile))
}
