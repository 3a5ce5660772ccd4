//! CPU topology: socket, NUMA node, physical core and type of core.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::{nodes_under, online_under, parse_list, read_list};
use crate::cpu::Cpu;

/// Core types of a hybrid CPU, by the names of the kernel's PMUs, slowest first.
const KINDS: [&str; 3] = ["cpu_lowpower", "cpu_atom", "cpu_core"];

/// Returns all online CPUs, by number.
///
/// # Errors
/// Returns the error of reading sysfs.
pub fn topology() -> io::Result<Vec<Cpu>> {
    topology_under(Path::new("/sys"))
}

fn topology_under(sys: &Path) -> io::Result<Vec<Cpu>> {
    let mut online = online_under(sys)?;
    online.sort_unstable();
    online.dedup();
    let nodes = nodes_under(sys)?;
    let classes = efficiency_classes(sys, &online);
    let mut sockets = Vec::new();
    let mut cores = Vec::new();
    let mut cpus = Vec::with_capacity(online.len());
    for (&id, &efficiency_class) in online.iter().zip(&classes) {
        let running = siblings_of(sys, id).into_iter().filter(|sibling| online.binary_search(sibling).is_ok());
        let first = running.min().unwrap_or(id);
        cpus.push(Cpu {
            id,
            socket: index_in(&mut sockets, socket_of(sys, id)),
            node: nodes.iter().find(|node| node.cpus.contains(&id)).map_or(0, |node| node.id),
            core: index_in(&mut cores, first),
            efficiency_class,
        });
    }
    Ok(cpus)
}

/// Returns the position of `value` in `known`. Appends it if it is new.
fn index_in<T: PartialEq>(known: &mut Vec<T>, value: T) -> u32 {
    let place = known.iter().position(|other| *other == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    });
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Returns the firmware's number of the socket, or -1.
fn socket_of(sys: &Path, id: u32) -> i64 {
    let path = sys.join(format!("devices/system/cpu/cpu{id}/topology/physical_package_id"));
    std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(-1)
}

/// Returns the CPUs of the core. Returns only `id` if the kernel does not list them.
fn siblings_of(sys: &Path, id: u32) -> Vec<u32> {
    let folder = sys.join(format!("devices/system/cpu/cpu{id}/topology"));
    // The second file is the name before Linux 5.3.
    let listed = ["core_cpus_list", "thread_siblings_list"].iter().find_map(|name| read_list(&folder.join(name)).ok());
    listed.filter(|list| list.contains(&id)).unwrap_or_else(|| vec![id])
}

/// Returns the efficiency class of each CPU of `online`.
///
/// Core types define the classes if the kernel has a PMU per type (Intel hybrid CPUs): their capacities also differ
/// between cores of one type. Otherwise the capacities define the classes (Arm big.LITTLE).
fn efficiency_classes(sys: &Path, online: &[u32]) -> Vec<u8> {
    let list_of = |kind: &&str| read_list(&sys.join("devices").join(kind).join("cpus")).ok();
    let kinds: Vec<Vec<u32>> = KINDS.iter().filter_map(list_of).filter(|cpus| !cpus.is_empty()).collect();
    if kinds.len() > 1 {
        let class = |id: &u32| {
            let place = kinds.iter().position(|cpus| cpus.contains(id)).unwrap_or(0);
            u8::try_from(place).unwrap_or(u8::MAX)
        };
        return online.iter().map(class).collect();
    }
    let capacity = |id: &u32| -> Option<u64> {
        let path = sys.join(format!("devices/system/cpu/cpu{id}/cpu_capacity"));
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    // Classes need the capacity of every CPU.
    let Some(capacities) = online.iter().map(capacity).collect::<Option<Vec<u64>>>() else {
        return vec![0; online.len()];
    };
    let distinct: BTreeSet<u64> = capacities.iter().copied().collect();
    let class = |capacity: &u64| u8::try_from(distinct.range(..capacity).count()).unwrap_or(u8::MAX);
    capacities.iter().map(class).collect()
}

/// Returns the list in a sysfs file, or an empty list.
pub(super) fn list_or_empty(path: &Path) -> Vec<u32> {
    std::fs::read_to_string(path).ok().and_then(|text| parse_list(&text)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    fn column<T>(cpus: &[Cpu], field: impl Fn(&Cpu) -> T) -> Vec<T> {
        cpus.iter().map(field).collect()
    }

    #[test]
    fn cores_and_sockets_are_counted_by_their_first_cpus() {
        let tree = Tree::new("sockets");
        tree.write("devices/system/cpu/online", "0-3,5-7");
        // CPU 4 is offline. Socket numbers are the firmware's.
        for (id, socket, siblings) in
            [(0, 36, "0,4"), (1, 7, "1,5"), (2, 36, "2,6"), (3, 7, "3,7"), (5, 7, "1,5"), (6, 36, "2,6"), (7, 7, "3,7")]
        {
            tree.cpu(id, socket, siblings);
        }
        for (node, list) in [(0, "0,2,4,6"), (2, "1,3,5,7")] {
            tree.write(&format!("devices/system/node/node{node}/cpulist"), list);
        }
        tree.write("devices/system/node/online", "0,2");
        let cpus = topology_under(tree.path()).unwrap();
        assert_eq!(column(&cpus, |cpu| cpu.id), [0, 1, 2, 3, 5, 6, 7]);
        assert_eq!(column(&cpus, |cpu| cpu.socket), [0, 1, 0, 1, 1, 0, 1]);
        assert_eq!(column(&cpus, |cpu| cpu.node), [0, 2, 0, 2, 2, 0, 2]);
        assert_eq!(column(&cpus, |cpu| cpu.core), [0, 1, 2, 3, 1, 2, 3]);
        assert!(cpus.iter().all(|cpu| cpu.efficiency_class == 0));
    }

    #[test]
    fn a_machine_without_topology_has_one_socket_and_a_core_per_cpu() {
        let tree = Tree::new("bare");
        tree.write("devices/system/cpu/online", "0-2");
        let cpus = topology_under(tree.path()).unwrap();
        assert_eq!(column(&cpus, |cpu| (cpu.socket, cpu.node, cpu.core)), [(0, 0, 0), (0, 0, 1), (0, 0, 2)]);
        tree.cpu(1, -1, "nonsense");
        tree.write("devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2");
        let cpus = topology_under(tree.path()).unwrap();
        assert_eq!(column(&cpus, |cpu| cpu.core), [0, 1, 0]);
        assert_eq!(column(&cpus, |cpu| cpu.socket), [0, 0, 0]);
    }

    #[test]
    fn core_types_take_precedence_over_capacities() {
        let tree = Tree::new("classes");
        tree.write("devices/system/cpu/online", "0-3");
        for (id, capacity) in [(0, "1024"), (1, "980"), (2, "500"), (3, "500")] {
            tree.write(&format!("devices/system/cpu/cpu{id}/cpu_capacity"), capacity);
        }
        let classes = || column(&topology_under(tree.path()).unwrap(), |cpu| cpu.efficiency_class);
        assert_eq!(classes(), [2, 1, 0, 0]);
        tree.write("devices/cpu_core/cpus", "0-1");
        assert_eq!(classes(), [2, 1, 0, 0], "one kind alone makes no classes");
        tree.write("devices/cpu_atom/cpus", "2-3");
        assert_eq!(classes(), [1, 1, 0, 0]);
        tree.write("devices/cpu_lowpower/cpus", "3");
        tree.write("devices/cpu_atom/cpus", "2");
        assert_eq!(classes(), [2, 2, 1, 0]);
    }

    #[test]
    fn this_machine_has_a_topology() {
        let cpus = topology().unwrap();
        assert_eq!(column(&cpus, |cpu| cpu.id), super::super::online().unwrap());
        assert_eq!((cpus[0].socket, cpus[0].core), (0, 0));
    }
}
