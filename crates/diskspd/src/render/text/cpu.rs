//! CPU usage per CPU.

use crate::render::report::{CpuShare, Span};
use crate::render::topology::{GROUP, Topology};
use record::{Cpu, Machine};

/// A column that appears only if its values differ between CPUs.
struct Column {
    heading: &'static str,
    shown: fn(&Cpu, &Topology) -> String,
}

/// Renders the table. Empty if CPU times were not recorded.
pub fn table(span: &Span, machine: &Machine) -> String {
    if span.cpus.is_empty() {
        return String::new();
    }
    let topology = Topology::of(machine);
    let columns = columns(&topology);
    let headings: String = columns.iter().map(|column| column.heading).collect();
    let border = format!("{}\n", "-".repeat(headings.len() + 40));
    let mut text = format!("\n{headings}CPU |  Usage |  User  | Kernel |  Idle\n{border}");
    for share in &span.cpus {
        let leading: String = columns.iter().map(|column| (column.shown)(&share.cpu, &topology)).collect();
        text += &format!("{leading}{:4}|{}\n", share.cpu.id, shares(share));
    }
    text + &format!("{border}{}avg.|{}\n", " ".repeat(headings.len()), shares(&span.mean_cpu()))
}

fn shares(share: &CpuShare) -> String {
    format!(" {:6.2}%| {:6.2}%| {:6.2}%| {:6.2}%", share.usage(), share.user, share.kernel, share.idle)
}

fn columns(topology: &Topology) -> Vec<Column> {
    let all = [
        (topology.sockets.len() > 1, Column { heading: "Socket | ", shown: |cpu, _| format!("{:7}| ", cpu.socket) }),
        (topology.nodes.len() > 1, Column { heading: "Node | ", shown: |cpu, _| format!("{:5}| ", cpu.node) }),
        (topology.groups() > 1, Column { heading: "Group | ", shown: |_, _| format!("{GROUP:6}| ") }),
        (topology.has_siblings(), Column { heading: "Core | ", shown: |cpu, _| format!("{:5}| ", cpu.core) }),
        (topology.performance_class.is_some(), Column { heading: "Class | ", shown: class }),
    ];
    all.into_iter().filter(|(needed, _)| *needed).map(|(_, column)| column).collect()
}

/// Returns the class. The fastest cores are marked.
fn class(cpu: &Cpu, topology: &Topology) -> String {
    let mark = if topology.performance_class == Some(cpu.efficiency_class) { 'P' } else { ' ' };
    format!("{:5}{mark}| ", cpu.efficiency_class)
}
