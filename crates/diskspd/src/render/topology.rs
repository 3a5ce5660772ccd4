//! CPU topology as DiskSpd counts it. Linux has no processor groups: all CPUs are in group 0.

use record::{Cpu, Machine};
use std::collections::BTreeMap;

/// Number of the only processor group.
pub const GROUP: u32 = 0;

/// CPU numbers by socket, node, core and class.
pub struct Topology {
    pub cpus: Vec<u32>,
    pub nodes: BTreeMap<u32, Vec<u32>>,
    pub sockets: BTreeMap<u32, Vec<u32>>,
    /// With the efficiency class of each core.
    pub cores: BTreeMap<u32, (u8, Vec<u32>)>,
    /// The class of the fastest cores. `None` if all cores have one class.
    pub performance_class: Option<u8>,
}

impl Topology {
    pub fn of(machine: &Machine) -> Topology {
        let by = |key: fn(&Cpu) -> u32| {
            let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            machine.cpus.iter().for_each(|cpu| found.entry(key(cpu)).or_default().push(cpu.id));
            found
        };
        let class_of =
            |core: u32| machine.cpus.iter().find(|cpu| cpu.core == core).map_or(0, |cpu| cpu.efficiency_class);
        let classes = || machine.cpus.iter().map(|cpu| cpu.efficiency_class);
        let (slowest, fastest) = (classes().min(), classes().max());
        Topology {
            cpus: machine.cpus.iter().map(|cpu| cpu.id).collect(),
            nodes: by(|cpu| cpu.node),
            sockets: by(|cpu| cpu.socket),
            cores: by(|cpu| cpu.core).into_iter().map(|(core, cpus)| (core, (class_of(core), cpus))).collect(),
            performance_class: fastest.filter(|_| slowest != fastest),
        }
    }

    pub fn groups(&self) -> usize {
        usize::from(!self.cpus.is_empty())
    }

    /// Returns whether a core has more than one CPU.
    pub fn has_siblings(&self) -> bool {
        self.cores.len() < self.cpus.len()
    }
}

/// Higher than in any kernel. It limits the length of a mask in a damaged record.
const CPUS_MAX: u32 = 1 << 16;

/// Formats `0x5` for CPUs 0 and 2.
pub fn mask(cpus: &[u32]) -> String {
    let cpus = || cpus.iter().filter(|cpu| **cpu < CPUS_MAX);
    let digits = cpus().max().map_or(1, |last| *last as usize / 4 + 1);
    let mut nibbles = vec![0_u8; digits];
    cpus().for_each(|cpu| nibbles[*cpu as usize / 4] |= 1 << (cpu % 4));
    let shown: String = nibbles.iter().rev().map(|nibble| format!("{nibble:x}")).collect();
    format!("0x{shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_required_width() {
        assert_eq!([&[0, 1][..], &[4], &[64, 3], &[]].map(mask), ["0x3", "0x10", "0x10000000000000008", "0x0"]);
    }

    #[test]
    fn core_classes_appear_only_with_several_classes() {
        let cpu = |id, core, efficiency_class| Cpu { id, core, efficiency_class, ..Cpu::default() };
        let mut machine = Machine { cpus: vec![cpu(0, 0, 1), cpu(1, 0, 1), cpu(2, 1, 0)], ..Machine::default() };
        let mixed = Topology::of(&machine);
        assert_eq!(
            (mixed.performance_class, mixed.has_siblings(), mixed.cores[&0].clone()),
            (Some(1), true, (1, vec![0, 1]))
        );
        machine.cpus.iter_mut().for_each(|cpu| cpu.efficiency_class = 1);
        assert_eq!(Topology::of(&machine).performance_class, None);
        assert_eq!(Topology::of(&Machine::default()).groups(), 0);
    }
}
