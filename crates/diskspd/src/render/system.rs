//! System information of the report.

use super::topology::{self, GROUP, Topology};
use crate::xml::writer::Writer;
use record::Machine;
use units::calendar::civil;
use units::untrusted::joined;

/// The DiskSpd version with this report layout. Parsers use it to select the layout.
const VERSION: &str = "2.2.0";
const VERSION_DATE: &str = "2024/6/3";

/// Renders from `System information:` to the end of the section.
pub fn text(machine: &Machine, started_unix_ms: u64) -> String {
    let topology = Topology::of(machine);
    format!(
        "System information:\n\n\
         \tcomputer name: {}\n\
         \tstart time: {}\n\n\
         \tcpu count:\t\t{}\n\
         \tcore count:\t\t{}\n\
         \tgroup count:\t\t{}\n\
         \tnode count:\t\t{}\n\
         \tsocket count:\t\t{}\n\
         \theterogeneous cores:\t{}\n\n\
         \tactive power scheme:\t{}\n",
        machine.hostname,
        start_time(started_unix_ms),
        topology.cpus.len(),
        topology.cores.len(),
        topology.groups(),
        topology.nodes.len(),
        topology.sockets.len(),
        if topology.performance_class.is_some() { 'y' } else { 'n' },
        power_scheme(machine),
    )
}

pub fn xml(writer: &mut Writer, machine: &Machine, started_unix_ms: u64) {
    let topology = Topology::of(machine);
    writer.nested("System", |writer| {
        writer.leaf("ComputerName", machine.hostname.raw());
        writer.nested("Tool", |writer| {
            writer.leaf("Version", VERSION);
            writer.leaf("VersionDate", VERSION_DATE);
        });
        writer.leaf("RunTime", start_time(started_unix_ms));
        writer.empty("PowerScheme", &[("Name", &power_scheme(machine)), ("Guid", &"")]);
        let mixed = topology.performance_class.is_some();
        writer.nested_with("ProcessorTopology", &[("Heterogeneous", &mixed)], |writer| layout(writer, &topology));
    });
}

fn layout(writer: &mut Writer, topology: &Topology) {
    let active = topology.cpus.len();
    let mask = topology::mask(&topology.cpus);
    // The kernel also numbers offline CPUs. Those after the last online CPU are not visible here.
    let maximum = topology.cpus.iter().max().map_or(0, |last| last.saturating_add(1));
    if topology.groups() > 0 {
        writer.empty(
            "Group",
            &[
                ("Group", &GROUP),
                ("MaximumProcessors", &maximum),
                ("ActiveProcessors", &active),
                ("ActiveProcessorMask", &mask),
            ],
        );
    }
    for (name, members) in [("Node", &topology.nodes), ("Socket", &topology.sockets)] {
        for (number, cpus) in members {
            writer.nested_with(name, &[(name, number)], |writer| {
                writer.empty("Group", &[("Group", &GROUP), ("Mask", &topology::mask(cpus))]);
            });
        }
    }
    for (core, (class, cpus)) in &topology.cores {
        let mask = topology::mask(cpus);
        writer.empty("Core", &[("Group", &GROUP), ("Core", core), ("Mask", &mask), ("EfficiencyClass", class)]);
    }
}

/// Returns the closest equivalent of a Windows power scheme: the CPU frequency governors.
fn power_scheme(machine: &Machine) -> String {
    if machine.governors.is_empty() { "<unknown>".to_owned() } else { joined(&machine.governors, ", ") }
}

/// Formats `2026/11/21 02:49:17 UTC`. Empty if the time is unknown.
fn start_time(unix_ms: u64) -> String {
    if unix_ms == 0 {
        return String::new();
    }
    let second = unix_ms / 1000;
    let (year, month, day) = civil(second / 86_400);
    let (hour, minute) = (second / 3600 % 24, second / 60 % 60);
    format!("{year}/{:02}/{day:02} {hour:02}:{minute:02}:{:02} UTC", month + 1, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_time_is_in_utc() {
        assert_eq!(start_time(1_795_229_056_889), "2026/11/21 02:44:16 UTC");
        assert_eq!(start_time(951_786_123_000), "2000/02/29 01:02:03 UTC");
        assert_eq!(start_time(0), "");
        start_time(u64::MAX);
    }

    #[test]
    fn power_scheme_is_the_governor() {
        let mut machine = Machine::default();
        assert_eq!(power_scheme(&machine), "<unknown>");
        machine.governors = vec!["performance".into(), "powersave".into()];
        assert!(text(&machine, 0).ends_with("\tactive power scheme:\tperformance, powersave\n"));
    }
}
