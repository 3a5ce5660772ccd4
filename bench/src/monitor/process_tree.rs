//! Memory and CPU time of a process and its descendants.

use std::fs;

/// Clock ticks per second in `/proc/PID/stat` (USER_HZ).
const TICKS_PER_S: f64 = 100.0;

/// A process, from `/proc/PID/stat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Process {
    id: u32,
    parent: u32,
    /// CPU time of the process and of reaped children.
    ticks: u64,
}

/// Returns the sum of the proportional set sizes of a process and its descendants; `None` if the kernel has none.
pub fn memory_bytes(root: u32) -> Option<u64> {
    // A process may exit between the two reads; its memory is then left out.
    let sizes: Vec<u64> =
        tree(root, &processes()).into_iter().filter_map(|process| proportional_set_size(process.id)).collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum())
}

/// Returns the CPU time of a process and its descendants, with a resolution of 10 ms per process.
pub fn cpu_s(root: u32) -> f64 {
    let ticks: u64 = tree(root, &processes()).iter().map(|process| process.ticks).sum();
    ticks as f64 / TICKS_PER_S
}

fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let stats = entries.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        process(id, &fs::read_to_string(entry.path().join("stat")).ok()?)
    });
    stats.collect()
}

fn proportional_set_size(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let kib = text.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim().strip_suffix(" kB")?;
    kib.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// Parses `/proc/PID/stat` (proc_pid_stat(5)). The name may contain any character, so that the last `)` ends it. The fields
/// after it are state (3), parent (4) and, as 14 to 17, the user and system times.
fn process(id: u32, stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split_ascii_whitespace().collect();
    let times = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok());
    Some(Process { id, parent: fields.get(1)?.parse().ok()?, ticks: times.sum() })
}

/// Returns a process and its descendants.
fn tree(root: u32, processes: &[Process]) -> Vec<Process> {
    let mut found: Vec<Process> = processes.iter().filter(|process| process.id == root).copied().collect();
    let mut at = 0;
    while let Some(parent) = found.get(at).map(|process| process.id) {
        found.extend(processes.iter().filter(|process| process.parent == parent));
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_children_and_grandchildren() {
        let processes = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 5)].map(|(id, parent)| Process { id, parent, ticks: 0 });
        assert_eq!(tree(2, &processes).iter().map(|process| process.id).collect::<Vec<_>>(), [2, 3, 4]);
        let stat = "12 (a ) b) S 7 12 12 0 -1 4194560 100 200 0 0 30 5 2 1 20 0 1 0 100\n";
        assert_eq!(process(12, stat), Some(Process { id: 12, parent: 7, ticks: 38 }));
        assert_eq!(process(12, "nonsense"), None);
    }

    #[test]
    fn this_process_has_memory_and_uses_time() {
        let id = std::process::id();
        assert!(memory_bytes(id).is_some_and(|bytes| bytes > 100_000));
        let before = cpu_s(id);
        let start = std::time::Instant::now();
        while cpu_s(id) <= before {
            assert!(start.elapsed().as_secs() < 240, "CPU time does not grow");
        }
    }
}
