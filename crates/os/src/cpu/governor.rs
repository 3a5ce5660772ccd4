//! What decides the CPUs' frequencies.

use std::path::Path;

use super::online_under;

/// The names of the governors of the running CPUs, each once: usually one, and none where the machine has no
/// frequencies to choose from, as in most virtual machines.
pub fn governors() -> Vec<String> {
    governors_under(Path::new("/sys"))
}

fn governors_under(sys: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for cpu in online_under(sys).unwrap_or_default() {
        let path = sys.join(format!("devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"));
        let name = std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn each_governor_is_named_once_and_machines_without_have_none() {
        let tree = Tree::new("governors");
        tree.write("devices/system/cpu/online", "0-3");
        assert!(governors_under(tree.path()).is_empty());
        for (cpu, name) in [(0, "performance"), (1, "powersave"), (2, "performance")] {
            tree.write(&format!("devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"), name);
        }
        assert_eq!(governors_under(tree.path()), ["performance", "powersave"]);
    }
}
