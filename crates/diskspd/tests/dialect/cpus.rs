//! CPU table and topology on various machines.

use crate::stage;
use diskspd::profile::{Profile, Target, TimeSpan};
use diskspd::render;
use record::{Cpu, CpuUse, Machine, PhaseRecord, Record};

/// Returns a record without threads, of a machine with CPUs of the given (socket, node, core, class).
fn record(cpus: &[(u32, u32, u32, u8)]) -> Record {
    let time_span = TimeSpan { targets: vec![Target { path: "x".into(), ..Target::default() }], ..TimeSpan::default() };
    let profile = Profile { time_spans: vec![time_span], ..Profile::default() };
    let mut record = stage::record("diskspd x", &diskspd::xml::write(&profile), &[0]);
    let cpu = |(id, &(socket, node, core, efficiency_class))| Cpu { id, socket, node, core, efficiency_class };
    record.machine = Machine { cpus: (0..).zip(cpus).map(cpu).collect(), ..Machine::default() };
    let used = |cpu: &Cpu| CpuUse { cpu: cpu.id, user_ns: 1, kernel_ns: 2, idle_ns: 1 };
    let cpus = record.machine.cpus.iter().map(used).collect();
    record.phases = vec![PhaseRecord { measured_ns: 1, cpus, ..PhaseRecord::default() }];
    record
}

fn table(cpus: &[(u32, u32, u32, u8)]) -> String {
    let text = render::text(&record(cpus)).unwrap();
    let (_, after) = text.split_once("thread count:\t\t0\n").unwrap();
    after.split_once("\nTotal IO").unwrap().0.to_owned()
}

#[test]
fn columns_appear_only_if_cpus_differ() {
    let expected = "\n\
        Socket | Node | Core | Class | CPU |  Usage |  User  | Kernel |  Idle\n\
        -----------------------------------------------------------------------\n\
        \x20     0|     1|     0|     2P|    0|  75.00%|  25.00%|  50.00%|  25.00%\n\
        \x20     0|     1|     0|     2P|    1|  75.00%|  25.00%|  50.00%|  25.00%\n\
        \x20     1|     4|     1|     0 |    2|  75.00%|  25.00%|  50.00%|  25.00%\n\
        -----------------------------------------------------------------------\n\
        \x20                              avg.|  75.00%|  25.00%|  50.00%|  25.00%\n";
    assert_eq!(table(&[(0, 1, 0, 2), (0, 1, 0, 2), (1, 4, 1, 0)]), expected);
}

#[test]
fn uniform_machine_needs_no_columns() {
    let expected = "\n\
        CPU |  Usage |  User  | Kernel |  Idle\n\
        ----------------------------------------\n\
        \x20  0|  75.00%|  25.00%|  50.00%|  25.00%\n\
        ----------------------------------------\n\
        avg.|  75.00%|  25.00%|  50.00%|  25.00%\n";
    assert_eq!(table(&[(0, 0, 0, 0)]), expected);
    assert_eq!(table(&[]), "");
}

#[test]
fn topology_is_in_the_xml() {
    let xml = render::system_xml(&record(&[(0, 1, 0, 2), (0, 1, 0, 2), (1, 4, 1, 0)]).machine, 0);
    let expected = "  <ProcessorTopology Heterogeneous=\"true\">\n    \
        <Group Group=\"0\" MaximumProcessors=\"3\" ActiveProcessors=\"3\" ActiveProcessorMask=\"0x7\"/>\n    \
        <Node Node=\"1\">\n      <Group Group=\"0\" Mask=\"0x3\"/>\n    </Node>\n    \
        <Node Node=\"4\">\n      <Group Group=\"0\" Mask=\"0x4\"/>\n    </Node>\n    \
        <Socket Socket=\"0\">\n      <Group Group=\"0\" Mask=\"0x3\"/>\n    </Socket>\n    \
        <Socket Socket=\"1\">\n      <Group Group=\"0\" Mask=\"0x4\"/>\n    </Socket>\n    \
        <Core Group=\"0\" Core=\"0\" Mask=\"0x3\" EfficiencyClass=\"2\"/>\n    \
        <Core Group=\"0\" Core=\"1\" Mask=\"0x4\" EfficiencyClass=\"0\"/>\n  </ProcessorTopology>\n";
    assert!(xml.contains(expected), "{xml}");
    roxmltree::Document::parse(&xml).unwrap();
}
