//! A program with all its processes: their memory, in which what several share is counted once, and the processor time
//! they have used so far.

use std::fs;

/// Ticks in a second in `/proc/PID/stat`, whatever the kernel's own clock.
const TICKS_EACH_S: f64 = 100.0;

/// What `/proc/PID/stat` says of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Process {
    id: u32,
    parent: u32,
    /// Its own, and that of children it has waited for.
    ticks: u64,
}

/// The sum of the proportional shares of a process and all that come from it; `None` where the kernel doesn't tell.
pub fn memory_bytes(root: u32) -> Option<u64> {
    // A process may end between two looks, which leaves what the others have.
    let shares: Vec<u64> = tree(root, &processes()).into_iter().filter_map(|process| share(process.id)).collect();
    (!shares.is_empty()).then(|| shares.iter().sum())
}

/// Processor time that a process and all that come from it have used, to a hundredth of a second for each.
pub fn cpu_s(root: u32) -> f64 {
    let ticks: u64 = tree(root, &processes()).iter().map(|process| process.ticks).sum();
    ticks as f64 / TICKS_EACH_S
}

fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let stats = entries.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        process(id, &fs::read_to_string(entry.path().join("stat")).ok()?)
    });
    stats.collect()
}

fn share(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let kib = text.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim().strip_suffix(" kB")?;
    kib.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// Behind the name, which may hold anything, stand the state, the parent, and from the 14th field on four times.
fn process(id: u32, stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split_ascii_whitespace().collect();
    let times = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok());
    Some(Process { id, parent: fields.get(1)?.parse().ok()?, ticks: times.sum() })
}

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
    fn the_tree_holds_children_and_theirs() {
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
            assert!(start.elapsed().as_secs() < 240, "no time passes");
        }
    }
}
