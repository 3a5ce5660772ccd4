//! The memory of a program with all its processes. What several of them share is counted once.

use std::fs;

/// The sum of the proportional shares of a process and all that come from it; `None` where the kernel doesn't tell.
pub fn of_tree(root: u32) -> Option<u64> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").ok()?.filter_map(Result::ok) {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        parents.extend(parent(&stat).map(|parent| (id, parent)));
    }
    // A process may end between two looks, which leaves what the others have.
    let shares: Vec<u64> = tree(root, &parents).into_iter().filter_map(share).collect();
    (!shares.is_empty()).then(|| shares.iter().sum())
}

fn share(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let kib = text.lines().find_map(|line| line.strip_prefix("Pss:"))?.trim().strip_suffix(" kB")?;
    kib.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// The fourth field of `/proc/PID/stat`; the second is the name, which may hold anything.
fn parent(stat: &str) -> Option<u32> {
    stat.rsplit_once(") ")?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn tree(root: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    let mut found = vec![root];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_holds_children_and_theirs() {
        let parents = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 5)];
        assert_eq!(tree(2, &parents), [2, 3, 4]);
        assert_eq!(parent("12 (a ) b) S 7 12 12"), Some(7));
        assert_eq!(parent("nonsense"), None);
    }

    #[test]
    fn this_process_has_memory() {
        assert!(of_tree(std::process::id()).is_some_and(|bytes| bytes > 100_000));
    }
}
